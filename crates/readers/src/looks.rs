//! How do the pages of a PDF look: their sizes, columns, lines and letters? (G5)
//!
//! In: the pieces of text of each page with their places, as they are read anyway. Out: a [`Layout`].

use gleaner_parse::documents::Layout;
use pdf_oxide::PdfDocument;
use pdf_oxide::layout::TextSpan;
use std::collections::{BTreeMap, HashSet};

/// A page with fewer letters is not asked for its columns: a title page has none.
const LETTERS_FOR_COLUMNS: usize = 600;
/// Each half of a page in columns has this share of its letters at least.
const HALF_MIN: f32 = 0.25;
/// What crosses the middle of such a page: its title, wide pictures.
const CROSSING_MAX: f32 = 0.2;
/// Letters in one size on the first page that make a title.
const TITLE_LETTERS: usize = 4;

#[derive(Default)]
pub(crate) struct Looks {
    layout: Layout,
    /// How many letters there are of each size.
    letters: BTreeMap<u32, usize>,
    fonts: HashSet<String>,
}

/// Sizes of letters differ by fractions where they are meant to be equal.
pub(crate) fn half_points(size: f32) -> u32 {
    (size.clamp(0.0, 1000.0) * 2.0).round() as u32
}

impl Looks {
    pub(crate) fn look(&mut self, document: &PdfDocument, page: usize, spans: &[TextSpan], text: &str) {
        self.layout.pages += 1;
        let (width, height, left) = size_of(document, page);
        self.layout.wide_pages += u32::from(width > height);
        if page == 0 {
            self.layout.width = width.round() as u32;
            self.layout.height = height.round() as u32;
        }
        for line in text.lines() {
            self.layout.add_line(line);
        }
        let mut on_page: BTreeMap<u32, usize> = BTreeMap::new();
        for span in spans {
            *on_page.entry(half_points(span.font_size)).or_default() += letters_of(span);
            if !self.fonts.contains(&span.font_name) {
                self.fonts.insert(span.font_name.clone());
            }
        }
        if page == 0 {
            let largest = on_page
                .iter()
                .rev()
                .find(|(_, letters)| **letters >= TITLE_LETTERS);
            self.layout.title_size = largest.map_or(0, |(size, _)| *size);
        }
        for (size, letters) in on_page {
            *self.letters.entry(size).or_default() += letters;
        }
        self.layout.column_pages += u32::from(has_columns(spans, left + width / 2.0));
    }

    pub(crate) fn add_fields(&mut self, fields: u32) {
        self.layout.fields = self.layout.fields.saturating_add(fields);
    }

    pub(crate) fn layout(&self) -> Layout {
        let usual = self.letters.iter().max_by_key(|(_, letters)| **letters);
        Layout {
            text_size: usual.map_or(0, |(size, _)| *size),
            fonts: u32::try_from(self.fonts.len()).unwrap_or(u32::MAX),
            ..self.layout
        }
    }
}

/// Width, height and left border as they are seen: a page may be turned.
fn size_of(document: &PdfDocument, page: usize) -> (f32, f32, f32) {
    let Ok((left, bottom, right, top)) = document.get_page_visible_box(page) else {
        return (0.0, 0.0, 0.0);
    };
    let (width, height) = ((right - left).abs(), (top - bottom).abs());
    let turned = document.get_page_rotation(page).unwrap_or(0) % 180 != 0;
    if turned {
        // Places of letters are those of the page before it was turned: its middle is not looked for.
        (height, width, f32::NAN)
    } else {
        (width, height, left.min(right))
    }
}

fn letters_of(span: &TextSpan) -> usize {
    span.text.chars().filter(|c| !c.is_whitespace()).count()
}

fn has_columns(spans: &[TextSpan], middle: f32) -> bool {
    let (mut left, mut right, mut crossing) = (0, 0, 0);
    for span in spans {
        let letters = letters_of(span);
        let (from, to) = (span.bbox.x, span.bbox.x + span.bbox.width);
        if to <= middle + 3.0 {
            left += letters;
        } else if from >= middle - 3.0 {
            right += letters;
        } else {
            crossing += letters;
        }
    }
    let all = left + right + crossing;
    let share = |letters: usize| letters as f32 / all.max(1) as f32;
    // Words of one line may come one by one: then many end left of the middle, but lines go on beside them.
    all >= LETTERS_FOR_COLUMNS
        && share(crossing) <= CROSSING_MAX
        && share(left) >= HALF_MIN
        && share(right) >= HALF_MIN
        && begins_in_line(spans, middle)
}

/// Most letters right of the middle stand in lines that begin at one place there.
fn begins_in_line(spans: &[TextSpan], middle: f32) -> bool {
    // The places where the first piece of a line right of the middle begins, by height of the line.
    let mut lines: BTreeMap<i32, f32> = BTreeMap::new();
    for span in spans.iter().filter(|span| span.bbox.x >= middle - 3.0) {
        let line = lines
            .entry(span.bbox.y.clamp(-1e6, 1e6).round() as i32)
            .or_insert(f32::MAX);
        *line = line.min(span.bbox.x);
    }
    let mut places: BTreeMap<i32, usize> = BTreeMap::new();
    for from in lines.values() {
        *places
            .entry((from.clamp(-1e6, 1e6) / 6.0).round() as i32)
            .or_default() += 1;
    }
    let most = places.values().max().copied().unwrap_or(0);
    lines.len() >= 8 && most * 2 >= lines.len()
}
