//! Red, then green: what was changed in tests is run on the untouched head, in a worktree of its own, and with the fix.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::Worktree;
use crate::model::command::{ProjectCommand, ProjectCommands};
use crate::model::feedback::Harvest;
use crate::model::proof::{Proof, ProofKind};
use crate::model::report::{GateStatus, Reason};
use crate::model::spec::{ItemKind, ItemStatus};
use crate::policy::proof::{self as rule, Red, Required};
use crate::settings::RequireProof;
use crate::state::{Event, GateRun};

use super::context::{Context, Progress, Result, Stop};
use super::gates::{Bench, tail};
use super::isolate::{manager, metadata};
use super::{commands, verify};

/// Commands that are tried for one set of test files.
const TRIED: usize = 3;
/// Lines of an output that a proof quotes.
const TAIL: usize = 30;

/// What is proved: the verified commit in its worktree.
pub struct Subject<'a> {
    pub worktree: &'a Worktree,
    pub harvest: &'a Harvest,
    pub commands: &'a ProjectCommands,
    pub oid: &'a str,
}

/// Gives each fixed item its proof, and stops the run where a required one is missing.
pub fn run(ctx: &Context<'_>, subject: &Subject<'_>, progress: &mut Progress) -> Result<()> {
    let tests = test_files(ctx, progress);
    if let Some((oid, proofs)) = &ctx.past.proved
        && oid == subject.oid
    {
        progress.proofs.clone_from(proofs);
    } else {
        let mut proofs = by_gates(ctx, subject, progress)?;
        if !tests.is_empty() {
            by_tests(ctx, subject, &tests, &mut proofs)?;
        }
        ctx.record(Event::Proved { oid: subject.oid.to_owned(), proofs: proofs.clone().into_iter().collect() })?;
        progress.proofs = proofs;
    }
    demand(ctx, progress, &tests)
}

/// A changed test file and the items it is for; none: a helper of all others.
struct TestFile {
    path: String,
    items: BTreeSet<u32>,
}

fn test_files(ctx: &Context<'_>, progress: &Progress) -> Vec<TestFile> {
    let is_test = |path: &str| ctx.rules.protection(path).is_some_and(|(class, _)| class == "tests");
    let changed = progress.touched.iter().filter(|(path, _)| is_test(path));
    let mut files: Vec<TestFile> =
        changed.map(|(path, causes)| TestFile { path: path.clone(), items: rule::items_of(causes) }).collect();
    // With one item, there is nothing to mistake.
    let fixed: BTreeSet<u32> = fixed(progress).collect();
    if fixed.len() == 1 {
        files.iter_mut().filter(|file| file.items.is_empty()).for_each(|file| file.items.clone_from(&fixed));
    }
    files
}

fn fixed(progress: &Progress) -> impl Iterator<Item = u32> {
    progress.endings.iter().filter(|(_, ending)| ending.status == ItemStatus::Fixed).map(|(id, _)| *id)
}

/// What the gates alone show: for a failing check, the same command before and after.
fn by_gates(ctx: &Context<'_>, subject: &Subject<'_>, progress: &Progress) -> Result<BTreeMap<u32, Proof>> {
    let mut own: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for item in &progress.spec.items {
        if let Some(check) = &item.check {
            own.insert(item.id, commands::of_check(ctx, subject.worktree, check)?);
        }
    }
    Ok(fixed(progress).map(|id| (id, by_gate(progress, id, own.get(&id).map_or(&[], Vec::as_slice)))).collect())
}

