//! The end of this process in another program.

use std::os::unix::process::CommandExt;

/// Replaces this process by a program that takes over its terminal. Returns only when that cannot be started.
pub fn become_program(program: &str, args: &[&str]) -> std::io::Error {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    let mut command = std::process::Command::new(program);
    command.args(args).exec()
}
