//! What counts as a proof: which tests a change names, and whether an output says that one of them failed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::model::manifest::Cause;
use crate::model::proof::{Proof, ProofKind};

/// Declarations of tests in common frameworks; the last group is the name that their runner prints.
static NAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"#\[[^\]]*\btest[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)",
        r"(?m)^\s*(?:async\s+)?def\s+(test\w*)\s*\(",
        r"(?m)^\s*func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example|test)\w*)\s*\(",
        r#"(?m)^\s*(?:it|test|specify|scenario)(?:\.\w+)*\s*\(?\s*["'`]([^"'`\n]+)"#,
        r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^{;]*?(?:void|fun)\s+`?(\w+)",
        r"\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^{;]*?\s(\w+)\s*\(",
        r"(?m)^\s*(?:public\s+)?function\s+(test\w*)\s*\(",
        r"(?m)^\s*TEST(?:_F|_P)?\s*\(\s*\w+\s*,\s*(\w+)",
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("constant pattern"))
    .collect()
});

/// Words on a line that reports a failed test.
static FAILED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)fail|error|panicked|not ok|[✗✘✕×●]|^\s*\d+\)").expect("constant pattern"));

fn names(text: &str) -> BTreeSet<String> {
    let found = NAMES.iter().flat_map(|pattern| pattern.captures_iter(text));
    found.filter_map(|groups| groups.get(1).map(|name| name.as_str().to_owned())).collect()
}

/// The tests that a change of a test file is about: those it adds, else all that are in it.
pub fn changed_tests(before: Option<&str>, after: &str) -> BTreeSet<String> {
    let (old, new) = (before.map(names).unwrap_or_default(), names(after));
    let added: BTreeSet<String> = new.difference(&old).cloned().collect();
    if added.is_empty() { new } else { added }
}

/// How a command with the changed tests ended on the untouched head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Red {
    /// It failed in one of them.
    Named,
    /// It failed, and no line names one of them.
    Otherwise,
    Passed,
}

/// Reads the output of a run on the untouched head. Where the tests have no known names, a command counts that passes
/// on the untouched head without them.
pub fn red(passed: bool, output: &str, tests: &BTreeSet<String>, green_without: bool) -> Red {
    if passed {
        return Red::Passed;
    }
    let failing = |name: &String| output.lines().any(|line| names_word(line, name) && FAILED.is_match(line));
    let named = if tests.is_empty() { green_without } else { tests.iter().any(failing) };
    if named { Red::Named } else { Red::Otherwise }
}

/// `name` stands in the line, and not as a part of a longer one.
fn names_word(line: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| !line[..at].ends_with(part) && !line[at + name.len()..].starts_with(part))
}

/// Which items a test file is for: those it is mapped to; else those that its justification names ("covers item 3").
pub fn items_of(causes: &[Cause]) -> BTreeSet<u32> {
    let mapped: BTreeSet<u32> =
        causes.iter().filter_map(|cause| if let Cause::Item(id) = cause { Some(*id) } else { None }).collect();
    if !mapped.is_empty() {
        return mapped;
    }
    let texts =
        causes.iter().filter_map(|cause| if let Cause::Justification(text) = cause { Some(text) } else { None });
    texts.flat_map(|text| after_item(text)).collect()
}

fn after_item(text: &str) -> BTreeSet<u32> {
    let Some((_, rest)) = text.to_lowercase().split_once("item").map(|(a, b)| (a.to_owned(), b.to_owned())) else {
        return BTreeSet::new();
    };
    rest.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// What `prfix.requireProof` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Required {
    Off,
    /// Of what comes with a test, and of failing checks.
    Tests,
    /// Of every fixed item.
    All,
}

/// The items whose proof is not good enough for a push. `tested`: items with a changed test, and checks.
pub fn missing<'a>(
    proofs: &'a BTreeMap<u32, Proof>,
    tested: &BTreeSet<u32>,
    required: Required,
) -> Vec<(u32, &'a Proof)> {
    let asked = |id: &u32| match required {
        Required::Off => false,
        Required::Tests => tested.contains(id),
        Required::All => true,
    };
    let lacking = proofs.iter().filter(|(id, proof)| asked(id) && proof.kind != ProofKind::RedGreen);
    lacking.map(|(id, proof)| (*id, proof)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_added_tests_are_read_in_many_languages() {
        for (text, name) in [
            ("#[test]\nfn empty_list() {}", "empty_list"),
            ("#[tokio::test]\n#[ignore]\nasync fn slow() {}", "slow"),
            ("def test_empty(self):\n  pass", "test_empty"),
            ("func TestEmpty(t *testing.T) {", "TestEmpty"),
            ("  it('counts an empty list', () => {", "counts an empty list"),
            ("test \"counts\" do", "counts"),
            ("@Test\n  public void counts() {", "counts"),
            ("[Fact]\n public void Counts() {", "Counts"),
            ("public function testCounts() {", "testCounts"),
            ("TEST(Queue, Counts) {", "Counts"),
        ] {
            assert_eq!(changed_tests(None, text), BTreeSet::from([name.to_owned()]), "{text}");
        }
        let before = "def test_a():\n  pass\n";
        assert_eq!(
            changed_tests(Some(before), &format!("{before}def test_b():\n  pass\n")),
            BTreeSet::from(["test_b".into()])
        );
        assert_eq!(changed_tests(Some(before), "def test_a():\n  assert 1\n"), BTreeSet::from(["test_a".into()]));
    }

    #[test]
    fn red_is_a_failure_in_the_named_test_and_nothing_else() {
        let tests = BTreeSet::from(["empty_list".to_owned()]);
        for output in [
            "test queue::empty_list ... FAILED",
            "FAILED tests/test_q.py::empty_list - assert 1 == 2",
            "--- FAIL: empty_list (0.00s)",
            "not ok 3 - empty_list",
            "  ● empty_list",
            "  1) empty_list",
        ] {
            assert_eq!(red(false, output, &tests, true), Red::Named, "{output}");
        }
        for output in [
            "error[E0425]: cannot find function `count`",
            "test empty_list ... ok\ntest other ... FAILED",
            "test not_empty_list ... FAILED",
            "",
        ] {
            assert_eq!(red(false, output, &tests, true), Red::Otherwise, "{output}");
        }
        assert_eq!(red(true, "test empty_list ... FAILED", &tests, true), Red::Passed);
    }

    #[test]
    fn without_names_only_a_command_that_was_green_before_proves_anything() {
        let none = BTreeSet::new();
        assert_eq!(red(false, "boom", &none, true), Red::Named);
        assert_eq!(red(false, "boom", &none, false), Red::Otherwise);
    }

    #[test]
    fn a_test_file_belongs_to_the_items_that_it_is_mapped_to_or_says_to_cover() {
        let text = |text: &str| Cause::Justification(text.into());
        assert_eq!(items_of(&[Cause::Item(2), text("covers item 3")]), BTreeSet::from([2]));
        assert_eq!(items_of(&[text("justification: covers items 1 and 4")]), BTreeSet::from([1, 4]));
        assert_eq!(items_of(&[text("justification: a helper for 64 bit")]), BTreeSet::new());
    }

    #[test]
    fn what_is_required_decides_whose_proof_is_missing() {
        let proof = |kind| Proof { kind, ..Proof::default() };
        let proofs = BTreeMap::from([
            (1, proof(ProofKind::RedGreen)),
            (2, proof(ProofKind::GreenOnly)),
            (3, proof(ProofKind::Gate)),
        ]);
        let tested = BTreeSet::from([1, 2]);
        let ids = |required| missing(&proofs, &tested, required).iter().map(|(id, _)| *id).collect::<Vec<_>>();
        assert_eq!(ids(Required::Off), [] as [u32; 0]);
        assert_eq!(ids(Required::Tests), [2]);
        assert_eq!(ids(Required::All), [2, 3]);
    }
}
