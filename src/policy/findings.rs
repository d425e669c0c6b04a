//! Reading an envelope of findings: what does not fit is named by its field, with what was expected there.

use serde_json::{Map, Value};

use crate::model::review::{Envelope, ReviewFinding, Severity, VERSION, Word};
use crate::model::text::one_line;

/// Findings that one envelope may have.
const MOST: usize = 1000;

/// One field that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `findings[2].severity`; empty for the document itself.
    pub path: String,
    pub expected: &'static str,
    pub found: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.path.is_empty() { "the document" } else { &self.path };
        write!(f, "`{place}`: expected {}, found {}", self.expected, self.found)
    }
}

/// Reads an envelope; fields that are not known are ignored.
///
/// # Errors
/// All faults, in the order of the document. A version that is not known is the only one that is told.
pub fn read(document: &Value) -> Result<Envelope, Vec<Fault>> {
    let mut reader = Reader::default();
    let Some(object) = document.as_object() else {
        return Err(vec![fault("", "an object", Some(document))]);
    };
    if object.get("schema_version").and_then(Value::as_str) != Some(VERSION) {
        return Err(vec![fault("schema_version", "\"v1\"", object.get("schema_version"))]);
    }
    let findings = reader.findings(object.get("findings"));
    let checks_run = reader.texts(object.get("checks_run"));
    if reader.faults.is_empty() {
        Ok(Envelope { schema_version: VERSION.to_owned(), findings, checks_run })
    } else {
        Err(reader.faults)
    }
}

/// Why a finding is not acted on: only confirmed ones are, down to the severity `least` (L2).
pub fn left_out(finding: &ReviewFinding, least: Severity) -> Option<String> {
    match finding.verdict {
        Some(Word::Confirmed) if finding.severity <= least => None,
        Some(Word::Confirmed) => Some(format!("{} is below {least}", finding.severity)),
        Some(Word::Demoted) => Some("it was handed in as demoted".to_owned()),
        Some(Word::Rejected) => Some("it was handed in as rejected".to_owned()),
        None => Some("nobody has confirmed it (`verdict` is null)".to_owned()),
    }
}

/// Why a path cannot name a file of the repository.
pub fn path_fault(path: &str) -> Option<&'static str> {
    let parts = || path.split('/');
    if path.is_empty() {
        Some("it is empty")
    } else if path.starts_with('/') {
        Some("it is absolute")
    } else if path.contains(['\0', '\\', '\n']) || parts().any(|part| matches!(part, "" | "." | "..")) {
        Some("it is not a plain path from the root of the repository")
    } else if parts().any(|part| part.eq_ignore_ascii_case(".git")) {
        Some("it lies in git's own folder")
    } else {
        None
    }
}

fn fault(path: &str, expected: &'static str, found: Option<&Value>) -> Fault {
    let found = match found {
        None => "nothing".to_owned(),
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(value) => one_line(&value.to_string(), 80),
    };
    Fault { path: path.to_owned(), expected, found }
}

#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    fn fail(&mut self, path: &str, expected: &'static str, found: Option<&Value>) {
        self.faults.push(fault(path, expected, found));
    }

    fn findings(&mut self, value: Option<&Value>) -> Vec<ReviewFinding> {
        let Some(list) = value.and_then(Value::as_array).filter(|list| list.len() <= MOST) else {
            self.fail("findings", "a list of at most 1000 findings", value);
            return Vec::new();
        };
        let mut known = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let place = format!("findings[{index}]");
            let Some(object) = value.as_object() else {
                self.fail(&place, "an object", Some(value));
                continue;
            };
            if let Some(finding) = self.finding(&place, object) {
                if known.iter().any(|other: &ReviewFinding| other.id == finding.id) {
                    self.fail(&format!("{place}.id"), "an id that no other finding has", object.get("id"));
                }
                known.push(finding);
            }
        }
        known
    }

    fn finding(&mut self, place: &str, object: &Map<String, Value>) -> Option<ReviewFinding> {
        let before = self.faults.len();
        let mut field = Field { reader: self, place, object };
        let id = field.number("id", "an integer from 1");
        let severity = field.word("severity", "one of P0, P1, P2, P3");
        let title = field.text("title");
        let body = field.text("body");
        let file = field.file();
        let line_start = field.optional_number("line_start");
        let line_end = field.optional_number("line_end");
        let confidence = field.confidence();
        let criterion = field.optional_text("criterion", "a text or null");
        let verdict = field.optional_word("verdict", "one of confirmed, demoted, rejected, or null");
        let evidence = field.optional_text("evidence", "a text or null");
        if line_end.is_some_and(|end| line_start.is_none_or(|start| end < start)) {
            field.fail("line_end", "a line that is not before `line_start`");
        }
        let severity: Option<Severity> = severity;
        let needs = matches!(severity, Some(Severity::P0 | Severity::P1));
        if needs && criterion.as_deref().is_none_or(|text| text.trim().is_empty()) {
            field.fail("criterion", "a text, which P0 and P1 need");
        }
        if self.faults.len() > before {
            return None;
        }
        Some(ReviewFinding {
            id: u32::try_from(id?).ok()?,
            severity: severity?,
            title: title?,
            body: body?,
            file,
            line_start,
            line_end,
            confidence: confidence?,
            criterion,
            verdict,
            evidence,
        })
    }

    fn texts(&mut self, value: Option<&Value>) -> Vec<String> {
        let texts: Option<Vec<String>> = value
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.unwrap_or_else(|| {
            self.fail("checks_run", "a list of texts", value);
            Vec::new()
        })
    }
}

