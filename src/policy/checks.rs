//! Which checks are work, which wait, and which need a person.

use crate::model::feedback::{Check, CheckState, Harvest};

/// What a run makes of the checks of the head commit.
#[derive(Debug, Default)]
pub struct Sorted<'a> {
    /// Failing: items for the agent.
    pub failing: Vec<&'a Check>,
    /// No code can fix these; with the reason.
    pub for_a_person: Vec<(&'a Check, &'static str)>,
    pub pending: Vec<&'a Check>,
    pub warnings: Vec<String>,
}

/// Sorts the checks. Those of another commit than the head are left out, with a warning.
pub fn sort(harvest: &Harvest) -> Sorted<'_> {
    let checks = &harvest.checks;
    let mut sorted = Sorted::default();
    if let Some(why) = &checks.unreadable {
        sorted.warnings.push(format!("the checks could not be read and count as not green: {why}"));
    }
    if !checks.oid.is_empty() && checks.oid != harvest.pr.head_oid {
        sorted.warnings.push(format!(
            "GitHub still shows the checks of {}, not of the head {}; they are ignored",
            crate::model::text::short(&checks.oid),
            crate::model::text::short(&harvest.pr.head_oid)
        ));
        return sorted;
    }
    if let (None, missing @ [_, ..]) = (&checks.unreadable, never_ran(harvest).as_slice()) {
        let missing = missing.join(", ");
        sorted.warnings.push(format!("required, but never ran on the head commit, so not green: {missing}"));
    }
    let failing_runs: Vec<u64> =
        checks.list.iter().filter(|c| c.state == CheckState::Failed).filter_map(|c| c.run_id).collect();
    for check in &checks.list {
        match check.state {
            CheckState::Failed => {
                sorted.warnings.extend(check.gap.iter().map(|gap| format!("`{}`: {gap}", check.name)));
                sorted.failing.push(check);
            }
            CheckState::StartupFailure => {
                sorted
                    .for_a_person
                    .push((check, "its workflow could not start; there is no job and no log to work from"));
            }
            CheckState::ActionRequired => sorted.for_a_person.push((check, "it waits for somebody to approve it")),
            // Of a run in which another job failed: a matrix that gave up early.
            CheckState::Cancelled if check.run_id.is_some_and(|run| failing_runs.contains(&run)) => {}
            CheckState::Cancelled => sorted.for_a_person.push((check, "it was cancelled; run it again")),
            CheckState::Stale => sorted.for_a_person.push((check, "it went stale: it never finished; run it again")),
            CheckState::Pending => sorted.pending.push(check),
            CheckState::Unreadable => {
                sorted.warnings.push(format!("the check `{}` could not be read and is not green", check.name))
            }
            CheckState::Passed | CheckState::Skipped => {}
        }
    }
    if !sorted.pending.is_empty() {
        let names: Vec<&str> = sorted.pending.iter().map(|c| c.name.as_str()).collect();
        sorted.warnings.push(format!("still running: {}", names.join(", ")));
    }
    sorted
}

/// Names of checks that the base branch requires and that the head commit has not: they are not green, and nothing
/// else shows them. Where checks are hidden, they may only be hidden.
pub fn never_ran(harvest: &Harvest) -> Vec<&str> {
    let known = |name: &&String| harvest.checks.list.iter().any(|check| check.name == **name);
    harvest.pr.required_checks.iter().filter(|name| !known(name)).map(String::as_str).collect()
}

/// Nothing failed, nothing is hidden. Pending checks are neither.
pub fn readable(harvest: &Harvest) -> bool {
    harvest.checks.unreadable.is_none() && harvest.checks.list.iter().all(|c| c.state != CheckState::Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::preflight::tests::harvest;

    fn check(name: &str, state: CheckState, run: u64) -> Check {
        Check {
            key: name.into(),
            name: name.into(),
            state,
            raw_state: String::new(),
            required: false,
            url: None,
            app: None,
            workflow: None,
            run_id: Some(run),
            job_id: None,
            started_at: None,
            summary: String::new(),
            log: None,
            annotations: vec![],
            gap: None,
        }
    }

    #[test]
    fn every_state_has_a_meaning_of_its_own() {
        let mut h = harvest();
        h.checks.oid = h.pr.head_oid.clone();
        h.checks.list = vec![
            check("unit", CheckState::Failed, 1),
            check("unit-mac", CheckState::Cancelled, 1),
            check("deploy", CheckState::Cancelled, 2),
            check("boot", CheckState::StartupFailure, 3),
            check("gate", CheckState::ActionRequired, 4),
            check("slow", CheckState::Pending, 5),
            check("ok", CheckState::Passed, 6),
            check("neutral", CheckState::Skipped, 6),
        ];
        let sorted = sort(&h);
        let names = |list: &[&Check]| list.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&sorted.failing), ["unit"]);
        assert_eq!(
            sorted.for_a_person.iter().map(|(c, _)| c.name.as_str()).collect::<Vec<_>>(),
            ["deploy", "boot", "gate"]
        );
        assert_eq!(names(&sorted.pending), ["slow"]);
    }

    #[test]
    fn a_required_check_that_never_ran_is_not_green() {
        let mut h = harvest();
        h.checks.list = vec![check("unit", CheckState::Passed, 1)];
        h.pr.required_checks = vec!["unit".into()];
        assert!(sort(&h).warnings.is_empty());
        h.pr.required_checks.push("legal".into());
        assert_eq!(sort(&h).warnings, ["required, but never ran on the head commit, so not green: legal"]);
        h.checks.unreadable = Some("no permission".into());
        assert!(!sort(&h).warnings.iter().any(|warning| warning.contains("legal")));
    }

    #[test]
    fn checks_of_an_older_commit_are_ignored_and_unreadable_ones_are_not_green() {
        let mut h = harvest();
        h.checks.oid = "c".repeat(40);
        h.checks.list = vec![check("unit", CheckState::Failed, 1)];
        let sorted = sort(&h);
        assert!(sorted.failing.is_empty() && sorted.warnings[0].contains("ccccccc"));
        h.checks.unreadable = Some("no permission".into());
        assert!(!readable(&h));
    }
}
