//! GraphQL's envelope: partial data, errors by their type, servers that know fewer fields.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Access, PAUSE, RETRIES, is_timeout};
use super::client::Client;
use super::error::{GithubError, message, refusal, sso_help};
use super::queries::{DETECT, Field, Operation, optional_fields};
use super::transport::{Method, Request};
use crate::model::text::one_line;

/// Data, and what GitHub says is wrong with parts of it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Answer {
    #[serde(default)]
    pub data: Value,
    #[serde(default)]
    pub errors: Vec<ApiError>,
}

/// One entry of `errors` (GraphQL specification, section 7.1.2), with GitHub's `type`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ApiError {
    #[serde(default)]
    pub message: String,
    #[serde(default, rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub path: Vec<Value>,
    #[serde(default)]
    extensions: Value,
}

impl ApiError {
    /// The error is about this field of the harvest's pull request.
    pub fn concerns(&self, field: &str) -> bool {
        self.path.get(2).is_some_and(|step| step == field)
    }

    /// The part of the pull request that the error is about, for people.
    pub fn place(&self) -> String {
        let steps: Vec<&str> = self.path.iter().skip(2).filter_map(Value::as_str).collect();
        if steps.is_empty() {
            "a part of the answer".to_owned()
        } else {
            format!("`{}`", one_line(&steps.join("."), 100))
        }
    }

    pub fn text(&self) -> String {
        one_line(&self.message, 300)
    }

    fn code(&self) -> &str {
        self.extensions.get("code").and_then(Value::as_str).unwrap_or_default()
    }

    /// The query was too expensive or took too long: less of it may work.
    fn is_too_much(&self) -> bool {
        self.kind == "RESOURCE_LIMITS_EXCEEDED"
            || self.code() == "RESOURCE_LIMITS_EXCEEDED"
            || (self.kind.is_empty() && self.message.contains("timeout"))
    }

    /// The server failed, and may not the next time: what REST says with a status of 5xx.
    fn is_passing(&self) -> bool {
        let untyped = self.kind.is_empty() && self.code().is_empty();
        untyped || matches!(self.kind.as_str(), "SERVICE_UNAVAILABLE" | "INTERNAL")
    }

    fn is_saml(&self) -> bool {
        self.extensions.get("saml_failure") == Some(&Value::Bool(true)) || self.message.contains("SAML")
    }

    /// The error of an operation that gave nothing.
    pub fn fatal(&self, what: &str, host: &str) -> GithubError {
        let (message, what_owned) = (self.text(), what.to_owned());
        match self.kind.as_str() {
            _ if self.is_saml() => GithubError::Forbidden { what: what_owned, message, help: sso_help("", host) },
            "NOT_FOUND" => {
                GithubError::NotFound { what: format!("what it takes to {what} ({message})"), host: host.to_owned() }
            }
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => {
                let help = "use an account with write access to the repository; a fine-grained token needs `contents: write` and `pull requests: write`, a classic one the scope `repo`".to_owned();
                GithubError::Forbidden { what: what_owned, message, help }
            }
            "UNPROCESSABLE" | "VALIDATION" => GithubError::Refused { what: what_owned, message },
            "SERVICE_UNAVAILABLE" | "INTERNAL" | "RESOURCE_LIMITS_EXCEEDED" => {
                GithubError::Server { what: what_owned, why: message }
            }
            // An execution error without a type: GitHub's "something went wrong".
            "" if self.code().is_empty() => GithubError::Server { what: what_owned, why: message },
            _ => GithubError::bad(what, message),
        }
    }
}

/// What one request came to.
enum Outcome {
    Answer(Answer),
    /// A smaller page may work. What came along is all there is if it doesn't.
    TooMuch(Result<Answer, GithubError>),
}

impl Client {
    /// One operation. Errors beside data are left to the caller.
    pub(super) fn graphql(
        &self,
        operation: &Operation,
        variables: &Value,
        access: Access,
    ) -> Result<Answer, GithubError> {
        match self.ask(operation, variables, access)? {
            Outcome::Answer(answer) => Ok(answer),
            Outcome::TooMuch(rest) => rest,
        }
    }

    /// One operation with a page size. When GitHub finds it too much, smaller pages are tried; says
    /// which size worked.
    pub(super) fn graphql_sized(
        &self,
        operation: &Operation,
        sizes: &[u32],
        variables: impl Fn(u32) -> Value,
    ) -> Result<(Answer, u32), GithubError> {
        let (last, larger) = sizes.split_last().unwrap_or((&10, &[]));
        for size in larger {
            if let Outcome::Answer(answer) = self.ask(operation, &variables(*size), Access::Shrinking)? {
                return Ok((answer, *size));
            }
            tracing::debug!(target: "prfix::github", operation = operation.name, size, "too much, asking for less");
        }
        self.graphql(operation, &variables(*last), Access::Read).map(|answer| (answer, *last))
    }

