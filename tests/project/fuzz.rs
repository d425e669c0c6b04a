//! The corpora of the fuzz targets are tests: what a target must hold for any input holds for each of these.

#[path = "../../fuzz/properties.rs"]
mod properties;

type Holds = fn(&[u8]);

const TARGETS: &[(&str, Holds)] = &[
    ("answer", properties::answer),
    ("journal", properties::journal),
    ("pre_push", properties::pre_push),
    ("log", properties::log),
    ("suggestion", properties::suggestion),
    ("rules", properties::rules),
];

#[test]
fn every_input_that_was_written_or_found_holds() {
    for (target, holds) in TARGETS {
        let folder = super::root().join("fuzz/corpus").join(target);
        let entries: Vec<_> =
            std::fs::read_dir(&folder).expect("a corpus").map(|entry| entry.unwrap().path()).collect();
        assert!(entries.len() >= 4, "{target}: {} inputs", entries.len());
        for path in entries {
            let input = std::fs::read(&path).unwrap();
            let held = std::panic::catch_unwind(|| holds(&input));
            assert!(held.is_ok(), "{} does not hold; its message is above", path.display());
        }
    }
}

#[test]
fn every_target_is_built_run_and_tried_here() {
    let text = |path: &str| std::fs::read_to_string(super::root().join(path)).unwrap();
    let names = |path: &str, line: &str| {
        let lines = text(path);
        lines.lines().filter_map(|text| Some(text.strip_prefix(line)?.to_owned())).collect::<Vec<_>>()
    };
    let built: Vec<String> = names("fuzz/Cargo.toml", "path = \"targets/")
        .iter()
        .map(|rest| rest.trim_end_matches(".rs\"").to_owned())
        .collect();
    let tried: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(built, tried);
    assert_eq!(names("scripts/fuzz.sh", "[ $# -gt 0 ] || set -- "), [tried.join(" ")]);
}
