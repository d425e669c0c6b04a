//! Whole runs of the real program: real git, the simulated GitHub, a scripted agent.

mod agent_files;
mod arguments;
mod budgets;
mod conflicts;
mod demo;
mod enterprise;
mod fixing;
mod gates;
mod harvest;
mod interrupts;
mod preflight;
mod pushing;
mod replies;
mod resume;
mod rogues;
mod rules;
mod settings;
mod story;
mod traps;
mod triage;
