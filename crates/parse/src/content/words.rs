//! The words of a page in one form: NFC, blanks folded to one, what cannot be seen left out.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Collects the text of a block.
#[derive(Debug, Default)]
pub(super) struct Words {
    out: String,
    blank_due: bool,
}

impl Words {
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Adds text, folding white space. The common case, plain ASCII words, is copied whole.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let plain = rest.bytes().take_while(u8::is_ascii_graphic).count();
            let width = if plain > 0 { plain } else { first.len_utf8() };
            let (piece, after) = rest.split_at(width);
            rest = after;
            if plain == 0 {
                if first.is_whitespace() {
                    self.blank();
                    continue;
                }
                if is_unseen(first) {
                    continue;
                }
            }
            if self.blank_due {
                self.blank_due = false;
                self.out.push(' ');
            }
            self.out.push_str(piece);
        }
    }

    /// A word border; it leaves no trace unless words follow.
    pub(super) fn blank(&mut self) {
        self.blank_due = !self.out.is_empty() && !self.out.ends_with(' ');
    }

    /// Adds text whose line breaks count.
    pub(super) fn push_lines(&mut self, text: &str) {
        self.blank_due = false;
        self.out
            .extend(text.chars().filter(|c| *c != '\r' && !is_unseen(*c)));
    }

    /// The line between two cells.
    pub(super) fn push_cell_border(&mut self) {
        self.blank_due = false;
        self.out
            .push_str(if self.out.ends_with(' ') { "| " } else { " | " });
    }

    /// Adds a mark that belongs to the word after it.
    pub(super) fn push_open(&mut self, mark: &str) {
        if std::mem::take(&mut self.blank_due) {
            self.out.push(' ');
        }
        self.out.push_str(mark);
    }

    /// Adds a mark that belongs to the word before it: a blank due is put behind it.
    pub(super) fn push_tight(&mut self, mark: &str) {
        self.out.push_str(mark);
    }

    /// Takes the text as it is so far; what follows starts afresh.
    pub(super) fn take(&mut self) -> String {
        self.blank_due = false;
        let mut text = std::mem::take(&mut self.out);
        text.truncate(text.trim_end_matches(' ').len());
        nfc(text)
    }

    /// As [`Words::take`], behind what is there; the room for words is kept.
    pub(super) fn take_into(&mut self, bytes: &mut Vec<u8>) {
        self.blank_due = false;
        let text = self.out.trim_end_matches(' ');
        if is_nfc(text) {
            bytes.extend_from_slice(text.as_bytes());
        } else {
            bytes.extend_from_slice(text.nfc().collect::<String>().as_bytes());
        }
        self.out.clear();
    }

    /// As [`Words::take`] for text whose line breaks count: no blanks at line ends, no empty lines around.
    pub(super) fn take_lines(&mut self) -> String {
        self.blank_due = false;
        let text = std::mem::take(&mut self.out);
        let mut lines = String::with_capacity(text.len());
        for line in text.trim_end().lines() {
            let line = line.trim_end();
            if lines.is_empty() && line.is_empty() {
                continue;
            }
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines.push_str(line);
        }
        nfc(lines)
    }
}

/// One text in the form of this module.
pub(crate) fn folded(text: &str) -> String {
    let mut words = Words::default();
    words.push(text);
    words.take()
}

fn nfc(text: String) -> String {
    if is_nfc(&text) {
        return text;
    }
    text.nfc().collect()
}

fn is_nfc(text: &str) -> bool {
    text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes
}

/// Soft hyphens, zero-width and direction marks, and control characters that are no white space.
fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' => true,
        _ => c.is_control(),
    }
}
