//! The schema that answers are executed against: GitHub's own where it was fetched, else a slice of
//! it, written by hand, with what this program selects.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::Implementers;
use apollo_compiler::validation::Valid;
use apollo_compiler::{Name, Schema, ast};

pub const SLICE: &str = include_str!("slice.graphql");

pub struct Loaded {
    pub schema: Valid<Schema>,
    pub implementers: HashMap<Name, Implementers>,
}

/// A file of the published schemas, when `scripts/fetch-schema.sh` has put it there.
pub fn published(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/gh-schema").join(name);
    path.exists().then_some(path)
}

/// GitHub's own schema, loaded once.
pub fn official() -> Option<Arc<Loaded>> {
    static OFFICIAL: OnceLock<Option<Arc<Loaded>>> = OnceLock::new();
    OFFICIAL
        .get_or_init(|| {
            let text = std::fs::read_to_string(published("schema.graphql")?).expect("a readable schema");
            Some(Arc::new(load(&text, &[])))
        })
        .clone()
}

/// Our slice of it.
pub fn slice() -> Arc<Loaded> {
    static OURS: OnceLock<Arc<Loaded>> = OnceLock::new();
    Arc::clone(OURS.get_or_init(|| Arc::new(load(SLICE, &[]))))
}

/// The schema of a server that lacks some fields (`Type.field`), as an older Enterprise Server does.
pub fn without(fields: &[&str]) -> Arc<Loaded> {
    Arc::new(load(SLICE, fields))
}

fn load(text: &str, lacking: &[&str]) -> Loaded {
    let mut document = ast::Document::parse(text, "schema.graphql").unwrap_or_else(|e| panic!("{e}"));
    for definition in &mut document.definitions {
        remove_fields(definition, lacking);
    }
    let schema = document.to_schema_validate().unwrap_or_else(|e| panic!("{e}"));
    let implementers = schema.implementers_map();
    Loaded { schema, implementers }
}

fn remove_fields(definition: &mut ast::Definition, lacking: &[&str]) {
    let Some(ty) = definition.name().cloned() else { return };
    let lacks = |field: &Name| lacking.iter().any(|name| name.split_once('.') == Some((ty.as_str(), field.as_str())));
    match definition {
        ast::Definition::ObjectTypeDefinition(object) => object.make_mut().fields.retain(|f| !lacks(&f.name)),
        ast::Definition::InputObjectTypeDefinition(input) => input.make_mut().fields.retain(|f| !lacks(&f.name)),
        _ => {}
    }
}
