//! Plain data that every layer shares. Nothing here reads, writes or decides.

pub mod agent;
pub mod command;
pub mod convergence;
pub mod feedback;
pub mod finding;
pub mod loops;
pub mod manifest;
pub mod pr;
pub mod proof;
pub mod repo;
pub mod report;
pub mod reports;
pub mod review;
pub mod reviewer;
pub mod spec;
pub mod suggestion;
pub mod syntax;
pub mod text;
pub mod timeline;
pub mod watch;
