//! The remote, the way to GitHub, the sign-in, and what it may do.

use std::sync::Arc;
use std::time::Duration;

use super::{Check, system};
use crate::clock::Clock;
use crate::commands::as_error;
use crate::github::{self, Client, Permission};
use crate::model::repo::RepoId;
use crate::pipeline;
use crate::settings::Settings;
use crate::world::World;

/// A doctor does not wait for a rate limit.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn checks(world: &World, settings: &Settings, offline: bool) -> Vec<Check> {
    let mut checks = vec![gh(world, settings)];
    match pipeline::choose_remote(world, settings, None).map_err(as_error) {
        Ok((remote, repo)) => {
            checks.push(Check::ok("remote", format!("{}: {repo}", remote.name)));
            if !offline {
                checks.extend(sign_in(world, settings, &repo));
            }
        }
        Err(error) => checks.push(Check::failed("remote", &error)),
    }
    checks
}

fn gh(world: &World, settings: &Settings) -> Check {
    const CHECK: &str = "gh";
    match (system::version(&world.env, "gh"), settings.transport.as_deref()) {
        (Some(version), _) => Check::ok(CHECK, version),
        (None, Some("http")) => Check::ok(CHECK, "not installed, and not needed: `prfix.transport` is `http`"),
        (None, _) => {
            let help = "install it (https://cli.github.com) and run `gh auth login`; or set GH_TOKEN";
            Check::warning(CHECK, "not installed", help)
        }
    }
}

fn sign_in(world: &World, settings: &Settings, repo: &RepoId) -> Vec<Check> {
    const CHECK: &str = "sign-in";
    let transport = match github::choose(&world.env, &repo.host, settings.transport.as_deref()) {
        Ok(transport) => transport,
        Err(error) => return vec![Check::failed(CHECK, &error.into())],
    };
    let way = transport.name().to_owned();
    let clock: Arc<dyn Clock> = Arc::clone(&world.clock);
    let client = Client::new(transport, repo.clone(), clock).with_patience(PATIENCE);
    let login = match client.viewer() {
        Ok(viewer) => viewer.login,
        Err(error) => return vec![Check::failed(CHECK, &error.into())],
    };
    let signed_in = Check::ok(CHECK, format!("{login} on {}, by way of {way}", repo.host));
    vec![signed_in, scopes(client.token_scopes().as_deref()), access(&client, &login, repo)]
}

/// GitHub names the scopes of classic tokens only.
fn scopes(scopes: Option<&[String]>) -> Check {
    const CHECK: &str = "scopes";
    match scopes {
        None => Check::ok(CHECK, "not told for this kind of token; it needs to write contents and pull requests"),
        Some(scopes) if scopes.iter().any(|scope| scope == "repo") => Check::ok(CHECK, scopes.join(", ")),
        Some(scopes) => {
            let found = if scopes.is_empty() { "none".to_owned() } else { scopes.join(", ") };
            let help =
                "add the scope `repo` (`gh auth refresh -s repo`); `public_repo` is enough for a public repository";
            Check::warning(CHECK, found, help)
        }
    }
}

fn access(client: &Client, login: &str, repo: &RepoId) -> Check {
    const CHECK: &str = "access";
    let name = repo.full_name();
    match client.permission(login) {
        Ok(Permission::Admin | Permission::Write) => Check::ok(CHECK, format!("{login} may write to {name}")),
        Ok(Permission::Unknown) => Check::ok(CHECK, format!("what {login} may do in {name} is not told")),
        Ok(Permission::Read | Permission::None) => {
            let help = "ask for the right to write; pull requests from your own fork work without it";
            Check::warning(CHECK, format!("{login} may not write to {name}"), help)
        }
        Err(error) => {
            let report: miette::Report = error.into();
            let help = report.help().map(|help| help.to_string());
            Check { help, ..Check::warning(CHECK, report.to_string(), "") }
        }
    }
}
