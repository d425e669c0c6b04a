//! The agent: asked, supervised, contained; its answer read and doubted.

mod answer;
mod aside;
mod call;
mod envelope;
mod environment;
mod item;
pub mod prompt;
mod quote;
mod sandbox;
pub mod schema;
pub mod usage;

pub use answer::{AnswerError, extract};
pub use aside::SetAside;
pub use call::{Call, Called, Failure, call};
pub use environment::gate_env;
pub use sandbox::{Confinement, SandboxMode, Strength};
