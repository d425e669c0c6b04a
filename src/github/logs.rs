//! Logs and annotations of failing checks. What cannot be had becomes the check's gap.

use serde::Deserialize;

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::log_text;
use super::parallel;
use super::parse::read;
use super::range;
use super::transport::Request;
use crate::model::feedback::{Annotation, Check, CheckState, Checks, LogTail};
use crate::model::text::{mask_secrets, strip_escapes};

/// Bytes of a log that are read, from its end.
const TAIL: usize = 512 << 10;

/// An entry of `/check-runs/{id}/annotations`.
#[derive(Deserialize)]
struct RawAnnotation {
    path: String,
    start_line: u64,
    end_line: u64,
    annotation_level: Option<String>,
    message: Option<String>,
}

/// One thing to read about a failing check, by the id of its check run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Log(u64),
    Annotations(u64),
}

enum Found {
    /// With what it cost more than it should.
    Log(LogTail, Option<String>),
    Annotations(Vec<Annotation>),
}

/// What there is to read about a failing check, and what there cannot be.
fn plan(check: &Check) -> (Vec<Task>, Option<String>) {
    let place = check.url.as_deref().unwrap_or("the check's own page");
    match (check.job_id, check.run_id) {
        (Some(id), Some(_)) => (vec![Task::Log(id), Task::Annotations(id)], None),
        (Some(id), None) => (vec![Task::Annotations(id)], Some(format!("its log is not on GitHub; see {place}"))),
        (None, _) => (Vec::new(), Some(format!("a commit status has no log on GitHub; see {place}"))),
    }
}

impl Client {
    /// Fills in log tails and annotations of the failing checks; what cannot be had becomes a `gap`.
    ///
    /// # Errors
    /// When the token is refused or the rate limit outlasts the patience.
    pub fn read_failures(&self, checks: &mut Checks) -> Result<(), GithubError> {
        let mut tasks = Vec::new();
        for (at, check) in checks.list.iter_mut().enumerate().filter(|(_, check)| check.state == CheckState::Failed) {
            let (more, gap) = plan(check);
            tasks.extend(more.into_iter().map(|task| (at, task)));
            check.gap = gap;
        }
        let all = parallel::each(&tasks, |(_, task)| self.read(*task));
        for ((at, task), found) in tasks.into_iter().zip(all) {
            let check = &mut checks.list[at];
            match found {
                Ok(Found::Log(log, cost)) => {
                    check.log = Some(log);
                    cost.into_iter().for_each(|cost| add_gap(check, cost));
                }
                Ok(Found::Annotations(annotations)) => check.annotations = annotations,
                Err(error) => add_gap(check, gap(task, error)?),
            }
        }
        Ok(())
    }

    fn read(&self, task: Task) -> Result<Found, GithubError> {
        match task {
            Task::Log(id) => self.log(id).map(|(log, cost)| Found::Log(log, cost)),
            Task::Annotations(id) => self.annotations(id).map(Found::Annotations),
        }
    }

    /// The end of a job's log. A finished job's log is there while its run still goes on.
    fn log(&self, job: u64) -> Result<(LogTail, Option<String>), GithubError> {
        let mut request = Request::get(self.path(&format!("/actions/jobs/{job}/logs")));
        request.tail = Some(TAIL);
        let response = self.rest(&request, Access::Read, "read the log of a job")?;
        let cost = range::without_ranges(&response).map(|bytes| {
            format!("the store of its log knows no byte ranges: all {} MiB of it were downloaded", bytes >> 20)
        });
        Ok((log_text::tail(&response.body, response.total), cost))
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

fn add_gap(check: &mut Check, gap: String) {
    check.gap = Some(check.gap.take().map_or(gap.clone(), |known| format!("{known}; {gap}")));
}

/// What is missing and why; errors that would meet every other check as well go up.
fn gap(task: Task, error: GithubError) -> Result<String, GithubError> {
    let what = match task {
        Task::Log(_) => "its log",
        Task::Annotations(_) => "its list of annotations",
    };
    match error {
        GithubError::NotFound { .. } => Ok(format!("{what} is not there: it has expired, or the job is not finished")),
        GithubError::Forbidden { message, .. } => Ok(format!("{what} cannot be read: {message}")),
        GithubError::Unauthorized { .. } | GithubError::RateLimited { .. } => Err(error),
        other => Ok(format!("{what} could not be read: {other}")),
    }
}
