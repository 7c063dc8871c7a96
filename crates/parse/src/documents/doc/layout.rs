//! What paragraphs are, by the places of their ends: pages of paragraph properties ([MS-DOC] 2.9.181, `PapxFkp`).

use crate::documents::container::{u16_at, u32_at};

const PAGE: usize = 512;
const PAGES_MAX: usize = 100_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    /// 1 to 9, or 0.
    pub(super) heading: u8,
    /// Depth of a list item from 1, or 0.
    pub(super) item: u8,
    pub(super) is_in_table: bool,
    pub(super) is_row_end: bool,
}

/// Ranges of the text stream with what stands there, in order.
#[derive(Debug, Default)]
pub(super) struct Layout {
    runs: Vec<(u32, u32, Paragraph)>,
}

impl Layout {
    /// What cannot be read has no layout: then all are plain paragraphs.
    pub(super) fn read(main: &[u8], table: &[u8]) -> Layout {
        let mut layout = Layout::default();
        let _none = layout.try_read(main, table);
        layout.runs.sort_by_key(|(from, ..)| *from);
        layout
    }

    fn try_read(&mut self, main: &[u8], table: &[u8]) -> Option<()> {
        let from = u32_at(main, 0x0102)? as usize;
        let len = u32_at(main, 0x0106)? as usize;
        let bins = table.get(from..from.checked_add(len)?.min(table.len()))?;
        let count = (bins.len().checked_sub(4)? / 8).min(PAGES_MAX);
        for index in 0..count {
            let number = u32_at(bins, 4 * (count + 1) + 4 * index)? & 0x003F_FFFF;
            let from = number as usize * PAGE;
            if let Some(page) = main.get(from..from + PAGE) {
                self.page(page);
            }
        }
        Some(())
    }

    fn page(&mut self, page: &[u8]) -> Option<()> {
        let count = usize::from(page[PAGE - 1]);
        for index in 0..count {
            let from = u32_at(page, 4 * index)?;
            let to = u32_at(page, 4 * index + 4)?;
            let at = usize::from(*page.get(4 * (count + 1) + 13 * index)?) * 2;
            let paragraph = if at == 0 {
                Paragraph::default()
            } else {
                properties(page, at)
            };
            self.runs.push((from, to, paragraph));
        }
        Some(())
    }

    pub(super) fn at(&self, place: u32) -> Option<&Paragraph> {
        let index = self
            .runs
            .partition_point(|(from, ..)| *from <= place)
            .checked_sub(1)?;
        let (_, to, paragraph) = &self.runs[index];
        (place < *to).then_some(paragraph)
    }
}

fn properties(page: &[u8], at: usize) -> Paragraph {
    let mut paragraph = Paragraph::default();
    let _cut = try_properties(page, at, &mut paragraph);
    paragraph
}

fn try_properties(page: &[u8], at: usize, paragraph: &mut Paragraph) -> Option<()> {
    let words = usize::from(*page.get(at)?);
    let (from, len) = if words == 0 {
        (at + 2, 2 * usize::from(*page.get(at + 1)?))
    } else {
        (at + 1, 2 * words - 1)
    };
    let bytes = page.get(from..(from + len).min(PAGE))?;
    let style = u16_at(bytes, 0)?;
    if (1..=9).contains(&style) {
        paragraph.heading = style as u8;
    }
    let mut at = 2;
    let mut level = 0u8;
    while let Some(code) = u16_at(bytes, at) {
        at += 2;
        let operand = bytes.get(at).copied().unwrap_or(0);
        match code {
            0x2416 => paragraph.is_in_table = operand != 0,
            0x2417 => paragraph.is_row_end = operand != 0,
            0x260A => level = operand,
            0x460B => paragraph.item = u8::from(u16_at(bytes, at)? != 0),
            0x2640 if operand < 9 => paragraph.heading = operand + 1,
            _ => {}
        }
        at += match code >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ if code == 0xD608 => usize::from(u16_at(bytes, at)?) + 1,
            _ => usize::from(operand) + 1,
        };
    }
    if paragraph.item > 0 {
        paragraph.item = level.min(8) + 1;
    }
    Some(())
}