/// The fields of one finding.
struct Field<'a> {
    reader: &'a mut Reader,
    place: &'a str,
    object: &'a Map<String, Value>,
}

impl Field<'_> {
    fn fail(&mut self, name: &str, expected: &'static str) {
        self.reader.fail(&format!("{}.{name}", self.place), expected, self.object.get(name));
    }

    /// The field, when it is there and not null.
    fn given(&self, name: &str) -> Option<&Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    fn number(&mut self, name: &str, expected: &'static str) -> Option<u64> {
        let number =
            self.given(name).and_then(Value::as_u64).filter(|number| (1..=u64::from(u32::MAX)).contains(number));
        if number.is_none() {
            self.fail(name, expected);
        }
        number
    }

    fn optional_number(&mut self, name: &str) -> Option<u64> {
        self.given(name)?;
        self.number(name, "a line number from 1, or null")
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let text = self.given(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned);
        if text.is_none() {
            self.fail(name, "a text that is not empty");
        }
        text
    }

    fn optional_text(&mut self, name: &str, expected: &'static str) -> Option<String> {
        let value = self.given(name)?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            self.fail(name, expected);
        }
        text
    }

    fn file(&mut self) -> Option<String> {
        let expected = "a path from the root of the repository, or null";
        let path = self.optional_text("file", expected)?;
        if path_fault(&path).is_some() {
            self.fail("file", expected);
        }
        Some(path)
    }

    fn confidence(&mut self) -> Option<f64> {
        let number = self.given("confidence").and_then(Value::as_f64).filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            self.fail("confidence", "a number from 0 to 1");
        }
        number
    }

    fn word<T: serde::de::DeserializeOwned>(&mut self, name: &str, expected: &'static str) -> Option<T> {
        let word = self.given(name).and_then(|value| serde_json::from_value(value.clone()).ok());
        if word.is_none() {
            self.fail(name, expected);
        }
        word
    }

    fn optional_word(&mut self, name: &str, expected: &'static str) -> Option<Word> {
        self.given(name)?;
        self.word(name, expected)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn envelope(changes: Value) -> Value {
        let mut finding = json!({"id": 1, "severity": "P1", "title": "t", "body": "b", "file": "src/a.rs",
            "line_start": 3, "line_end": 4, "confidence": 0.8, "criterion": "c", "verdict": "confirmed", "evidence": null});
        for (name, value) in changes.as_object().unwrap() {
            finding[name] = value.clone();
        }
        json!({"schema_version": "v1", "findings": [finding], "checks_run": []})
    }

    fn said(document: &Value) -> Vec<String> {
        read(document).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_fitting_envelope_is_read_and_unknown_fields_are_ignored() {
        let read = read(&envelope(json!({"later": 1, "file": null, "line_start": null, "line_end": null}))).unwrap();
        assert_eq!((read.findings[0].id, read.findings[0].verdict), (1, Some(Word::Confirmed)));
    }

    #[test]
    fn each_misfit_is_named_with_its_field_and_what_was_expected() {
        for (change, want) in [
            (json!({"severity": "P9"}), "`findings[0].severity`: expected one of P0, P1, P2, P3, found \"P9\""),
            (json!({"id": 0}), "`findings[0].id`: expected an integer from 1, found 0"),
            (json!({"title": " "}), "`findings[0].title`: expected a text that is not empty, found \" \""),
            (json!({"confidence": 1.5}), "`findings[0].confidence`: expected a number from 0 to 1, found 1.5"),
            (json!({"criterion": null}), "`findings[0].criterion`: expected a text, which P0 and P1 need, found null"),
            (
                json!({"line_end": 2}),
                "`findings[0].line_end`: expected a line that is not before `line_start`, found 2",
            ),
            (
                json!({"file": "../x"}),
                "`findings[0].file`: expected a path from the root of the repository, or null, found \"../x\"",
            ),
            (
                json!({"verdict": "maybe"}),
                "`findings[0].verdict`: expected one of confirmed, demoted, rejected, or null, found \"maybe\"",
            ),
        ] {
            assert_eq!(said(&envelope(change)), [want]);
        }
    }

    #[test]
    fn another_version_is_told_alone_and_all_other_faults_together() {
        let mut document = envelope(json!({"severity": 1}));
        document["schema_version"] = json!("v2");
        assert_eq!(said(&document), ["`schema_version`: expected \"v1\", found \"v2\""]);
        assert_eq!(said(&json!([])), ["`the document`: expected an object, found a list"]);
        let document = json!({"schema_version": "v1", "findings": [1, 2]});
        assert_eq!(said(&document).len(), 3);
        let mut twice = envelope(json!({}));
        let again = twice["findings"][0].clone();
        twice["findings"].as_array_mut().unwrap().push(again);
        assert_eq!(said(&twice), ["`findings[1].id`: expected an id that no other finding has, found 1"]);
    }

    #[test]
    fn paths_stay_inside_of_the_repository_and_out_of_git() {
        for path in ["", "/etc/passwd", "a/../b", "./a", "a//b", ".git/config", "sub/.GIT/hooks/x", "a\\b"] {
            assert!(path_fault(path).is_some(), "{path}");
        }
        assert_eq!(path_fault("src/a b.rs"), None);
    }
}
