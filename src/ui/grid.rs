//! Columns of wrapped text for a terminal of any width.

use textwrap::{Options, WordSeparator, WordSplitter, core::display_width};

use super::clean;
use super::tone::Tone;

const GAP: usize = 2;
/// A flexible column never gets narrower than this.
const LEAST: usize = 8;

/// Lines of text, each piece cleaned when it is put in.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pieces: Vec<(String, Tone)>,
}

impl Cell {
    pub(super) fn new(text: &str) -> Self {
        Self::default().and(text, Tone::Plain)
    }

    pub(super) fn toned(text: &str, tone: Tone) -> Self {
        Self::default().and(text, tone)
    }

    /// One more piece, on a line of its own. An empty one is left out.
    pub(super) fn and(mut self, text: &str, tone: Tone) -> Self {
        let text = clean::block(text);
        if !text.is_empty() {
            self.pieces.push((text, tone));
        }
        self
    }

    /// The pieces of both, one below the other.
    pub(super) fn over(mut self, other: Self) -> Self {
        self.pieces.extend(other.pieces);
        self
    }

    fn natural_width(&self) -> usize {
        self.pieces.iter().flat_map(|(text, _)| text.lines()).map(display_width).max().unwrap_or(0)
    }

    fn wrapped(&self, width: usize) -> Vec<(String, Tone)> {
        let lines = self.pieces.iter().flat_map(|(text, tone)| wrap(text, width).into_iter().map(|line| (line, *tone)));
        lines.collect()
    }
}

/// How a column takes its share of the width.
#[derive(Debug, Clone, Copy)]
pub(super) enum Share {
    /// What its widest cell needs, at most this much and at most a quarter of all.
    UpTo(usize),
    /// What its widest cell needs, as long as a quarter of all is left for the others.
    Whole,
    /// A part of what the others leave, by weight.
    Rest(usize),
}

pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) share: Share,
}

/// Rows below their titles, everything within `width` columns of the terminal.
pub(super) struct Grid {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Grid {
    pub(super) fn render(&self, width: usize, color: bool) -> String {
        let widths = self.widths(width.saturating_sub(GAP));
        let titles: Vec<Cell> = self.columns.iter().map(|column| Cell::toned(column.title, Tone::Faint)).collect();
        let mut out = row(&titles, &widths, color);
        let rows: Vec<String> = self.rows.iter().map(|cells| row(cells, &widths, color)).collect();
        let tall = rows.iter().any(|row| row.lines().count() > 1);
        for (index, row) in rows.iter().enumerate() {
            if tall && index > 0 {
                out.push('\n');
            }
            out.push_str(row);
        }
        out
    }

    fn widths(&self, width: usize) -> Vec<usize> {
        let gaps = GAP * self.columns.len().saturating_sub(1);
        let natural = |index: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(index)).map(Cell::natural_width);
            cells.max().unwrap_or(0).max(display_width(self.columns[index].title))
        };
        let fixed = |whole: usize| -> Vec<Option<usize>> {
            let fix = |(index, column): (usize, &Column)| match column.share {
                Share::UpTo(most) => Some(natural(index).min(most).min(width / 4)),
                Share::Whole => Some(natural(index).min(whole)),
                Share::Rest(_) => None,
            };
            self.columns.iter().enumerate().map(fix).collect()
        };
        let left = |fixed: &[Option<usize>]| width.saturating_sub(gaps + fixed.iter().flatten().sum::<usize>());
        let mut fixed_widths = fixed(width);
        if left(&fixed_widths) < width / 4 {
            fixed_widths = fixed(width / 4);
        }
        let left = left(&fixed_widths);
        let weights: usize = self.columns.iter().map(|column| column.share.weight()).sum();
        (self.columns.iter().zip(&fixed_widths))
            .map(|(column, fixed)| fixed.unwrap_or_else(|| (left * column.share.weight() / weights.max(1)).max(LEAST)))
            .collect()
    }
}

impl Share {
    fn weight(self) -> usize {
        match self {
            Self::UpTo(_) | Self::Whole => 0,
            Self::Rest(weight) => weight,
        }
    }
}

/// A plain list below its titles, for commands that list things. The last column takes the room that is left, and
/// wraps; the others are as wide as they need, as long as that leaves a quarter of the width.
pub fn list_table(titles: &[&'static str], rows: &[Vec<String>], width: usize, color: bool) -> String {
    let last = titles.len().saturating_sub(1);
    let share = |index| if index == last { Share::Rest(1) } else { Share::Whole };
    let columns = titles.iter().enumerate().map(|(index, title)| Column { title, share: share(index) }).collect();
    let rows = rows.iter().map(|row| row.iter().map(|text| Cell::new(text)).collect()).collect();
    Grid { columns, rows }.render(width, color)
}

fn row(cells: &[Cell], widths: &[usize], color: bool) -> String {
    let columns: Vec<Vec<(String, Tone)>> =
        cells.iter().zip(widths).map(|(cell, width)| cell.wrapped(*width)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for index in 0..height {
        // Padding is owed until something stands to its right, so that no line ends in spaces.
        let mut owed = GAP;
        for (column, width) in columns.iter().zip(widths) {
            let (text, tone) = column.get(index).map_or(("", Tone::Plain), |(text, tone)| (text.as_str(), *tone));
            if !text.is_empty() {
                out.push_str(&" ".repeat(owed));
                out.push_str(&tone.paint(text, color));
                owed = 0;
            }
            owed += width.saturating_sub(display_width(text)) + GAP;
        }
        out.push('\n');
    }
    out
}

/// Wraps cleaned text; its own line breaks and indentation stay, and a word that is too long is broken, not cut.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.lines()
        .flat_map(|line| {
            let words = line.trim_start();
            let indent = line[..line.len() - words.len()].to_owned();
            let indent = if display_width(&indent) * 2 > width { String::new() } else { indent };
            let options = Options::new(width.max(1))
                .word_separator(WordSeparator::AsciiSpace)
                .word_splitter(WordSplitter::NoHyphenation)
                .initial_indent(&indent)
                .subsequent_indent(&indent);
            textwrap::wrap(words, options).into_iter().map(std::borrow::Cow::into_owned).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_asked_and_no_word_is_lost() {
        let grid = Grid {
            columns: vec![
                Column { title: "#", share: Share::UpTo(4) },
                Column { title: "where", share: Share::UpTo(18) },
                Column { title: "what", share: Share::Rest(1) },
            ],
            rows: vec![vec![
                Cell::new("1"),
                Cell::new("src/日本語/とても長い名前.rs:1234"),
                Cell::new("a-very-long-word-that-does-not-fit-anywhere-at-all and 漢字 e\u{301}"),
            ]],
        };
        for width in [40, 60, 80, 160] {
            let text = grid.render(width, false);
            assert!(text.lines().all(|line| display_width(line) <= width), "{width}:\n{text}");
            let squeezed: String = text.split_whitespace().collect();
            for part in ["漢字", "e\u{301}", "1234"] {
                assert!(squeezed.contains(part), "{width}:\n{text}");
            }
        }
    }

    #[test]
    fn colour_changes_no_width() {
        let grid = Grid {
            columns: vec![Column { title: "a", share: Share::UpTo(9) }, Column { title: "b", share: Share::Rest(1) }],
            rows: vec![vec![Cell::toned("red", Tone::Bad), Cell::new("x")]],
        };
        let plain = crate::model::text::strip_escapes(&grid.render(40, true));
        assert_eq!(plain, grid.render(40, false));
    }
}
