//! GraphQL: parses, validates and executes an operation against the schema and the store, so that any
//! selection that GitHub's schema allows works. What the store does not hold gets a value of the right type.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use apollo_compiler::ExecutableDocument;
use apollo_compiler::ast::Type;
use apollo_compiler::executable::Operation;
use apollo_compiler::resolvers::{Execution, FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::{GraphQLError, JsonMap};
use apollo_compiler::schema::ExtendedType;
use serde_json::{Map, Value, json};

use super::schema::Loaded;
use super::store::{Store, target};
use super::{connection, limits, mutations, query};

/// Everything that executing one operation needs.
pub struct Graph {
    pub loaded: Arc<Loaded>,
    pub store: Arc<Mutex<Store>>,
}

/// An answer's body, and whether the operation was valid at all.
pub struct Executed {
    pub body: Value,
    pub invalid: Option<String>,
}

/// An error as GitHub types it (`NOT_FOUND`, `FORBIDDEN`, …). apollo's errors have a message only, so
/// the type travels in front of it.
pub fn typed_error(kind: &str, message: impl AsRef<str>) -> FieldError {
    FieldError { message: format!("\u{1}{kind}\u{1}{}", message.as_ref()) }
}

impl Graph {
    /// What `POST /graphql` answers; its status is 200 in all these cases.
    pub fn execute(&self, query: &str, name: Option<&str>, variables: &Value) -> Executed {
        let schema = &self.loaded.schema;
        let document = match ExecutableDocument::parse_and_validate(schema, query, "query") {
            Ok(document) => document,
            Err(invalid) => {
                return refused(&invalid.errors.iter().map(|error| error.error.to_string()).collect::<Vec<_>>());
            }
        };
        let operation = match document.operations.get(name) {
            Ok(operation) => operation,
            Err(error) => return refused(&[error.message().to_string()]),
        };
        match limits::check(&document, operation, variables) {
            Ok(cost) => limits::charge(&mut self.store.lock().unwrap(), cost),
            Err(error) => return Executed { invalid: Some(error.to_string()), body: json!({"errors": [error]}) },
        }
        self.run(&document, operation, variables)
    }

    fn run(
        &self,
        document: &apollo_compiler::validation::Valid<ExecutableDocument>,
        operation: &Operation,
        variables: &Value,
    ) -> Executed {
        let source = if operation.is_mutation() { Source::Mutation } else { Source::Query };
        let root = Object { graph: self, ty: operation.object_type().to_string(), source };
        let variables: JsonMap = serde_json::from_value(variables.clone()).unwrap_or_default();
        let result = Execution::new(&self.loaded.schema, document)
            .operation(operation)
            .implementers_map(&self.loaded.implementers)
            .enable_schema_introspection(true)
            .raw_variable_values(&variables)
            .execute_sync(&root);
        match result {
            Err(error) => refused(&[error.message().to_string()]),
            Ok(response) => {
                let mut body = json!({ "data": response.data });
                if !response.errors.is_empty() {
                    body["errors"] = response.errors.iter().map(github_error).collect();
                }
                Executed { body, invalid: None }
            }
        }
    }
}

/// The answer to an operation that the schema does not allow.
fn refused(messages: &[String]) -> Executed {
    let errors: Vec<Value> =
        messages.iter().map(|text| json!({"message": text, "extensions": {"code": "undefinedField"}})).collect();
    Executed { invalid: Some(messages.join("; ")), body: json!({ "errors": errors }) }
}

fn github_error(error: &GraphQLError) -> Value {
    let message = error.message.strip_prefix("resolver error: ").unwrap_or(&error.message);
    let mut out = json!({"message": message, "path": error.path, "locations": error.locations});
    if let Some((kind, text)) = message.strip_prefix('\u{1}').and_then(|rest| rest.split_once('\u{1}')) {
        out["type"] = json!(kind);
        out["message"] = json!(text);
    }
    out
}

/// Something that fields are asked of.
pub struct Object<'g> {
    graph: &'g Graph,
    ty: String,
    source: Source,
}

enum Source {
    Query,
    Mutation,
    Node(String),
    /// The fields themselves.
    Inline(Map<String, Value>),
}

