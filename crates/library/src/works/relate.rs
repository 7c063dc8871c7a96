//! Are two texts the same work, and how do they hang together?
//!
//! Shingles say how much of one text stands in the other. That alone is not enough: documents of one template share much and are
//! others, a new version may share little. So the title, the authors and the language say how much is asked for.

use super::signature::TextSignature;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How two documents of the same work hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The same words, but for numbers of versions and dates.
    Copy,
    /// The same work, written as another format.
    OtherFormat,
    /// The same work at another time.
    Version,
}

impl Relation {
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Copy => "copy",
            Relation::OtherFormat => "other-format",
            Relation::Version => "version",
        }
    }
}

/// What the titles of two texts say of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleRelation {
    Same,
    /// Most words are the same, or one begins or ends with the other.
    Similar,
    Different,
    Unknown,
}

/// How alike two texts are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextLikeness {
    pub has_same_words: bool,
    /// The same words, where everything with a digit counts as one word.
    pub has_same_masked: bool,
    /// Shingles of both by those of either.
    pub jaccard: f64,
    /// Shingles of both by those of the shorter text.
    pub containment: f64,
    /// The same of whole sentences, however they are ordered; 0 where a text has none.
    pub sentences: f64,
    pub title: TitleRelation,
    pub shared_authors: usize,
    pub is_other_language: bool,
    /// Words of the shorter text by those of the longer.
    pub length: f64,
    /// Shingles of the shorter text.
    pub shingles: usize,
}

/// Per cent of words in foreign scripts by which translations differ, and what the languages of two texts have in common otherwise.
const FOREIGN_APART: u8 = 8;
const LANGUAGES_COMMON: u32 = 60;
/// Texts with fewer shingles say too little for shares.
const SHINGLES_MIN: usize = 50;

/// How much of one text has to stand in the other, by what their titles say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    pub same_title: f64,
    pub similar_title: f64,
    pub unknown_title: f64,
    pub other_title: f64,
    /// With another title the texts have to be of one length too: shingles of both by those of either.
    pub other_title_jaccard: f64,
}

impl Asked {
    pub const USUAL: Asked = Asked {
        same_title: 0.2,
        similar_title: 0.5,
        unknown_title: 0.75,
        other_title: 0.8,
        other_title_jaccard: 0.65,
    };
}

pub fn likeness(one: &TextSignature, other: &TextSignature) -> TextLikeness {
    let (both, first, second) = shared(
        &one.shingles,
        one.shingle_zeros,
        &other.shingles,
        other.shingle_zeros,
    );
    let (same, fewer, more) = shared(
        &one.sentences,
        one.sentence_zeros,
        &other.sentences,
        other.sentence_zeros,
    );
    let share = |part: usize, whole: usize| {
        if whole == 0 {
            0.0
        } else {
            part as f64 / whole as f64
        }
    };
    let (least, most) = (one.words.min(other.words), one.words.max(other.words));
    TextLikeness {
        has_same_words: one.words_hash == other.words_hash,
        has_same_masked: one.masked_hash == other.masked_hash && one.numbers <= one.words / 4,
        jaccard: share(both, first + second - both),
        containment: share(both, first.min(second)),
        sentences: share(same, fewer.min(more)),
        title: titles(&one.title, &other.title),
        shared_authors: one
            .authors
            .iter()
            .filter(|author| other.authors.contains(author))
            .count(),
        is_other_language: is_other_language(one, other),
        length: share(least as usize, most as usize),
        shingles: first.min(second),
    }
}

/// Whether two texts are one work; `have_same_format`: both documents are written in the same format.
pub fn related(likeness: &TextLikeness, have_same_format: bool) -> Option<Relation> {
    related_as(likeness, have_same_format, &Asked::USUAL)
}

/// The same where other shares are asked for.
pub fn related_as(likeness: &TextLikeness, have_same_format: bool, asked: &Asked) -> Option<Relation> {
    if !is_one_work(likeness, asked) {
        return None;
    }
    Some(if !have_same_format {
        Relation::OtherFormat
    } else if likeness.has_same_words || likeness.has_same_masked {
        Relation::Copy
    } else {
        Relation::Version
    })
}

fn is_one_work(likeness: &TextLikeness, asked: &Asked) -> bool {
    if likeness.has_same_words || likeness.has_same_masked {
        return true;
    }
    if likeness.is_other_language {
        return false;
    }
    let held = likeness.containment.max(likeness.sentences);
    if likeness.shingles < SHINGLES_MIN {
        return likeness.title == TitleRelation::Same && held >= asked.unknown_title;
    }
    match likeness.title {
        TitleRelation::Same => held >= asked.same_title,
        TitleRelation::Similar => held >= asked.similar_title,
        TitleRelation::Unknown => held >= asked.unknown_title,
        // The title was changed, or is not where it is looked for.
        TitleRelation::Different if likeness.shared_authors > 0 && held >= asked.similar_title => true,
        TitleRelation::Different => {
            likeness.containment >= asked.other_title && likeness.jaccard >= asked.other_title_jaccard
        }
    }
}

/// The shares of their languages, or those of foreign scripts, are far apart.
fn is_other_language(one: &TextSignature, other: &TextSignature) -> bool {
    if one.foreign_words.abs_diff(other.foreign_words) >= FOREIGN_APART {
        return true;
    }
    let common: u32 = one
        .languages
        .iter()
        .map(|(code, share)| {
            let theirs = other.languages.iter().find(|(known, _)| known == code);
            u32::from(theirs.map_or(0, |(_, theirs)| *theirs.min(share)))
        })
        .sum();
    !one.languages.is_empty() && !other.languages.is_empty() && common < LANGUAGES_COMMON
}

/// How many both have, and how many each, counted on what both kept.
fn shared(one: &[u32], one_zeros: u8, other: &[u32], other_zeros: u8) -> (usize, usize, usize) {
    let zeros = one_zeros.max(other_zeros);
    let up_to = |hashes: &[u32]| match zeros {
        0 => hashes.len(),
        zeros => hashes.partition_point(|hash| hash >> (32 - u32::from(zeros)) == 0),
    };
    let (one, other) = (&one[..up_to(one)], &other[..up_to(other)]);
    let (mut at, mut with, mut both) = (0, 0, 0);
    while at < one.len() && with < other.len() {
        match one[at].cmp(&other[with]) {
            Ordering::Less => at += 1,
            Ordering::Greater => with += 1,
            Ordering::Equal => {
                both += 1;
                at += 1;
                with += 1;
            }
        }
    }
    (both, one.len(), other.len())
}

fn titles(one: &[u32], other: &[u32]) -> TitleRelation {
    if one.is_empty() || other.is_empty() {
        return TitleRelation::Unknown;
    }
    if one == other {
        return TitleRelation::Same;
    }
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let is_part = short.len() >= 2 && (long.starts_with(short) || long.ends_with(short));
    let both = short.iter().filter(|word| long.contains(word)).count();
    if is_part || both * 10 >= long.len() * 7 {
        return TitleRelation::Similar;
    }
    TitleRelation::Different
}
