//! GitHub's client: its operations against GitHub's schema, its behaviour against a script, its
//! transports over real sockets.

mod fixture;
mod harvest;
mod limits;
mod logs;
mod posting;
mod schema;
mod scripted;
