//! `x.repo`: the frozen files of a checkout, as rules read them.

use std::cell::RefCell;
use std::collections::HashMap;

use mlua::serde::SerializeOptions;
use mlua::{Error, Lua, LuaSerdeExt, MultiValue, Result, UserData, UserDataMethods, Value};

use super::helpers;
use super::view::Snapshot;

/// Bytes of a file that is parsed; lock files may be larger and are never parsed.
const MAX_PARSED: usize = 1 << 20;
/// Paths that one glob may return.
const MAX_PATHS: usize = 10_000;

pub(super) struct Repo<'a> {
    pub snapshot: &'a Snapshot,
    parsed: RefCell<HashMap<String, Value>>,
}

type Parse = fn(&str) -> std::result::Result<serde_json::Value, String>;

impl<'a> Repo<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, parsed: RefCell::default() }
    }

    /// Parses once. A missing file is `nil`; one that does not parse is `nil` and the reason.
    fn parse(&self, lua: &Lua, path: &str, parse: Parse) -> Result<MultiValue> {
        if let Some(known) = self.parsed.borrow().get(path) {
            return Ok(MultiValue::from_vec(vec![known.clone()]));
        }
        let Some(bytes) = self.snapshot.files.get(path) else {
            return Ok(MultiValue::from_vec(vec![Value::Nil]));
        };
        let value = if bytes.len() > MAX_PARSED {
            Err(format!("{path} is over {} KiB", MAX_PARSED >> 10))
        } else {
            let text = String::from_utf8_lossy(bytes);
            parse(text.trim_start_matches('\u{feff}')).map_err(|error| format!("{path} does not parse: {error}"))
        };
        match value {
            Ok(json) => {
                let options = SerializeOptions::new()
                    .set_array_metatable(false)
                    .serialize_none_to_null(false)
                    .serialize_unit_to_null(false);
                let value = lua.to_value_with(&json, options)?;
                self.parsed.borrow_mut().insert(path.to_owned(), value.clone());
                Ok(MultiValue::from_vec(vec![value]))
            }
            Err(reason) => Ok(MultiValue::from_vec(vec![Value::Nil, Value::String(lua.create_string(&reason)?)])),
        }
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>> {
        let matcher = helpers::glob(pattern)?;
        Ok(self.snapshot.files.keys().filter(|path| matcher.is_match(path)).take(MAX_PATHS).cloned().collect())
    }
}

impl Snapshot {
    /// Whether there is such a file, or a folder with files.
    pub fn exists(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        if path.is_empty() || self.files.contains_key(path) {
            return true;
        }
        let folder = format!("{path}/");
        self.files.range(folder.clone()..).next().is_some_and(|(first, _)| first.starts_with(&folder))
    }
}

fn json(text: &str) -> std::result::Result<serde_json::Value, String> {
    serde_json::from_str(&without_comments(text)).map_err(|error| error.to_string())
}

fn toml(text: &str) -> std::result::Result<serde_json::Value, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

fn yaml(text: &str) -> std::result::Result<serde_json::Value, String> {
    serde_yaml_ng::from_str(text).map_err(|error| error.to_string())
}

/// Comments and trailing commas, as in `tsconfig.json`, `deno.jsonc` and many others.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut quoted = false;
    while let Some((at, c)) = chars.next() {
        let rest = &text[at..];
        if quoted {
            out.push(c);
            match c {
                '\\' => out.extend(chars.next().map(|(_, escaped)| escaped)),
                '"' => quoted = false,
                _ => {}
            }
        } else if rest.starts_with("//") || rest.starts_with("/*") {
            let end = if rest.starts_with("//") { rest.find('\n') } else { rest.find("*/").map(|end| end + 2) };
            let end = at + end.unwrap_or(rest.len());
            while chars.next_if(|(next, _)| *next < end).is_some() {}
        } else if c == ',' && rest[1..].trim_start().starts_with(['}', ']']) {
            // A trailing comma.
        } else {
            quoted = c == '"';
            out.push(c);
        }
    }
    out
}

impl UserData for Repo<'_> {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("exists", |_, repo, path: String| Ok(repo.snapshot.exists(&path)));
        methods.add_method("read", |lua, repo, path: String| {
            repo.snapshot.files.get(&path).map(|bytes| lua.create_string(bytes)).transpose()
        });
        methods.add_method("json", |lua, repo, path: String| repo.parse(lua, &path, json));
        methods.add_method("toml", |lua, repo, path: String| repo.parse(lua, &path, toml));
        methods.add_method("yaml", |lua, repo, path: String| repo.parse(lua, &path, yaml));
        methods.add_method("glob", |_, repo, pattern: String| repo.glob(&pattern));
        methods.add_meta_method(mlua::MetaMethod::Index, |_, _, name: String| -> Result<Value> {
            let known = ["exists", "read", "json", "toml", "yaml", "glob"];
            let hint = super::nearest::did_you_mean(&name, known);
            Err(Error::runtime(format!("repo has no method '{name}'{hint}")))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_as_editors_do() {
        let text = r#"{ // note
            "a": "x // y /* z */", /* block */ "b": [1, 2,], "q": "\"//", }"#;
        let value = json(text).unwrap();
        assert_eq!(value["a"], "x // y /* z */");
        assert_eq!(value["b"], serde_json::json!([1, 2]));
        assert_eq!(value["q"], "\"//");
    }

    #[test]
    fn documents_that_explode_are_refused() {
        let bomb = (0..12).fold("a0: &a0 [x, x]\n".to_owned(), |text, i| {
            format!("{text}a{}: &a{} [{}]\n", i + 1, i + 1, vec![format!("*a{i}"); 9].join(", "))
        });
        assert!(yaml(&bomb).is_err());
        assert!(json(&"[".repeat(100_000)).is_err());
        assert!(toml(&format!("a = {}", "[".repeat(100_000))).is_err());
    }
}
