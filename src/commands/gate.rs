//! `git prfix gate`: whether a pull request has converged.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::{CommandResult, Exit, Shell, stopped};
use crate::model::convergence::{Convergence, SCHEMA};
use crate::model::pr::PullRequest;
use crate::model::repo::PrArgument;
use crate::pipeline;
use crate::ui::gate_page;

#[derive(Debug, Args)]
pub struct GateArgs {
    /// The pull request: number, URL or branch; default: that of the current branch
    #[arg(value_name = "PR")]
    pub pr: Option<String>,
    /// Wait at most so long while checks run or GitHub has no answer yet
    #[arg(long, value_name = "MINUTES", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1440))]
    pub wait: u64,
}

pub fn run(shell: &Shell, args: &GateArgs) -> CommandResult {
    let world = shell.world()?;
    let argument = args.pr.as_deref().map_or(PrArgument::CurrentBranch, PrArgument::parse);
    let (pr, judged) = match pipeline::gate(&world, &argument, Duration::from_secs(args.wait * 60)) {
        Ok(found) => found,
        Err(stop) => return stopped(shell, stop),
    };
    if shell.global.json {
        shell.print_json(&document(&pr, &judged))?;
    } else {
        shell.ui.print(&gate_page(&pr, &judged));
    }
    Ok(if judged.converged { Exit::Done } else { Exit::NotConverged })
}

fn document(pr: &PullRequest, judged: &Convergence) -> serde_json::Value {
    let mut document = json!({
        "schema": SCHEMA,
        "pr": {
            "number": pr.number, "url": pr.url, "title": pr.title, "state": pr.state,
            "head_branch": pr.head_branch, "head": pr.head_oid,
        },
    });
    if let (Some(document), Ok(serde_json::Value::Object(judged))) =
        (document.as_object_mut(), serde_json::to_value(judged))
    {
        document.extend(judged);
    }
    document
}