impl ObjectValue for Object<'_> {
    fn type_name(&self) -> &str {
        &self.ty
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let field = info.field_name();
        let ty = &info.field_definition().ty;
        let args = serde_json::to_value(info.arguments()).unwrap_or_default();
        let value = match self.value(field, &args)? {
            Some(value) if !(value.is_null() && ty.is_non_null()) => value,
            _ => self.graph.default(ty, &format!("{}.{field}", self.ty)),
        };
        self.graph.resolved(value, ty, &args)
    }
}

impl Object<'_> {
    fn value(&self, field: &str, args: &Value) -> Result<Option<Value>, FieldError> {
        let mut store = self.graph.store.lock().unwrap();
        match &self.source {
            Source::Query => query::root(&store, field, args),
            Source::Mutation => mutations::run(&mut store, field, &args["input"]).map(Some),
            Source::Inline(fields) => query::inline_field(&store, &self.ty, fields, field, args),
            Source::Node(id) => query::field(&mut store, &self.ty, id, field, args),
        }
    }
}

impl Graph {
    fn resolved<'a>(&'a self, value: Value, ty: &Type, args: &Value) -> Result<ResolvedValue<'a>, FieldError> {
        let name = ty.inner_named_type().as_str();
        match value {
            Value::Array(items) if name.ends_with("Connection") => {
                let page = connection::page(&self.store.lock().unwrap(), items, name, args);
                Ok(ResolvedValue::object(Object { graph: self, ty: name.to_owned(), source: Source::Inline(page) }))
            }
            Value::Null => Ok(ResolvedValue::null()),
            Value::Array(items) if ty.is_list() => {
                let of = ty.item_type().clone();
                let items: Result<Vec<_>, _> = items.into_iter().map(|item| self.resolved(item, &of, args)).collect();
                Ok(ResolvedValue::list(items?))
            }
            Value::Object(fields) if !matches!(self.loaded.schema.types.get(name), Some(ExtendedType::Scalar(_))) => {
                Ok(self.object(fields, name))
            }
            value => {
                Ok(ResolvedValue::leaf(serde_json::from_value::<apollo_compiler::response::JsonValue>(value).unwrap()))
            }
        }
    }

    fn object(&self, fields: Map<String, Value>, declared: &str) -> ResolvedValue<'_> {
        let store = self.store.lock().unwrap();
        if let Some(id) = target(&Value::Object(fields.clone())) {
            // A reference to a node that was deleted.
            let Some(node) = store.node(id) else { return ResolvedValue::null() };
            let ty = node["__typename"].as_str().unwrap_or(declared).to_owned();
            return ResolvedValue::object(Object { graph: self, ty, source: Source::Node(id.to_owned()) });
        }
        let ty = fields.get("__typename").and_then(Value::as_str).unwrap_or(declared).to_owned();
        ResolvedValue::object(Object { graph: self, ty, source: Source::Inline(fields) })
    }

    /// A value of the right type for what the store does not hold.
    fn default(&self, ty: &Type, place: &str) -> Value {
        let name = ty.inner_named_type().as_str();
        if name.ends_with("Connection") {
            return json!([]);
        }
        if !ty.is_non_null() {
            return Value::Null;
        }
        if ty.is_list() {
            return json!([]);
        }
        let of_scalars = BTreeMap::from([
            ("Boolean", json!(false)),
            ("Int", json!(0)),
            ("Float", json!(0.0)),
            ("ID", json!(format!("default_{place}"))),
            ("DateTime", json!("1970-01-01T00:00:00Z")),
            ("GitObjectID", json!("0".repeat(40))),
            ("URI", json!("https://github.com/")),
        ]);
        if let Some(value) = of_scalars.get(name) {
            return value.clone();
        }
        match self.loaded.schema.types.get(name) {
            Some(ExtendedType::Enum(of)) => json!(of.values.keys().next().map(|value| value.as_str())),
            Some(ExtendedType::Object(_)) => json!({ "__typename": name }),
            Some(ExtendedType::Interface(_) | ExtendedType::Union(_)) => {
                let first = self.loaded.implementers.get(name).and_then(|all| all.objects.iter().next());
                json!({ "__typename": first.map_or(name, |object| object.as_str()) })
            }
            _ => json!(""),
        }
    }
}
