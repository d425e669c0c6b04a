//! GitHub's client: its operations against GitHub's schema, its behaviour against a script, its
//! transports over real sockets.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod enterprise;
mod fixture;
mod gh;
mod harvest;
mod http;
mod limits;
mod logs;
mod memory;
mod posting;
mod schema;
mod scripted;
mod wire;
