//! Sending: retries of reads, waiting for limits, and the pace of writes. What an answer means is
//! decided above.

use std::sync::PoisonError;
use std::time::Duration;

use super::client::{Client, State, Waiting};
use super::error::{GithubError, refusal};
use super::limits;
use super::transport::{Request, Response, TransportError};

/// What a request may do to GitHub, and so what may be done when its answer is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Sent again on failures.
    Read,
    /// A read whose time-outs (502, 504) come back at once, because a smaller one will be tried.
    Shrinking,
    /// A write that changes nothing when it is done twice.
    Repeatable,
    /// Never sent again blindly.
    Once,
}

impl Access {
    fn again_after(self, status: u16) -> bool {
        match self {
            Self::Read | Self::Repeatable => status >= 500,
            Self::Shrinking => status >= 500 && !is_timeout(status),
            Self::Once => false,
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::Repeatable | Self::Once)
    }
}

/// GitHub answers so when a query took longer than its ten seconds.
pub(super) fn is_timeout(status: u16) -> bool {
    matches!(status, 502 | 504)
}

pub(super) const RETRIES: u32 = 2;
pub(super) const PAUSE: Duration = Duration::from_secs(3);
/// How often a wait for a limit is told about.
const COUNTDOWN: Duration = Duration::from_secs(5);

impl Client {
    /// Sends a request until it has an answer that no wait or retry would better.
    pub(super) fn send(&self, request: &Request, access: Access) -> Result<Response, GithubError> {
        let _turn = access.writes().then(|| self.pace.turn(self.clock.as_ref()));
        let (mut waited, mut waits, mut failures) = (Duration::ZERO, 0, 0);
        loop {
            let result = self.transport.send(request);
            if let Ok(response) = &result
                && let Some(wait) = limits::wait(response, self.clock.now(), waits)
            {
                waits += 1;
                waited += wait;
                self.wait_for_limit(wait, waited)?;
                continue;
            }
            let again = match &result {
                Ok(response) => access.again_after(response.status),
                Err(TransportError::Unreachable { .. }) => access != Access::Once,
                Err(TransportError::NotSignedIn { .. }) => false,
            };
            if !again || failures == RETRIES || crate::process::interrupted() {
                let response = result?;
                self.note_scopes(&response);
                return Ok(response);
            }
            failures += 1;
            tracing::debug!(target: "prfix::github", path = %request.path, failures, "sent again");
            self.clock.sleep(PAUSE * failures);
        }
    }

    /// A REST request whose refusals are errors.
    pub(super) fn rest(&self, request: &Request, access: Access, what: &str) -> Result<Response, GithubError> {
        let response = self.send(request, access)?;
        refusal(&response, what, &self.repo.host).map_or(Ok(response), Err)
    }

    /// Waits for a limit to end, within the patience; the sum of the waits so far counts.
    fn wait_for_limit(&self, wait: Duration, waited: Duration) -> Result<(), GithubError> {
        let until = self.clock.now().saturating_add(wait).unwrap_or(self.clock.now());
        if waited <= self.patience && !crate::process::interrupted() {
            tracing::info!(target: "prfix::github", seconds = wait.as_secs(), "waiting for the rate limit");
            self.count_down(wait);
            if !crate::process::interrupted() {
                return Ok(());
            }
        }
        Err(GithubError::RateLimited { until: until.strftime("%Y-%m-%d %H:%M:%S UTC").to_string() })
    }

    fn count_down(&self, whole: Duration) {
        let tell = |left| self.on_wait.iter().for_each(|sink| sink(Waiting { whole, left }));
        let mut left = whole;
        while !left.is_zero() && !crate::process::interrupted() {
            tell(left);
            let step = left.min(COUNTDOWN);
            self.clock.sleep(step);
            left -= step;
        }
        tell(Duration::ZERO);
    }

    fn note_scopes(&self, response: &Response) {
        let words = |list: &str| list.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect();
        let told = response.header("x-oauth-scopes").map(words);
        let mut state = self.state();
        if told.is_some() || state.scopes.is_none() {
            state.scopes = Some(told);
        }
    }

    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
