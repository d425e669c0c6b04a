//! What the convergence gate says.

use super::clean;
use crate::model::convergence::Convergence;
use crate::model::pr::PullRequest;
use crate::model::text::short;

/// Paths that stand on one line (P32).
const PATHS: usize = 5;

/// Characters of one reason or path.
const WIDTH: usize = 2000;

/// One line when the pull request has converged; otherwise each obstacle, and where the open threads are.
pub fn gate_page(pr: &PullRequest, judged: &Convergence) -> String {
    let head = short(&pr.head_oid);
    if judged.converged {
        return format!("#{} has converged at {head}: no open thread, checks green, no conflict", pr.number);
    }
    let mut lines = vec![format!("#{} has not converged at {head}", pr.number)];
    for reason in &judged.reasons {
        lines.push(format!("  {}", clean::line(reason, WIDTH)));
    }
    let mut places: Vec<String> = judged.unresolved.iter().map(|thread| place(&thread.path, thread.line)).collect();
    places.dedup();
    if !places.is_empty() {
        lines.push("threads at".to_owned());
        lines.extend(places.chunks(PATHS).map(|places| format!("  {}", places.join("  "))));
    }
    if judged.pending {
        lines.push("only time is missing: `--wait <minutes>` waits for it".to_owned());
    }
    lines.join("\n")
}

fn place(path: &str, line: Option<u64>) -> String {
    let path = clean::line(path, WIDTH);
    line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"))
}
