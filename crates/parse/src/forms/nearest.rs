//! Which of the known names is nearest to a mistyped one?

/// Longer texts are not compared: nobody mistypes them.
const CHARS_MAX: usize = 64;

/// The known name with the fewest changed letters, if at most a third of them changed; case counts least.
pub(super) fn nearest<'n>(text: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = text.to_lowercase().chars().take(CHARS_MAX + 1).collect();
    if wanted.is_empty() || wanted.len() > CHARS_MAX {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let letters: Vec<char> = name.to_lowercase().chars().take(CHARS_MAX + 1).collect();
        if letters.is_empty() || letters.len() > CHARS_MAX {
            continue;
        }
        let is_part = wanted.len() >= 3 && name.to_lowercase().contains(&text.to_lowercase());
        let distance = if is_part { 1 } else { distance(&wanted, &letters) };
        let is_near = distance <= wanted.len().max(letters.len()).div_ceil(3);
        if is_near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Letters to insert, remove, change or swap with their neighbour (optimal string alignment).
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (row[j] + usize::from(a != b))
                .min(row[j + 1] + 1)
                .min(next[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_proposed() {
        let known = ["wpName", "wpPassword", "wpRemember", "q"];
        let cases = [
            ("wpname", Some("wpName")),
            ("wpPasword", Some("wpPassword")),
            ("password", Some("wpPassword")),
            ("wpNmae", Some("wpName")),
            ("completely", None),
            ("", None),
        ];
        for (text, want) in cases {
            assert_eq!(nearest(text, known.into_iter()), want, "{text}");
        }
        let long = "x".repeat(100_000);
        assert_eq!(nearest(&long, known.into_iter()), None);
        assert_eq!(nearest("abc", [long.as_str()].into_iter()), None);
    }
}
