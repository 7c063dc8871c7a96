//! `PowerPoint`'s slides up to 2003 ([MS-PPT]): records in records. Saving appends, so only what the newest directory of
//! objects names is read; where there is none, everything in the order in which it lies.

use super::container::{Cfb, u16_at, u32_at};
use super::pen::Pen;
use super::properties::{codepage_text, summary, utf16};
use super::reading::Unread;
use gleaner_model::BlockKind;
use std::collections::HashMap;

const EDITS_MAX: usize = 1000;
const RECORDS_MAX: usize = 2_000_000;

const DOCUMENT: u16 = 0x03E8;
const SLIDE_PLACE: u16 = 0x03F3;
const MASTER: u16 = 0x03F8;
const NOTES: u16 = 0x03F0;
const TEXT_REFERENCE: u16 = 0x0F9E;
const TEXT_HEAD: u16 = 0x0F9F;
const TEXT_WIDE: u16 = 0x0FA0;
const TEXT_NARROW: u16 = 0x0FA8;
const STRING: u16 = 0x0FBA;
const HYPERLINK: u16 = 0x0FD7;
const SLIDE_LIST: u16 = 0x0FF0;
const EDIT: u16 = 0x0FF5;
const DIRECTORY: u16 = 0x1772;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let cfb = Cfb::open(bytes)?;
    summary(&cfb, pen.metadata());
    let Some(stream) = cfb.stream("PowerPoint Document") else {
        return Err(Unread::damaged("slides of PowerPoint 4 and older are not read"));
    };
    let user = cfb.stream("Current User").unwrap_or_default();
    // Another number stands there where the rest is locked.
    if u32_at(&user, 12) == Some(0xF3D1_C4DF) {
        return Err(Unread::Encrypted);
    }
    let deck = Deck { bytes: &stream };
    let places = deck.directory(u32_at(&user, 16).unwrap_or(u32::MAX) as usize);
    let document = places
        .as_ref()
        .and_then(|(places, document)| places.get(document).copied())
        .and_then(|place| deck.record(place as usize))
        .filter(|record| record.kind == DOCUMENT);
    match (&places, document) {
        (Some((places, _)), Some(document)) => deck.slides(&document, places, pen),
        _ => deck.everything(pen),
    }
    deck.links(pen);
    Ok(())
}

#[derive(Debug, Clone, Copy)]
struct Record {
    kind: u16,
    instance: u16,
    is_container: bool,
    from: usize,
    to: usize,
}

struct Deck<'a> {
    bytes: &'a [u8],
}

/// Slides by their place in the file, each with its texts and their kinds.
type Slides = Vec<(Option<u32>, Vec<(u32, String)>)>;

