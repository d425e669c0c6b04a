//! The Lua host and the built-in rules.

mod attacks;
mod explain;
mod feedback;
mod helpers;
mod inference;
mod interface;
mod loading;
mod noise_set;
mod paths;
mod testing;
mod trust;
mod wording;
mod workflows;
