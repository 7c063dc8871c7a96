//! The charset, told by the document itself: a file has no header that could.

use super::edit::Edit;
use crate::charset::{Chosen, prescan};
use crate::{CharsetSource, Kind, html};
use encoding_rs::UTF_8;

/// What is put in where only the server said in which charset these bytes are, and they would be read otherwise without it.
pub(super) fn charset(kind: Kind, chosen: &Chosen, body: &[u8]) -> Option<Edit> {
    if chosen.source != CharsetSource::Header || body.is_ascii() {
        return None;
    }
    let name = chosen.encoding.name();
    let (at, with) = match kind {
        Kind::Html => {
            // A mark before another one outranks it.
            let said = prescan(&body[..body.len().min(1024)]).or_else(|| html::late_meta(body));
            if said == Some(chosen.encoding) {
                return None;
            }
            (html::head_start(body), format!("<meta charset=\"{name}\">"))
        }
        Kind::Css => (0, format!("@charset \"{}\";\n", name.to_ascii_lowercase())),
        // XML without a declaration is UTF-8; one that has a declaration is not made to have two.
        _ if chosen.encoding == UTF_8 || body.trim_ascii_start().starts_with(b"<?xml") => return None,
        _ => (0, format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n")),
    };
    Some(Edit { at: at..at, with })
}
