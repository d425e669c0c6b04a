//! Tables for a terminal of any width.

use crate::model::report::Report;
use crate::model::spec::{Spec, Triage};

/// The spec and what was dropped.
pub fn harvest_table(spec: &Spec, width: usize, color: bool) -> String {
    todo!()
}

/// Verdicts and proposals.
pub fn triage_table(spec: &Spec, verdicts: &[Triage], width: usize, color: bool) -> String {
    todo!()
}

/// The end of a run: items, gates, commits, threads, worktree, and the one thing to do.
pub fn report_table(report: &Report, width: usize, color: bool) -> String {
    todo!()
}
