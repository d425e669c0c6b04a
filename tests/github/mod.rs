//! GitHub's client: its operations against GitHub's schema, its transports over real sockets.

mod schema;
