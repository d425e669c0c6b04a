//! Marks that a caller keeps in a file of its own, such as "this reviewer found nothing at that commit": a push makes them
//! void (P34). The file is the caller's: what it holds beside them, and its order, stay.

use std::fmt;
use std::io::Write;
use std::path::Path;

use miette::Diagnostic;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

#[derive(Debug, Error, Diagnostic)]
#[error("the marks in `{path}` cannot be reset: {why}")]
#[diagnostic(
    code(prfix::usage::marks),
    help("give a JSON object that has the fields: --reset-state FILE --fields a,b")
)]
pub struct MarksError {
    path: String,
    why: String,
}

/// An object's members in their order, each as it was written.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Makes sure that the fields can be reset, before anything is done that makes them void.
///
/// # Errors
/// When the file can't be read, is no JSON object, or lacks a field.
pub fn check(path: &Path, fields: &[String]) -> Result<(), MarksError> {
    read(path, fields).map(drop)
}

/// Sets the fields to null. The file is replaced as a whole, with its rights; a link to it stays one.
///
/// # Errors
/// As for [`check`], and when it can't be written.
pub fn reset(path: &Path, fields: &[String]) -> Result<(), MarksError> {
    let members = read(path, fields)?;
    let line = |(name, value): &(String, Box<RawValue>)| {
        let value = if fields.contains(name) { "null" } else { value.get() };
        format!("  {}: {value}", serde_json::Value::from(name.as_str()))
    };
    let lines: Vec<String> = members.0.iter().map(line).collect();
    write(path, &format!("{{\n{}\n}}\n", lines.join(",\n"))).map_err(|error| fail(path, error.to_string()))
}

fn read(path: &Path, fields: &[String]) -> Result<Members, MarksError> {
    let text = std::fs::read_to_string(path).map_err(|error| fail(path, error.to_string()))?;
    let members: Members = serde_json::from_str(&text).map_err(|error| fail(path, error.to_string()))?;
    let lacking = fields.iter().find(|field| !members.0.iter().any(|(name, _)| name == *field));
    match lacking {
        Some(field) => Err(fail(path, format!("there is no field `{field}`"))),
        None => Ok(members),
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(path.metadata()?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

fn fail(path: &Path, why: String) -> MarksError {
    MarksError { path: path.display().to_string(), why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn named_fields_become_null_and_all_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("state.json"), dir.path().join("link.json"));
        std::fs::write(
            &path,
            "{\"z\": 1.50, \"bugbot_clean_at\": \"abc\",\n \"a\": {\"y\":1,\"b\":[ 2 ]}, \"\u{e9}\": null}",
        )
        .unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        reset(&link, &["bugbot_clean_at".into(), "\u{e9}".into()]).unwrap();
        let text =
            "{\n  \"z\": 1.50,\n  \"bugbot_clean_at\": null,\n  \"a\": {\"y\":1,\"b\":[ 2 ]},\n  \"\u{e9}\": null\n}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        reset(&path, &["z".into()]).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("{\n  \"z\": null,\n"));
    }

    #[test]
    fn what_cannot_be_reset_is_told_and_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let fields = ["clean_at".to_owned()];
        assert!(check(&path, &fields).is_err());
        for (text, why) in [("[1]", "an object"), ("{\"a\": 1}", "no field `clean_at`"), ("{\"clean_at\": 1", "EOF")] {
            std::fs::write(&path, text).unwrap();
            let error = reset(&path, &fields).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
