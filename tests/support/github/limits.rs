//! GitHub's own checks before it executes: page sizes, node counts, and what an operation costs.
//! See <https://docs.github.com/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api>.

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Operation, Selection, SelectionSet, Value as Argument};
use serde_json::{Value, json};

use super::store::Store;

/// Points and nodes of one operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub points: u64,
    pub nodes: u64,
}

/// A connection whose items are selected needs `first` or `last` of 0 to 100, and an operation may
/// ask for 500,000 nodes at most.
pub fn check(document: &ExecutableDocument, operation: &Operation, variables: &Value) -> Result<Cost, Value> {
    let mut walk = Walk { document, operation, variables, requests: 0, nodes: 0 };
    walk.set(&operation.selection_set, 1)?;
    if walk.nodes > 500_000 {
        let message = format!(
            "This query requests up to {} possible nodes which exceeds the maximum limit of 500,000.",
            walk.nodes
        );
        return Err(json!({"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message}));
    }
    Ok(Cost { points: ((walk.requests + 50) / 100).max(1), nodes: walk.nodes })
}

/// Notes the cost for `rateLimit`, which is asked in the same operation.
pub fn charge(store: &mut Store, cost: Cost) {
    store.rate_used += cost.points;
    let used = store.rate_used;
    let left = 5000_u64.saturating_sub(used);
    store.put(
        "RATE",
        json!({"__typename": "RateLimit", "cost": cost.points, "nodeCount": cost.nodes, "limit": 5000,
            "remaining": left, "used": used, "resetAt": "2030-01-01T00:00:00Z"}),
    );
}

struct Walk<'a> {
    document: &'a ExecutableDocument,
    operation: &'a Operation,
    variables: &'a Value,
    requests: u64,
    nodes: u64,
}

impl Walk<'_> {
    fn set(&mut self, set: &SelectionSet, parents: u64) -> Result<(), Value> {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => self.field(field, parents)?,
                Selection::InlineFragment(fragment) => self.set(&fragment.selection_set, parents)?,
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name) {
                        self.set(&fragment.selection_set, parents)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, parents: u64) -> Result<(), Value> {
        let mut within = parents;
        if field.ty().inner_named_type().as_str().ends_with("Connection") {
            let size = field
                .arguments
                .iter()
                .filter(|argument| argument.name == "first" || argument.name == "last")
                .find_map(|argument| self.number(&argument.value));
            match size {
                Some(size) if (0..=100).contains(&size) => {
                    self.requests += parents;
                    within = parents * size.unsigned_abs();
                    self.nodes += within;
                }
                Some(size) => return Err(excessive(field, size)),
                None if lists(field) => return Err(unbounded(field)),
                None => {}
            }
        }
        if field.name == "nodes" && field.arguments.iter().any(|argument| argument.name == "ids") {
            within *= self.variables["ids"].as_array().map_or(1, |ids| ids.len() as u64);
        }
        self.set(&field.selection_set, within)
    }

    fn number(&self, value: &Argument) -> Option<i64> {
        match value {
            Argument::Int(number) => number.try_to_i32().ok().map(i64::from),
            Argument::Variable(name) => self.variables.get(name.as_str()).and_then(Value::as_i64).or_else(|| {
                let variable = self.operation.variables.iter().find(|variable| variable.name == *name)?;
                self.number(variable.default_value.as_ref()?)
            }),
            _ => None,
        }
    }
}

/// Whether the items themselves are asked for, not only counts.
fn lists(field: &Field) -> bool {
    field.selection_set.selections.iter().any(|selection| match selection {
        Selection::Field(inner) => inner.name == "nodes" || inner.name == "edges",
        _ => true,
    })
}

fn unbounded(field: &Field) -> Value {
    let message =
        format!("You must provide a `first` or `last` value to properly paginate the `{}` connection.", field.name);
    json!({"type": "MISSING_PAGINATION_BOUNDARIES", "message": message})
}

fn excessive(field: &Field, size: i64) -> Value {
    let message = format!(
        "Requesting {size} records on the `{}` connection exceeds the `first` limit of 100 records.",
        field.name
    );
    json!({"type": "EXCESSIVE_PAGINATION", "message": message})
}
