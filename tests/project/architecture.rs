//! Who may use whom, and how long things may get.

use std::path::Path;

use regex::Regex;

use super::rust_files;

const DOORS: &[&str] = &["model", "process", "env", "clock"];
const LOWER: &[&str] = &["policy", "rules", "github", "agent", "git", "state", "ui"];
/// A run and what it works with, side by side.
const MIDDLE: &[&str] = &["pipeline", "watch", "world", "settings", "demo"];

/// What a module may use besides itself; `None` for a module that this table does not know.
fn allowed(module: &str) -> Option<Vec<&'static str>> {
    let lists: &[&[&'static str]] = match module {
        "model" => &[],
        "policy" => &[&["model"]],
        "process" | "env" | "clock" => &[DOORS],
        "rules" | "github" | "agent" | "git" | "state" | "ui" => &[DOORS],
        "settings" | "world" | "demo" | "pipeline" => &[DOORS, LOWER, &["world", "settings", "demo", "pipeline"]],
        "watch" => &[DOORS, LOWER, MIDDLE],
        "commands" => &[DOORS, LOWER, MIDDLE],
        "cli" | "lib" | "main" => &[DOORS, LOWER, MIDDLE, &["commands", "cli"]],
        _ => return None,
    };
    Some(lists.concat())
}

/// `src/ui/say.rs` → `ui`, `src/clock.rs` → `clock`.
fn module(path: &Path) -> String {
    let below = path.strip_prefix("src").expect("a source file");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn every_module_uses_only_what_stands_to_its_right() {
    let uses = Regex::new(r"\b(?:crate|git_prfix)::(\w+)").unwrap();
    let mut faults = Vec::new();
    for (path, text) in rust_files("src") {
        let module = module(&path);
        let Some(allowed) = allowed(&module) else {
            faults.push(format!("{}: `{module}` is in no layer of this test", path.display()));
            continue;
        };
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            for found in uses.captures_iter(line) {
                let used = &found[1];
                if used != module && !allowed.contains(&used) && crate_module(used) {
                    faults.push(format!("{}:{}: `{module}` may not use `{used}`", path.display(), number + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A module of ours, not a macro or a function at the root.
fn crate_module(name: &str) -> bool {
    let src = super::root().join("src");
    src.join(name).is_dir() || src.join(format!("{name}.rs")).is_file()
}

#[test]
fn decisions_and_data_touch_nothing_outside() {
    let outside = Regex::new(
        r"\bstd::(?:fs|net|io|env|process|thread)\b|\b(?:rustix|ureq|gix|mlua|tempfile)::|SystemTime|Timestamp::now",
    )
    .unwrap();
    let mut faults = Vec::new();
    for (path, text) in rust_files("src/policy").into_iter().chain(rust_files("src/model")) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            if outside.is_match(line) {
                faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_file_is_longer_than_500_lines_and_no_function_longer_than_60() {
    let function = Regex::new(r"^(\s*)(?:pub(?:\([a-z]+\))? )?(?:const |async |unsafe )*fn (\w+)").unwrap();
    let mut faults = Vec::new();
    for (path, text) in rust_files("src") {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > 500 {
            faults.push(format!("{}: {} lines", path.display(), lines.len()));
        }
        for (start, line) in lines.iter().enumerate() {
            let Some(found) = function.captures(line) else { continue };
            let close = format!("{}}}", &found[1]);
            let length = lines[start..].iter().position(|line| *line == close).unwrap_or(0) + 1;
            if length > 60 {
                faults.push(format!("{}:{}: fn {} has {length} lines", path.display(), start + 1, &found[2]));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_is_left_to_be_written() {
    let unfinished = Regex::new(r"\b(?:todo|unimplemented|dbg)!\(|\b(?:TODO|FIXME|XXX)\b").unwrap();
    let mut faults = Vec::new();
    for (path, text) in rust_files("src") {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| unfinished.is_match(line)) {
            faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent: Vec<String> = (rust_files("src").into_iter().chain(rust_files("tests")))
        .filter(|(path, text)| !text.starts_with("//!") && !path.ends_with("main.rs"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "no module documentation: {}", silent.join(", "));
}
