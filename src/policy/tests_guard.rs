//! Did a change take tests away? Counts, per file, the tests that are declared and those switched off.

use std::sync::LazyLock;

use regex::RegexSet;

/// Test declarations of common frameworks, one pattern a form.
static TESTS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"#\[(?:\w+::)*(?:test|rstest|test_case)\b",
        r"^\s*(?:async\s+)?def\s+test\w*\s*\(",
        r"^\s*(?:it|test|specify|scenario)(?:\.(?:each|concurrent|only))?\s*\(",
        r#"^\s*(?:it|specify|test|scenario)\s+["']"#,
        r"^\s*func\s+(?:\([^)]*\)\s*)?(?:Test|Fuzz|Benchmark|Example)\w*\s*\(",
        r"@(?:Test|ParameterizedTest|RepeatedTest|Property)\b",
        r"\[(?:Fact|Theory|Test|TestMethod|TestCase)\b",
        r"^\s*(?:public\s+)?function\s+test\w*\s*\(",
        r"^\s*(?:TEST|TEST_F|TEST_P|TEST_CASE|SCENARIO)\s*\(",
    ])
    .expect("constant patterns")
});

/// Ways to switch a test off, or all others.
static DISABLED: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"#\[ignore\b",
        r"@(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|skip\b)",
        r"\bpytest\.skip\s*\(|\bself\.skipTest\s*\(",
        r"\b(?:it|test|describe|context|suite)\.(?:skip|todo|only|fixme)\b",
        r"^\s*(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe)\b",
        r"\bt\.Skip(?:f|Now)?\s*\(",
        r"@(?:Disabled|Ignore)\b",
        r#"\bSkip\s*=\s*""#,
        r"\bGTEST_SKIP\b|\bDISABLED_\w+",
        r"\bmarkTest(?:Skipped|Incomplete)\s*\(",
        r"@tag\s+:skip|@moduletag\s+:skip",
    ])
    .expect("constant patterns")
});

fn count(set: &RegexSet, text: &str) -> usize {
    text.lines().filter(|line| set.is_match(line)).count()
}

/// Why a change of a file counts as taking tests away; `None` when it does not. `before` and
/// `after` are the whole file; `after` is `None` for a deleted one. `is_test_file`: by its path.
pub fn weakened(before: Option<&str>, after: Option<&str>, is_test_file: bool) -> Option<String> {
    let Some(after) = after else {
        return is_test_file.then(|| "a test file was deleted".to_owned());
    };
    let before = before.unwrap_or_default();
    let (tests_before, tests_after) = (count(&TESTS, before), count(&TESTS, after));
    if tests_after < tests_before {
        return Some(format!("it declares {tests_after} tests, {tests_before} before"));
    }
    let (off_before, off_after) = (count(&DISABLED, before), count(&DISABLED, after));
    (off_after > off_before).then(|| format!("{} more tests are switched off", off_after - off_before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleting_and_disabling_tests_is_noticed_in_many_languages() {
        for (before, after) in [
            ("#[test]\nfn a() {}\n#[test]\nfn b() {}", "#[test]\nfn a() {}"),
            ("#[test]\nfn a() {}", "#[test]\n#[ignore]\nfn a() {}"),
            ("def test_a():\n  pass", "def helper():\n  pass"),
            ("def test_a():\n  pass", "@pytest.mark.skip\ndef test_a():\n  pass"),
            ("it('works', () => {})", "it.skip('works', () => {})"),
            ("test('works', () => {})", "xit('works', () => {})"),
            ("func TestA(t *testing.T) {\n}", "func TestA(t *testing.T) {\n\tt.Skip()\n}"),
            ("@Test\nvoid a() {}", "@Disabled\n@Test\nvoid a() {}"),
        ] {
            assert!(weakened(Some(before), Some(after), true).is_some(), "{after}");
        }
        assert!(weakened(Some("x"), None, true).is_some());
    }

    #[test]
    fn adding_and_changing_tests_is_welcome() {
        assert_eq!(weakened(Some("#[test]\nfn a() {}"), Some("#[test]\nfn a() { x }\n#[test]\nfn b() {}"), true), None);
        assert_eq!(weakened(None, Some("def test_new(): pass"), true), None);
        assert_eq!(weakened(Some("x"), None, false), None);
    }
}
