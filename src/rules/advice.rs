//! What a rule author can do about a common mistake.

/// Advice for a message about `line`; `syntax` when the file does not parse.
pub(super) fn advice(message: &str, syntax: bool, line: &str) -> Option<String> {
    let text = if syntax { for_syntax(message, line) } else { at_run_time(message) }?;
    Some(text.to_owned())
}

fn for_syntax(message: &str, line: &str) -> Option<&'static str> {
    let has = |word: &str| line.contains(word);
    if has("[[") && has("]]") {
        return Some("a ]] inside [[…]] ends the string; write [=[ … ]=]");
    }
    if has("!=") {
        return Some("Lua writes \"not equal\" as ~=");
    }
    if has("+=") || has("++") {
        return Some("Lua has no += or ++; write x = x + 1");
    }
    if has("&&") || has("||") {
        return Some("Lua writes `and`, `or`, `not`");
    }
    if message.contains("'end' expected") {
        return Some("a block is not closed: count `function`, `if`, `for` and `do` above against their `end`");
    }
    message.contains("'}' expected").then_some("a field of a table is not followed by a comma")
}

fn at_run_time(message: &str) -> Option<&'static str> {
    let has = |text: &str| message.contains(text);
    if has("ran longer than") {
        return Some(
            "use prfix.re(…) instead of long Lua patterns, and keep loops out of rules that see every comment",
        );
    }
    if ["io", "os", "require", "load", "print"].iter().any(|name| message.contains(&format!("undefined name '{name}'")))
    {
        return Some("rules are pure: they read through x.repo and return data; git-prfix runs the commands");
    }
    if has("'path'") && has("nil value") {
        return Some("c.path is nil on comments that stand on no line; test `if c.path then` first");
    }
    if has("attempt to compare nil") || has("attempt to concatenate a nil") {
        return Some("a field was nil; the optional ones are marked `?` in the type stubs");
    }
    has("update git-prfix").then_some("a newer git-prfix reads this file")
}
