//! Holds the fix agent's manifest against what git sees (A32–A35). Every violation is found at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::manifest::{Cause, Invariant, Manifest};

/// How a path changed, as far as the rules for manifests care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Written,
    Deleted,
    /// A gitlink moved or appeared.
    Submodule,
}

/// A path that git sees as changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub kind: Kind,
    /// Class and rule of the protection that covers it.
    pub protection: Option<(String, String)>,
    /// Why it counts as taking tests away.
    pub weakens_tests: Option<String>,
    /// A symbolic link that points out of the worktree.
    pub escapes: bool,
}

/// What the operator allowed for this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowed {
    pub ci: bool,
    pub tests: bool,
    pub prfix: bool,
}

/// What a claim about a file came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    Holds,
    /// With the discrepancy.
    Contradicted(String),
    Unverified(String),
}

/// Everything that a manifest is judged by.
#[derive(Debug)]
pub struct Evidence<'a> {
    pub manifest: &'a Manifest,
    pub changes: &'a [Changed],
    /// Ids that must be answered by this manifest.
    pub open: &'a BTreeSet<u32>,
    /// All ids of the spec.
    pub known: &'a BTreeSet<u32>,
    pub allowed: Allowed,
    /// By path; a written file without an entry has no invariant.
    pub claims: &'a BTreeMap<String, Claim>,
}

/// One thing that is wrong with a manifest or with the change it describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub path: Option<String>,
    pub what: String,
    /// Only an invariant is at fault; the scope is in order.
    pub invariant: bool,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

/// `./a` and `a` are the same file.
pub fn normal(path: &str) -> &str {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path
}

/// All violations, in the order in which an agent would mend them: files, ids, invariants.
pub fn violations(evidence: &Evidence<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    scope(evidence, &mut found);
    causes(evidence, &mut found);
    protections(evidence, &mut found);
    ids(evidence, &mut found);
    invariants(evidence, &mut found);
    found
}

fn scope_fault(path: Option<&str>, what: String) -> Violation {
    Violation { path: path.map(str::to_owned), what, invariant: false }
}

fn scope(evidence: &Evidence<'_>, found: &mut Vec<Violation>) {
    let declared: BTreeSet<&str> = evidence.manifest.touched_files.iter().map(|p| normal(p)).collect();
    let actual: BTreeSet<&str> = evidence.changes.iter().map(|c| c.path.as_str()).collect();
    for path in actual.difference(&declared) {
        found.push(scope_fault(
            Some(path),
            format!("`{path}` is changed but not in touched_files: declare it or revert it"),
        ));
    }
    for path in declared.difference(&actual) {
        found.push(scope_fault(
            Some(path),
            format!("`{path}` is in touched_files but git sees no change in it: change it or take it out"),
        ));
    }
}

fn causes(evidence: &Evidence<'_>, found: &mut Vec<Violation>) {
    let map: BTreeMap<&str, &Vec<Cause>> =
        evidence.manifest.spec_item_map.iter().map(|(path, causes)| (normal(path), causes)).collect();
    for change in evidence.changes {
        let path = change.path.as_str();
        let causes = map.get(path).map_or(&[][..], |list| list.as_slice());
        if causes.is_empty() {
            found.push(scope_fault(
                Some(path),
                format!(
                    "`{path}` is mapped to no item: revert it, or name the items or a justification in spec_item_map"
                ),
            ));
        }
        for cause in causes {
            match cause {
                Cause::Item(id) if !evidence.known.contains(id) => {
                    found.push(scope_fault(
                        Some(path),
                        format!("`{path}` is mapped to item {id}, which does not exist"),
                    ));
                }
                Cause::Justification(text) if text.trim().trim_start_matches("justification:").trim().len() < 3 => {
                    found.push(scope_fault(Some(path), format!("`{path}` has an empty justification")));
                }
                _ => {}
            }
        }
    }
}

fn protections(evidence: &Evidence<'_>, found: &mut Vec<Violation>) {
    for change in evidence.changes {
        let path = change.path.as_str();
        if change.kind == Kind::Submodule {
            found.push(scope_fault(
                Some(path),
                format!("`{path}` is a submodule and must stay at its commit: revert it"),
            ));
        }
        if change.escapes {
            found
                .push(scope_fault(Some(path), format!("`{path}` is a link that leads out of the worktree: remove it")));
        }
        if let Some(why) = &change.weakens_tests
            && !evidence.allowed.tests
        {
            found.push(scope_fault(
                Some(path),
                format!(
                    "`{path}`: {why}; tests are not deleted or switched off to go green (`--allow tests` permits it)"
                ),
            ));
        }
        if let Some((class, rule)) = &change.protection
            && let Some(way) = refused(class, evidence.allowed)
        {
            found.push(scope_fault(Some(path), format!("`{path}` is protected ({rule}): revert it ({way})")));
        }
    }
}

