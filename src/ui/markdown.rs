//! `report.md`.

use crate::model::report::Report;

/// The report for people who read it on GitHub or in an editor. Foreign text is escaped.
pub fn report_markdown(report: &Report) -> String {
    todo!()
}
