//! Pure decisions: no input, no output, no clock.

pub mod cause;
pub mod checks;
pub mod contradictions;
pub mod convergence;
pub mod criteria;
pub mod duplicates;
pub mod findings;
pub mod gates;
pub mod loops;
pub mod manifest;
pub mod marker;
pub mod placing;
pub mod preflight;
pub mod proof;
pub mod remote;
pub mod replies;
pub mod reviewers;
pub mod rounds;
pub mod spec;
pub mod suggestion;
pub mod sweeps;
pub mod syntax;
pub mod tests_guard;
pub mod watch;
