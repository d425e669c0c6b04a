//! Whether an envelope of findings is one, and which of its findings are acted on (L2, L4, L5).

use std::collections::BTreeSet;

use crate::model::review::{Envelope, FindingVerdict, ReviewFinding, Severity, VERSION};

/// Reads an envelope.
///
/// # Errors
/// Every fault, each with the path of its field and what was expected there.
pub fn parse(text: &str) -> Result<Envelope, Vec<String>> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| vec![format!("no JSON: {error}")])?;
    // Another version may have other fields: its name comes before theirs.
    match value.get("schema_version") {
        Some(serde_json::Value::String(version)) if version == VERSION => {}
        Some(other) => return Err(vec![format!("`schema_version` is {other}, expected \"{VERSION}\"")]),
        None => return Err(vec![format!("`schema_version` is missing, expected \"{VERSION}\"")]),
    }
    let envelope: Envelope = serde_path_to_error::deserialize(value)
        .map_err(|error| vec![format!("`{}`: {}", error.path(), error.inner())])?;
    let faults = faults(&envelope);
    if faults.is_empty() { Ok(envelope) } else { Err(faults) }
}

fn faults(envelope: &Envelope) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for (at, finding) in envelope.findings.iter().enumerate() {
        let mut wrong = |field: &str, why: String| faults.push(format!("`findings[{at}].{field}` {why}"));
        if finding.id == 0 {
            wrong("id", "is 0, expected a number from 1".to_owned());
        } else if !ids.insert(finding.id) {
            wrong("id", format!("is {}, which another finding has", finding.id));
        }
        if !(0.0..=1.0).contains(&finding.confidence) {
            wrong("confidence", format!("is {}, expected 0 to 1", finding.confidence));
        }
        if finding.title.trim().is_empty() {
            wrong("title", "is empty".to_owned());
        }
        let grave = finding.severity <= Severity::P1;
        if grave && finding.criterion.as_deref().is_none_or(|criterion| criterion.trim().is_empty()) {
            wrong("criterion", format!("is required for {}", finding.severity.as_str()));
        }
        if let Some(why) = finding.file.as_deref().and_then(unfit) {
            wrong("file", why.to_owned());
        }
        match (finding.line_start, finding.line_end) {
            (Some(0), _) => wrong("line_start", "is 0, expected a number from 1".to_owned()),
            (Some(first), Some(last)) if last < first => {
                wrong("line_end", format!("is {last}, before `line_start` {first}"));
            }
            (None, Some(_)) => wrong("line_end", "stands without `line_start`".to_owned()),
            _ => {}
        }
    }
    faults
}

/// Why a path is not one inside of the repository.
fn unfit(path: &str) -> Option<&'static str> {
    let parts = || path.split('/');
    if path.is_empty() {
        Some("is empty, expected a path or null")
    } else if path.starts_with('/') || path.contains('\\') || path.contains('\0') {
        Some("is not relative to the repository's root, with `/`")
    } else if parts().any(|part| part.is_empty() || part == "." || part == "..") {
        Some("is not a plain path inside of the repository")
    } else if parts().any(|part| part.eq_ignore_ascii_case(".git")) {
        Some("lies in a git folder")
    } else {
        None
    }
}

/// Why a finding is not acted on: only confirmed ones are, down to the least severity.
pub fn left_out(finding: &ReviewFinding, least: Severity) -> Option<String> {
    match finding.verdict {
        Some(FindingVerdict::Confirmed) if finding.severity <= least => None,
        Some(FindingVerdict::Confirmed) => {
            Some(format!("its severity is {}, below {}", finding.severity.as_str(), least.as_str()))
        }
        Some(FindingVerdict::Demoted) => Some("it was demoted".to_owned()),
        Some(FindingVerdict::Rejected) => Some("it was rejected".to_owned()),
        None => Some("nobody confirmed it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(field: &str, value: serde_json::Value) -> Result<Envelope, Vec<String>> {
        let mut finding = json!({
            "id": 1, "severity": "P1", "title": "Off by one", "body": "It reads too far.", "file": "src/a.rs",
            "line_start": 3, "line_end": 3, "confidence": 0.9, "criterion": "AC-1", "verdict": "confirmed",
            "evidence": null,
        });
        finding[field] = value;
        parse(&json!({"schema_version": "v1", "findings": [finding], "checks_run": []}).to_string())
    }

    #[test]
    fn a_sound_envelope_is_read() {
        let envelope = with("id", json!(7)).unwrap();
        assert_eq!((envelope.findings[0].id, envelope.findings[0].severity), (7, Severity::P1));
    }

    #[test]
    fn every_fault_names_its_field_and_what_was_expected() {
        for (field, value, said) in [
            ("id", json!(0), "`findings[0].id` is 0, expected a number from 1"),
            ("severity", json!("P9"), "`findings[0].severity`: unknown variant `P9`"),
            ("confidence", json!(1.5), "`findings[0].confidence` is 1.5, expected 0 to 1"),
            ("criterion", json!(null), "`findings[0].criterion` is required for P1"),
            ("file", json!("../x"), "`findings[0].file` is not a plain path"),
            ("file", json!("/etc/passwd"), "`findings[0].file` is not relative"),
            ("file", json!(".git/config"), "`findings[0].file` lies in a git folder"),
            ("line_end", json!(1), "`findings[0].line_end` is 1, before `line_start` 3"),
            ("verdict", json!("maybe"), "`findings[0].verdict`: unknown variant `maybe`"),
            ("extra", json!(1), "unknown field `extra`"),
        ] {
            let faults = with(field, value).unwrap_err();
            assert!(faults[0].contains(said), "{field}: {faults:?}");
        }
        let other = parse(r#"{"schema_version": "v2"}"#).unwrap_err();
        assert_eq!(other, ["`schema_version` is \"v2\", expected \"v1\""]);
    }

    #[test]
    fn only_confirmed_findings_down_to_the_least_severity_are_acted_on() {
        let acted = |verdict, severity, least| {
            let mut finding = with("id", json!(1)).unwrap().findings.remove(0);
            (finding.verdict, finding.severity) = (verdict, severity);
            left_out(&finding, least).is_none()
        };
        let confirmed = Some(FindingVerdict::Confirmed);
        assert!(acted(confirmed, Severity::P0, Severity::P1) && acted(confirmed, Severity::P2, Severity::P2));
        assert!(!acted(confirmed, Severity::P2, Severity::P1) && !acted(None, Severity::P0, Severity::P1));
        assert!(!acted(Some(FindingVerdict::Demoted), Severity::P0, Severity::P1));
    }
}
