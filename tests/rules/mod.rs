//! The Lua host and the built-in rules.

mod inference;
mod loading;
mod noise_set;
mod attacks;
