//! A document for a copy of its site: the same bytes, but links that lead where the copy has them.
//!
//! In: a document with its URL and headers, and a function that knows the copy's files. Out: the document with its addresses
//! exchanged, or nothing where its bytes can stay as they are. What the copy has becomes a relative address; what it has not
//! becomes the whole address in the web, so that no link is broken that was not.
//!
//! The one idea: nothing is written anew. The scanners of [`crate::html`] and [`crate::css`] say where addresses stand, and only
//! those bytes are exchanged; what is put in is ASCII, so the document stays in its charset. Beside addresses only that goes
//! which is true only where the page came from (base, policies, digests of files that differ now), and a charset that the
//! server alone told is told by the document itself.
//!
//! | file | idea |
//! |---|---|
//! | `edit` | bytes exchanged in place |
//! | `link` | one address: where does it lead now? |
//! | `page` | the values of a page, each in its own form |
//! | `sheet` | CSS |
//! | `escape` | text that can stand in a value, whatever its quotes |
//! | `declare` | the charset, told by the document itself |

mod declare;
mod edit;
mod escape;
mod link;
mod page;
mod sheet;

#[cfg(test)]
mod tests;

use crate::headers::header;
use crate::html::Syntax;
use crate::{Kind, Parsed, charset, page as documents, sniff};
use edit::{Edit, apply};
use encoding_rs::UTF_8;
use gleaner_model::Url;
use link::Linker;

/// A document as it stands in a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rewritten {
    /// None: the bytes stay as they are.
    pub body: Option<Vec<u8>>,
    /// Links that lead to another file of the copy.
    pub inside: u64,
    /// Links that lead out of the copy, to the web.
    pub outside: u64,
}

/// Where a document lies in the copy, as a relative address from the page at hand: ASCII, escaped as URLs are, without a fragment.
/// None: the copy has it not.
pub type Find<'f> = &'f dyn Fn(&Url) -> Option<String>;

/// Rewrites a document. `url` is where it came from, `headers` have names in lower case, `body` has no content encodings.
pub fn rewrite(url: &Url, headers: &[(String, String)], body: &[u8], find: Find<'_>) -> Rewritten {
    let content_type = header(headers, "content-type");
    let nosniff =
        header(headers, "x-content-type-options").is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(content_type, nosniff, body);
    let mut parsed = Parsed {
        kind: sniffed.kind,
        media_type: sniffed.media_type,
        ..Parsed::default()
    };
    documents::name_by_root(body, false, &mut parsed);
    let is_drawing = parsed.media_type == "image/svg+xml";
    let language = match parsed.kind {
        Kind::Html => Language::Page(Syntax::Html),
        Kind::Xhtml => Language::Page(Syntax::Xml),
        Kind::Image | Kind::Xml if is_drawing => Language::Page(Syntax::Xml),
        Kind::Css => Language::Sheet,
        // Data in XML stays data: an `href` there may be a name.
        _ => return Rewritten::default(),
    };
    let tld = url.host().rsplit('.').next();
    let chosen = charset::choose(parsed.kind, content_type, tld, body);
    let encoding = chosen.encoding;
    if encoding.is_ascii_compatible() {
        let mut linker = Linker::new(url, encoding, find);
        let mut edits = language.edits(body, &mut linker);
        edits.extend(declare::charset(parsed.kind, &chosen, body));
        return linker.rewritten(apply(body, edits));
    }
    if language == Language::Page(Syntax::Xml) {
        return Rewritten::default(); // Its own declaration would be wrong in any other charset.
    }
    // Addresses in UTF-16 are no bytes that a scanner finds; the copy is in UTF-8 and says so by its first bytes.
    let text = encoding.decode_with_bom_removal(body).0;
    let mut linker = Linker::new(url, UTF_8, find);
    let edits = language.edits(text.as_bytes(), &mut linker);
    let mut whole = b"\xEF\xBB\xBF".to_vec();
    whole.extend(apply(text.as_bytes(), edits).unwrap_or_else(|| text.as_bytes().to_vec()));
    linker.rewritten(Some(whole))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Page(Syntax),
    Sheet,
}

impl Language {
    fn edits(self, body: &[u8], linker: &mut Linker<'_>) -> Vec<Edit> {
        match self {
            Language::Page(syntax) => page::edits(body, syntax, linker),
            Language::Sheet => sheet::edits(body, body, sheet::Around::Nothing, linker),
        }
    }
}
