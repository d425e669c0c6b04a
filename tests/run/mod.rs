//! Whole runs of the real program: real git, the simulated GitHub, a scripted agent.

mod agent_files;
mod arguments;
mod budgets;
mod checks;
mod conflicts;
mod demo;
mod enterprise;
mod fixing;
mod flaky;
mod gates;
mod harvest;
mod interrupts;
mod origin;
mod preflight;
mod proof;
mod pushing;
mod replies;
mod resume;
mod rogues;
mod rules;
mod selfreview;
mod settings;
mod story;
mod suggestions;
mod traps;
mod triage;
