//! The backtracking matcher.

use mlua::{Error, Lua, Result, Value};

use crate::rules::limits::Limits;

const MAX_CAPTURES: usize = 32;
const MAX_DEPTH: u32 = 200;
pub(super) const ESCAPE: u8 = b'%';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Open,
    /// `()`: the capture is a position.
    Position,
    Closed(usize),
}

fn fail<T>(message: &str) -> Result<T> {
    Err(Error::runtime(message))
}

/// One pattern over one subject. Positions are byte offsets from zero.
pub(super) struct Matcher<'a> {
    subject: &'a [u8],
    pattern: &'a [u8],
    captures: Vec<(usize, Length)>,
    depth: u32,
    steps: u32,
    limits: &'a Limits,
}

impl<'a> Matcher<'a> {
    pub fn new(subject: &'a [u8], pattern: &'a [u8], limits: &'a Limits) -> Self {
        Self { subject, pattern, captures: Vec::new(), depth: MAX_DEPTH, steps: 0, limits }
    }

    /// Matches at `at` and returns the end of the match.
    pub fn matches_at(&mut self, at: usize) -> Result<Option<usize>> {
        self.captures.clear();
        self.depth = MAX_DEPTH;
        self.run(at, 0)
    }

    fn step(&mut self) -> Result<()> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps & 0xfff == 0 { self.limits.check() } else { Ok(()) }
    }

    fn run(&mut self, at: usize, pattern: usize) -> Result<Option<usize>> {
        let Some(depth) = self.depth.checked_sub(1) else { return fail("pattern too complex") };
        self.depth = depth;
        let end = self.follow(at, pattern);
        self.depth += 1;
        end
    }

    fn follow(&mut self, mut at: usize, mut pattern: usize) -> Result<Option<usize>> {
        loop {
            self.step()?;
            let Some(&head) = self.pattern.get(pattern) else { return Ok(Some(at)) };
            match (head, self.pattern.get(pattern + 1).copied()) {
                (b'(', next) => return self.open(at, pattern, next == Some(b')')),
                (b')', _) => return self.close(at, pattern),
                (b'$', None) => return Ok((at == self.subject.len()).then_some(at)),
                (ESCAPE, Some(b'b')) => match self.balanced(at, pattern)? {
                    Some(end) => (at, pattern) = (end, pattern + 4),
                    None => return Ok(None),
                },
                (ESCAPE, Some(b'f')) => match self.frontier(at, pattern)? {
                    Some(next) => pattern = next,
                    None => return Ok(None),
                },
                (ESCAPE, Some(digit)) if digit.is_ascii_digit() => match self.back_reference(at, digit)? {
                    Some(end) => (at, pattern) = (end, pattern + 2),
                    None => return Ok(None),
                },
                _ => match self.item(at, pattern)? {
                    Next::Done(end) => return Ok(end),
                    Next::Go(next_at, next_pattern) => (at, pattern) = (next_at, next_pattern),
                },
            }
        }
    }

    /// A single class with the quantifier that follows it.
    fn item(&mut self, at: usize, pattern: usize) -> Result<Next> {
        let end = self.class_end(pattern)?;
        let here = self.single(at, pattern, end);
        match self.pattern.get(end) {
            Some(b'?') => {
                if here && let Some(found) = self.run(at + 1, end + 1)? {
                    return Ok(Next::Done(Some(found)));
                }
                Ok(Next::Go(at, end + 1))
            }
            Some(b'+') if here => self.longest(at + 1, pattern, end).map(Next::Done),
            Some(b'+') => Ok(Next::Done(None)),
            Some(b'*') => self.longest(at, pattern, end).map(Next::Done),
            Some(b'-') => self.shortest(at, pattern, end).map(Next::Done),
            _ if here => Ok(Next::Go(at + 1, end)),
            _ => Ok(Next::Done(None)),
        }
    }

    fn longest(&mut self, at: usize, pattern: usize, end: usize) -> Result<Option<usize>> {
        let mut count = 0;
        while self.single(at + count, pattern, end) {
            count += 1;
            self.step()?;
        }
        loop {
            if let Some(found) = self.run(at + count, end + 1)? {
                return Ok(Some(found));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
            self.step()?;
        }
    }

    fn shortest(&mut self, mut at: usize, pattern: usize, end: usize) -> Result<Option<usize>> {
        loop {
            self.step()?;
            if let Some(found) = self.run(at, end + 1)? {
                return Ok(Some(found));
            }
            if !self.single(at, pattern, end) {
                return Ok(None);
            }
            at += 1;
        }
    }

    fn open(&mut self, at: usize, pattern: usize, position: bool) -> Result<Option<usize>> {
        if self.captures.len() >= MAX_CAPTURES {
            return fail("too many captures");
        }
        self.captures.push((at, if position { Length::Position } else { Length::Open }));
        let found = self.run(at, pattern + if position { 2 } else { 1 })?;
        if found.is_none() {
            self.captures.pop();
        }
        Ok(found)
    }

    fn close(&mut self, at: usize, pattern: usize) -> Result<Option<usize>> {
        let Some(level) = self.captures.iter().rposition(|capture| capture.1 == Length::Open) else {
            return fail("invalid pattern capture");
        };
        self.captures[level].1 = Length::Closed(at - self.captures[level].0);
        let found = self.run(at, pattern + 1)?;
        if found.is_none() {
            self.captures[level].1 = Length::Open;
        }
        Ok(found)
    }

    /// `%bxy`
    fn balanced(&mut self, at: usize, pattern: usize) -> Result<Option<usize>> {
        let (Some(&open), Some(&close)) = (self.pattern.get(pattern + 2), self.pattern.get(pattern + 3)) else {
            return fail("malformed pattern (missing arguments to '%b')");
        };
        if self.subject.get(at) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1;
        for i in at + 1..self.subject.len() {
            self.step()?;
            let byte = self.subject[i];
            if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(i + 1));
                }
            } else if byte == open {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// `%f[set]`; returns where the pattern goes on.
    fn frontier(&mut self, at: usize, pattern: usize) -> Result<Option<usize>> {
        let set = pattern + 2;
        if self.pattern.get(set) != Some(&b'[') {
            return fail("missing '[' after '%f' in pattern");
        }
        let end = self.class_end(set)?;
        let before = if at == 0 { 0 } else { self.subject[at - 1] };
        let here = self.subject.get(at).copied().unwrap_or(0);
        Ok((!self.in_set(before, set, end - 1) && self.in_set(here, set, end - 1)).then_some(end))
    }

    /// `%1`
    fn back_reference(&self, at: usize, digit: u8) -> Result<Option<usize>> {
        let capture = usize::from(digit).checked_sub(usize::from(b'1')).and_then(|level| self.captures.get(level));
        let Some(&(start, Length::Closed(length))) = capture else { return fail("invalid capture index in pattern") };
        let same = self.subject[at..].starts_with(&self.subject[start..start + length]);
        Ok(same.then_some(at + length))
    }

    fn class_end(&self, pattern: usize) -> Result<usize> {
        match self.pattern.get(pattern) {
            Some(&ESCAPE) if pattern + 1 < self.pattern.len() => Ok(pattern + 2),
            Some(&ESCAPE) => fail("malformed pattern (ends with '%')"),
            Some(b'[') => self.set_end(pattern + 1),
            _ => Ok(pattern + 1),
        }
    }

    fn set_end(&self, mut pattern: usize) -> Result<usize> {
        if self.pattern.get(pattern) == Some(&b'^') {
            pattern += 1;
        }
        // A `]` right at the start stands for itself.
        loop {
            match self.pattern.get(pattern) {
                None => return fail("malformed pattern (missing ']')"),
                Some(&ESCAPE) => pattern += 2,
                Some(_) => pattern += 1,
            }
            match self.pattern.get(pattern) {
                Some(b']') => return Ok(pattern + 1),
                None => return fail("malformed pattern (missing ']')"),
                Some(_) => {}
            }
        }
    }

    fn single(&self, at: usize, pattern: usize, end: usize) -> bool {
        let Some(&byte) = self.subject.get(at) else { return false };
        match self.pattern[pattern] {
            b'.' => true,
            ESCAPE => in_class(byte, self.pattern[pattern + 1]),
            b'[' => self.in_set(byte, pattern, end - 1),
            literal => literal == byte,
        }
    }

    /// `set` is the place of `[`, `end` that of its `]`.
    fn in_set(&self, byte: u8, set: usize, end: usize) -> bool {
        let negated = self.pattern[set + 1] == b'^';
        let mut i = set + 1 + usize::from(negated);
        while i < end {
            if self.pattern[i] == ESCAPE {
                if in_class(byte, self.pattern[i + 1]) {
                    return !negated;
                }
                i += 2;
            } else if self.pattern[i + 1] == b'-' && i + 2 < end {
                if (self.pattern[i]..=self.pattern[i + 2]).contains(&byte) {
                    return !negated;
                }
                i += 3;
            } else {
                if self.pattern[i] == byte {
                    return !negated;
                }
                i += 1;
            }
        }
        negated
    }

    /// The captures of the last match, or the whole match when the pattern has none.
    pub fn captures(&self, lua: &Lua, start: usize, end: usize) -> Result<Vec<Value>> {
        if self.captures.is_empty() {
            return Ok(vec![self.capture(lua, 0, start, end)?]);
        }
        self.groups(lua)
    }

    /// The captures of the last match only.
    pub fn groups(&self, lua: &Lua) -> Result<Vec<Value>> {
        (0..self.captures.len()).map(|level| self.capture(lua, level, 0, 0)).collect()
    }

    /// One capture; the first of a pattern without any is the whole match.
    pub fn capture(&self, lua: &Lua, level: usize, start: usize, end: usize) -> Result<Value> {
        let text = |range: std::ops::Range<usize>| lua.create_string(&self.subject[range]).map(Value::String);
        match self.captures.get(level) {
            None if level == 0 => text(start..end),
            None => fail("invalid capture index"),
            Some((at, Length::Position)) => Ok(Value::Integer(i64::try_from(at + 1).unwrap_or(i64::MAX))),
            Some((_, Length::Open)) => fail("unfinished capture"),
            Some(&(at, Length::Closed(length))) => text(at..at + length),
        }
    }
}

enum Next {
    Done(Option<usize>),
    Go(usize, usize),
}

fn in_class(byte: u8, class: u8) -> bool {
    let inside = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => byte == b' ' || (9..=13).contains(&byte),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        _ => return class == byte,
    };
    inside != class.is_ascii_uppercase()
}
