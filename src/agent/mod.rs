//! The agent: asked, supervised, contained; its answer read and doubted.

mod answer;
mod aside;
mod call;
mod conduct;
mod envelope;
mod environment;
mod item;
#[cfg(target_os = "linux")]
mod landlock;
pub mod loops;
mod places;
pub mod prompt;
mod quote;
pub mod rounds;
mod sandbox;
pub mod schema;
pub mod self_review;
pub mod usage;

pub use answer::{AnswerError, extract};
pub use aside::SetAside;
pub use call::{Call, Called, Failure, call};
pub use environment::gate_env;
pub use places::{Site, credentials};
pub use sandbox::{Confinement, SandboxError, SandboxMode, Strength};
