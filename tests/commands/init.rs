//! `init`.
