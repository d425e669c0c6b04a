//! The transport through GitHub's own command line tool: one `gh api` a request, so that the user's
//! hosts, accounts, proxies and sockets hold. Bodies go over standard input, never the command line.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::choose::{foreign_variables, is_cloud, token};
use super::gh_answer::{Head, response};
use super::range::{self, Next};
use super::transport::{Method, Request, Response, Transport, TransportError};
use crate::env::Env;
use crate::process::{Ended, GIT_LOCAL_VARS, Output, Run};

/// Most bytes of an answer that is read whole.
const LIMIT: usize = 64 << 20;
/// Room for the status line and the headers in front of a tail.
const HEAD_LIMIT: usize = 64 << 10;
/// Newer versions refuse to print a log, which has colours, without it; older ones don't know it.
const ESCAPES: &str = "--allow-escape-sequences";
/// The first version that keeps the token to itself when GitHub redirects to another host.
const KEEPS_TOKEN: (u32, u32) = (2, 32);

pub(super) struct Gh {
    program: PathBuf,
    env: Env,
    host: String,
    /// This `gh` is too old for [`ESCAPES`].
    plain: AtomicBool,
    version: OnceLock<(u32, u32)>,
}

impl Gh {
    /// `gh` on the PATH of `env`, if it is there.
    pub fn find(env: &Env, host: &str) -> Option<Self> {
        let program = which::which_in("gh", env.path("PATH"), "/").ok()?;
        let (plain, version) = (AtomicBool::new(false), OnceLock::new());
        Some(Self { program, env: env.clone(), host: host.to_owned(), plain, version })
    }

    /// The token that `gh` uses for this host.
    pub fn token(&self) -> Option<String> {
        let output = self.run().args(["auth", "token", "--hostname", &self.host]).run().ok()?;
        let token = output.text().trim().to_owned();
        (output.success() && !token.is_empty()).then_some(token)
    }

    fn run(&self) -> Run {
        // Colour, debug traces and forced terminals would end up inside the answers.
        let noisy = ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG", "GH_PAGER", "PAGER"];
        let foreign = foreign_variables(&self.host);
        let unwanted = |name: &OsStr| {
            noisy.iter().chain(GIT_LOCAL_VARS).chain(&foreign).any(|unwanted| name == OsStr::new(unwanted))
        };
        let inherited = self.env.iter().filter(|(name, _)| !unwanted(name));
        let run = inherited.fold(Run::new(&self.program).empty_env(), |run, (name, value)| run.env(name, value));
        let run = match token(&self.env, &self.host).filter(|_| !is_cloud(&self.host)) {
            Some(token) => run.env("GH_ENTERPRISE_TOKEN", token),
            None => run,
        };
        run.env("DO_NOT_TRACK", "1")
            .env("GH_PROMPT_DISABLED", "1")
            .env("GH_NO_UPDATE_NOTIFIER", "1")
            .env("NO_COLOR", "1")
            .leave_helpers()
    }

    fn call(&self, request: &Request, range: Option<&str>) -> Result<Response, TransportError> {
        let plain = request.tail.is_none() || self.plain.load(Ordering::Relaxed);
        let (output, head) = self.print(request, range, plain)?;
        if !plain && output.stderr_tail(50).contains(&format!("unknown flag: {ESCAPES}")) {
            self.plain.store(true, Ordering::Relaxed);
            return self.call(request, range);
        }
        match output.ended {
            Ended::TimedOut => Err(unreachable("`gh api` gave no answer in time")),
            Ended::Interrupted => Err(unreachable("the request was interrupted")),
            Ended::Exited(_) | Ended::Signaled(_) if head.is_complete() => {
                response(request, output, head).map_err(|why| unreachable(&why))
            }
            Ended::Exited(_) | Ended::Signaled(_) => Err(self.no_answer(&output)),
        }
    }

    /// Runs `gh api`; the head of the answer is read while it passes.
    fn print(&self, request: &Request, range: Option<&str>, plain: bool) -> Result<(Output, Head), TransportError> {
        let mut run = self.run().args(["api", "-i", "--hostname", &self.host, "--method", request.method.as_str()]);
        if !plain {
            run = run.arg(ESCAPES);
        }
        for (name, value) in &request.headers {
            run = run.arg("-H").arg(format!("{name}: {value}"));
        }
        if let Some(range) = range {
            run = run.arg("-H").arg(format!("Range: {range}"));
        }
        run = run.arg(request.path.trim_start_matches('/'));
        if let Some(body) = &request.body {
            run = run.args(["--input", "-"]).stdin(body.to_string());
        }
        let head = Arc::new(Mutex::new(Head::default()));
        let sink = Arc::clone(&head);
        let output = run
            .limit(request.tail.map_or(LIMIT, |tail| tail + HEAD_LIMIT))
            .timeout(Duration::from_secs(if request.tail.is_some() { 900 } else { 120 }))
            .on_line(move |line| sink.lock().unwrap_or_else(PoisonError::into_inner).feed(line))
            .run()
            .map_err(|error| unreachable(&error.to_string()))?;
        let head = std::mem::take(&mut *head.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((output, head))
    }

    /// `gh` printed no answer: it has no token, or it did not get through.
    fn no_answer(&self, output: &Output) -> TransportError {
        let said = crate::model::text::one_line(&output.stderr_tail(3), 300);
        let no_token = ["gh auth login", "GH_TOKEN", "not logged in"].iter().any(|words| said.contains(words));
        if output.ended == Ended::Exited(4) || no_token {
            return TransportError::NotSignedIn {
                why: format!("`gh` is not signed in to {}", self.host),
                help: format!("run `gh auth login --hostname {}`, or set a token in the environment", self.host),
            };
        }
        unreachable(if said.is_empty() { "`gh api` printed nothing" } else { &said })
    }

    /// An old `gh` sends an Enterprise Server's token of the environment to wherever it is redirected.
    fn check_redirects(&self) -> Result<(), TransportError> {
        if is_cloud(&self.host) || token(&self.env, &self.host).is_none() || self.version() >= KEEPS_TOKEN {
            return Ok(());
        }
        Err(TransportError::NotSignedIn {
            why: "this version of `gh` would send the token to the host that stores the logs".to_owned(),
            help: "update `gh` to 2.32 or later, or set `prfix.transport` to `http`".to_owned(),
        })
    }

    /// Major and minor, from `gh version 2.23.0 (2023-02-27)`; zeros when it does not say.
    fn version(&self) -> (u32, u32) {
        *self.version.get_or_init(|| {
            let text = self.run().arg("--version").run().map(|output| output.text()).unwrap_or_default();
            let mut numbers = text.split_whitespace().nth(2).unwrap_or_default().split('.').map(str::parse);
            match (numbers.next(), numbers.next()) {
                (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
                _ => (0, 0),
            }
        })
    }
}

fn unreachable(why: &str) -> TransportError {
    TransportError::Unreachable { why: why.to_owned() }
}

impl Transport for Gh {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let Some(tail) = request.tail.filter(|_| request.method == Method::Get) else {
            return self.call(request, None);
        };
        self.check_redirects()?;
        let first = self.call(request, Some(&range::first()))?;
        match range::next(&first, tail) {
            Next::Done { total } => Ok(range::finish(first, total)),
            Next::Range { header, total } => {
                self.call(request, Some(&header)).map(|response| range::finish(response, Some(total)))
            }
        }
    }

    fn name(&self) -> &'static str {
        "gh"
    }
}
