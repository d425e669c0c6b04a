//! The agent layer: calls, answers, the sandbox, the real CLIs, hostile text.

mod answers;
mod aside;
mod bench;
mod calls;
mod clis;
mod hostile;
pub mod model_server;
#[cfg(target_os = "linux")]
mod processes;
mod pushes;
mod sandbox;
mod whole_runs;

pub use bench::alive;
