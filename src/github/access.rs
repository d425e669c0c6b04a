//! What accounts and tokens may do, and re-runs.

use serde_json::Value;

use super::call::Access;
use super::client::{Client, Permission, RerunOutcome};
use super::error::{GithubError, message, refusal};
use super::parallel;
use super::transport::{Method, Request};
use crate::model::pr::{Actor, ActorKind};

/// An account as commits name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// With `[bot]` for a bot.
    pub login: String,
    pub id: u64,
    pub name: String,
}

impl Account {
    /// The trailer by which GitHub credits somebody, with the private address that each account has.
    pub fn co_author(&self, host: &str) -> String {
        let name: String = self.name.chars().filter(|c| !c.is_control() && !"<>".contains(*c)).collect();
        let name = if name.trim().is_empty() { &self.login } else { name.trim() };
        format!("Co-authored-by: {name} <{}+{}@users.noreply.{host}>", self.id, self.login)
    }
}

impl Client {
    /// Name and number of an account.
    ///
    /// # Errors
    /// When GitHub gives no answer or knows no such account.
    pub fn account(&self, actor: &Actor) -> Result<Account, GithubError> {
        let what = "read an account";
        let bot = if actor.kind == ActorKind::Bot { "[bot]" } else { "" };
        let request = Request::get(format!("/users/{}", segment(&format!("{}{bot}", actor.login))));
        let response = self.rest(&request, Access::Read, what)?;
        let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        match (answer["login"].as_str(), answer["id"].as_u64()) {
            (Some(login), Some(id)) => {
                let name = answer["name"].as_str().unwrap_or(login);
                Ok(Account { login: login.to_owned(), id, name: name.to_owned() })
            }
            _ => Err(GithubError::bad(what, "it has no login or no number")),
        }
    }

    /// What an account may do in the repository. GitHub maps maintain to write and triage to read.
    ///
    /// # Errors
    /// Only when GitHub gives no answer; a refusal to tell is [`Permission::Unknown`].
    pub fn permission(&self, login: &str) -> Result<Permission, GithubError> {
        let what = "read a collaborator's permission";
        let request = Request::get(self.path(&format!("/collaborators/{}/permission", segment(login))));
        let response = match self.rest(&request, Access::Read, what) {
            Err(GithubError::NotFound { .. }) => return Ok(Permission::None),
            Err(GithubError::Forbidden { .. }) => return Ok(Permission::Unknown),
            other => other?,
        };
        let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        match answer["permission"].as_str() {
            Some("admin") => Ok(Permission::Admin),
            Some("write" | "maintain") => Ok(Permission::Write),
            Some("read" | "triage") => Ok(Permission::Read),
            Some("none") => Ok(Permission::None),
            _ => Err(GithubError::bad(what, "it names no permission")),
        }
    }

    /// [`Client::permission`] of several accounts, asked for a few at once, in their order.
    pub fn permissions(&self, logins: &[String]) -> Vec<Result<Permission, GithubError>> {
        parallel::each(logins, |login| self.permission(login))
    }

    /// Runs the failed jobs of a workflow run again. When the answer is lost, the run is looked at
    /// instead of asking twice: GitHub allows fifty re-runs of a run.
    ///
    /// # Errors
    /// When GitHub gives no answer. A refusal is an outcome.
    pub fn rerun_failed_jobs(&self, run_id: u64) -> Result<RerunOutcome, GithubError> {
        let what = "run failed jobs again";
        let request = Request::new(Method::Post, self.path(&format!("/actions/runs/{run_id}/rerun-failed-jobs")));
        let lost = match self.send(&request, Access::Once) {
            Ok(response) if matches!(response.status, 403 | 404 | 409 | 410 | 422) => {
                let message = message(&response);
                let running = message.to_ascii_lowercase().contains("already running");
                return Ok(if running { RerunOutcome::AlreadyRunning } else { RerunOutcome::Refused { message } });
            }
            Ok(response) => match refusal(&response, what, &self.repo.host) {
                None => return Ok(RerunOutcome::Started),
                Some(error) => error,
            },
            Err(error) => error,
        };
        if lost.is_lost_answer() && self.is_running(run_id)? { Ok(RerunOutcome::Started) } else { Err(lost) }
    }

    fn is_running(&self, run_id: u64) -> Result<bool, GithubError> {
        let request = Request::get(self.path(&format!("/actions/runs/{run_id}")));
        let response = self.rest(&request, Access::Read, "read a workflow run")?;
        let run: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        Ok(run["status"].as_str().is_some_and(|status| status != "completed"))
    }

    /// OAuth scopes of the token (`X-OAuth-Scopes`), when GitHub names them: it does for classic
    /// tokens only. Taken from any answer so far, else asked for.
    pub fn token_scopes(&self) -> Option<Vec<String>> {
        let known = self.state().scopes.clone();
        known.unwrap_or_else(|| {
            self.viewer().ok()?;
            self.state().scopes.clone().flatten()
        })
    }
}

/// One segment of a path, percent-encoded (RFC 3986, unreserved characters stay).
fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_cannot_leave_its_place_in_the_path() {
        assert_eq!(segment("octo-cat"), "octo-cat");
        assert_eq!(segment("../x?y#[bot]"), "..%2Fx%3Fy%23%5Bbot%5D");
    }
}
