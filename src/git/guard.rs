//! What git tells a pre-push hook (githooks(5)), and whether those pushes may go.
//!
//! Pure, so that every case can be tried: the caller looks the facts up and prints the refusal.

/// One line of the hook's standard input: `<local ref> <local oid> <remote ref> <remote oid>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub local_ref: String,
    pub local_oid: String,
    pub remote_ref: String,
    pub remote_oid: String,
}

impl Update {
    /// The remote ref is to be deleted.
    pub fn is_deletion(&self) -> bool {
        is_null(&self.local_oid)
    }

    /// The remote does not have the ref yet.
    pub fn is_creation(&self) -> bool {
        is_null(&self.remote_oid)
    }
}

fn is_null(oid: &str) -> bool {
    oid.bytes().all(|byte| byte == b'0')
}

/// Reads the hook's input; `None` when a line is not as git writes it, which must count as a refusal.
pub fn parse_updates(input: &str) -> Option<Vec<Update>> {
    input.lines().filter(|line| !line.is_empty()).map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Update> {
    // A local expression such as `HEAD~1` has no space, and neither has a ref.
    let [local_ref, local_oid, remote_ref, remote_oid] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let is_oid = |oid: &str| matches!(oid.len(), 40 | 64) && oid.bytes().all(|byte| byte.is_ascii_hexdigit());
    // git-check-ref-format(1) allows none of these in a ref.
    let is_ref = |name: &str| name.starts_with("refs/") && !name.contains(|c: char| c.is_ascii_control());
    (is_oid(local_oid) && is_oid(remote_oid) && is_ref(remote_ref)).then(|| Update {
        local_ref: local_ref.to_owned(),
        local_oid: local_oid.to_owned(),
        remote_ref: remote_ref.to_owned(),
        remote_oid: remote_oid.to_owned(),
    })
}

/// What is known about the place that is pushed from and the ref that is pushed to.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The head branch (short name) of the pull request, when the push comes from a managed worktree.
    pub managed_head: Option<&'f str>,
    /// The remote ref is the head of a pull request under watch.
    pub watched: bool,
    /// Whether the remote's present commit is contained in the new one.
    pub fast_forward: super::Ancestry,
    /// Commits that would be new on the remote and that this run did not make; looked at for managed
    /// worktrees only.
    pub foreign_commits: &'f [String],
}

/// Why a push may not go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushRefusal {
    /// A managed worktree pushes to nothing but its pull request's head.
    OtherRef {
        remote_ref: String,
        allowed: String,
    },
    /// A managed worktree, or a head under watch, is never deleted.
    Deletion {
        remote_ref: String,
    },
    NotFastForward {
        remote_ref: String,
    },
    /// The history here does not reach far enough to tell.
    CannotTell {
        remote_ref: String,
    },
    ForeignCommits {
        commits: Vec<String>,
    },
}

impl PushRefusal {
    /// What it is, and what to do.
    pub fn explain(&self) -> (String, String) {
        let (what, then) = match self {
            Self::OtherRef { remote_ref, allowed } => (
                format!("`{remote_ref}` is not the pull request's head"),
                format!("from this worktree, push only `HEAD:{allowed}`; use your own checkout for anything else"),
            ),
            Self::Deletion { remote_ref } => (
                format!("`{remote_ref}` is under the care of git-prfix and would be deleted"),
                "delete it from your own checkout once no run works on it".to_owned(),
            ),
            Self::NotFastForward { remote_ref } => (
                format!("`{remote_ref}` holds commits that this push would drop"),
                "fetch and merge them, then push again".to_owned(),
            ),
            Self::CannotTell { remote_ref } => (
                format!("whether this push would drop commits of `{remote_ref}` cannot be told here"),
                "fetch the branch, and deepen a shallow clone with `git fetch --unshallow`, then push again".to_owned(),
            ),
            Self::ForeignCommits { commits } => (
                format!("commits that this run did not make would be pushed: {}", commits.join(", ")),
                "look at them, and push them from your own checkout when they are right".to_owned(),
            ),
        };
        (what, then)
    }
}

