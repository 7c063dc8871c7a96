//! What documents say about themselves, where several formats say it in the same way.

use super::container::{Cfb, Zip, u16_at, u32_at, u64_at};
use super::reading::{Metadata, Unread};
use crate::text::fold;
use crate::xml::{Piece, walk};
use std::collections::HashMap;

const VALUE_CHARS_MAX: usize = 2000;

/// `docProps/core.xml` of an office document, `meta.xml` of an `OpenDocument`: Dublin Core in both.
pub(super) fn dublin_core(xml: &str, metadata: &mut Metadata) {
    let mut names: Vec<String> = Vec::new();
    let mut text = String::new();
    let _partial = walk(xml, |piece| match piece {
        Piece::Start(element) => {
            text.clear();
            if element.name == "document-statistic" {
                let count = ["page-count", "table-count"]
                    .iter()
                    .find_map(|name| element.attribute(name));
                if let Some(count) = count.and_then(|count| count.parse().ok()) {
                    metadata.pages.get_or_insert(count);
                }
            }
            names.push(element.name.to_owned());
        }
        Piece::Text(more) => text.push_str(more),
        Piece::End => {
            let name = names.pop().unwrap_or_default();
            let value = fold(&text, VALUE_CHARS_MAX);
            text.clear();
            if !value.is_empty() {
                take(metadata, &name, value);
            }
        }
    });
}

fn take(metadata: &mut Metadata, name: &str, value: String) {
    match name {
        "title" if metadata.title.is_empty() => metadata.title = value,
        "creator" | "initial-creator" if metadata.authors.contains(&value) => {}
        "creator" | "initial-creator" => metadata.authors.push(value),
        "created" | "creation-date" => metadata.created = Some(value),
        "modified" | "date" => metadata.modified = Some(value),
        "language" => metadata.language = Some(value),
        "description" | "subject" => {
            metadata.description.get_or_insert(value);
        }
        "keywords" | "keyword" => {
            let words = value
                .split([',', ';'])
                .map(str::trim)
                .filter(|word| !word.is_empty());
            metadata.keywords.extend(words.map(str::to_owned));
        }
        _ => {}
    }
}

/// What the parts of an office document call each other: id to where it leads, and whether that is outside.
#[derive(Debug, Default)]
pub(super) struct Relations {
    targets: HashMap<String, Relation>,
}

#[derive(Debug)]
pub(super) struct Relation {
    /// Inside, a path from the root; outside, as written.
    pub(super) target: String,
    pub(super) kind: String,
    pub(super) is_outside: bool,
}

