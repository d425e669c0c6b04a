//! The time line: one bar a phase, below it one for each probe, agent and gate that ran in it.

use super::html::{element, text};
use crate::model::timeline::Span;
use crate::ui::say::duration;

pub fn chart(spans: &[Span]) -> String {
    let end = spans.iter().map(|span| span.start + span.seconds).fold(0.0, f64::max);
    if spans.is_empty() || end <= 0.0 {
        return String::new();
    }
    let rows: String = spans.iter().map(|span| row(span, end)).collect();
    element("div", "time", &rows)
}

fn row(span: &Span, end: f64) -> String {
    let percent = |seconds: f64| (seconds / end * 100.0).clamp(0.0, 100.0);
    let label = if span.outcome.is_empty() { span.label.clone() } else { format!("{}: {}", span.label, span.outcome) };
    let bar = format!(
        "<div class=\"bar\" style=\"left:{:.2}%;width:{:.2}%\"></div>",
        percent(span.start),
        percent(span.seconds)
    );
    let inner = element("div", "what", &text(&label))
        + &element("div", "track", &bar)
        + &element("div", "end", &text(&duration(span.seconds)));
    element("div", if span.phase { "row phase" } else { "row task" }, &inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_tasks_have_bars_of_their_own_and_numbers_stay_numbers() {
        let span = |label: &str, start, seconds| Span {
            label: label.into(),
            phase: false,
            start,
            seconds,
            outcome: String::new(),
        };
        let chart = chart(&[span("a", 0.0, 2.0), span("<b>", 1.0, 3.0), span("c", f64::NAN, 0.0)]);
        assert!(chart.contains("left:0.00%;width:50.00%") && chart.contains("left:25.00%;width:75.00%"), "{chart}");
        assert!(!chart.contains("<b>") && !chart.contains("inf"));
        assert_eq!(super::chart(&[]), "");
    }
}