/// Whether an update may be pushed. What concerns neither a managed worktree nor a watched head is
/// nobody's business here.
///
/// # Errors
/// The refusal.
pub fn decide(update: &Update, facts: &Facts<'_>) -> Result<(), PushRefusal> {
    if facts.managed_head.is_none() && !facts.watched {
        return Ok(());
    }
    let remote_ref = update.remote_ref.clone();
    if let Some(head) = facts.managed_head {
        let allowed = format!("refs/heads/{head}");
        if remote_ref != allowed {
            return Err(PushRefusal::OtherRef { remote_ref, allowed });
        }
    }
    if update.is_deletion() {
        return Err(PushRefusal::Deletion { remote_ref });
    }
    if !update.is_creation() {
        match facts.fast_forward {
            super::Ancestry::Yes => {}
            super::Ancestry::No => return Err(PushRefusal::NotFastForward { remote_ref }),
            super::Ancestry::Unknown => return Err(PushRefusal::CannotTell { remote_ref }),
        }
    }
    if facts.managed_head.is_some() && !facts.foreign_commits.is_empty() {
        return Err(PushRefusal::ForeignCommits { commits: facts.foreign_commits.to_vec() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Ancestry;
    use super::*;

    const OLD: &str = "1111111111111111111111111111111111111111";
    const NEW: &str = "2222222222222222222222222222222222222222";
    const NULL: &str = "0000000000000000000000000000000000000000";

    fn update(local: &str, remote_ref: &str, remote: &str) -> Update {
        parse_updates(&format!("HEAD {local} {remote_ref} {remote}\n")).unwrap().remove(0)
    }

    const MANAGED: Facts<'_> =
        Facts { managed_head: Some("feature"), watched: false, fast_forward: Ancestry::Yes, foreign_commits: &[] };

    #[test]
    fn a_managed_worktree_pushes_its_head_and_nothing_else() {
        assert_eq!(decide(&update(NEW, "refs/heads/feature", OLD), &MANAGED), Ok(()));
        assert_eq!(decide(&update(NEW, "refs/heads/feature", NULL), &MANAGED), Ok(()));
        for other in ["refs/heads/main", "refs/tags/v1", "refs/heads/feature2", "refs/for/feature"] {
            let refused = decide(&update(NEW, other, NULL), &MANAGED);
            assert!(matches!(refused, Err(PushRefusal::OtherRef { .. })), "{other}: {refused:?}");
        }
        let deletion = decide(&update(NULL, "refs/heads/feature", OLD), &MANAGED);
        assert!(matches!(deletion, Err(PushRefusal::Deletion { .. })));
    }

    #[test]
    fn what_drops_commits_or_cannot_be_told_is_refused() {
        let pushed = update(NEW, "refs/heads/feature", OLD);
        let facts = |fast_forward| Facts { fast_forward, ..MANAGED };
        assert!(matches!(decide(&pushed, &facts(Ancestry::No)), Err(PushRefusal::NotFastForward { .. })));
        assert!(matches!(decide(&pushed, &facts(Ancestry::Unknown)), Err(PushRefusal::CannotTell { .. })));
        let watched = Facts { managed_head: None, watched: true, fast_forward: Ancestry::No, foreign_commits: &[] };
        assert!(matches!(decide(&pushed, &watched), Err(PushRefusal::NotFastForward { .. })));
        assert_eq!(decide(&pushed, &Facts { watched: false, ..watched }), Ok(()));
    }

    #[test]
    fn commits_of_others_do_not_leave_a_managed_worktree() {
        let foreign = [NEW.to_owned()];
        let facts = Facts { foreign_commits: &foreign, ..MANAGED };
        let refused = decide(&update(NEW, "refs/heads/feature", OLD), &facts).unwrap_err();
        assert!(refused.explain().0.contains(NEW));
        let operator = Facts { managed_head: None, watched: true, ..facts };
        assert_eq!(decide(&update(NEW, "refs/heads/feature", OLD), &operator), Ok(()));
    }

    #[test]
    fn input_that_is_not_gits_is_not_guessed_at() {
        let two = format!("refs/heads/a {NEW} refs/heads/a {OLD}\n(delete) {NULL} refs/heads/b {OLD}\n");
        assert_eq!(parse_updates(&two).unwrap().len(), 2);
        assert_eq!(parse_updates("").unwrap(), []);
        for odd in ["x", "a b c d", &format!("a {NEW} heads/a {OLD}"), &format!("a {NEW} refs/heads/a {OLD} e")] {
            assert_eq!(parse_updates(odd), None, "{odd}");
        }
    }
}
