//! Which copy of the team's files counts, and the record of trusted local ones.

use std::os::unix::fs::PermissionsExt;

use git_prfix::rules::{Choice, Published, TeamError, TeamFiles, TrustRecord, choose, diff};

const REPO: &str = "github.com/o/r";

fn set(files: &[(&str, &str)]) -> TeamFiles {
    TeamFiles::from_files(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())))
}

fn main_branch(files: &TeamFiles) -> Published<'_> {
    Published { branch: "main", files: Some(files) }
}

fn pick(published: Published<'_>, local: TeamFiles, record: &TrustRecord) -> Choice {
    choose(published, &Ok(local), REPO, record)
}

#[test]
fn an_untrusted_edit_is_named_and_not_used() {
    let state = tempfile::tempdir().unwrap();
    let record = TrustRecord::open(state.path()).unwrap();
    let published = set(&[(".prfix/rules.lua", "prfix.api = 1")]);
    let edited = set(&[(".prfix/rules.lua", "prfix.api = 1 -- evil")]);
    let choice = pick(main_branch(&published), edited, &record);
    assert_eq!((choice.files, choice.local), (published, false));
    assert!(
        choice.warnings[0].starts_with(".prfix/rules.lua differs from main and is not trusted"),
        "{:?}",
        choice.warnings
    );
}

#[test]
fn the_same_files_need_no_word() {
    let state = tempfile::tempdir().unwrap();
    let record = TrustRecord::open(state.path()).unwrap();
    let published = set(&[(".prfix/config.toml", "probes = 2"), (".prfix/rules.lua", "prfix.api = 1")]);
    let choice = pick(main_branch(&published), published.clone(), &record);
    assert_eq!((choice.local, choice.warnings), (false, Vec::new()));
}

#[test]
fn trust_covers_the_whole_set_and_ends_with_any_edit() {
    let state = tempfile::tempdir().unwrap();
    let nothing = TeamFiles::default();
    let local = set(&[(".prfix/rules.lua", "prfix.api = 1")]);
    TrustRecord::open(state.path()).unwrap().trust(REPO, &local).unwrap();
    let record = TrustRecord::open(state.path()).unwrap();
    assert!(pick(main_branch(&nothing), local.clone(), &record).local);
    let with_neighbour = set(&[(".prfix/rules.lua", "prfix.api = 1"), (".prfix/config.toml", "sandbox = \"off\"")]);
    assert!(!pick(main_branch(&nothing), with_neighbour, &record).local);
    assert!(!record.trusts("github.com/other/r", &local));
}

#[test]
fn a_newer_trust_ends_the_older_and_forgetting_ends_both() {
    let state = tempfile::tempdir().unwrap();
    let (first, second) = (set(&[(".prfix/a.lua", "1")]), set(&[(".prfix/a.lua", "2")]));
    let mut record = TrustRecord::open(state.path()).unwrap();
    record.trust(REPO, &first).unwrap();
    record.trust(REPO, &second).unwrap();
    assert!(!record.trusts(REPO, &first) && record.trusts(REPO, &second));
    record.forget(REPO).unwrap();
    assert!(!TrustRecord::open(state.path()).unwrap().trusts(REPO, &second));
}

#[test]
fn the_record_is_readable_by_its_owner_only_and_never_a_link() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("git-prfix");
    TrustRecord::open(&folder).unwrap().trust(REPO, &TeamFiles::default()).unwrap();
    let file = folder.join("trust.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(TrustRecord::open(&folder).unwrap_err().reason.contains("others may write"));
    std::fs::rename(&file, folder.join("real.json")).unwrap();
    std::os::unix::fs::symlink("real.json", &file).unwrap();
    assert!(TrustRecord::open(&folder).unwrap_err().reason.contains("no plain file"));
}

#[test]
fn a_link_under_prfix_spoils_the_set() {
    let tree = tempfile::tempdir().unwrap();
    std::fs::create_dir(tree.path().join(".prfix")).unwrap();
    std::fs::write(tree.path().join(".prfix/rules.lua"), "prfix.api = 1").unwrap();
    assert_eq!(TeamFiles::from_work_tree(tree.path()).unwrap().rules().len(), 1);
    std::os::unix::fs::symlink("/etc/passwd", tree.path().join(".prfix/evil.lua")).unwrap();
    let local = TeamFiles::from_work_tree(tree.path());
    assert!(matches!(&local, Err(TeamError::Symlink { path }) if path == ".prfix/evil.lua"));
    let published = set(&[(".prfix/rules.lua", "prfix.api = 1")]);
    let record = TrustRecord::open(&tree.path().join("state")).unwrap();
    let choice = choose(main_branch(&published), &local, REPO, &record);
    assert_eq!(choice.files, published);
    assert!(choice.warnings[0].contains("symbolic link"), "{:?}", choice.warnings);
}

#[test]
fn a_linked_prfix_folder_is_refused() {
    let tree = tempfile::tempdir().unwrap();
    std::fs::create_dir(tree.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", tree.path().join(".prfix")).unwrap();
    assert!(matches!(TeamFiles::from_work_tree(tree.path()), Err(TeamError::Symlink { .. })));
}

#[test]
fn offline_only_a_trusted_local_set_counts() {
    let state = tempfile::tempdir().unwrap();
    let mut record = TrustRecord::open(state.path()).unwrap();
    let offline = Published { branch: "main", files: None };
    let local = set(&[(".prfix/rules.lua", "prfix.api = 1")]);
    let choice = pick(offline, local.clone(), &record);
    assert!(choice.files.is_empty() && choice.warnings.len() == 2, "{:?}", choice.warnings);
    record.trust(REPO, &local).unwrap();
    assert!(pick(offline, local, &record).local);
}

#[test]
fn a_checkout_without_prfix_uses_the_default_branchs() {
    let state = tempfile::tempdir().unwrap();
    let record = TrustRecord::open(state.path()).unwrap();
    let published = set(&[(".prfix/rules.lua", "prfix.api = 1")]);
    let choice = pick(main_branch(&published), TeamFiles::default(), &record);
    assert_eq!((choice.files, choice.warnings), (published, Vec::new()));
}

#[test]
fn only_rules_tests_and_settings_belong_to_the_set() {
    let files = set(&[
        (".prfix/rules.lua", ""),
        (".prfix/config.toml", "x"),
        (".prfix/tests/a.lua", ""),
        (".prfix/types/prfix.lua", ""),
        (".prfix/README.md", ""),
        ("src/a.lua", ""),
    ]);
    assert_eq!(files.paths().count(), 4);
    assert_eq!(files.rules().iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), [".prfix/rules.lua"]);
    assert_eq!(files.tests().len(), 1);
    assert_eq!(files.config().as_deref(), Some("x"));
    assert!(diff(&TeamFiles::default(), &files).contains("+++ b/.prfix/config.toml"));
}
