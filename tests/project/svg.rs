//! A picture of what stood on a terminal.

use std::fmt::Write;

const CELL: (usize, usize) = (9, 18);
const MARGIN: usize = 16;

/// Colours of a terminal: background, text, faint text, red, green, yellow.
pub struct Theme {
    back: &'static str,
    text: &'static str,
    faint: &'static str,
    red: &'static str,
    green: &'static str,
    yellow: &'static str,
}

pub const LIGHT: &Theme =
    &Theme { back: "#ffffff", text: "#1f2328", faint: "#656d76", red: "#b3261e", green: "#1a7f37", yellow: "#8a5a00" };
pub const DARK: &Theme =
    &Theme { back: "#0d1117", text: "#e6edf3", faint: "#8b949e", red: "#ff7b72", green: "#56d364", yellow: "#e3b341" };

/// A stretch of text in one style.
#[derive(Clone, Default)]
struct Span {
    text: String,
    codes: Vec<u8>,
}

/// Cuts a line at its escape sequences; others than those for style are not expected.
fn spans(line: &str) -> Vec<Span> {
    let mut spans = vec![Span::default()];
    for (at, part) in line.split("\u{1b}[").enumerate() {
        let (codes, text) = if at == 0 { ("", part) } else { part.split_once('m').expect("a style") };
        if at > 0 {
            let last = spans.last().map(|span| span.codes.clone()).unwrap_or_default();
            let mut codes: Vec<u8> = codes.split(';').map(|code| code.parse().unwrap_or(0)).collect();
            codes = if codes.contains(&0) { Vec::new() } else { [last, codes].concat() };
            spans.push(Span { text: String::new(), codes });
        }
        spans.last_mut().expect("one").text.push_str(text);
    }
    spans.retain(|span| !span.text.is_empty());
    spans
}

/// The text without its styles.
pub fn plain(text: &str) -> String {
    let line = |line: &str| spans(line).into_iter().map(|span| span.text).collect::<String>();
    text.lines().map(|l| line(l) + "\n").collect()
}

pub fn picture(text: &str, theme: &Theme) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (width, height) = (80 * CELL.0 + 2 * MARGIN, lines.len() * CELL.1 + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, \
         SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"15\">\n<title>git prfix demo</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n",
        theme.back
    );
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        for span in spans(line) {
            let cells = unicode_width::UnicodeWidthStr::width(span.text.as_str());
            if !span.text.trim().is_empty() {
                let (x, y) = (MARGIN + column * CELL.0, MARGIN + (row + 1) * CELL.1 - 4);
                let text = span.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let _ = writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" textLength=\"{}\" xml:space=\"preserve\"{}>{text}</text>",
                    cells * CELL.0,
                    style(&span.codes, theme)
                );
            }
            column += cells;
        }
    }
    out + "</svg>\n"
}

fn style(codes: &[u8], theme: &Theme) -> String {
    let fill = match codes.iter().rev().find(|code| (30..38).contains(*code)) {
        Some(31) => theme.red,
        Some(32) => theme.green,
        Some(33) => theme.yellow,
        _ if codes.contains(&2) => theme.faint,
        _ => theme.text,
    };
    let weight = if codes.contains(&1) { " font-weight=\"bold\"" } else { "" };
    format!(" fill=\"{fill}\"{weight}")
}
