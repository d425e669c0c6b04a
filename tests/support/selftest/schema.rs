//! Our slice of the schema against the published one.

use apollo_compiler::schema::ExtendedType;

use crate::support::can;
use crate::support::github::schema;

#[test]
fn our_slice_is_a_part_of_githubs_published_schema() {
    let Some(official) = schema::official() else {
        can("GitHub's published schema", false);
        return;
    };
    let slice = schema::slice();
    let mut differences = Vec::new();
    for (name, ours) in slice.schema.types.iter().filter(|(_, ty)| !ty.is_built_in()) {
        match official.schema.types.get(name) {
            Some(theirs) => compare(name, ours, theirs, &mut differences),
            None => differences.push(format!("{name} is not there")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Everything in `ours` has to be in `theirs`, with the same types.
fn compare(name: &str, ours: &ExtendedType, theirs: &ExtendedType, differences: &mut Vec<String>) {
    let (ours, theirs) = (members(ours), members(theirs));
    for member in ours {
        if !theirs.contains(&member) {
            differences.push(format!("{name}: {member}"));
        }
    }
}

/// Fields with their types, arguments with theirs, values, interfaces, members of a union: a line each.
fn members(ty: &ExtendedType) -> Vec<String> {
    let mut lines = Vec::new();
    let mut field = |name: &str, field: &apollo_compiler::ast::FieldDefinition| {
        lines.push(format!("{name}: {}", field.ty));
        lines.extend(field.arguments.iter().map(|argument| format!("{name}({}: {})", argument.name, argument.ty)));
    };
    match ty {
        ExtendedType::Object(object) => {
            object.fields.iter().for_each(|(name, definition)| field(name, definition));
            lines.extend(object.implements_interfaces.iter().map(|name| format!("implements {name}")));
        }
        ExtendedType::Interface(interface) => interface.fields.iter().for_each(|(name, f)| field(name, f)),
        ExtendedType::InputObject(input) => {
            lines.extend(input.fields.iter().map(|(name, field)| format!("{name}: {}", field.ty)));
        }
        ExtendedType::Enum(of) => lines.extend(of.values.keys().map(|value| format!("value {value}"))),
        ExtendedType::Union(of) => lines.extend(of.members.iter().map(|member| format!("member {member}"))),
        ExtendedType::Scalar(_) => lines.push("scalar".to_owned()),
    }
    lines
}
