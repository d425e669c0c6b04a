//! A context without a pull request: a folder, a lock, a journal and rules, and nobody asks GitHub anything.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::clock::Clock;
use crate::git::Remote;
use crate::github::{Client, Nowhere};
use crate::model::agent::Usage;
use crate::model::repo::RepoId;
use crate::pipeline::context::{AbortAt, Context, Result, RunOptions};
use crate::rules::Rules;
use crate::settings::Settings;
use crate::state::{Journal, Lock, Replay, Spending};
use crate::world::World;

/// The number where there is no pull request.
pub const NO_PULL_REQUEST: u64 = 0;

pub fn context<'w>(
    world: &'w World,
    options: &'w RunOptions,
    settings: Settings,
    rules: Rules,
) -> Result<(Context<'w>, Lock)> {
    let lock = Lock::take_loop(&world.store, world.clock.now())?;
    tell_of_killed(world)?;
    let run = world.store.new_loop(world.clock.now())?;
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let remote = settings.remote.clone().unwrap_or_else(|| "origin".to_owned());
    let lease = crate::pipeline::isolate::lease(world, &settings, &run);
    let ctx = Context {
        world,
        options,
        settings,
        github: Client::new(Box::new(Nowhere), RepoId::new("", "", ""), clock),
        rules,
        remote: Remote {
            name: remote,
            url: String::new(),
            fetch_url: String::new(),
            push_url: String::new(),
            repo: None,
        },
        usage: Cell::new(Usage::default()),
        spending: RefCell::new(Spending::of_run(&run)?),
        journal: RefCell::new(Journal::open(&run.journal())?),
        run,
        past: Replay::default(),
        number: NO_PULL_REQUEST,
        sweep: false,
        warnings: RefCell::default(),
        noticed: std::sync::Mutex::default(),
        told: RefCell::default(),
        open: Cell::new(false),
        abort_at: AbortAt::from_env(&world.env),
        _lease: lease,
    };
    Ok((ctx, lock))
}

/// A loop that died in the middle may have left half of its work in the checkout. Said once.
fn tell_of_killed(world: &World) -> Result<()> {
    for run in world.store.loops() {
        let before = run.dir.join("before");
        if !before.is_dir() || run.dir.join("ended").exists() {
            continue;
        }
        world.ui.say(&crate::ui::Say::Warning(format!(
            "an earlier loop was cut off and may have left changes; the files as they were are in {} (`git prfix loop --restore {}` puts them back)",
            before.display(),
            run.id
        )));
        run.write("ended", b"killed\n")?;
    }
    Ok(())
}
