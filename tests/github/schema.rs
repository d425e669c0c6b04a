//! Every GraphQL operation holds in GitHub's own published schema.

use std::path::Path;

use apollo_compiler::{ExecutableDocument, Schema};

/// The schema that `scripts/fetch-schema.sh` fetched, or a loud skip.
fn schema_text() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gh-schema/schema.graphql");
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            let required = std::env::var("PRFIX_TEST_REQUIRE").is_ok();
            assert!(!required, "{}: {error}; run scripts/fetch-schema.sh", path.display());
            eprintln!("SKIPPED: no GitHub schema; run scripts/fetch-schema.sh");
            None
        }
    }
}

#[test]
fn every_operation_holds_in_githubs_schema_with_and_without_newer_fields() {
    let Some(text) = schema_text() else { return };
    let schema = Schema::parse_and_validate(text, "schema.graphql").expect("GitHub's schema is valid");
    let documents = git_prfix::github::documents();
    assert!(documents.len() > 10);
    for (name, variants) in documents {
        for document in variants {
            if let Err(error) = ExecutableDocument::parse_and_validate(&schema, document.as_str(), name) {
                panic!("{name}: {}", error.errors);
            }
        }
    }
}

#[test]
fn fields_that_may_be_missing_are_asked_for_by_their_right_names() {
    let Some(text) = schema_text() else { return };
    let schema = Schema::parse_and_validate(text, "schema.graphql").expect("GitHub's schema is valid");
    for field in git_prfix::github::optional_fields() {
        let (owner, name) = field.split_once('.').expect("Type.field");
        assert!(schema.type_field(owner, name).is_ok(), "{field}");
    }
}
