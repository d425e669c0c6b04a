//! Acceptance criteria in a pull request's description: open task-list entries, and the bullets of
//! sections that say they are criteria.

/// The criteria, in order, one line each; ticked entries are left out.
pub fn extract(description: &str) -> Vec<String> {
    let text = crate::model::text::for_prompt(description);
    let mut found: Vec<String> = Vec::new();
    let mut in_section = false;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(open) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                None => Some(open),
                Some(mark) if mark == open => None,
                other => other,
            };
            continue;
        }
        if fence.is_some() {
            continue;
        }
        if let Some(title) = heading(trimmed) {
            in_section = says_criteria(title);
        } else if let Some(entry) = task(trimmed).or_else(|| in_section.then(|| bullet(trimmed)).flatten()) {
            let entry = entry.trim();
            if !entry.is_empty() && !found.iter().any(|known| known == entry) {
                found.push(entry.to_owned());
            }
        }
    }
    found
}

/// An ATX heading, or a line that is nothing but bold or ends with a colon.
fn heading(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return Some(line.trim_start_matches('#').trim());
    }
    if let Some(inner) =
        line.trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**").or_else(|| rest.strip_suffix("**:")))
    {
        return Some(inner);
    }
    line.trim_end().strip_suffix(':').filter(|rest| !rest.is_empty() && bullet(line).is_none() && rest.len() < 60)
}

fn says_criteria(title: &str) -> bool {
    let title = title.to_lowercase();
    ["acceptance", "criteria", "definition of done", "requirements", "must have", "done when"]
        .iter()
        .any(|word| title.contains(word))
}

/// The text of an open `- [ ]` entry.
fn task(line: &str) -> Option<&str> {
    bullet_text(line)?.strip_prefix("[ ]").filter(|rest| rest.starts_with(' '))
}

/// A plain bullet or numbered entry, not a ticked one.
fn bullet(line: &str) -> Option<&str> {
    let text = bullet_text(line)?;
    let ticked = text.len() >= 3 && text.starts_with('[') && text.as_bytes()[2] == b']';
    (!ticked).then_some(text)
}

fn bullet_text(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "));
    rest.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && digits < 4)
            .then(|| line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") ")))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_tasks_and_bullets_of_criteria_sections_are_read() {
        let text = "Adds a parser.\n\n- a plain remark\n\n## Acceptance criteria\n- returns 404 for a missing id\n1. logs once\n- [x] done already\n\n\
                    ## Notes\n- nothing here\n- [ ] document the flag\n```\n- [ ] in code\n```\n<!-- - [ ] hidden -->";
        assert_eq!(extract(text), ["returns 404 for a missing id", "logs once", "document the flag"]);
    }

    #[test]
    fn a_description_without_criteria_has_none() {
        assert!(extract("Fixes #3.\n\n- [x] tests\n- refactor").is_empty());
        assert!(extract("").is_empty());
    }
}