    fn ask(&self, operation: &Operation, variables: &Value, access: Access) -> Result<Outcome, GithubError> {
        let missing = self.state().missing.clone();
        let outcome = self.post(operation, variables, access, missing.as_deref().unwrap_or_default())?;
        if let (Outcome::Answer(answer), None) = (&outcome, &missing)
            && answer.errors.iter().any(|error| error.code() == "undefinedField")
        {
            let missing = self.detect()?;
            return self
                .post(operation, variables, access, &missing)
                .and_then(|again| usable(again, operation, &self.repo.host));
        }
        usable(outcome, operation, &self.repo.host)
    }

    /// Sends an operation, and again when an answer of status 200 says that the server failed.
    fn post(
        &self,
        operation: &Operation,
        variables: &Value,
        access: Access,
        missing: &[Field],
    ) -> Result<Outcome, GithubError> {
        let mut request = Request::new(Method::Post, "/graphql");
        request.body = Some(json!({
            "operationName": operation.name, "query": operation.document(missing), "variables": variables,
        }));
        let mut failures = 0;
        loop {
            let (outcome, failed) = self.exchange(operation, &request, access)?;
            // A smaller page is the better answer to a time-out, as long as there is one.
            let smaller = access == Access::Shrinking && matches!(outcome, Outcome::TooMuch(_));
            let again = failed && !smaller && access != Access::Once;
            if !again || failures == RETRIES || crate::process::interrupted() {
                return Ok(outcome);
            }
            failures += 1;
            self.clock.sleep(PAUSE * failures);
        }
    }

    /// Also says whether the answer was no more than the server's own failure.
    fn exchange(
        &self,
        operation: &Operation,
        request: &Request,
        access: Access,
    ) -> Result<(Outcome, bool), GithubError> {
        let response = self.send(request, access)?;
        if is_timeout(response.status) {
            let error = GithubError::Server { what: operation.what.to_owned(), why: message(&response) };
            return Ok((Outcome::TooMuch(Err(error)), false));
        }
        if let Some(error) = refusal(&response, operation.what, &self.repo.host) {
            return Err(error);
        }
        let answer: Answer = serde_json::from_slice(&response.body)
            .map_err(|error| GithubError::bad(operation.what, format!("it is not a GraphQL answer ({error})")))?;
        let failed = !answer.data.is_object() && answer.errors.first().is_some_and(ApiError::is_passing);
        let too_much = answer.errors.iter().any(ApiError::is_too_much);
        let outcome = if too_much {
            Outcome::TooMuch(usable_answer(answer, operation, &self.repo.host))
        } else {
            Outcome::Answer(answer)
        };
        Ok((outcome, failed))
    }

    /// Finds out once which of the optional fields this host lacks.
    fn detect(&self) -> Result<Vec<Field>, GithubError> {
        let Outcome::Answer(answer) = self.post(&DETECT, &json!({}), Access::Read, &[])? else {
            return Err(GithubError::bad(DETECT.what, "the server could not say"));
        };
        let has = |field: &Field| {
            let (owner, name) = field.split_once('.').unwrap_or((field, ""));
            let fields = answer.data[owner]["fields"].as_array();
            fields.is_some_and(|fields| fields.iter().any(|known| known["name"] == name))
        };
        let missing: Vec<Field> = optional_fields().into_iter().filter(|field| !has(field)).collect();
        tracing::info!(target: "prfix::github", ?missing, "this server's schema lacks fields");
        self.state().missing = Some(missing.clone());
        Ok(missing)
    }
}

fn usable(outcome: Outcome, operation: &Operation, host: &str) -> Result<Outcome, GithubError> {
    match outcome {
        Outcome::Answer(answer) => usable_answer(answer, operation, host).map(Outcome::Answer),
        too_much => Ok(too_much),
    }
}

/// Without data, the first error is the answer.
fn usable_answer(answer: Answer, operation: &Operation, host: &str) -> Result<Answer, GithubError> {
    if answer.data.is_object() {
        return Ok(answer);
    }
    match answer.errors.first() {
        Some(error) => Err(error.fatal(operation.what, host)),
        None => Err(GithubError::bad(operation.what, "it holds neither data nor errors")),
    }
}