impl Relations {
    /// Those of a part, such as `word/document.xml`. A part without any has none.
    pub(super) fn of(zip: &Zip<'_>, part: &str) -> Result<Relations, Unread> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let at = format!("{folder}/_rels/{name}.rels");
        let mut relations = Relations::default();
        let Some(xml) = zip.text(at.trim_start_matches('/'))? else {
            return Ok(relations);
        };
        let _partial = walk(&xml, |piece| {
            let Piece::Start(element) = piece else { return };
            let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target")) else {
                return;
            };
            let is_outside = element
                .attribute("TargetMode")
                .is_some_and(|mode| mode.eq_ignore_ascii_case("external"));
            let kind = element.attribute("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or("").to_owned();
            let target = if is_outside {
                target
            } else {
                joined(folder, &target)
            };
            relations.targets.insert(
                id,
                Relation {
                    target,
                    kind,
                    is_outside,
                },
            );
        });
        Ok(relations)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Relation> {
        self.targets.get(id)
    }

    /// Where a link of the document leads; only what lies outside is one.
    pub(super) fn link(&self, id: &str) -> Option<&str> {
        let relation = self.targets.get(id)?;
        (relation.is_outside && relation.kind == "hyperlink").then_some(relation.target.as_str())
    }

    /// The first part of a kind, such as `notesSlide`.
    pub(super) fn of_kind(&self, kind: &str) -> Option<&str> {
        let mut found: Vec<&str> = self
            .targets
            .values()
            .filter(|relation| relation.kind == kind && !relation.is_outside)
            .map(|relation| relation.target.as_str())
            .collect();
        found.sort_unstable();
        found.first().copied()
    }
}

/// A path inside an archive, from a folder in it. `..` cannot lead out.
pub(super) fn joined(folder: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or("").replace('\\', "/");
    let mut parts: Vec<&str> = if target.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|part| !part.is_empty()).collect()
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The summary information of a compound file ([MS-OLEPS]).
pub(super) fn summary(cfb: &Cfb<'_>, metadata: &mut Metadata) {
    let Some(bytes) = cfb.stream("\u{5}SummaryInformation") else {
        return;
    };
    let _none = try_summary(&bytes, metadata);
}

fn try_summary(bytes: &[u8], metadata: &mut Metadata) -> Option<()> {
    let section = u32_at(bytes, 44)? as usize;
    let count = (u32_at(bytes, section + 4)? as usize).min(100);
    let mut codepage = 1252;
    let at = |index: usize| {
        let id = u32_at(bytes, section + 8 + 8 * index)?;
        let place = section.checked_add(u32_at(bytes, section + 12 + 8 * index)? as usize)?;
        Some((id, u32_at(bytes, place)?, place + 4))
    };
    for index in 0..count {
        if let Some((1, 2, place)) = at(index) {
            codepage = u16_at(bytes, place)?;
        }
    }
    let text = |kind: u32, place: usize| -> Option<String> {
        let len = u32_at(bytes, place)? as usize;
        let raw = bytes.get(place + 4..)?;
        let value = match kind {
            // Text in the code page; UTF-16 counts characters.
            30 if codepage == 1200 => utf16(&raw[..raw.len().min(len)]),
            30 => codepage_text(&raw[..raw.len().min(len)], codepage),
            31 => utf16(&raw[..raw.len().min(len.saturating_mul(2))]),
            _ => return None,
        };
        Some(fold(value.trim_end_matches('\0'), VALUE_CHARS_MAX)).filter(|value| !value.is_empty())
    };
    for index in 0..count {
        let Some((id, kind, place)) = at(index) else {
            continue;
        };
        match id {
            2 => metadata.title = text(kind, place).unwrap_or_default(),
            3 => metadata.description = text(kind, place),
            4 | 8 => {
                if let Some(name) = text(kind, place).filter(|name| !metadata.authors.contains(name)) {
                    metadata.authors.push(name);
                }
            }
            5 => {
                if let Some(words) = text(kind, place) {
                    metadata
                        .keywords
                        .extend(words.split([',', ';']).map(|word| word.trim().to_owned()));
                }
            }
            12 if kind == 64 => metadata.created = u64_at(bytes, place).and_then(file_time),
            13 if kind == 64 => metadata.modified = u64_at(bytes, place).and_then(file_time),
            14 if kind == 3 => metadata.pages = u32_at(bytes, place).filter(|pages| *pages > 0),
            _ => {}
        }
    }
    Some(())
}

pub(super) fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units)
}

/// Text in one of Windows' code pages.
pub(super) fn codepage_text(bytes: &[u8], codepage: u16) -> String {
    encoding_of(codepage)
        .decode_without_bom_handling(bytes)
        .0
        .into_owned()
}

pub(super) fn encoding_of(codepage: u16) -> &'static encoding_rs::Encoding {
    use encoding_rs as e;
    match codepage {
        65001 => e::UTF_8,
        1200 => e::UTF_16LE,
        866 => e::IBM866,
        874 => e::WINDOWS_874,
        932 | 10001 => e::SHIFT_JIS,
        936 | 10008 => e::GBK,
        949 | 1361 | 10003 => e::EUC_KR,
        950 | 10002 => e::BIG5,
        1250 | 10029 => e::WINDOWS_1250,
        1251 => e::WINDOWS_1251,
        1253 => e::WINDOWS_1253,
        1254 => e::WINDOWS_1254,
        1255 => e::WINDOWS_1255,
        1256 => e::WINDOWS_1256,
        1257 => e::WINDOWS_1257,
        1258 => e::WINDOWS_1258,
        10000 => e::MACINTOSH,
        10007 => e::X_MAC_CYRILLIC,
        20866 => e::KOI8_R,
        28592 => e::ISO_8859_2,
        28595 => e::ISO_8859_5,
        54936 => e::GB18030,
        _ => e::WINDOWS_1252,
    }
}

/// Tenths of microseconds since 1601, as RFC 3339; `None` for none.
fn file_time(ticks: u64) -> Option<String> {
    let seconds = (ticks / 10_000_000).checked_sub(11_644_473_600)?;
    if ticks == 0 {
        return None;
    }
    let date = super::sheet::date_of_days(seconds as i64 / 86_400);
    let clock = seconds % 86_400;
    Some(format!(
        "{date}T{:02}:{:02}:{:02}Z",
        clock / 3600,
        clock / 60 % 60,
        clock % 60
    ))
}
