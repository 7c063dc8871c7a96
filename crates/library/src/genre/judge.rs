//! The filter itself: a model, and what people taught it since.

use super::features::{self, Column, MISSING, Row};
use super::model::{self, GenreModel, ModelError};
use super::overrules::{Overrule, Overrules};
use super::sample::Sample;
use super::words::{self, GENRES, GenreWeights, WordCounts};
use super::{Genre, GenreVerdict, Subject};
use std::collections::{BTreeMap, HashMap};

/// From here to there a person decides.
const UNCERTAIN: std::ops::RangeInclusive<f32> = 0.4..=0.6;
const REASONS: usize = 3;
/// What an overruled document must be after it was learned from.
const LEARNED: f32 = 0.9;
const LESSONS_MAX: usize = 400;
/// How far each lesson goes.
const RATE: f32 = 0.5;
/// A word that the model has not seen is as rare as the rarest that it has.
const RAREST: f32 = 6.0;

/// Judges documents. Cheap to make again: nothing is kept that the overrules do not hold.
#[derive(Debug)]
pub struct Judge<'a> {
    model: &'a GenreModel,
    /// What was learned from overrules, on top of the model.
    taught: HashMap<u16, GenreWeights>,
    decided: BTreeMap<String, (Option<Genre>, bool)>,
}

/// What is seen of a document: enough to judge it and to learn from it.
#[derive(Debug, Clone)]
pub struct Seen {
    row: Row,
    words: Vec<String>,
    counts: WordCounts,
}

impl Seen {
    pub fn of(subject: &Subject<'_>) -> Seen {
        let sample = Sample::of(subject.reading);
        let words: Vec<String> = words::looked_at(&sample).into_iter().map(str::to_owned).collect();
        Seen {
            row: features::row_of(subject, &sample),
            counts: words::counts(words.iter().map(String::as_str)),
            words,
        }
    }

    pub fn counts(&self) -> &WordCounts {
        &self.counts
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn numbers(&self) -> &[f32] {
        &self.row.values
    }

    pub fn columns(&self) -> Vec<String> {
        self.row.columns.iter().map(|column| column.name()).collect()
    }

    /// The same document of which less is known.
    #[must_use]
    pub fn without(&self, name: bool, looks: bool) -> Seen {
        let mut seen = self.clone();
        if name {
            seen.row = seen.row.without(features::Source::Name);
        }
        if looks {
            seen.row = seen.row.without(features::Source::Looks);
        }
        seen
    }

    /// For keeping.
    pub fn overrule(&self, document: &str, genre: Option<Genre>, accept: bool, at: &str) -> Overrule {
        Overrule {
            document: document.to_owned(),
            genre,
            accept,
            at: at.to_owned(),
            words: self.counts.clone(),
            numbers: self.row.values.clone(),
        }
    }
}

impl<'a> Judge<'a> {
    /// Learns from the overrules in force, in their order: the same ones give the same judge.
    pub fn new(model: &'a GenreModel, overrules: &Overrules) -> Judge<'a> {
        let mut judge = Judge {
            model,
            taught: HashMap::new(),
            decided: BTreeMap::new(),
        };
        for overrule in overrules.in_force() {
            judge.teach(overrule);
        }
        judge
    }

    /// Whether the model asks for what is looked at; one from another version does not.
    pub fn check(&self, seen: &Seen) -> Result<(), ModelError> {
        self.model.check(&seen.row)
    }

    /// Learns at once, until it would have judged so itself.
    pub fn teach(&mut self, overrule: &Overrule) {
        self.decided
            .insert(overrule.document.clone(), (overrule.genre, overrule.accept));
        let said = self.model.said(&overrule.numbers, &overrule.words);
        let base = self.model.view(&overrule.numbers).mixture.mix(&said);
        let direction = self.taught_direction(&overrule.words);
        for _ in 0..LESSONS_MAX {
            let shares = model::shares(&self.with_taught(base, &direction));
            let Some(wanted) = wanted(overrule, &shares) else {
                break;
            };
            for (bucket, value) in &direction {
                let weights = self.taught.entry(*bucket).or_default();
                for (at, weight) in weights.iter_mut().enumerate() {
                    *weight += RATE * (wanted[at] - shares[at]) * value;
                }
            }
        }
    }

    fn taught_direction(&self, counts: &WordCounts) -> Vec<(u16, f32)> {
        let rarity = |bucket| self.model.words.get(&bucket).map_or(RAREST, |known| known.rarity);
        words::direction(counts, |bucket| Some(rarity(bucket)))
    }

    fn with_taught(&self, mut sums: GenreWeights, direction: &[(u16, f32)]) -> GenreWeights {
        for (bucket, value) in direction {
            if let Some(weights) = self.taught.get(bucket) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight * value;
                }
            }
        }
        sums
    }

    /// How likely the document is of each genre.
    pub fn shares(&self, seen: &Seen) -> GenreWeights {
        let said = self.model.said(&seen.row.values, &seen.counts);
        let sums = self.model.view(&seen.row.values).mixture.mix(&said);
        if self.taught.is_empty() {
            return model::shares(&sums);
        }
        model::shares(&self.with_taught(sums, &self.taught_direction(&seen.counts)))
    }

