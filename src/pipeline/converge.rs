//! The convergence gate: one complete reading, again and again while only time is missing. Nothing is written.

use std::time::Duration;

use crate::model::convergence::Convergence;
use crate::model::pr::PullRequest;
use crate::model::repo::PrArgument;
use crate::policy::convergence::judge;
use crate::world::World;

use super::context::{Result, Stop};
use super::target;

/// Between two readings while checks run. A reading of an ordinary pull request is one request.
const PAUSE: Duration = Duration::from_secs(30);

/// Reads the pull request and judges it. While nothing but time is missing, reads again for at most `patience`.
///
/// # Errors
/// Whatever keeps GitHub from answering in full: a gate that could not look is not passed.
pub fn gate(world: &World, argument: &PrArgument, patience: Duration) -> Result<(PullRequest, Convergence)> {
    let settings = world.settings(None)?;
    let target = target::find(world, &settings, argument, None)?;
    let mut left = patience;
    loop {
        let harvest = target.github.harvest(target.number)?;
        let judged = judge(&harvest);
        if !judged.pending || left.is_zero() {
            return Ok((harvest.pr, judged));
        }
        let pause = PAUSE.min(left);
        let task = world.ui.task(&format!("waiting: {}", judged.reasons.join("; ")));
        world.clock.sleep(pause);
        task.finish("looking again");
        if crate::process::interrupted() {
            return Err(Stop::Interrupted);
        }
        left -= pause;
    }
}
