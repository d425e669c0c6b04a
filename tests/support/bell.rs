//! A bell that a script rings, so that something happens while whoever rang it waits: two named pipes, and nobody polls.

use std::fs::File;
use std::path::{Path, PathBuf};

pub struct Bell {
    rung: PathBuf,
    answered: PathBuf,
}

impl Bell {
    /// Makes the pipes in a folder, which exists.
    pub fn new(dir: &Path) -> Self {
        let bell = Self { rung: dir.join("bell-rung"), answered: dir.join("bell-answered") };
        for pipe in [&bell.rung, &bell.answered] {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).expect("a named pipe");
        }
        bell
    }

    /// The line of shell that rings it and waits for the answer.
    pub fn ring(&self) -> String {
        format!(": >'{}'; cat '{}' >/dev/null", self.rung.display(), self.answered.display())
    }

    /// What happens when it is rung for the first time; later rings are answered at once.
    pub fn answer(&self, event: impl FnOnce() + Send + 'static) {
        let (rung, answered) = (self.rung.clone(), self.answered.clone());
        std::thread::spawn(move || {
            let mut event = Some(event);
            while File::open(&rung).is_ok() {
                if let Some(event) = event.take() {
                    event();
                }
                let _ = File::options().write(true).open(&answered);
            }
        });
    }
}
