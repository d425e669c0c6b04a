//! Logs and annotations of failing checks. What cannot be had becomes the check's gap.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::log_text;
use super::parse::read;
use super::transport::Request;
use crate::model::feedback::{Annotation, Check, CheckState, Checks, LogTail};
use crate::model::text::{mask_secrets, strip_escapes};

/// Bytes of a log that are read, from its end.
const TAIL: usize = 512 << 10;
/// Logs that are read at once.
const PARALLEL: usize = 4;

/// An entry of `/check-runs/{id}/annotations`.
#[derive(Deserialize)]
struct RawAnnotation {
    path: String,
    start_line: u64,
    end_line: u64,
    annotation_level: Option<String>,
    message: Option<String>,
}

/// What one failing check gave.
#[derive(Default)]
struct Details {
    log: Option<LogTail>,
    annotations: Vec<Annotation>,
    gaps: Vec<String>,
}

impl Client {
    /// Fills in log tails and annotations of the failing checks; what cannot be had becomes a `gap`.
    ///
    /// # Errors
    /// When the token is refused or the rate limit outlasts the patience.
    pub fn read_failures(&self, checks: &mut Checks) -> Result<(), GithubError> {
        let failing: Vec<usize> =
            (0..checks.list.len()).filter(|at| checks.list[*at].state == CheckState::Failed).collect();
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            let list = &checks.list;
            let work = || {
                while let Some(at) = failing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let details = self.details(&list[*at]);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((*at, details));
                }
            };
            for _ in 0..PARALLEL.min(failing.len()) {
                scope.spawn(work);
            }
        });
        for (at, details) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let (details, check) = (details?, &mut checks.list[at]);
            check.log = details.log;
            check.annotations = details.annotations;
            check.gap = (!details.gaps.is_empty()).then(|| details.gaps.join("; "));
        }
        Ok(())
    }

    fn details(&self, check: &Check) -> Result<Details, GithubError> {
        let mut details = Details::default();
        let place = check.url.as_deref().unwrap_or("the check's own page");
        let Some(id) = check.job_id else {
            details.gaps.push(format!("a commit status has no log on GitHub; see {place}"));
            return Ok(details);
        };
        if check.run_id.is_some() {
            match self.log(id) {
                Ok(log) => details.log = Some(log),
                Err(error) => details.gaps.push(gap("its log", error)?),
            }
        } else {
            details.gaps.push(format!("its log is not on GitHub; see {place}"));
        }
        match self.annotations(id) {
            Ok(annotations) => details.annotations = annotations,
            Err(error) => details.gaps.push(gap("its annotations", error)?),
        }
        Ok(details)
    }

    /// The end of a job's log. A finished job's log is there while its run still goes on.
    fn log(&self, job: u64) -> Result<LogTail, GithubError> {
        let mut request = Request::get(self.path(&format!("/actions/jobs/{job}/logs")));
        request.tail = Some(TAIL);
        let response = self.rest(&request, Access::Read, "read the log of a job")?;
        Ok(log_text::tail(&response.body, response.total))
    }

    fn annotations(&self, check_run: u64) -> Result<Vec<Annotation>, GithubError> {
        let what = "read the annotations of a check";
        let list = self.rest_pages(&self.path(&format!("/check-runs/{check_run}/annotations")), what)?;
        let raw = list.iter().map(|value| read::<RawAnnotation>(value, what));
        raw.map(|raw| {
            raw.map(|raw| Annotation {
                path: raw.path,
                start_line: raw.start_line,
                end_line: raw.end_line,
                level: raw.annotation_level.unwrap_or_else(|| "notice".to_owned()),
                message: mask_secrets(&strip_escapes(&raw.message.unwrap_or_default())),
            })
        })
        .collect()
    }
}

/// What is missing and why; errors that would meet every other check as well go up.
fn gap(what: &str, error: GithubError) -> Result<String, GithubError> {
    match error {
        GithubError::NotFound { .. } => Ok(format!("{what} is not there: it has expired, or the job is not finished")),
        GithubError::Forbidden { message, .. } => Ok(format!("{what} cannot be read: {message}")),
        GithubError::BadAnswer { .. } | GithubError::Server { .. } | GithubError::Transport(_) => {
            Ok(format!("{what} could not be read: {error}"))
        }
        GithubError::Unauthorized { .. } | GithubError::RateLimited { .. } => Err(error),
    }
}
