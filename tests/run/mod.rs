//! Whole runs of the real program: real git, the simulated GitHub, a scripted agent.

mod arguments;
mod conflicts;
mod enterprise;
mod fixing;
mod gates;
mod harvest;
mod preflight;
mod pushing;
mod replies;
mod resume;
mod rogues;
mod story;
mod traps;
mod triage;
