//! Whole runs of the real program: real git, the simulated GitHub, a scripted agent.

mod agent_files;
mod arguments;
<<<<<<< HEAD
mod budgets;
=======
mod conflicts;
mod enterprise;
>>>>>>> 529da2e880d21ddea0534334bfba6a6687251cc6
mod fixing;
mod gates;
mod harvest;
mod interrupts;
mod preflight;
mod pushing;
mod replies;
mod resume;
mod rogues;
mod story;
mod traps;
mod triage;
