//! Completions: what bash offers for words that were begun.

use std::process::Command;

fn script(shell: &str) -> String {
    let program = env!("CARGO_BIN_EXE_git-prfix");
    let output = Command::new(program).args(["completions", shell]).output().expect("the program");
    assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What bash offers when the last of `words` is being completed by `function`, as git or bash itself calls it.
fn offered(function: &str, words: &[&str]) -> Vec<String> {
    let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let call = format!(
        "COMP_WORDS=({list}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         {function} \"${{COMP_WORDS[0]}}\" \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    );
    // From a file: the script is longer than one argument may be.
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), script("bash") + "\n" + &call).expect("a file");
    let output = Command::new("bash").arg(file.path()).output().expect("bash");
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_git_prfix_and_the_program_alike() {
    for (function, first) in [("_git_prfix", &["git", "prfix"][..]), ("_gitprfix", &["git-prfix"])] {
        let try_words = |rest: &[&str]| offered(function, &[first, rest].concat());
        assert_eq!(try_words(&["ha"]), ["harvest"]);
        assert_eq!(try_words(&["rules", "lis"]), ["list"]);
        assert_eq!(try_words(&["harvest", "--js"]), ["--json"]);
        assert_eq!(try_words(&["--allow", "c"]), ["ci"]);
    }
    assert!(script("bash").lines().any(|line| line.trim().starts_with("complete ") && line.ends_with(" git-prfix")));
}

#[test]
fn every_shell_gets_a_script_for_the_programs_own_name() {
    for (shell, sign) in [
        ("zsh", "#compdef git-prfix"),
        ("fish", "complete -c git-prfix"),
        ("powershell", "git-prfix"),
        ("elvish", "git-prfix"),
    ] {
        assert!(script(shell).contains(sign), "{shell}");
    }
}
