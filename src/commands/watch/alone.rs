//! Watches that run without this terminal: a process of their own, or a unit of the user's session.

use std::ffi::OsString;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::commands::{CommandResult, Exit, Shell};
use crate::model::watch::Record;
use crate::ui::{Answer, Prompt, Say};
use crate::watch::{Desk, Service, Watch, words};

#[derive(Debug, Error, Diagnostic)]
enum AloneError {
    #[error("the place of the program or of the repository is not known: {why}")]
    #[diagnostic(code(prfix::watch::place), help("give the repository with `--repo`"))]
    Place { why: String },
    #[error("`{}` could not be written: {source}", path.display())]
    #[diagnostic(
        code(prfix::watch::unit),
        help("check the rights of that folder, or put the text shown above there by hand")
    )]
    Write { path: PathBuf, source: std::io::Error },
}

fn argv(shell: &Shell, desk: &Desk<'_>, watches: &[Watch]) -> Result<Vec<String>, AloneError> {
    let program = std::env::current_exe().map_err(|error| AloneError::Place { why: error.to_string() })?;
    let repo = desk.world.repo.work_dir().unwrap_or(desk.world.repo.common_dir());
    let records: Vec<&Record> = watches.iter().map(|watch| &watch.record).collect();
    let mut argv = vec![program.to_string_lossy().into_owned()];
    argv.extend(words(repo, &shell.global.settings.0, &records));
    Ok(argv)
}

/// Lets a process of its own go on with what was just confirmed.
pub fn detach(shell: &Shell, desk: &Desk<'_>, watches: Vec<Watch>) -> CommandResult {
    let argv = argv(shell, desk, &watches)?;
    let numbers: Vec<u64> = watches.iter().map(|watch| watch.record.number).collect();
    let log = desk.world.store.root().join("watch.log");
    // Their locks go to the process.
    drop(watches);
    let (program, args) = argv.split_first().ok_or_else(|| AloneError::Place { why: "no program".to_owned() })?;
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let pid = crate::process::detach(program.as_ref(), &args, &log)?;
    for number in numbers {
        shell.ui.say(&Say::Note(format!("#{number}: watched by process {pid}; `git prfix stop {number}` ends it")));
    }
    shell.ui.say(&Say::Note(format!("what it says goes to {}", log.display())));
    Ok(Exit::Done)
}

/// Shows the unit, asks, and writes it; starting it is left to the person.
pub fn install(shell: &Shell, desk: &Desk<'_>, watches: Vec<Watch>) -> CommandResult {
    let argv = argv(shell, desk, &watches)?;
    let numbers: Vec<String> = watches.iter().map(|watch| watch.record.number.to_string()).collect();
    let repo = watches.first().map(|watch| watch.record.repo.full_name().replace('/', "-")).unwrap_or_default();
    drop(watches);
    let name = format!("{}-{}", repo.to_lowercase(), numbers.join("-"));
    let search_path = shell.env.get("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin").to_owned();
    let home = shell.env.home().ok_or_else(|| AloneError::Place { why: "HOME is not set".to_owned() })?;
    let service = if cfg!(target_os = "macos") {
        Service::launchd(&home, &name, &argv, &search_path)
    } else {
        let config = shell.env.path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        Service::systemd(&config, &name, &argv, &search_path)
    };
    shell.ui.print(&format!("{}:\n\n{}", service.path.display(), service.text));
    let prompt = Prompt {
        question: format!("Write {}?", service.path.display()),
        details: vec!["it starts nothing yet".to_owned()],
        choices: vec!["no".to_owned(), "yes".to_owned()],
        default: Some(0),
    };
    if shell.ui.ask(&prompt) != Some(Answer(1)) {
        shell.ui.say(&Say::Note("nothing was written".to_owned()));
        return Ok(Exit::Blocked);
    }
    write(&service)?;
    shell.ui.say(&Say::Note(format!("written; start it: {}", service.next)));
    Ok(Exit::Done)
}

fn write(service: &Service) -> Result<(), AloneError> {
    let failed = |source| AloneError::Write { path: service.path.clone(), source };
    if let Some(folder) = service.path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&service.path, &service.text).map_err(failed)
}