/// How a protected class could be permitted, when it isn't.
pub fn refused(class: &str, allowed: Allowed) -> Option<&'static str> {
    match class {
        "tests" => None,
        "ci" | "hooks" => (!allowed.ci).then_some("the operator can permit it with `--allow ci`"),
        "prfix" => (!allowed.prfix).then_some("the operator can permit it with `--allow prfix`"),
        _ => Some("a person has to change it"),
    }
}

fn ids(evidence: &Evidence<'_>, found: &mut Vec<Violation>) {
    let manifest = evidence.manifest;
    let mapped = mapped(manifest);
    let mut unfixed: BTreeMap<u32, &str> = BTreeMap::new();
    for (name, list) in [
        ("out_of_scope", &manifest.out_of_scope),
        ("declined", &manifest.declined),
        ("needs_human", &manifest.needs_human),
    ] {
        for (key, reason) in list {
            match key.trim_start_matches('#').parse::<u32>() {
                Ok(id) if evidence.known.contains(&id) => {
                    if reason.trim().is_empty() {
                        found.push(scope_fault(None, format!("item {id} is in {name} without a reason")));
                    }
                    if let Some(other) = unfixed.insert(id, name) {
                        found.push(scope_fault(None, format!("item {id} is in {other} and in {name}: say one thing")));
                    }
                    if mapped.contains(&id) {
                        found.push(scope_fault(
                            None,
                            format!("item {id} is in {name} and mapped to a file: say one thing"),
                        ));
                    }
                }
                _ => found.push(scope_fault(None, format!("{name} names item {key}, which does not exist"))),
            }
        }
    }
    for (id, other) in
        super::contradictions::one_sided(manifest).into_iter().filter(|(_, id)| evidence.known.contains(id))
    {
        found.push(scope_fault(
            None,
            format!("item {id} is said to contradict item {other}: put item {other} under needs_human as well, and undo what was done for either"),
        ));
    }
    for id in evidence.open {
        if !mapped.contains(id) && !unfixed.contains_key(id) {
            found.push(scope_fault(
                None,
                format!("item {id} is not answered: map a file to it, or put it in out_of_scope, declined or needs_human with a reason"),
            ));
        }
    }
}

/// Ids that some file is mapped to.
pub fn mapped(manifest: &Manifest) -> BTreeSet<u32> {
    let causes = manifest.spec_item_map.values().flatten();
    causes.filter_map(|cause| if let Cause::Item(id) = cause { Some(*id) } else { None }).collect()
}

fn invariants(evidence: &Evidence<'_>, found: &mut Vec<Violation>) {
    for change in evidence.changes.iter().filter(|c| c.kind == Kind::Written) {
        let path = change.path.as_str();
        let what = match evidence.claims.get(path) {
            Some(Claim::Holds) => continue,
            None => {
                format!("`{path}` has no invariant: give one falsifiable sentence, with a line and what it contains")
            }
            Some(Claim::Contradicted(why)) => format!("the invariant of `{path}` does not hold: {why}"),
            Some(Claim::Unverified(why)) => {
                format!(
                    "the invariant of `{path}` could not be verified ({why}): restate it with a line number and what that line contains"
                )
            }
        };
        found.push(Violation { path: Some(path.to_owned()), what, invariant: true });
    }
}

/// Checks a claim that names a line and what it contains; `None` when it only claims.
pub fn check_claim(invariant: &Invariant, text: &str) -> Option<Claim> {
    let wanted = invariant.contains.as_deref().map(str::trim).filter(|c| !c.is_empty());
    let (line, wanted) = match (invariant.line, wanted) {
        (Some(line), Some(wanted)) => (line, wanted),
        (None, Some(wanted)) => {
            let missing = || Claim::Contradicted(format!("no line contains `{wanted}`"));
            return Some(if text.contains(wanted) { Claim::Holds } else { missing() });
        }
        _ => return None,
    };
    let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
    let found = index.and_then(|index| text.lines().nth(index));
    Some(match found {
        Some(found) if found.contains(wanted) || spans(text, index.unwrap_or(0), wanted) => Claim::Holds,
        Some(found) => {
            let elsewhere = text
                .lines()
                .position(|l| l.contains(wanted))
                .map_or_else(String::new, |at| format!("; line {} does", at + 1));
            Claim::Contradicted(format!("line {line} is `{}` and does not contain `{wanted}`{elsewhere}", found.trim()))
        }
        None => Claim::Contradicted(format!("there is no line {line}")),
    })
}

