//! Calls the library and turns its result into an exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    git_prfix::cli::main()
}
