//! A person's name in its parts.

/// As systems want it that sort by family names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonName {
    pub given: String,
    pub family: String,
}

/// `Lee, Ann` and `Ann van Lee`; what has one word is a family name, and so is what is no person.
pub fn person_name(written: &str) -> PersonName {
    let written = written.trim();
    if let Some((family, given)) = written.split_once(',') {
        return PersonName {
            given: given.trim().to_owned(),
            family: family.trim().to_owned(),
        };
    }
    let words: Vec<&str> = written.split_whitespace().collect();
    let is_particle = |word: &&str| word.starts_with(char::is_lowercase);
    let last = words.len().saturating_sub(1);
    // Small words before the last belong to the family: `Ludwig van Beethoven`.
    let from = (1..last)
        .find(|at| words[*at..last].iter().all(is_particle))
        .unwrap_or(last);
    PersonName {
        given: words[..from].join(" "),
        family: words[from..].join(" "),
    }
}