/// A claim of several lines that begins on the named one.
fn spans(text: &str, index: usize, wanted: &str) -> bool {
    wanted.contains('\n')
        && text.lines().skip(index).take(wanted.lines().count()).collect::<Vec<_>>().join("\n").contains(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str) -> Changed {
        Changed { path: path.into(), kind: Kind::Written, protection: None, weakens_tests: None, escapes: false }
    }

    fn manifest(json: &str) -> Manifest {
        serde_json::from_str(json).unwrap()
    }

    fn judge(manifest: &Manifest, changes: &[Changed], open: &[u32], allowed: Allowed) -> Vec<String> {
        let ids: BTreeSet<u32> = open.iter().copied().collect();
        let claims = changes.iter().map(|c| (c.path.clone(), Claim::Holds)).collect();
        let evidence = Evidence { manifest, changes, open: &ids, known: &ids, allowed, claims: &claims };
        violations(&evidence).into_iter().map(|v| v.what).collect()
    }

    #[test]
    fn a_manifest_that_matches_has_no_violations() {
        let m =
            manifest(r#"{"touched_files":["./a.rs"],"spec_item_map":{"a.rs":[1]},"out_of_scope":{"2":"not here"}}"#);
        assert!(judge(&m, &[changed("a.rs")], &[1, 2], Allowed::default()).is_empty());
    }

    #[test]
    fn every_violation_is_in_one_list() {
        let m = manifest(
            r#"{"touched_files":["a.rs","ghost.rs"],"spec_item_map":{"a.rs":[9]},"declined":{"7":"x"},"needs_human":{"2":""}}"#,
        );
        let all = judge(&m, &[changed("a.rs"), changed("extra.rs")], &[1, 2], Allowed::default()).join("\n");
        for part in [
            "`extra.rs` is changed but not",
            "`ghost.rs` is in touched_files but",
            "item 9, which does not",
            "`extra.rs` is mapped to no item",
            "declined names item 7",
            "item 2 is in needs_human without a reason",
            "item 1 is not answered",
        ] {
            assert!(all.contains(part), "{part} not in\n{all}");
        }
    }

    #[test]
    fn protected_files_need_the_operators_word() {
        let m = manifest(r#"{"touched_files":["x"],"spec_item_map":{"x":[1]}}"#);
        let mut change = changed("x");
        change.protection = Some(("ci".into(), "protect/ci".into()));
        assert!(judge(&m, &[change.clone()], &[1], Allowed::default())[0].contains("--allow ci"));
        assert!(judge(&m, &[change.clone()], &[1], Allowed { ci: true, ..Allowed::default() }).is_empty());
        change.protection = Some(("secrets".into(), "protect/secrets".into()));
        let all = Allowed { ci: true, tests: true, prfix: true };
        assert_eq!(judge(&m, &[change.clone()], &[1], all).len(), 1);
        change.protection = None;
        change.weakens_tests = Some("a test file was deleted".into());
        assert!(judge(&m, &[change.clone()], &[1], Allowed::default())[0].contains("--allow tests"));
        change.weakens_tests = None;
        change.kind = Kind::Submodule;
        assert!(judge(&m, &[change], &[1], all)[0].contains("submodule"));
    }

    #[test]
    fn an_item_is_one_thing_only() {
        let m = manifest(r#"{"touched_files":["x"],"spec_item_map":{"x":[1]},"declined":{"1":"no"}}"#);
        assert!(judge(&m, &[changed("x")], &[1], Allowed::default())[0].contains("say one thing"));
    }

    #[test]
    fn claims_with_a_line_are_checked_and_the_discrepancy_is_named() {
        let claim =
            |line, contains: Option<&str>| Invariant { claim: "c".into(), line, contains: contains.map(Into::into) };
        let text = "one\n  two();\nthree\n";
        assert_eq!(check_claim(&claim(Some(2), Some("two()")), text), Some(Claim::Holds));
        assert_eq!(check_claim(&claim(None, Some("three")), text), Some(Claim::Holds));
        assert_eq!(check_claim(&claim(None, None), text), None);
        assert_eq!(check_claim(&claim(Some(2), None), text), None);
        let Some(Claim::Contradicted(why)) = check_claim(&claim(Some(1), Some("three")), text) else { panic!() };
        assert!(why.contains("line 1 is `one`") && why.contains("line 3 does"), "{why}");
        assert!(matches!(check_claim(&claim(Some(0), Some("x")), text), Some(Claim::Contradicted(_))));
    }
}
