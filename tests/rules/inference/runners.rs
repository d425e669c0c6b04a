//! Task runners, build systems and hook runners.

use expect_test::expect;

use super::{Files, check};

#[test]
fn task_runners() {
    let makefile =
        ".PHONY: test lint\nTEST := 1\ntest: build ## runs all\n\tgo test ./...\nlint:\n\tgolangci-lint run\n";
    check(
        &[("Makefile", makefile), ("main.c", "")],
        &["main.c"],
        expect![[r#"
        test: make test
        lint: make lint
        narrow: make test
        narrow: make lint
    "#]],
    );
    check(
        &[("justfile", "test arg='':\n  cargo test\n@lint:\n  x\nx := '1'\n")],
        &[],
        expect![[r#"
            test: just test
            lint: just lint
        "#]],
    );
    check(
        &[("Taskfile.yml", "version: 3\ntasks:\n  test: {cmds: [x]}\n  lint: {cmds: [x]}\n")],
        &[],
        expect![[r#"
        test: task test
        lint: task lint
    "#]],
    );
    check(
        &[("mise.toml", "[tasks.test]\nrun = 'x'\n")],
        &[],
        expect![[r#"
        test: mise run test
    "#]],
    );
}

#[test]
fn a_task_runners_target_stands_for_its_folder() {
    let files: Files<'_> = &[("Makefile", "test:\n\tx\n"), ("go.mod", "module x"), ("a/b.go", "")];
    check(
        files,
        &["a/b.go"],
        expect![[r#"
        setup: go mod download
        test: make test
        lint: go vet ./...
        narrow: go test ./a
        narrow: go vet ./a
    "#]],
    );
}

#[test]
fn a_makefile_variable_is_no_target() {
    check(&[("Makefile", "test := 1\nlint ?= 2\nall:\n\tcc\n")], &[], expect![[""]]);
}

#[test]
fn bazel() {
    let files: Files<'_> = &[("MODULE.bazel", ""), (".bazelversion", "8"), ("lib/BUILD.bazel", ""), ("lib/a.cc", "")];
    check(
        files,
        &["lib/a.cc"],
        expect![[r#"
        test: bazelisk test //...
        narrow: bazelisk test //lib/...
    "#]],
    );
}

#[test]
fn hook_runners_check_the_touched_files_and_everything() {
    check(
        &[(".pre-commit-config.yaml", ""), ("a.py", "")],
        &["a.py"],
        expect![[r#"
        lint: pre-commit run --all-files
        narrow: pre-commit run --files a.py
    "#]],
    );
    check(
        &[("prek.toml", ""), ("a.py", "")],
        &[],
        expect![[r#"
        lint: prek run --all-files
    "#]],
    );
    check(
        &[("lefthook.yml", "pre-commit:\n"), ("a.py", "")],
        &["a.py"],
        expect![[r#"
        lint: lefthook run pre-commit --all-files
        narrow: lefthook run pre-commit --file a.py
    "#]],
    );
}
