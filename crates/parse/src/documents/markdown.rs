//! Markdown as a document: headings, items, fenced code, tables and paragraphs; marks of stress are taken off.

use super::front_matter;
use super::page::decoded;
use super::pen::Pen;
use crate::kind::Kind;
use gleaner_model::BlockKind;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) {
    let text = decoded(Kind::Text, bytes, "");
    let mut fence: Option<&str> = None;
    let text = front_matter::read(&text, pen.metadata());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                pen.end(BlockKind::Code, 0);
                fence = None;
            } else {
                pen.push(line);
                pen.push("\n");
            }
            continue;
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if mark.is_some() {
            pen.paragraph();
            fence = mark;
            continue;
        }
        let marks = trimmed.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&marks) && trimmed.as_bytes().get(marks).is_none_or(|b| *b == b' ') {
            pen.paragraph();
            inline(trimmed[marks..].trim().trim_end_matches('#'), pen);
            pen.end(BlockKind::Heading, marks as u8);
        } else if let Some(level) = underline(lines.peek()).filter(|_| !trimmed.is_empty()) {
            lines.next();
            inline(trimmed, pen);
            pen.end(BlockKind::Heading, level);
        } else if let Some((depth, rest)) = item(line) {
            pen.paragraph();
            inline(rest, pen);
            pen.end(BlockKind::Item, depth);
        } else if trimmed.starts_with('|') && trimmed.ends_with('|') && trimmed.len() > 2 {
            pen.paragraph();
            row(trimmed, pen);
        } else if trimmed.is_empty() {
            pen.paragraph();
        } else {
            inline(trimmed.trim_start_matches('>').trim_start(), pen);
            pen.push(" ");
        }
    }
    let kind = if fence.is_some() {
        BlockKind::Code
    } else {
        BlockKind::Paragraph
    };
    pen.end(kind, 0);
}

/// A line under a heading: `=====` or `-----`.
fn underline(next: Option<&&str>) -> Option<u8> {
    let next = next?.trim_end();
    match next.as_bytes() {
        [b'=', b'=', b'=', ..] if next.bytes().all(|b| b == b'=') => Some(1),
        [b'-', b'-', b'-', ..] if next.bytes().all(|b| b == b'-') => Some(2),
        _ => None,
    }
}

fn item(line: &str) -> Option<(u8, &str)> {
    let trimmed = line.trim_start();
    let depth = ((line.len() - trimmed.len()) / 2).min(9) as u8 + 1;
    if let Some(rest) = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| trimmed.strip_prefix(mark))
    {
        return Some((depth, rest));
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = trimmed.get(digits..)?;
    let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?;
    (1..=4).contains(&digits).then_some((depth, rest))
}

fn row(line: &str, pen: &mut Pen) {
    let cells = line.trim_matches('|');
    if cells.bytes().all(|b| matches!(b, b'-' | b':' | b'|' | b' ')) {
        return;
    }
    for (index, cell) in cells.split('|').enumerate() {
        if index > 0 {
            pen.next_cell();
        }
        inline(cell, pen);
    }
    pen.end(BlockKind::Row, 0);
}

/// Links and pictures lose their marks, and so do stress and code.
fn inline(text: &str, pen: &mut Pen) {
    let mut rest = text;
    while let Some(at) = rest.find(['[', '*', '`', '!', '<']) {
        pen.push(&rest[..at]);
        rest = &rest[at..];
        if let Some((words, address, after)) = link(rest.strip_prefix('!').unwrap_or(rest)) {
            let is_picture = rest.starts_with('!');
            pen.push(words);
            if !is_picture {
                pen.link(address, words);
            }
            rest = after;
        } else if let Some((address, after)) = pointed(rest) {
            pen.push(address);
            pen.link(address, address);
            rest = after;
        } else {
            if !rest.starts_with(['*', '`']) {
                pen.push(&rest[..1]);
            }
            rest = &rest[1..];
        }
    }
    pen.push(rest);
}

fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    if words.len() > 2000 || words.contains('[') {
        return None;
    }
    let (address, after) = rest.split_once(')')?;
    let address = address.split_whitespace().next().unwrap_or("");
    Some((words, address, after))
}

fn pointed(text: &str) -> Option<(&str, &str)> {
    let (address, after) = text.strip_prefix('<')?.split_once('>')?;
    let is_address = address.starts_with("http://") || address.starts_with("https://");
    is_address.then_some((address, after))
}
