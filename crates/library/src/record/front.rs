//! The beginning of a document: its first page down to where the text begins.

use super::sections::is_abstract_head;
use gleaner_parse::documents::{HeadLine, Reading};

const PIECES_MAX: usize = 60;
const BYTES_MAX: usize = 6000;

/// Lines (or paragraphs, where lines are not known) above the abstract or the first section, and the text of the first page.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) lines: Vec<HeadLine>,
    /// The sizes of letters are known.
    pub(super) has_sizes: bool,
    /// All of the first page, or as much as is looked at.
    pub(super) text: String,
}

impl Front {
    pub(super) fn of(reading: &Reading) -> Front {
        let first_page = reading.pieces.first().map_or(0, |piece| piece.page);
        let mut text = String::new();
        for piece in reading.pieces.iter().take(PIECES_MAX) {
            if piece.page > first_page + 1 || text.len() > BYTES_MAX {
                break;
            }
            text.push_str(&piece.text);
            text.push('\n');
        }
        let head = &reading.metadata.head;
        let has_sizes = !head.is_empty();
        let all: Vec<HeadLine> = if has_sizes {
            head.clone()
        } else {
            let pieces = reading.pieces.iter().take(PIECES_MAX);
            pieces
                .map(|piece| HeadLine {
                    text: piece.text.clone(),
                    size: u32::from(7 - piece.level.min(6)) * u32::from(piece.level > 0),
                })
                .collect()
        };
        let end = all
            .iter()
            .position(|line| ends_front(&line.text))
            .unwrap_or(all.len());
        Front {
            lines: all[..end].to_vec(),
            has_sizes,
            text,
        }
    }
}

/// Where names end and text begins.
fn ends_front(line: &str) -> bool {
    if is_abstract_head(line) {
        return true;
    }
    let bare = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | 'I' | '§'));
    let lower = bare.to_lowercase();
    [
        "introduction",
        "ntroduction",
        "contents",
        "table of contents",
        "einleitung",
        "keywords",
        "key words",
    ]
    .iter()
    .any(|head| lower.trim_end_matches([':', '.']) == *head)
}
