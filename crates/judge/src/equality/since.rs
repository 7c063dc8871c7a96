//! Do two notes about a version say the same in the words of two tools? In: a block's text before and now. Out: yes or no.
//!
//! "New in version 2.1" of one release of a documentation tool is "Added in version 2.1" of the next. Nobody wrote either.

/// What such tools say first, in lower case; words of one row mean the same.
const VERBS: [&[&str]; 3] = [
    &["new", "added", "introduced", "available"],
    &["changed", "modified"],
    &["deprecated"],
];

/// Whether both are notes of one kind about one version, with the same words behind.
pub(super) fn is_same_note(before: &str, now: &str) -> bool {
    note(before).is_some_and(|note_before| note(now) == Some(note_before))
}

/// The kind of the note, its version and what follows.
fn note(text: &str) -> Option<(usize, Vec<&str>)> {
    let mut words = text.split_whitespace();
    let verb = words.next()?.to_lowercase();
    let kind = VERBS.iter().position(|row| row.contains(&verb.as_str()))?;
    matches!(words.next()?.to_lowercase().as_str(), "in" | "since").then_some(())?;
    let rest: Vec<&str> = words
        .skip_while(|word| matches!(word.to_lowercase().as_str(), "version" | "release"))
        .collect();
    let version = rest.first()?.trim_start_matches(['v', 'V']);
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some((kind, rest))
}

#[cfg(test)]
mod tests {
    use super::is_same_note;

    #[test]
    fn case18_a_tool_may_word_its_notes_anew() {
        for (before, now) in [
            ("New in version 0.8.", "Added in version 0.8."),
            (
                "New in version 2.5: More of it.",
                "Added in version 2.5: More of it.",
            ),
            ("Deprecated since version 3.1", "Deprecated since 3.1"),
        ] {
            assert!(is_same_note(before, now), "{before}");
        }
        for (before, now) in [
            ("New in version 0.8.", "Added in version 0.9."),
            (
                "New in version 2.5: More of it.",
                "Added in version 2.5: Less of it.",
            ),
            ("Added in version 2.5", "Deprecated in version 2.5"),
            ("New in town", "Added in town"),
        ] {
            assert!(!is_same_note(before, now), "{before}");
        }
    }
}