impl Deck<'_> {
    fn record(&self, at: usize) -> Option<Record> {
        let head = u16_at(self.bytes, at)?;
        let len = u32_at(self.bytes, at + 4)? as usize;
        Some(Record {
            kind: u16_at(self.bytes, at + 2)?,
            instance: head >> 4,
            is_container: head & 15 == 15,
            from: at + 8,
            to: (at + 8).saturating_add(len).min(self.bytes.len()),
        })
    }

    /// The records of a range, in order; `enter` says whether to go into a container.
    fn walk(&self, from: usize, to: usize, mut each: impl FnMut(&Record) -> bool) {
        let mut at = from;
        for _ in 0..RECORDS_MAX {
            if at + 8 > to {
                return;
            }
            let Some(record) = self.record(at) else { return };
            let enters = each(&record) && record.is_container;
            at = if enters {
                record.from
            } else {
                record.to.max(at + 8)
            };
        }
    }

    /// Where objects lie by their numbers, and the number of the document.
    fn directory(&self, newest: usize) -> Option<(HashMap<u32, u32>, u32)> {
        let mut places = HashMap::new();
        let mut document = None;
        let mut at = newest;
        for _ in 0..EDITS_MAX {
            let edit = self.record(at).filter(|record| record.kind == EDIT)?;
            document.get_or_insert(u32_at(self.bytes, edit.from + 16)?);
            let place = u32_at(self.bytes, edit.from + 12)? as usize;
            let directory = self.record(place).filter(|record| record.kind == DIRECTORY)?;
            let mut from = directory.from;
            while from + 4 <= directory.to {
                let head = u32_at(self.bytes, from)?;
                from += 4;
                for n in 0..head >> 20 {
                    let Some(place) = u32_at(self.bytes, from).filter(|_| from + 4 <= directory.to) else {
                        break;
                    };
                    places.entry((head & 0x000F_FFFF) + n).or_insert(place);
                    from += 4;
                }
            }
            at = u32_at(self.bytes, edit.from + 8)? as usize;
            if at == 0 {
                break;
            }
        }
        Some((places, document?))
    }

    fn slides(&self, document: &Record, places: &HashMap<u32, u32>, pen: &mut Pen) {
        let mut slides: Slides = Vec::new();
        let mut kind = 4;
        let mut in_list = false;
        self.walk(document.from, document.to, |record| {
            match record.kind {
                SLIDE_LIST => {
                    in_list = record.instance == 0;
                    return in_list;
                }
                SLIDE_PLACE if in_list => {
                    let number = u32_at(self.bytes, record.from).unwrap_or(0);
                    slides.push((places.get(&number).copied(), Vec::new()));
                }
                TEXT_HEAD => kind = u32_at(self.bytes, record.from).unwrap_or(4),
                TEXT_WIDE | TEXT_NARROW if in_list => {
                    if let Some((_, texts)) = slides.last_mut() {
                        texts.push((kind, self.text(record)));
                    }
                }
                _ => {}
            }
            false
        });
        pen.metadata().pages = Some(slides.len() as u32);
        for (index, (place, texts)) in slides.iter().enumerate() {
            pen.page(index as u32 + 1);
            let slide = place.and_then(|place| self.record(place as usize));
            self.slide(slide.as_ref(), texts, pen);
        }
    }

    /// Shapes hold their text, or the number of one in the document's list.
    fn slide(&self, slide: Option<&Record>, listed: &[(u32, String)], pen: &mut Pen) {
        let mut texts: Vec<(u32, String)> = Vec::new();
        let mut told = vec![false; listed.len()];
        if let Some(slide) = slide {
            let mut kind = 4;
            self.walk(slide.from, slide.to, |record| {
                match record.kind {
                    TEXT_REFERENCE => {
                        let index = u32_at(self.bytes, record.from).unwrap_or(u32::MAX) as usize;
                        if let Some(text) = listed.get(index).filter(|_| !told[index]) {
                            told[index] = true;
                            texts.push(text.clone());
                        }
                    }
                    TEXT_HEAD => kind = u32_at(self.bytes, record.from).unwrap_or(4),
                    TEXT_WIDE | TEXT_NARROW => texts.push((kind, self.text(record))),
                    _ => {}
                }
                true
            });
        }
        let untold = listed
            .iter()
            .zip(&told)
            .filter(|(_, told)| !**told)
            .map(|(text, _)| text.clone());
        let all: Vec<(u32, String)> = untold.chain(texts).collect();
        for (kind, text) in &all {
            say(*kind, text, pen);
        }
    }

    fn everything(&self, pen: &mut Pen) {
        let mut kind = 4;
        self.walk(0, self.bytes.len(), |record| {
            match record.kind {
                MASTER | NOTES => return false,
                TEXT_HEAD => kind = u32_at(self.bytes, record.from).unwrap_or(4),
                TEXT_WIDE | TEXT_NARROW => say(kind, &self.text(record), pen),
                _ => {}
            }
            true
        });
    }

    fn text(&self, record: &Record) -> String {
        let bytes = self.bytes.get(record.from..record.to).unwrap_or(&[]);
        if record.kind == TEXT_WIDE {
            utf16(bytes)
        } else {
            codepage_text(bytes, 1252)
        }
    }

    /// Links are listed by themselves; which words carry them is not looked up.
    fn links(&self, pen: &mut Pen) {
        let mut in_link = None;
        self.walk(0, self.bytes.len(), |record| {
            match record.kind {
                HYPERLINK => in_link = Some(record.to),
                STRING if record.instance == 1 && in_link.is_some_and(|to| record.to <= to) => {
                    let address = utf16(self.bytes.get(record.from..record.to).unwrap_or(&[]));
                    pen.link(&address, "");
                }
                _ => {}
            }
            true
        });
        pen.end(BlockKind::Other, 0);
    }
}

/// Kinds: 0 title, 1 body, 5 centred body, 6 centred title, 7 and 8 half bodies; others are text of shapes.
fn say(kind: u32, text: &str, pen: &mut Pen) {
    for line in text.split('\r') {
        let line = line.replace('\u{b}', "\n");
        let line: String = line
            .chars()
            .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
            .collect();
        match kind {
            0 | 6 => pen.block(BlockKind::Heading, 2, &line),
            1 | 5 | 7 | 8 => pen.block(BlockKind::Item, 1, &line),
            _ => pen.block(BlockKind::Paragraph, 0, &line),
        }
    }
}
