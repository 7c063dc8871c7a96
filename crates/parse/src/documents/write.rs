//! A [`Reading`] as text, Markdown or HTML; the same for all formats.

use super::reading::{Piece, Reading};
use gleaner_model::BlockKind;
use std::fmt::Write;

/// A piece a line.
pub fn text(reading: &Reading) -> String {
    let mut out = String::new();
    for piece in shown(reading) {
        out.push_str(&piece.text);
        out.push('\n');
    }
    out
}

fn shown(reading: &Reading) -> impl Iterator<Item = &Piece> {
    reading.pieces.iter().filter(|piece| !piece.text.is_empty())
}

/// Blocks parted by empty lines; items and rows of one table follow each other.
pub fn markdown(reading: &Reading) -> String {
    let mut out = String::new();
    let mut last: Option<BlockKind> = None;
    for piece in shown(reading) {
        let goes_on = last == Some(piece.kind) && matches!(piece.kind, BlockKind::Item | BlockKind::Row);
        if last.is_some() && !goes_on {
            out.push('\n');
        }
        match piece.kind {
            BlockKind::Heading => {
                out.push_str(&"######"[..usize::from(piece.level.clamp(1, 6))]);
                out.push(' ');
                out.push_str(&linked(piece));
            }
            BlockKind::Item => {
                for _ in 1..piece.level {
                    out.push_str("  ");
                }
                out.push_str("- ");
                out.push_str(&linked(piece));
            }
            BlockKind::Row => {
                let _never_fails = write!(out, "| {} |", piece.text);
                if !goes_on {
                    out.push_str("\n|");
                    for _ in piece.text.split(" | ") {
                        out.push_str(" --- |");
                    }
                }
            }
            BlockKind::Code => {
                let fence = if piece.text.contains("```") { "~~~~" } else { "```" };
                let _never_fails = write!(out, "{fence}\n{}\n{fence}", piece.text);
            }
            BlockKind::Paragraph | BlockKind::Other => out.push_str(&linked(piece)),
        }
        out.push('\n');
        last = Some(piece.kind);
    }
    out
}

/// Text with its links where their words stand, what would read as a mark escaped.
fn linked(piece: &Piece) -> String {
    let mut out = String::new();
    walk_links(piece, &mut out, escape, |words, address, out| {
        let address = address.replace(' ', "%20").replace(')', "%29");
        let _never_fails = write!(out, "[{}]({address})", escape(words));
    });
    out
}

/// Finds each link's words behind those of the link before it.
fn walk_links(
    piece: &Piece,
    out: &mut String,
    plain: impl Fn(&str) -> String,
    link: impl Fn(&str, &str, &mut String),
) {
    let mut rest = piece.text.as_str();
    for target in &piece.links {
        if target.text.is_empty() {
            continue;
        }
        if let Some(at) = rest.find(&target.text) {
            out.push_str(&plain(&rest[..at]));
            link(&target.text, &target.address, out);
            rest = &rest[at + target.text.len()..];
        }
    }
    out.push_str(&plain(rest));
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '`' | '[' | ']' | '<' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A whole page, without scripts and styles.
pub fn html(reading: &Reading) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html");
    let metadata = &reading.metadata;
    if let Some(language) = &metadata.language {
        let _never_fails = write!(out, " lang=\"{}\"", markup(language));
    }
    let _never_fails = write!(
        out,
        ">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n",
        markup(&metadata.title)
    );
    let mut meta = |name: &str, value: &str| {
        let _never_fails = writeln!(out, "<meta name=\"{name}\" content=\"{}\">", markup(value));
    };
    for author in &metadata.authors {
        meta("author", author);
    }
    if let Some(description) = &metadata.description {
        meta("description", description);
    }
    if !metadata.keywords.is_empty() {
        meta("keywords", &metadata.keywords.join(", "));
    }
    for (name, date) in [("created", &metadata.created), ("modified", &metadata.modified)] {
        if let Some(date) = date {
            meta(name, date);
        }
    }
    out.push_str("</head>\n<body>\n");
    let mut group = "";
    let mut page = 0;
    for piece in shown(reading) {
        let wanted = match piece.kind {
            BlockKind::Item => "ul",
            BlockKind::Row => "table",
            _ => "",
        };
        if group != wanted && !group.is_empty() {
            let _never_fails = writeln!(out, "</{group}>");
        }
        if piece.page != page {
            page = piece.page;
            if group == wanted && !group.is_empty() {
                let _never_fails = writeln!(out, "</{group}>");
                group = "";
            }
            let _never_fails = writeln!(out, "<!-- page {page} -->");
        }
        if group != wanted && !wanted.is_empty() {
            let _never_fails = writeln!(out, "<{wanted}>");
        }
        group = wanted;
        let tag = match piece.kind {
            BlockKind::Heading => {
                ["h1", "h2", "h3", "h4", "h5", "h6"][usize::from(piece.level.clamp(1, 6)) - 1]
            }
            BlockKind::Item => "li",
            BlockKind::Code => "pre",
            _ => "p",
        };
        if piece.kind == BlockKind::Row {
            let cells: Vec<String> = piece
                .text
                .split(" | ")
                .map(|cell| format!("<td>{}</td>", markup(cell)))
                .collect();
            let _never_fails = writeln!(out, "<tr>{}</tr>", cells.concat());
            continue;
        }
        let mut inner = String::new();
        walk_links(piece, &mut inner, markup, |words, address, out| {
            let _never_fails = write!(out, "<a href=\"{}\">{}</a>", safe_address(address), markup(words));
        });
        let _never_fails = writeln!(out, "<{tag}>{inner}</{tag}>");
    }
    if !group.is_empty() {
        let _never_fails = writeln!(out, "</{group}>");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// No address that runs something when it is clicked.
fn safe_address(address: &str) -> String {
    let scheme = address
        .split(':')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    let is_plain = !address.contains(':')
        || matches!(
            scheme.as_str(),
            "http" | "https" | "mailto" | "ftp" | "tel" | "news"
        );
    if is_plain {
        markup(address)
    } else {
        String::from("#")
    }
}

fn markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