    /// `document` is what overrules call it.
    pub fn judge(&self, seen: &Seen, document: Option<&str>) -> GenreVerdict {
        let shares = self.shares(seen);
        let score = self.model.view(&seen.row.values).mixture.score(&shares);
        let accept = score >= 0.5;
        let decided = document.and_then(|document| self.decided.get(document));
        if let Some((genre, accept)) = decided {
            return GenreVerdict {
                genre: genre.unwrap_or_else(|| likeliest(&shares, Some(*accept))),
                accept: *accept,
                score: if *accept { 1.0 } else { 0.0 },
                reasons: vec!["a person decided so".to_owned()],
                is_uncertain: false,
            };
        }
        // The genre is one of those that are accepted if the document is.
        let genre = likeliest(&shares, Some(accept));
        GenreVerdict {
            genre,
            accept,
            score,
            reasons: self.reasons(seen, genre),
            is_uncertain: UNCERTAIN.contains(&score),
        }
    }

    /// The three strongest reasons for a genre.
    fn reasons(&self, seen: &Seen, genre: Genre) -> Vec<String> {
        let at = genre as usize;
        let mut found: Vec<(f32, String)> = Vec::new();
        let numbers = &seen.row.values;
        if numbers.len() == self.model.columns.len() {
            let mut best: BTreeMap<String, (f32, String)> = BTreeMap::new();
            for (column, change) in self.changes(numbers, at).into_iter().enumerate() {
                if change <= 0.0 || numbers[column] <= MISSING {
                    continue;
                }
                let is_high = numbers[column] > self.model.columns[column].mean;
                let entry = best.entry(topic(seen.row.columns[column])).or_default();
                if change > entry.0 {
                    *entry = (change, seen.row.columns[column].said(is_high));
                }
            }
            found.extend(best.into_values());
        }
        if let Some(reason) = self.of_words(seen, at) {
            found.push(reason);
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        found.into_iter().take(REASONS).map(|(_, said)| said).collect()
    }

    /// How much each number speaks for a genre.
    fn changes(&self, numbers: &[f32], at: usize) -> Vec<f32> {
        let view = self.model.view(numbers);
        let mut changes = vec![0.0; numbers.len()];
        for tree in &view.trees[at] {
            tree.explain(numbers, &mut changes);
        }
        let weights = &view.lines[at].weights;
        for (column, change) in changes.iter_mut().enumerate() {
            let of_line = weights[column] * self.model.columns[column].of(numbers[column]);
            *change = *change * view.mixture.trees + of_line * view.mixture.line;
        }
        changes
    }

    /// The words that speak most for a genre.
    fn of_words(&self, seen: &Seen, at: usize) -> Option<(f32, String)> {
        let weight = self.model.view(&seen.row.values).mixture.words;
        let values: HashMap<u16, f32> = self.model.direction(&seen.counts).into_iter().collect();
        let mut found: BTreeMap<&str, f32> = BTreeMap::new();
        for word in &seen.words {
            let bucket = words::bucket(word);
            if let (Some(known), Some(value)) = (self.model.words.get(&bucket), values.get(&bucket))
                && word.chars().filter(|sign| sign.is_alphabetic()).count() > 1
            {
                found.insert(word, known.weights[at] * value * weight);
            }
        }
        let mut found: Vec<(&str, f32)> = found.into_iter().filter(|(_, change)| *change > 0.0).collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        found.truncate(REASONS);
        let all = found.iter().map(|(_, change)| change).sum();
        let words: Vec<String> = found.iter().map(|(word, _)| format!("“{word}”")).collect();
        (!words.is_empty()).then(|| {
            (
                all,
                format!("it has words that are usual there: {}", words.join(", ")),
            )
        })
    }
}

/// Numbers that say the same in several ways are one reason.
fn topic(column: Column) -> String {
    match column {
        Column::Often(group) | Column::First(group) | Column::Begins(group) => format!("cue {group}"),
        column => column.name(),
    }
}

/// The shares that a document should have; nothing where they are near enough.
fn wanted(overrule: &Overrule, shares: &GenreWeights) -> Option<GenreWeights> {
    if let Some(genre) = overrule
        .genre
        .filter(|genre| genre.is_accepted() == overrule.accept)
    {
        let mut wanted = [0.0; GENRES];
        wanted[genre as usize] = 1.0;
        return (shares[genre as usize] < LEARNED).then_some(wanted);
    }
    let accepted = model::accepted(shares);
    let right = if overrule.accept { accepted } else { 1.0 - accepted };
    if right >= LEARNED {
        return None;
    }
    let mut wanted = *shares;
    for (genre, share) in Genre::ALL.iter().zip(&mut wanted) {
        let is_right = genre.is_accepted() == overrule.accept;
        *share = if is_right { *share / right.max(1e-6) } else { 0.0 };
    }
    Some(wanted)
}

/// Among all genres, or among those that are accepted or not.
fn likeliest(shares: &GenreWeights, accept: Option<bool>) -> Genre {
    let fits = |genre: &Genre| accept.is_none_or(|accept| genre.is_accepted() == accept);
    let genres = Genre::ALL.into_iter().filter(fits);
    genres
        .max_by(|one, other| shares[*one as usize].total_cmp(&shares[*other as usize]))
        .unwrap_or(Genre::SourceOrData)
}
