//! `report.md`.
//!
//! Foreign text stands in code only (spans and fences longer than any run of backticks in it):
//! there no Markdown, HTML, mention or reference acts.

use super::clean;
use super::report_table::{gate_word, worktree};
use super::say::{duration, reason_sentence, usage_sentence};
use crate::model::report::{ItemReport, Outcome, Report};

/// The report for people who read it on GitHub or in an editor. Foreign text is escaped.
pub fn report_markdown(report: &Report) -> String {
    [
        heading(report),
        items(&report.items),
        report.items.iter().map(details).collect(),
        gates(report),
        facts(report),
        left_out(report),
        warnings(&report.warnings),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

fn heading(report: &Report) -> String {
    let word = match report.outcome {
        Outcome::Done => "Done",
        Outcome::Blocked => "Blocked",
    };
    let mut out = format!("# git-prfix: PR {} {}\n\n", report.pr.number, code(&report.pr.title));
    out += &format!("**{word}: {}.** {}\n", reason_sentence(report.reason), link(&report.pr.url));
    if let Some(unblock) = &report.unblock {
        out += &format!("\nTo go on:\n\n{}", fence(unblock));
    }
    out
}

fn items(items: &[ItemReport]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut out = String::from("## Items\n\n| # | status | verdict | risk | where | from | thread |\n");
    out += "| --- | --- | --- | --- | --- | --- | --- |\n";
    for item in items {
        let place = match (&item.path, item.line) {
            (Some(path), Some(line)) => cell(&format!("{path}:{line}")),
            (Some(path), None) => cell(path),
            (None, _) => String::new(),
        };
        let thread = match (item.reply_url.is_some(), item.resolved) {
            (true, true) => "answered, resolved",
            (true, false) => "answered",
            (false, true) => "resolved",
            (false, false) => "",
        };
        let verdict = item.verdict.map_or("", |verdict| verdict.as_str());
        let risk = item.risk.map_or("", |risk| risk.as_str());
        let from = format!("{} {}", item.kind, cell(&item.author));
        out += &format!("| {} | {} | {verdict} | {risk} | {place} | {from} | {thread} |\n", item.id, item.status);
    }
    out
}

fn details(item: &ItemReport) -> String {
    let mut out = format!("<details><summary>Item {}: request and evidence</summary>\n\n", item.id);
    out += &format!("From {}\n\n{}", link(&item.source), fence(&item.request));
    for (title, text) in [("Triage", &item.reasoning), ("Outcome", &item.detail)] {
        if !text.trim().is_empty() {
            out += &format!("\n{title}:\n\n{}", fence(text));
        }
    }
    if let Some(url) = &item.reply_url {
        out += &format!("\nAnswer: {}\n", link(url));
    }
    out + "\n</details>\n"
}

fn gates(report: &Report) -> String {
    if report.gates.is_empty() {
        return String::new();
    }
    let mut out =
        String::from("## Gates\n\n| command | before | after | time | log |\n| --- | --- | --- | --- | --- |\n");
    for gate in &report.gates {
        let after = match gate.exit {
            Some(code) if code != 0 => format!("{} (exit status {code})", gate_word(gate.status)),
            _ => gate_word(gate.status).to_owned(),
        };
        let before = gate.before.map_or("-", gate_word);
        let time = duration(gate.seconds);
        out += &format!("| {} | {before} | {after} | {time} | {} |\n", cell(&gate.command), cell(&gate.log));
    }
    out
}

fn facts(report: &Report) -> String {
    let mut out = String::from("## What is where\n\n");
    let commits: Vec<String> = report.commits.iter().map(|oid| code(oid)).collect();
    let commits = if commits.is_empty() { "none".to_owned() } else { commits.join(", ") };
    let threads = report.threads;
    out += &format!("- commits: {commits}\n");
    out += &format!("- head branch: {}, {}", code(&report.pr.head_branch), code(&report.pr.head_before));
    out += &report.pr.head_after.as_ref().map(|after| format!(" → {}", code(after))).unwrap_or_default();
    out += &format!("\n- unresolved threads: {} → {}\n", threads.unresolved_before, threads.unresolved_after);
    let tree = worktree(report);
    if !tree.is_empty() {
        out += &format!("- worktree: {}\n", code(&tree));
    }
    out + &format!("- usage: {}\n- run: {}\n", usage_sentence(&report.usage), code(&report.run))
}

fn left_out(report: &Report) -> String {
    if report.dropped.is_empty() && report.untrusted.is_empty() {
        return String::new();
    }
    let mut out = String::from("## Left out\n\n| author | rule | why | source |\n| --- | --- | --- | --- |\n");
    for drop in &report.dropped {
        let (author, rule, why) = (cell(&drop.author), cell(&drop.rule), cell(&drop.why));
        out += &format!("| {author} | {rule} | {why} | {} |\n", link(&drop.url));
    }
    for remark in &report.untrusted {
        let author = cell(&remark.author);
        out += &format!("| {author} | untrusted | listed, not acted on, not answered | {} |\n", link(&remark.url));
    }
    out
}

fn warnings(warnings: &[String]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let list: String = warnings.iter().map(|warning| format!("- {}\n", code(warning))).collect();
    format!("## Warnings\n\n{list}")
}

/// A code span that ends where it should, whatever is in it.
fn code(text: &str) -> String {
    let text = clean::line(text, 2000);
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A code span within a table, where a pipe needs a backslash even in code (GitHub Flavored Markdown, tables).
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn fence(text: &str) -> String {
    let text = clean::block(text);
    let ticks = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{ticks}text\n{text}\n{ticks}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A link to what is clearly a web address; anything else is code.
fn link(url: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$&()*+,;=%".contains(c);
    let web = url.starts_with("https://") || url.starts_with("http://");
    if web && url.chars().all(plain) { format!("<{url}>") } else { cell(url) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backtick_or_a_pipe_cannot_end_the_code_it_stands_in() {
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(cell("a|b @all"), "`a\\|b @all`");
        assert_eq!(fence("````\n@x"), "`````text\n````\n@x\n`````\n");
    }

    #[test]
    fn only_a_plain_web_address_becomes_a_link() {
        assert_eq!(
            link("https://github.com/o/r/pull/7#discussion_r1"),
            "<https://github.com/o/r/pull/7#discussion_r1>"
        );
        assert_eq!(link("javascript:alert(1)"), "`javascript:alert(1)`");
        assert_eq!(link("https://x/> @all"), "`https://x/> @all`");
        assert_eq!(link("build / linux"), "`build / linux`");
    }
}
