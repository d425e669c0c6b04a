//! HTML that foreign text cannot act in: everything that is not a constant of ours goes through [`text`].

use crate::ui::clean;

/// Text for an element or a quoted attribute: no escapes, invisible characters or secrets, and no markup.
pub fn text(foreign: &str) -> String {
    let mut out = String::with_capacity(foreign.len());
    for c in clean::block(foreign).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            c => out.push(c),
        }
    }
    out
}

/// A link where the address is one of the web, else the words alone.
pub fn link(address: &str, words: &str) -> String {
    let web = address.starts_with("https://") || address.starts_with("http://");
    if !web {
        return text(words);
    }
    format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>", text(address), text(words))
}

/// An element with a class around finished HTML.
pub fn element(name: &str, class: &str, inner: &str) -> String {
    format!("<{name} class=\"{class}\">{inner}</{name}>")
}

/// A block of output or code.
pub fn pre(foreign: &str) -> String {
    element("pre", "", &text(foreign))
}

/// A unified hunk, its added and removed lines told apart by more than colour.
pub fn hunk(foreign: &str) -> String {
    let lines = clean::block(foreign);
    let line = |line: &str| {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "del",
            Some(b'@') => "at",
            _ => "same",
        };
        element("span", class, &text(line))
    };
    element("pre", "hunk", &lines.lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// A section with a heading; nothing when it has no content.
pub fn section(title: &str, inner: &str) -> String {
    if inner.is_empty() { String::new() } else { format!("<section><h2>{title}</h2>{inner}</section>") }
}

/// A table; cells are finished HTML. On a phone each cell shows its column's name.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    let cells = |row: &Vec<String>| -> String {
        row.iter().zip(head).map(|(cell, name)| format!("<td data-name=\"{name}\">{cell}</td>")).collect()
    };
    let body: String = rows.iter().map(|row| format!("<tr>{}</tr>", cells(row))).collect();
    format!("<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_foreign_text_is_markup() {
        assert_eq!(text("<b a='1' b=\"2\">`&amp;"), "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&#96;&amp;amp;");
        assert_eq!(text("a\u{1b}[31mb\u{202e}c\u{0}"), "abc");
        assert!(!pre("</pre><script>").contains("<script"));
        assert!(!hunk("+</span></pre><img src=x>").contains("<img"));
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        assert!(link("https://x/\"onclick=\"y", "w").contains("&quot;onclick"));
        for address in ["javascript:alert(1)", "data:text/html,x", "//x", "", "HTTPS\u{0}://x"] {
            assert_eq!(link(address, "<w>"), "&lt;w&gt;");
        }
    }
}
