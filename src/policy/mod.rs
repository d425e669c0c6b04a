//! Pure decisions: no input, no output, no clock.

pub mod checks;
pub mod criteria;
pub mod duplicates;
pub mod gates;
pub mod manifest;
pub mod marker;
pub mod preflight;
pub mod remote;
pub mod replies;
pub mod spec;
pub mod tests_guard;