/// `own`: the commands of the check's failing step; without any, each gate may be its check.
fn by_gate(progress: &Progress, id: u32, own: &[String]) -> Proof {
    let fits = |run: &&GateRun| own.is_empty() || own.contains(&run.command);
    let turned = progress.gates.iter().filter(fits).find_map(|after| {
        let before = progress.baseline.iter().find(|before| before.command == after.command)?;
        (before.status == GateStatus::Failed && after.status == GateStatus::Passed).then_some((before, after))
    });
    let passed = |run: &&GateRun| run.status == GateStatus::Passed;
    let gate = progress.gates.iter().filter(fits).find(passed).or_else(|| progress.gates.iter().find(passed));
    let kind = |id: u32| progress.spec.items.iter().find(|item| item.id == id).map(|item| item.kind);
    match (kind(id), turned, gate) {
        (Some(ItemKind::Check), Some((before, after)), _) => Proof {
            kind: ProofKind::RedGreen,
            command: Some(after.command.clone()),
            before: Some(tail(&before.log, TAIL)),
            after: Some(tail(&after.log, TAIL)),
            why: None,
        },
        (kind, _, Some(gate)) => {
            let check = "no command of the project failed before the fix";
            let why = if kind == Some(ItemKind::Check) { check } else { "no test was changed for it" };
            let after = Some(tail(&gate.log, TAIL));
            Proof {
                kind: ProofKind::Gate,
                command: Some(gate.command.clone()),
                before: None,
                after,
                why: Some(why.to_owned()),
            }
        }
        _ => Proof::none("the project has no command that checks it"),
    }
}

/// Runs the changed tests on the untouched head and with the fix, for each set of files that items share.
fn by_tests(
    ctx: &Context<'_>,
    subject: &Subject<'_>,
    tests: &[TestFile],
    proofs: &mut BTreeMap<u32, Proof>,
) -> Result<()> {
    ctx.world.ui.phase(crate::ui::Phase::Proof);
    let before = Before::new(ctx, subject)?;
    let mut known: BTreeMap<BTreeSet<&str>, Proof> = BTreeMap::new();
    let mut outcome = Ok(());
    for (id, proof) in proofs.iter_mut() {
        let own: BTreeSet<&str> =
            tests.iter().filter(|file| file.items.contains(id)).map(|file| file.path.as_str()).collect();
        if own.is_empty() || proof.kind == ProofKind::RedGreen {
            continue;
        }
        if !known.contains_key(&own) {
            match before.prove(ctx, subject, &own, tests) {
                Ok(found) => drop(known.insert(own.clone(), found)),
                Err(stop) => {
                    outcome = Err(stop);
                    break;
                }
            }
        }
        proof.clone_from(&known[&own]);
    }
    manager(ctx).discard(&before.worktree)?;
    outcome
}

/// The untouched head, in a second worktree.
struct Before {
    worktree: Worktree,
    red: Bench,
    green: Bench,
}

impl Before {
    fn new(ctx: &Context<'_>, subject: &Subject<'_>) -> Result<Self> {
        let base = &subject.worktree.base;
        let meta = metadata(ctx, base, subject.harvest);
        let worktree = manager(ctx).acquire_detached(&format!("pr{}-proof", ctx.number), base, &meta)?;
        ctx.instant();
        let logs = ctx.run.subdir("proof")?;
        let red = verify::bench(ctx, &worktree, &logs, "red")?;
        let green = verify::bench(ctx, subject.worktree, &logs, "green")?;
        Bench { tag: "setup", ..red.clone() }.run_all(&subject.commands.setup);
        ctx.check_interrupt()?;
        Ok(Self { worktree, red, green })
    }

    /// The best proof that one of the commands gives for these files.
    fn prove(&self, ctx: &Context<'_>, subject: &Subject<'_>, own: &BTreeSet<&str>, all: &[TestFile]) -> Result<Proof> {
        let files: Vec<String> = own.iter().map(|path| (*path).to_owned()).collect();
        let names = self.names(ctx, subject, own)?;
        let mut best: Option<Proof> = None;
        for command in candidates(ctx, subject, &files)? {
            let pristine = names.is_empty() && once(&self.red, &command)?.status == GateStatus::Passed;
            let helpers = all.iter().filter(|file| file.items.is_empty()).map(|file| file.path.as_str());
            self.bring(subject, own.iter().copied().chain(helpers))?;
            let red = once(&self.red, &command)?;
            let red_tail = tail(&red.log, TAIL);
            let text = std::fs::read_to_string(&red.log).unwrap_or_default();
            manager(ctx).restore(&self.worktree, &subject.worktree.base)?;
            let verdict = rule::red(red.status == GateStatus::Passed, &text, &names, pristine);
            let green = once(&self.green, &command)?;
            if green.status != GateStatus::Passed {
                continue;
            }
            let proof = proof(&command, verdict, red_tail, tail(&green.log, TAIL));
            let done = proof.kind == ProofKind::RedGreen;
            best = if done { Some(proof) } else { best.or(Some(proof)) };
            if done {
                break;
            }
        }
        Ok(best
            .unwrap_or_else(|| Proof::none("no command was found that runs the changed tests and passes with the fix")))
    }

