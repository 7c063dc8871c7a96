//! What documents of each genre say: phrases in several languages, in groups that mean the same in all of them.
//!
//! In: words of a text. Out: which groups they speak of, and where. The phrases are data (`cues/*.txt`), so that a language is
//! one more file.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The groups in the order of their columns, and what a person is told that they speak of.
pub(super) const GROUPS: [(&str, &str); 49] = [
    ("abstract", "an abstract"),
    ("keywords", "a list of keywords"),
    ("introduction", "an introduction"),
    ("related", "related work"),
    ("conclusion", "conclusions"),
    ("references", "a list of references"),
    ("thanks", "acknowledgements"),
    ("appendix", "an appendix"),
    ("chapter", "chapters"),
    ("contents", "a table of contents"),
    ("proof", "theorems and proofs"),
    ("method", "methods and results"),
    ("caption", "figures and tables"),
    ("we-show", "what the authors show"),
    ("this-paper", "itself as a paper"),
    ("this-thesis", "itself as a thesis"),
    ("degree", "a degree, its advisors and a university"),
    ("declaration", "a declaration, dedication or preface"),
    ("report", "itself as a report or memo"),
    ("spec", "what a specification says"),
    ("plan", "plans, architecture and recommendations"),
    ("faq", "frequent questions"),
    ("asks", "how, what and why"),
    ("manual", "installation, options and usage"),
    ("program", "programs and what they take"),
    ("assignment", "exercises, due dates and points"),
    ("tasks", "tasks to be solved"),
    ("exam", "an examination or solutions"),
    ("syllabus", "lectures, grading and office hours"),
    ("form", "things to be filled in and signed"),
    ("cv", "education, employment and skills"),
    ("slides", "a talk"),
    ("letter", "the words of a letter"),
    ("minutes", "a meeting, its agenda and who was present"),
    ("flyer", "prices, offers and contacts"),
    ("event", "a conference and its deadlines"),
    ("story", "what somebody said and did"),
    ("book", "a novel, play or poems"),
    ("third-person", "him or her"),
    ("first-person", "“I”"),
    ("we", "“we”"),
    ("you", "“you”"),
    ("please", "requests to the reader"),
    ("shall", "what must or should be"),
    ("past", "what was"),
    ("links", "links and resources"),
    ("months", "months"),
    ("days", "days and hours"),
    ("money", "money"),
];

/// Phrases are no longer.
const PHRASE_WORDS_MAX: usize = 6;

const LANGUAGES: [&str; 7] = [
    include_str!("cues/en.txt"),
    include_str!("cues/de.txt"),
    include_str!("cues/fr.txt"),
    include_str!("cues/es.txt"),
    include_str!("cues/pt.txt"),
    include_str!("cues/it.txt"),
    include_str!("cues/zh.txt"),
];

/// A phrase behind its first word.
struct Rest {
    words: Vec<&'static str>,
    group: u8,
}

/// All phrases of all languages, by their first words.
pub(super) struct Cues {
    phrases: HashMap<&'static str, Vec<Rest>>,
}

impl Cues {
    pub(super) fn all() -> &'static Cues {
        static CUES: OnceLock<Cues> = OnceLock::new();
        CUES.get_or_init(|| {
            let mut phrases: HashMap<&'static str, Vec<Rest>> = HashMap::new();
            for (group, phrase) in LANGUAGES.iter().flat_map(|file| read(file)) {
                let mut words = Vec::new();
                cut_phrase(phrase, &mut words);
                if let Some((first, rest)) = words.split_first() {
                    phrases.entry(first).or_default().push(Rest {
                        words: rest.to_vec(),
                        group,
                    });
                }
            }
            Cues { phrases }
        })
    }

    /// Calls `each` with every group that a phrase at the beginning of `words` belongs to, once per group.
    pub(super) fn at<'a>(
        &self,
        words: &mut (impl Iterator<Item = &'a str> + Clone),
        mut each: impl FnMut(usize),
    ) {
        let Some(rests) = words.next().and_then(|first| self.phrases.get(first)) else {
            return;
        };
        let mut seen = 0u64;
        for rest in rests {
            let mut following = words.clone();
            let is_here = rest.words.iter().all(|word| following.next() == Some(word));
            if is_here && seen & (1 << rest.group) == 0 {
                seen |= 1 << rest.group;
                each(usize::from(rest.group));
            }
        }
    }
}

/// Groups and their phrases, as they stand in a file.
fn read(file: &'static str) -> impl Iterator<Item = (u8, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let groups = lines.filter_map(|line| {
        let (name, phrases) = line.split_once(": ")?;
        let group = GROUPS.iter().position(|(known, _)| *known == name)?;
        Some((u8::try_from(group).ok()?, phrases))
    });
    groups.flat_map(|(group, phrases)| phrases.split(", ").map(move |phrase| (group, phrase)))
}

/// As texts are cut into words, but the letters are lower case already.
fn cut_phrase(phrase: &'static str, words: &mut Vec<&'static str>) {
    for part in phrase.split(' ') {
        let mut from = 0;
        for (at, sign) in part.char_indices() {
            if gleaner_words::is_unspaced(sign) {
                if from < at {
                    words.push(&part[from..at]);
                }
                from = at + sign.len_utf8();
                words.push(&part[at..from]);
            }
        }
        if from < part.len() {
            words.push(&part[from..]);
        }
    }
    words.truncate(PHRASE_WORDS_MAX);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_language_belongs_to_a_group_and_every_group_is_known_to_all() {
        for file in LANGUAGES {
            let mut found: Vec<&str> = Vec::new();
            for line in file.lines().filter(|line| !line.starts_with('#')) {
                let (name, phrases) = line.split_once(": ").expect("a group and its phrases");
                assert!(GROUPS.iter().any(|(known, _)| *known == name), "{line}");
                assert!(
                    phrases
                        .split(", ")
                        .all(|phrase| phrase == phrase.to_lowercase().trim()),
                    "{line}"
                );
                found.push(name);
            }
            let missing: Vec<_> = GROUPS.iter().filter(|(name, _)| !found.contains(name)).collect();
            assert!(missing.is_empty(), "{missing:?} in {file}");
        }
    }

    #[test]
    fn phrases_are_found_in_several_languages() {
        let groups = |text: &'static str| {
            let mut words = Vec::new();
            cut_phrase(text, &mut words);
            let mut found = Vec::new();
            for at in 0..words.len() {
                Cues::all().at(&mut words[at..].iter().copied(), |group| {
                    found.push(GROUPS[group].0);
                });
            }
            found
        };
        assert!(groups("in partial fulfillment of the requirements").contains(&"degree"));
        assert!(groups("zur erlangung des akademischen grades").contains(&"degree"));
        assert!(groups("会议纪要").contains(&"minutes"));
        assert_eq!(groups("nothing of it"), Vec::<&str>::new());
    }
}
