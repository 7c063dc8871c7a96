//! The values of a page, each in its own form.

use super::edit::{Edit, apply_text, place_in};
use super::escape::{self, Quotes};
use super::link::Linker;
use super::sheet::{self, Around};
use crate::html::{Form, Placed, Syntax, decode_attribute, places, refresh, srcset, under};
use encoding_rs::UTF_8;
use gleaner_model::LinkKind;

/// Pages in attributes of pages in attributes: each is smaller than the one around it.
const SRCDOC_DEPTH_MAX: u32 = 3;

pub(super) fn edits(body: &[u8], syntax: Syntax, linker: &mut Linker<'_>) -> Vec<Edit> {
    let (placed, base) = places(body, syntax, linker.encoding);
    if let Some(base) = base {
        linker.set_base(&base);
    }
    placed
        .into_iter()
        .flat_map(|placed| edits_of(body, placed, linker, 0))
        .collect()
}

fn edits_of(whole: &[u8], placed: Placed<'_>, linker: &mut Linker<'_>, depth: u32) -> Vec<Edit> {
    match placed.form {
        Form::Sheet { is_raw } => {
            let around = if is_raw { Around::Nothing } else { Around::Markup };
            sheet::edits(whole, placed.value, around, linker)
        }
        Form::BoundName(name) => Vec::from_iter(without_attribute(whole, placed.value, name)),
        _ => Vec::from_iter(value_edit(whole, placed, linker, depth)),
    }
}

fn value_edit(whole: &[u8], placed: Placed<'_>, linker: &mut Linker<'_>, depth: u32) -> Option<Edit> {
    let at = place_in(whole, placed.value)?;
    let quotes = match at.start.checked_sub(1).map(|before| whole[before]) {
        Some(b'"' | b'\'') => Quotes::Some,
        _ if at.is_empty() => return None, // Neither value nor quotes.
        _ => Quotes::None,
    };
    let text = decode_attribute(placed.value, linker.encoding);
    let put = match placed.form {
        Form::Address(kind) => linker.put(&text, kind),
        Form::Under(codebase) => {
            let codebase = decode_attribute(codebase, linker.encoding);
            linker.put(&under(codebase.trim_ascii(), text.trim_ascii()), LinkKind::Object)
        }
        Form::Spaced => spaced(&text, linker),
        Form::Srcset => candidates(&text, linker),
        Form::Refresh => refreshed(&text, linker),
        Form::Style => styled(&text, linker),
        Form::Srcdoc => inner(&text, linker, depth),
        Form::Bound => Some(String::new()),
        Form::Sheet { .. } | Form::BoundName(_) => None,
    };
    put.map(|put| Edit {
        at,
        with: escape::attribute(&put, quotes),
    })
}

/// An attribute goes, name and all: from its name to the end of its value.
fn without_attribute(whole: &[u8], value: &[u8], name: &str) -> Option<Edit> {
    let at = place_in(whole, value)?;
    let mut head = &whole[..at.start];
    let mut end = at.end;
    if let [before @ .., quote @ (b'"' | b'\'')] = head
        && before.trim_ascii_end().ends_with(b"=")
        && whole.get(end) == Some(quote)
    {
        end += 1;
        head = before;
    }
    head = head.trim_ascii_end();
    head = head.strip_suffix(b"=").unwrap_or(head).trim_ascii_end();
    let start = head.len().checked_sub(name.len())?;
    head[start..].eq_ignore_ascii_case(name.as_bytes()).then(|| Edit {
        at: start..end,
        with: String::new(),
    })
}

fn spaced(text: &str, linker: &mut Linker<'_>) -> Option<String> {
    let mut is_changed = false;
    let mut put = Vec::new();
    for word in text.split_ascii_whitespace() {
        let new = linker.put(word, LinkKind::Other);
        is_changed |= new.is_some();
        put.push(new.unwrap_or_else(|| word.to_owned()));
    }
    is_changed.then(|| put.join(" "))
}

fn candidates(text: &str, linker: &mut Linker<'_>) -> Option<String> {
    let mut edits = Vec::new();
    srcset(text, |address| {
        if let (Some(at), Some(put)) = (
            place_in(text.as_bytes(), address.as_bytes()),
            linker.put(address, LinkKind::Image),
        ) {
            let with = match put.strip_suffix(',') {
                // A comma at its end would be one between candidates; an empty fragment keeps it apart and means nothing.
                Some(_) if !put.contains('#') => format!("{put}#"),
                Some(head) => format!("{head}%2C"),
                None => put,
            };
            edits.push(Edit { at, with });
        }
    });
    apply_text(text, edits)
}

fn refreshed(text: &str, linker: &mut Linker<'_>) -> Option<String> {
    let address = refresh(text)?;
    let at = place_in(text.as_bytes(), address.as_bytes())?;
    let mut with = linker.put(address, LinkKind::Refresh)?;
    if text[..at.start].ends_with('\'') {
        with = with.replace('\'', "%27"); // It would end the quotes that the address stands in.
    }
    apply_text(text, vec![Edit { at, with }])
}

fn styled(text: &str, linker: &mut Linker<'_>) -> Option<String> {
    let was = std::mem::replace(&mut linker.encoding, UTF_8);
    let edits = sheet::edits(text.as_bytes(), text.as_bytes(), Around::Nothing, linker);
    linker.encoding = was;
    apply_text(text, edits)
}

/// A page in an attribute. It shares the base of the page around it, and its queries are in UTF-8 like its text.
fn inner(text: &str, linker: &mut Linker<'_>, depth: u32) -> Option<String> {
    if depth >= SRCDOC_DEPTH_MAX {
        return None;
    }
    let was = std::mem::replace(&mut linker.encoding, UTF_8);
    let (placed, _) = places(text.as_bytes(), Syntax::Html, UTF_8);
    let edits = placed
        .into_iter()
        .flat_map(|placed| edits_of(text.as_bytes(), placed, linker, depth + 1))
        .collect();
    linker.encoding = was;
    apply_text(text, edits)
}
