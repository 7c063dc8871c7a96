//! Is this string plainly an address?

/// What a string is used for, as far as it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Nobody says: only the string itself can.
    Unknown,
    /// A word of a comment or a text.
    Word,
    /// Behind an origin: only what begins with a slash.
    Behind,
    /// Under a name or in a call that mostly takes addresses.
    Known,
    /// Where somebody is sent to: any name is an address there.
    Goes,
}

const ADDRESS_BYTES_MAX: usize = 2048;

/// Extensions of documents and of programs that give pages: a name that ends so is an address by itself.
const DOCUMENTS: [&str; 38] = [
    "action", "asp", "aspx", "atom", "cfm", "cgi", "csv", "do", "doc", "docx", "epub", "htm", "html", "jsf",
    "jsp", "jspx", "markdown", "md", "odp", "ods", "odt", "pdf", "php", "php3", "php4", "php5", "phtml",
    "pl", "ppt", "pptx", "rss", "rtf", "shtml", "txt", "xhtml", "xls", "xlsx", "xml",
];

pub(crate) fn is_address(text: &str, used: Use) -> bool {
    let bytes = text.as_bytes();
    if !(2..=ADDRESS_BYTES_MAX).contains(&bytes.len()) || bytes.iter().any(|&b| is_foreign(b)) {
        return false;
    }
    // The beginning of one: the rest is put to it elsewhere.
    if matches!(bytes[bytes.len() - 1], b'=' | b'&' | b'?' | b'%' | b':' | b'$') {
        return false;
    }
    match bytes {
        [b'/', b'/', ..] => is_host(&text[2..]) && used != Use::Behind,
        [b'/', ..] if used == Use::Word => {
            let path = &text[1..];
            is_path(path, used)
                && (path.trim_end_matches('/').contains('/') && path.len() > 4 || has_document(path))
        }
        [b'/', ..] => is_path(&text[1..], used),
        _ if used == Use::Behind => false,
        _ if starts_with_scheme(text) => {
            let rest = &text[text.find("//").map_or(0, |at| at + 2)..];
            rest.len() >= 3 && rest.as_bytes()[0].is_ascii_alphanumeric() && !rest.contains('$')
        }
        [b'.', b'/', ..] | [b'.', b'.', b'/', ..] => {
            let path = text.trim_start_matches("../").trim_start_matches("./");
            let is_enough = used != Use::Word || has_document(path);
            is_path(path, used) && !path.starts_with('.') && is_enough
        }
        [b'?', b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] if used != Use::Word => {
            let value = text.split_once('=').map(|(_, value)| value);
            value.is_some_and(|value| !value.is_empty())
        }
        [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_', ..] => is_relative(text, used),
        _ => false,
    }
}

/// Bytes that no address has as people write it, and those of patterns and templates.
fn is_foreign(b: u8) -> bool {
    b <= b' '
        || matches!(
            b,
            0x7F | b'<' | b'>' | b'"' | b'\'' | b'`' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'*' | b'[' | b']'
        )
}

fn starts_with_scheme(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}

/// Whether this begins with the name of a host: `cdn.example.com/x`.
fn is_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or("");
    let name = host.split(':').next().unwrap_or("");
    let is_named =
        name.contains('.') && !name.starts_with('.') && !name.ends_with('.') || name == "localhost";
    is_named
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
}

/// What follows the first slash of an address.
fn is_path(path: &str, used: Use) -> bool {
    let enough = if used == Use::Unknown { 2 } else { 1 };
    let plain = path.split(['?', '#']).next().unwrap_or("");
    let is_opening = |b: u8| b.is_ascii_alphanumeric() || b"_~@%".contains(&b) || b >= 0x80;
    plain.len() >= enough
        && (plain.bytes().next().is_some_and(is_opening) || plain.starts_with(".well-known/"))
        && !plain.contains("//")
        && !plain.contains('$')
        // `/user/:id` is a pattern of routes.
        && !plain.contains("/:")
        && plain.bytes().any(|b| b.is_ascii_alphanumeric() || b >= 0x80)
        // Signs of dates and of what closes a block: `/YYYY/MM`, `/wp:paragraph`.
        && !(plain.contains(':') && used == Use::Word)
}

fn is_relative(text: &str, used: Use) -> bool {
    let path = text.split(['?', '#']).next().unwrap_or("");
    let is_name = path
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_./~%+,@!".contains(&b) || b >= 0x80);
    if !is_name || path.contains("//") || path.contains("...") || is_site(path) {
        return false;
    }
    match used {
        Use::Goes => !matches!(
            path,
            "GET" | "POST" | "get" | "post" | "about" | "_blank" | "_self" | "_top" | "_parent"
        ),
        Use::Known => {
            has_document(path)
                || path.contains('/') && !is_type(path)
                || has_extension(path)
                || text.len() > path.len()
        }
        Use::Unknown => has_document(path) && path.len() > 4,
        Use::Word | Use::Behind => false, // Only what is plain by its beginning.
    }
}

/// `www.example.com/x` without a scheme is no path.
fn is_site(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or("");
    first.starts_with("www.")
        || path.contains('/')
            && [".com", ".org", ".net", ".io"]
                .iter()
                .any(|end| first.ends_with(end))
}

/// `text/html` is a type, not a place.
fn is_type(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or("");
    let is_known = matches!(
        first,
        "text" | "image" | "audio" | "video" | "application" | "font" | "multipart" | "message" | "model"
    );
    is_known && path.split('/').count() == 2 && !has_extension(path)
}

fn extension(path: &str) -> Option<&str> {
    let path = path.split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

fn has_extension(path: &str) -> bool {
    extension(path).is_some_and(|extension| {
        (2..=5).contains(&extension.len())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
            && extension.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

fn has_document(path: &str) -> bool {
    extension(path).is_some_and(|extension| {
        DOCUMENTS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    })
}
