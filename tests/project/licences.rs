//! Every dependency may be used under a licence that lets the program be given away.

use std::process::Command;

use serde_json::Value;

/// SPDX identifiers.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    // Asks for changes of its own files only.
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// An SPDX expression holds when one side of each `OR` and both sides of each `AND` do. `AND` binds closer; the old
/// `MIT/Apache-2.0` means `OR`.
fn holds(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut rest = expression.replace('(', " ( ").replace(')', " ) ");
    while let Some(close) = rest.find(')') {
        let open = rest[..close].rfind('(').expect("a balanced expression");
        let word = if flat(&rest[open + 1..close]) { "MIT" } else { "refused" };
        rest.replace_range(open..=close, word);
    }
    flat(&rest)
}

fn flat(expression: &str) -> bool {
    let plain = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    plain.split(" OR ").any(|side| side.split(" AND ").all(|licence| ALLOWED.contains(&licence)))
}

#[test]
fn licence_expressions_are_read_as_spdx_means_them() {
    assert!(holds("MIT OR Apache-2.0") && holds("MIT/GPL-3.0") && holds("GPL-3.0 OR (MIT AND Zlib)"));
    assert!(!holds("GPL-3.0-only") && !holds("MIT AND GPL-3.0") && !holds("(MIT OR Zlib) AND GPL-2.0"));
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let host = run(Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into())).arg("-vV"));
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&run(cargo.current_dir(super::root()))).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 20, "only {} packages", packages.len());

    let refused: Vec<String> = (packages.iter())
        .filter(|package| !package["license"].as_str().map_or_else(|| says_mit(package), holds))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// A package that names a file instead of an expression is taken at that file's title.
fn says_mit(package: &Value) -> bool {
    let manifest = package["manifest_path"].as_str().map(std::path::Path::new);
    let file = manifest.and_then(std::path::Path::parent).zip(package["license_file"].as_str());
    let text = file.and_then(|(folder, name)| std::fs::read_to_string(folder.join(name)).ok());
    text.is_some_and(|text| text.trim_start().starts_with("MIT License"))
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("cargo and rustc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
