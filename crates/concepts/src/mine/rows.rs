//! What is gathered for a row of the table while its windows are read.

use super::{Counted, Mine, count};
use crate::collection::Place;
use crate::table::{Concept, Occurrence};
use foldhash::{HashMap, HashMapExt};
use gleaner_words::is_unspaced;

/// What is gathered for a row.
#[derive(Clone, Default)]
pub(super) struct Row {
    /// In the order of the alphabet.
    stems: Vec<u32>,
    counted: Counted,
    /// The words as they are written, in the order of the text, with the order as numbers of `stems`, and how often.
    originals: HashMap<(Vec<u32>, Vec<u8>), u32>,
    first: Option<(u64, u32)>,
    distance: u32,
    distances: u64,
    passages: Vec<Occurrence>,
}

impl Row {
    /// Takes up a window in which the set stands at these places, given in the order of the text.
    pub(super) fn take(&mut self, number: usize, key: u64, places: &[&Place], mine: &Mine<'_>) {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return;
        };
        if self.stems.is_empty() {
            self.stems = places.iter().map(|place| place.stem).collect();
            self.stems.sort_unstable_by_key(|stem| mine.ranks.get(stem));
        }
        let order = |place: &&Place| {
            self.stems
                .iter()
                .position(|stem| *stem == place.stem)
                .unwrap_or(0) as u8
        };
        let written = (
            places.iter().map(|place| place.surface).collect(),
            places.iter().map(order).collect(),
        );
        *self.originals.entry(written).or_default() += 1;
        let distance = last.start - first.start;
        self.distance = if self.first.is_none() {
            distance
        } else {
            self.distance.min(distance)
        };
        self.distances += u64::from(distance);
        self.first.get_or_insert((key, first.start));
        if self.counted.last != number as u32 + 1 && self.passages.len() < mine.options.passages_max {
            self.passages.push(Occurrence {
                document: key,
                start: first.start,
                end: last.end,
            });
        }
        count(&mut self.counted, number);
    }

    pub(super) fn finish(self, mine: &Mine<'_>) -> Concept {
        let text = |words: &[u32]| -> Vec<&str> {
            words
                .iter()
                .map(|word| mine.collection.surfaces.name(*word))
                .collect()
        };
        let original = self
            .originals
            .iter()
            .map(|((words, _), times)| (std::cmp::Reverse(*times), joined(&text(words))))
            .min();
        let mut orders: HashMap<&[u8], u32> = HashMap::new();
        for ((_, order), times) in &self.originals {
            *orders.entry(order).or_default() += times;
        }
        let mut orders: Vec<(std::cmp::Reverse<u32>, &[u8])> = orders
            .into_iter()
            .map(|(order, times)| (std::cmp::Reverse(times), order))
            .collect();
        orders.sort_unstable();
        let (first_document, first_position) = self.first.unwrap_or_default();
        Concept {
            tokens: self
                .stems
                .iter()
                .map(|stem| mine.collection.stems.name(*stem).to_owned())
                .collect(),
            count: self.stems.len(),
            frequency: self.counted.windows,
            documents: self.counted.documents,
            original: original.map(|(_, words)| words).unwrap_or_default(),
            orders: orders.into_iter().map(|(_, order)| order.to_vec()).collect(),
            first_document,
            first_position,
            distance: self.distance,
            distance_mean: self.distances as f64 / f64::from(self.counted.windows.max(1)),
            npmi: 0.0,
            maximal: true,
            topic: None,
            language: mine.language,
            passages: self.passages,
        }
    }
}

/// Words with blanks between them; pairs of characters that overlap are one again (`東京`, `京都`: `東京都`).
fn joined(words: &[&str]) -> String {
    let mut text = String::new();
    for word in words {
        let first = word.chars().next().filter(|first| is_unspaced(*first));
        match first {
            Some(first) if text.ends_with(first) => text.push_str(&word[first.len_utf8()..]),
            _ if text.is_empty() => text.push_str(word),
            _ => {
                text.push(' ');
                text.push_str(word);
            }
        }
    }
    text
}
