//! Numbers that tell of a document's genre: its structure, its speech, its looks, its name.
//!
//! In: a [`Reading`] and what is known besides. Out: a row of numbers, each with what a person is told when it decides. All
//! numbers are shares or grow slowly with what they count, so that long and short documents can be compared. What is not known
//! is [`MISSING`]: the model was trained with and without.

use super::cues::{Cues, GROUPS};
use super::sample::Sample;
use super::{Subject, layout, names, speech, structure};

/// Stands for a number that is not known. All others are not below nothing.
pub(crate) const MISSING: f32 = -1.0;

/// Where a number comes from; names and looks may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Text,
    Looks,
    Name,
}

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Of a plain number: its name, and what is said where it is high and where it is low.
    Plain(Source, &'static str, &'static str, &'static str),
    /// How often a group of phrases occurs.
    Often(usize),
    /// How often it occurs at the beginning.
    First(usize),
    /// How many parts begin with it.
    Begins(usize),
    /// Whether the name says so.
    Named(usize),
}

impl Column {
    pub(crate) fn source(self) -> Source {
        match self {
            Column::Plain(source, ..) => source,
            Column::Named(_) => Source::Name,
            _ => Source::Text,
        }
    }

    /// For the table of the model: it must have been made for these very columns.
    pub(crate) fn name(self) -> String {
        match self {
            Column::Plain(_, name, ..) => name.to_owned(),
            Column::Often(group) => format!("often-{}", GROUPS[group].0),
            Column::First(group) => format!("first-{}", GROUPS[group].0),
            Column::Begins(group) => format!("begins-{}", GROUPS[group].0),
            Column::Named(group) => format!("named-{}", names::GROUPS[group].0),
        }
    }

    /// In plain words.
    pub(crate) fn said(self, is_high: bool) -> String {
        match (self, is_high) {
            (Column::Plain(_, _, high, _), true) => high.to_owned(),
            (Column::Plain(_, _, _, low), false) => low.to_owned(),
            (Column::Often(group), true) => format!("it speaks of {}", GROUPS[group].1),
            (Column::Often(group), false) => format!("it hardly speaks of {}", GROUPS[group].1),
            (Column::First(group), true) => format!("its beginning speaks of {}", GROUPS[group].1),
            (Column::First(group), false) => format!("its beginning hardly speaks of {}", GROUPS[group].1),
            (Column::Begins(group), true) => format!("it has parts headed by {}", GROUPS[group].1),
            (Column::Begins(group), false) => format!("no part is headed by {}", GROUPS[group].1),
            (Column::Named(group), true) => format!("its name speaks of {}", names::GROUPS[group].1),
            (Column::Named(group), false) => {
                format!("its name does not speak of {}", names::GROUPS[group].1)
            }
        }
    }
}

/// The numbers of one document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) values: Vec<f32>,
    pub(crate) columns: Vec<Column>,
}

impl Row {
    pub(super) fn put(&mut self, column: Column, value: f32) {
        let is_sound = value.is_finite() && value >= 0.0;
        self.values.push(if is_sound { value } else { MISSING });
        self.columns.push(column);
    }

    pub(super) fn text(&mut self, name: &'static str, high: &'static str, low: &'static str, value: f32) {
        self.put(Column::Plain(Source::Text, name, high, low), value);
    }

    pub(super) fn looks(&mut self, name: &'static str, high: &'static str, low: &'static str, value: f32) {
        self.put(Column::Plain(Source::Looks, name, high, low), value);
    }

    /// The row of the same document of which less is known.
    pub(crate) fn without(&self, source: Source) -> Row {
        let mut row = self.clone();
        for (value, column) in row.values.iter_mut().zip(&row.columns) {
            if column.source() == source {
                *value = MISSING;
            }
        }
        row
    }
}

/// Numbers that count: ten are not ten times as much as one.
pub(super) fn slow(count: f32) -> f32 {
    count.max(0.0).ln_1p()
}

pub(super) fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}

/// A thousand words, so often.
pub(super) fn rate(count: usize, words: usize) -> f32 {
    slow(count as f32 * 1000.0 / words.max(50) as f32)
}

#[cfg(test)]
pub(crate) fn row(subject: &Subject<'_>) -> Row {
    let sample = Sample::of(subject.reading);
    row_of(subject, &sample)
}

pub(super) fn row_of(subject: &Subject<'_>, sample: &Sample<'_>) -> Row {
    let mut row = Row::default();
    structure::add(subject.reading, sample, &mut row);
    speech::add(sample, Cues::all(), &mut row);
    layout::add(subject, sample, &mut row);
    names::add(subject.name, &mut row);
    row
}
