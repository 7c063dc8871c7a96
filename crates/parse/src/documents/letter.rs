//! Letters as documents: the subject as heading, then the text of the parts that are meant to be read.
//!
//! Of parts that say the same in different ways the first is read. Attachments are named only.

use super::page::{read_html, read_lines};
use super::pen::Pen;
use crate::kind::Kind;
use crate::mail::Letter;
use crate::text::fold;
use gleaner_model::BlockKind;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) {
    let letter = Letter::read(without_postmark(bytes));
    let field = |name: &str| fold(&letter.field(name), 1000);
    let subject = field("subject");
    pen.metadata().title.clone_from(&subject);
    pen.metadata().authors = vec![field("from")];
    pen.metadata().created = Some(field("date")).filter(|date| !date.is_empty());
    pen.block(BlockKind::Heading, 1, &subject);
    let mut told = None;
    for part in &letter.parts {
        let Some((text, _)) = part.text() else {
            continue;
        };
        if part.alternative.is_some() && part.alternative == told {
            continue;
        }
        if text.trim().is_empty() {
            continue;
        }
        told = part.alternative;
        if part.kind() == Some(Kind::Html) {
            read_html(&text, pen);
        } else {
            read_lines(&text, pen);
        }
    }
    pen.metadata().title = subject;
}

/// A letter taken out of a mailbox begins with a line of the mailbox, which is no field.
fn without_postmark(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"From ") {
        return bytes;
    }
    let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
    &bytes[end..]
}
