//! "Did you mean …?"

/// ` (did you mean '…'?)` when a known name is close, else nothing.
pub(super) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|name| format!(" (did you mean '{name}'?)")).unwrap_or_default()
}

fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (distance(typed, name), name))
        .filter(|(distance, name)| *distance > 0 && *distance <= 2.max(name.len() / 4))
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein distance in bytes.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keyboard_is_recognised_and_a_different_word_is_not() {
        assert_eq!(did_you_mean("dorp", ["drop", "why"]), " (did you mean 'drop'?)");
        assert_eq!(did_you_mean("noise/plesantry", ["noise/pleasantry"]), " (did you mean 'noise/pleasantry'?)");
        assert_eq!(did_you_mean("zebra", ["drop", "why"]), "");
    }
}
