//! Lua's string patterns with a step budget. The semantics are those of the Lua 5.4 reference manual, §6.4.1.
//!
//! The originals run inside one C call, which no instruction hook interrupts, and a short pattern can keep them
//! busy for years.

mod functions;
mod matcher;

pub(super) use functions::install;
