//! Whether a word is another one with a few letters wrong, as the index finds it.

/// Whether at most `most` letters are wrong, missing, too many, or exchanged with their neighbour.
pub(crate) fn is_near(one: &str, other: &str, most: usize) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return false;
    }
    // Rows of the usual table: before the last, last, under way.
    let mut before = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at + 1];
        for (to, wanted) in other.iter().enumerate() {
            let mut cost = (last[to] + usize::from(letter != wanted))
                .min(last[to + 1] + 1)
                .min(row[to] + 1);
            if at > 0 && to > 0 && *letter == other[to - 1] && one[at - 1] == *wanted {
                cost = cost.min(before[to - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()] <= most
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn letters_wrong_missing_and_exchanged_are_counted() {
        assert!(is_near("harbour", "harbour", 0));
        assert!(is_near("harbor", "harbour", 1) && !is_near("harbor", "harbour", 0));
        assert!(is_near("habrour", "harbour", 1), "neighbours exchanged");
        assert!(is_near("harbuor", "harbour", 1));
        assert!(is_near("hrbor", "harbour", 2) && !is_near("hrbor", "harbour", 1));
        assert!(is_near("", "ab", 2) && !is_near("", "abc", 2));
        assert!(!is_near("lamp", "harbour", 2));
    }
}
