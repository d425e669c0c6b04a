//! `--re-review`: the configured review command, at top level only, with the spec as its brief (A48, A49).

use crate::process::Run;
use crate::state::Effect;

use super::context::{Context, Result, Stop};

/// Set for children, so that a run inside a run knows that it is nested.
pub const NESTED: &str = "PRFIX_NESTED";

/// Runs the review command once, after the push.
pub fn run(ctx: &Context<'_>) -> Result<()> {
    if !ctx.options.re_review {
        return Ok(());
    }
    if ctx.world.env.get(NESTED).is_some() {
        ctx.warn("--re-review was skipped: this run was started by another one");
        return Ok(());
    }
    let Some(command) = &ctx.settings.re_review_command else {
        ctx.warn("--re-review was skipped: `prfix.reReviewCommand` is not set");
        return Ok(());
    };
    let (program, args) = command.argv.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
    let root = ctx.world.repo.work_dir().unwrap_or(ctx.world.repo.common_dir());
    let run = || {
        let output = Run::new(program)
            .args(args)
            .cwd(root)
            .env("PRFIX_BRIEF", ctx.run.dir.join("spec.json"))
            .env(NESTED, "1")
            .timeout(ctx.settings.agent_timeout)
            .run()?;
        if !output.success() {
            ctx.warn(format!("the review command ended with {:?}: {}", output.ended, output.stderr_tail(5)));
        }
        ctx.run.write("review.txt", &output.stdout)?;
        Ok::<_, Stop>(None)
    };
    match ctx.once(&Effect::ReReview, || Ok(None), run) {
        Ok(_) => Ok(()),
        Err(Stop::Fault(error)) => {
            ctx.warn(format!("the review command could not be run: {error}"));
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}