    fn names(&self, ctx: &Context<'_>, subject: &Subject<'_>, own: &BTreeSet<&str>) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for path in own {
            let before = ctx.world.repo.file_at(&subject.worktree.base, path)?;
            let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let after = std::fs::read(subject.worktree.path.join(path)).unwrap_or_default();
            names.extend(rule::changed_tests(before.as_deref(), &String::from_utf8_lossy(&after)));
        }
        Ok(names)
    }

    /// Copies the changed test files over the untouched head. They were judged before: regular files inside of it.
    fn bring<'p>(&self, subject: &Subject<'_>, paths: impl Iterator<Item = &'p str>) -> Result<()> {
        for path in paths {
            let (from, to) = (subject.worktree.path.join(path), self.worktree.path.join(path));
            let done = match from.symlink_metadata() {
                Ok(meta) if meta.is_file() => {
                    let parent = to.parent().unwrap_or(&to);
                    std::fs::create_dir_all(parent).and_then(|()| std::fs::copy(&from, &to)).map(drop)
                }
                // A test file that is gone or no file proves nothing.
                _ => Ok(()),
            };
            done.map_err(|error| miette::miette!("`{path}` cannot be copied: {error}"))?;
        }
        Ok(())
    }
}

fn once(bench: &Bench, command: &ProjectCommand) -> Result<GateRun> {
    let ended = bench.run_all(std::slice::from_ref(command)).into_iter().next();
    if crate::process::interrupted() {
        return Err(Stop::Interrupted);
    }
    ended.ok_or_else(|| miette::miette!("`{command}` was not run").into())
}

/// The narrowest commands for these files, else the project's tests.
fn candidates(ctx: &Context<'_>, subject: &Subject<'_>, files: &[String]) -> Result<Vec<ProjectCommand>> {
    let narrow = commands::narrow_for(ctx, subject.worktree, files)?;
    let list = if narrow.is_empty() { subject.commands.test.clone() } else { narrow };
    Ok(list.into_iter().take(TRIED).collect())
}

fn proof(command: &ProjectCommand, red: Red, before: String, after: String) -> Proof {
    let why = match red {
        Red::Named => None,
        Red::Passed => Some("the changed tests pass on the untouched head as well"),
        Red::Otherwise => Some("on the untouched head the command fails, but not in a test that was changed"),
    };
    Proof {
        kind: if red == Red::Named { ProofKind::RedGreen } else { ProofKind::GreenOnly },
        command: Some(command.to_string()),
        before: Some(before),
        after: Some(after),
        why: why.map(str::to_owned),
    }
}

/// `prfix.requireProof`: without it, nothing is pushed.
fn demand(ctx: &Context<'_>, progress: &mut Progress, tests: &[TestFile]) -> Result<()> {
    let required = match ctx.settings.require_proof {
        RequireProof::Off => Required::Off,
        RequireProof::Tests => Required::Tests,
        RequireProof::All => Required::All,
    };
    let checks = progress.spec.items.iter().filter(|item| item.kind == ItemKind::Check).map(|item| item.id);
    let tested: BTreeSet<u32> = tests.iter().flat_map(|file| file.items.iter().copied()).chain(checks).collect();
    let missing: Vec<String> = rule::missing(&progress.proofs, &tested, required)
        .into_iter()
        .map(|(id, proof)| format!("item {id} ({})", proof.why.as_deref().unwrap_or("it was not shown to fail before")))
        .collect();
    if missing.is_empty() || ctx.options.no_push {
        return Ok(());
    }
    progress.keep = Some(format!("git-prfix run {} is blocked: no proof", ctx.run.id));
    Err(Stop::blocked(
        Reason::Gates,
        format!(
            "prfix.requireProof asks for a test that fails before the fix and passes with it; add one in the kept worktree and push, or run again without that setting: {}",
            missing.join(", ")
        ),
    ))
}
