//! `string.find`, `match`, `gmatch` and `gsub` over the matcher.

use std::rc::Rc;

use mlua::{Error, Lua, LuaString, MultiValue, Result, Table, Value};

use super::matcher::{ESCAPE, Matcher};
use crate::rules::limits::Limits;

/// Replaces the functions of the string library that take patterns.
pub(in crate::rules) fn install(lua: &Lua, string: &Table, limits: &Rc<Limits>) -> Result<()> {
    let guard = Rc::clone(limits);
    let find = move |lua: &Lua, (subject, pattern, from, plain): (LuaString, LuaString, Option<i64>, Option<bool>)| {
        find(lua, &guard, (&subject.as_bytes(), &pattern.as_bytes()), from, plain.unwrap_or(false))
    };
    string.raw_set("find", lua.create_function(find)?)?;

    let guard = Rc::clone(limits);
    let first = move |lua: &Lua, (subject, pattern, from): (LuaString, LuaString, Option<i64>)| {
        first_match(lua, &guard, (&subject.as_bytes(), &pattern.as_bytes()), from)
    };
    string.raw_set("match", lua.create_function(first)?)?;

    let guard = Rc::clone(limits);
    let each = move |lua: &Lua, (subject, pattern): (LuaString, LuaString)| each_match(lua, &guard, subject, pattern);
    string.raw_set("gmatch", lua.create_function(each)?)?;

    let guard = Rc::clone(limits);
    let gsub = move |lua: &Lua, (subject, pattern, with, max): (LuaString, LuaString, Value, Option<i64>)| {
        let mut gsub = Gsub { lua, limits: &guard, with, out: Vec::new() };
        let count = gsub.run(&subject.as_bytes(), &pattern.as_bytes(), max.unwrap_or(i64::MAX))?;
        Ok((lua.create_string(&gsub.out)?, count))
    };
    string.raw_set("gsub", lua.create_function(gsub)?)
}

/// A start position as Lua counts it: from one, or from the end when negative.
fn offset(from: Option<i64>, length: usize) -> usize {
    match from {
        None | Some(0) => 0,
        Some(n) if n > 0 => usize::try_from(n - 1).unwrap_or(usize::MAX),
        Some(n) => length.saturating_sub(usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

fn index(at: usize) -> Value {
    Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))
}

fn nil() -> MultiValue {
    MultiValue::from_vec(vec![Value::Nil])
}

fn has_magic(pattern: &[u8]) -> bool {
    pattern.iter().any(|byte| b"^$*+?.([%-".contains(byte))
}

/// The first match at or after `from`, with its start and end.
fn search<'a>(
    limits: &'a Limits,
    (subject, pattern): (&'a [u8], &'a [u8]),
    from: usize,
) -> Result<Option<(Matcher<'a>, usize, usize)>> {
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(subject, if anchored { &pattern[1..] } else { pattern }, limits);
    for start in from..=subject.len() {
        if let Some(end) = matcher.matches_at(start)? {
            return Ok(Some((matcher, start, end)));
        }
        if anchored {
            break;
        }
    }
    Ok(None)
}

fn find(
    lua: &Lua,
    limits: &Limits,
    (subject, pattern): (&[u8], &[u8]),
    from: Option<i64>,
    plain: bool,
) -> Result<MultiValue> {
    let from = offset(from, subject.len());
    if from > subject.len() {
        return Ok(nil());
    }
    if plain || !has_magic(pattern) {
        limits.tick()?;
        return Ok(match memchr::memmem::find(&subject[from..], pattern) {
            Some(at) => MultiValue::from_vec(vec![index(from + at + 1), index(from + at + pattern.len())]),
            None => nil(),
        });
    }
    match search(limits, (subject, pattern), from)? {
        Some((matcher, start, end)) => {
            let mut found = vec![index(start + 1), index(end)];
            found.extend(matcher.groups(lua)?);
            Ok(MultiValue::from_vec(found))
        }
        None => Ok(nil()),
    }
}

fn first_match(lua: &Lua, limits: &Limits, texts: (&[u8], &[u8]), from: Option<i64>) -> Result<MultiValue> {
    match search(limits, texts, offset(from, texts.0.len()))? {
        Some((matcher, start, end)) => matcher.captures(lua, start, end).map(MultiValue::from_vec),
        None => Ok(nil()),
    }
}

