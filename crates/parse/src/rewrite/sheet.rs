//! CSS: the addresses of `url()` and `@import`.

use super::edit::{Edit, place_in};
use super::escape;
use super::link::Linker;
use crate::css;
use gleaner_model::LinkKind;

/// What the sheet lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// A file of its own, or raw text.
    Nothing,
    /// Text of an XML document or a drawing: an ampersand is the start of a reference.
    Markup,
}

/// The edits of a sheet that is a slice of `whole`.
pub(super) fn edits(whole: &[u8], sheet: &[u8], around: Around, linker: &mut Linker<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    css::scan(sheet, |raw| {
        if raw.is_empty() {
            return; // An empty address in CSS leads nowhere.
        }
        let mut text = linker.encoding.decode_without_bom_handling(raw).0;
        if around == Around::Markup && text.contains("&amp;") {
            text = text.replace("&amp;", "&").into();
        }
        let put = linker.put(&css::unescape(text), LinkKind::Style);
        if let (Some(at), Some(put)) = (place_in(whole, raw), put) {
            let with = escape::css(&put);
            let with = match around {
                Around::Nothing => with,
                Around::Markup => with.replace('&', "&amp;"),
            };
            edits.push(Edit { at, with });
        }
    });
    edits
}
