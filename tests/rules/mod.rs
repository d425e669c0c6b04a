//! The Lua host and the built-in rules.

mod loading;
