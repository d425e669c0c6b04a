//! The Lua host and the built-in rules.

mod attacks;
mod inference;
mod loading;
mod noise_set;
mod trust;
