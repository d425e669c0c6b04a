//! `--dry-run`: what each phase would do, without doing it.

use crate::model::spec::{Hint, ItemKind, SpecItem};
use crate::model::text::short;

use super::context::{Context, Progress, Result};
use super::{agents, isolate};

/// Prints one line a phase on standard output.
pub fn print(ctx: &Context<'_>, progress: &Progress) -> Result<()> {
    let Some(harvest) = &progress.harvest else { return Ok(()) };
    let pr = &harvest.pr;
    let head = isolate::head_remote(ctx.world, &ctx.remote, harvest)?;
    let masked = crate::model::text::mask_secrets;
    let mut lines =
        vec![format!("would fetch `{}` ({}) from {}", pr.head_branch, short(&pr.head_oid), masked(&head.fetch_url))];
    lines.push(format!("would make the worktree {} on branch pr{}-fix", ctx.worktree_root().display(), ctx.number));
    let exact = progress.spec.items.iter().filter(|item| item.suggestion.is_some()).count();
    if exact > 0 {
        lines.push(format!("would apply the suggestions of {exact} items as written, where their lines still stand"));
    }
    let settled = |item: &SpecItem| item.kind == ItemKind::Conflict || item.hint.as_ref().is_some_and(Hint::settles);
    let probes = progress.spec.items.iter().filter(|item| !settled(item)).count();
    let agent = agents::choose(ctx).map_or_else(|_| "no agent (none was found)".to_owned(), |agent| agent.name);
    if progress.spec.items.len() > 1 {
        lines.push(format!(
            "would check {probes} items with read-only probes of {agent}, {} at a time",
            ctx.settings.probes
        ));
    }
    lines.push(format!("would let {agent} fix what is real"));
    lines.push(match (&ctx.settings.test_command, &ctx.settings.lint_command) {
        (None, None) => "would run the test and lint commands that the rules find in the head".to_owned(),
        (test, lint) => {
            let all = test.iter().chain(lint).flatten().map(|c| format!("`{c}`")).collect::<Vec<_>>();
            format!("would run {}", if all.is_empty() { "no gates".to_owned() } else { all.join(", ") })
        }
    });
    if ctx.options.no_push {
        lines.push("would stop before the push (--no-push)".to_owned());
    } else {
        lines.push(format!("would push one commit to refs/heads/{} at {}", pr.head_branch, masked(&head.push_url)));
        if !ctx.options.no_reply {
            let threads = progress.spec.items.iter().flat_map(|item| item.threads()).count();
            lines.push(
                format!("would answer {threads} threads and resolve by policy ({:?})", ctx.settings.resolve)
                    .to_lowercase(),
            );
        }
    }
    for line in lines {
        ctx.note(line);
    }
    Ok(())
}
