//! Books: a ZIP with a package file that names chapters in reading order (EPUB 2 and 3). Chapters are XHTML.

use super::container::Zip;
use super::page::read_html;
use super::pen::Pen;
use super::properties::{dublin_core, joined};
use super::reading::Unread;
use crate::xml::{Piece, walk};
use std::collections::HashMap;

const CHAPTERS_MAX: usize = 5000;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let zip = Zip::open(bytes)?;
    let package = package_of(&zip)?.ok_or_else(|| Unread::damaged("the book has no package file"))?;
    let Some(xml) = zip.text(&package)? else {
        return Err(Unread::damaged("the book's package file is missing"));
    };
    dublin_core(&xml, pen.metadata());
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let chapters = spine(&xml, folder);
    let is_locked = zip.has("META-INF/encryption.xml");
    let mut read_any = false;
    for (index, chapter) in chapters.iter().enumerate() {
        let Some(html) = zip.text(chapter)? else { continue };
        pen.page(index as u32 + 1);
        read_html(&html, pen);
        read_any = true;
        if pen.is_full() {
            break;
        }
    }
    if !read_any {
        return Err(if is_locked {
            Unread::Encrypted
        } else {
            Unread::damaged("the book's chapters are missing")
        });
    }
    Ok(())
}

fn package_of(zip: &Zip<'_>) -> Result<Option<String>, Unread> {
    let mut package = None;
    if let Some(xml) = zip.text("META-INF/container.xml")? {
        let _partial = walk(&xml, |piece| {
            if let Piece::Start(element) = piece
                && element.name == "rootfile"
                && package.is_none()
            {
                package = element.attribute("full-path");
            }
        });
    }
    let found = package.filter(|package| zip.has(package));
    Ok(found.or_else(|| {
        zip.names()
            .find(|name| name.to_ascii_lowercase().ends_with(".opf"))
            .map(str::to_owned)
    }))
}

/// The chapters in reading order.
fn spine(xml: &str, folder: &str) -> Vec<String> {
    let mut items: HashMap<String, (String, String)> = HashMap::new();
    let mut chapters = Vec::new();
    let _partial = walk(xml, |piece| {
        let Piece::Start(element) = piece else { return };
        let attribute = |name: &str| element.attribute(name).unwrap_or_default();
        match element.name {
            "item" => {
                items.insert(attribute("id"), (attribute("href"), attribute("media-type")));
            }
            "itemref" if chapters.len() < CHAPTERS_MAX => {
                if let Some((href, media_type)) = items.get(&attribute("idref"))
                    && (media_type.contains("html") || media_type.is_empty() || media_type.contains("xml"))
                {
                    chapters.push(joined(folder, &percent_decoded(href)));
                }
            }
            _ => {}
        }
    });
    chapters
}

fn percent_decoded(href: &str) -> String {
    let mut out = Vec::with_capacity(href.len());
    let bytes = href.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes
            .get(at + 1..at + 3)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