fn each_match(lua: &Lua, limits: &Rc<Limits>, subject: LuaString, pattern: LuaString) -> Result<mlua::Function> {
    let limits = Rc::clone(limits);
    let (mut at, mut last_end) = (0, None);
    lua.create_function_mut(move |lua, ()| {
        let (subject, pattern) = (subject.as_bytes(), pattern.as_bytes());
        let mut matcher = Matcher::new(&subject, &pattern, &limits);
        while at <= subject.len() {
            if let Some(end) = matcher.matches_at(at)?
                && last_end != Some(end)
            {
                let captures = matcher.captures(lua, at, end)?;
                (at, last_end) = (end, Some(end));
                return Ok(MultiValue::from_vec(captures));
            }
            at += 1;
        }
        Ok(nil())
    })
}

/// One substitution under way.
struct Gsub<'a> {
    lua: &'a Lua,
    limits: &'a Limits,
    with: Value,
    out: Vec<u8>,
}

impl Gsub<'_> {
    fn run(&mut self, subject: &[u8], pattern: &[u8], max: i64) -> Result<i64> {
        let anchored = pattern.first() == Some(&b'^');
        let mut matcher = Matcher::new(subject, if anchored { &pattern[1..] } else { pattern }, self.limits);
        let (mut count, mut at, mut last_end) = (0, 0, None);
        while count < max {
            self.limits.tick()?;
            match matcher.matches_at(at)? {
                Some(end) if last_end != Some(end) => {
                    count += 1;
                    self.replace(&matcher, subject, (at, end))?;
                    (at, last_end) = (end, Some(end));
                }
                _ if at < subject.len() => {
                    self.out.push(subject[at]);
                    at += 1;
                }
                _ => break,
            }
            if anchored {
                break;
            }
            self.limits.check_size(self.out.len())?;
        }
        self.out.extend_from_slice(&subject[at.min(subject.len())..]);
        Ok(count)
    }

    fn replace(&mut self, matcher: &Matcher, subject: &[u8], (start, end): (usize, usize)) -> Result<()> {
        let value = match &self.with {
            Value::Function(function) => {
                let captures = matcher.captures(self.lua, start, end)?;
                self.limits.nest(|| function.call(MultiValue::from_vec(captures)))?
            }
            Value::Table(table) => table.get(matcher.capture(self.lua, 0, start, end)?)?,
            Value::String(template) => {
                let template = template.as_bytes().to_vec();
                return self.expand(&template, matcher, subject, (start, end));
            }
            Value::Integer(_) | Value::Number(_) => self.with.clone(),
            other => {
                return Err(Error::runtime(format!(
                    "bad argument #3 to 'gsub' (string/function/table expected, got {})",
                    other.type_name()
                )));
            }
        };
        match value {
            Value::Nil | Value::Boolean(false) => self.out.extend_from_slice(&subject[start..end]),
            Value::String(_) | Value::Integer(_) | Value::Number(_) => self.push(value)?,
            other => return Err(Error::runtime(format!("invalid replacement value (a {})", other.type_name()))),
        }
        Ok(())
    }

    fn push(&mut self, value: Value) -> Result<()> {
        if let Some(text) = self.lua.coerce_string(value)? {
            self.out.extend_from_slice(&text.as_bytes());
        }
        Ok(())
    }

    /// `%0` to `%9` and `%%` in a replacement string.
    fn expand(
        &mut self,
        template: &[u8],
        matcher: &Matcher,
        subject: &[u8],
        (start, end): (usize, usize),
    ) -> Result<()> {
        let mut bytes = template.iter();
        while let Some(&byte) = bytes.next() {
            if byte != ESCAPE {
                self.out.push(byte);
                continue;
            }
            match bytes.next() {
                Some(&ESCAPE) => self.out.push(ESCAPE),
                Some(b'0') => self.out.extend_from_slice(&subject[start..end]),
                Some(digit) if digit.is_ascii_digit() => {
                    let level = usize::from(digit - b'1');
                    self.push(matcher.capture(self.lua, level, start, end)?)?;
                }
                _ => return Err(Error::runtime("invalid use of '%' in replacement string")),
            }
        }
        Ok(())
    }
}
