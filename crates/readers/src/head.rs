//! The lines of a first page with the sizes of their letters: title and authors are told by them.

use crate::looks::half_points;
use gleaner_parse::documents::HeadLine;
use pdf_oxide::layout::TextSpan;

const LINES_MAX: usize = 80;
const SPANS_MAX: usize = 4000;
const LINE_CHARS_MAX: usize = 400;
/// By the size of the letters: what is further apart are words, and what is much further stands in another column.
const WORD_GAP: f32 = 0.15;
const COLUMN_GAP: f32 = 2.2;

/// From the top down, and in each line from the left.
pub(crate) fn lines(spans: &[TextSpan]) -> Vec<HeadLine> {
    let mut sorted: Vec<&TextSpan> = spans
        .iter()
        .filter(|span| !span.text.trim().is_empty() && span.bbox.y.is_finite() && span.bbox.x.is_finite())
        .take(SPANS_MAX)
        .collect();
    sorted.sort_by(|one, other| other.bbox.y.total_cmp(&one.bbox.y));
    let mut found = Vec::new();
    let mut at = 0;
    while at < sorted.len() && found.len() < LINES_MAX {
        let first = sorted[at];
        let near = first.font_size.max(4.0) * 0.4;
        let end = sorted[at..]
            .iter()
            .position(|span| first.bbox.y - span.bbox.y > near)
            .map_or(sorted.len(), |count| at + count);
        let mut line = sorted[at..end].to_vec();
        line.sort_by(|one, other| one.bbox.x.total_cmp(&other.bbox.x));
        cut(&line, &mut found);
        at = end;
    }
    found.truncate(LINES_MAX);
    found
}

fn cut(line: &[&TextSpan], found: &mut Vec<HeadLine>) {
    let mut text = String::new();
    // Letters of each size: marks of footnotes are small and few.
    let mut sizes: Vec<(u32, usize)> = Vec::new();
    let mut right = f32::NEG_INFINITY;
    for span in line {
        let gap = span.bbox.x - right;
        let size = span.font_size.max(4.0);
        if right.is_finite() && gap > COLUMN_GAP * size {
            end(&mut text, &mut sizes, found);
        } else if right.is_finite() && gap > WORD_GAP * size && !text.ends_with(' ') {
            text.push(' ');
        }
        if text.chars().count() < LINE_CHARS_MAX {
            text.push_str(&span.text);
        }
        let letters = span.text.chars().filter(|c| c.is_alphanumeric()).count();
        sizes.push((half_points(span.font_size), letters));
        right = span.bbox.x + span.bbox.width;
    }
    end(&mut text, &mut sizes, found);
}

fn end(text: &mut String, sizes: &mut Vec<(u32, usize)>, found: &mut Vec<HeadLine>) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let all: usize = sizes.iter().map(|(_, letters)| letters).sum();
    let mut by_size = std::mem::take(sizes);
    by_size.sort_unstable();
    // The size of the letter in the middle.
    let mut before = 0;
    let size = by_size.iter().find(|(_, letters)| {
        before += letters;
        before * 2 >= all
    });
    if !words.is_empty() {
        found.push(HeadLine {
            text: words.join(" "),
            size: size.map_or(0, |(size, _)| *size),
        });
    }
    text.clear();
}
