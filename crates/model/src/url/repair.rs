//! What did the author mean to write? (A9, HC033)
//!
//! In goes a link as it stood on the page, out comes a part of it, or a corrected copy, for the WHATWG parser, which
//! itself repairs tabs, line breaks, backslashes, spaces in paths and too many slashes after `http:`.
//!
//! The one rule: a repair never sends us silently to another host. Each repair below either leaves the host as it
//! stands in the text, or is made only where a browser would see no URL at all or where the text names the very host
//! of the page. `http:/x` on a page of the same scheme therefore means the path `/x`, as in a browser.

use std::borrow::Cow;

use super::Url;

/// Marks that wrap a URL in running text or are left over from careless quoting; the entities are escaped twice.
const OPENING: &[&str] = &[
    "\"", "“", "”", "„", "‘", "’", "‚", "&quot;", "&#34;", "&#x22;", "&ldquo;", "&rdquo;", "'", "&#39;",
    "&apos;",
];
const CLOSING: &[&str] = &[
    "\"", "“", "”", "’", "‘", "'", "&quot;", "&#34;", "&#x22;", "&rdquo;", "&ldquo;", "&#39;", "&apos;",
];
/// Signs that no URL holds unescaped, so one that stands alone at the end of a path is a left-over, as from
/// `<a href=http://x/a">`. In a query it may be meant: `?q="two words"`, `?size=19"`.
const DOUBLE: [char; 4] = ['"', '“', '”', '„'];

/// Misspelt schemes, taken for what they mean only where `//` follows: a letter lost, doubled, swapped with its
/// neighbour, or typed in its place. The list is closed on purpose: `shttp`, `httpu` and others one letter away are
/// schemes of their own. The host stays as written, so a wrong guess can never lead to another one.
const MISSPELT: &[(&str, &str)] = &[
    ("htp", "http"),
    ("ttp", "http"),
    ("htt", "http"),
    ("hhttp", "http"),
    ("htttp", "http"),
    ("httpp", "http"),
    ("htpp", "http"),
    ("hhtp", "http"),
    ("thtp", "http"),
    ("htpt", "http"),
    ("hptt", "http"),
    ("htps", "https"),
    ("ttps", "https"),
    ("htts", "https"),
    ("hhttps", "https"),
    ("htttps", "https"),
    ("httpps", "https"),
    ("httpss", "https"),
    ("htpps", "https"),
    ("hhtps", "https"),
    ("thtps", "https"),
    ("htpts", "https"),
    ("hptts", "https"),
    ("httsp", "https"),
];

/// White space and control characters at the ends, as WHATWG strips them: the part that nearly all links need.
pub(super) fn trim_plain(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// The same, and what comes along when a link is copied from a text: no-break and zero-width spaces, marks of
/// direction and byte order.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    })
}

/// The scheme of an absolute URL, in lower case, and what follows its colon. Tabs and line breaks inside do not hide
/// it, as they would not from a browser.
pub(super) fn scheme(text: &str) -> Option<(String, &str)> {
    /// The longest registered scheme has 36 letters.
    const SCHEME_CHARS_MAX: usize = 64;
    let mut scheme = String::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\t' | b'\n' | b'\r' => {}
            b':' if !scheme.is_empty() => return Some((scheme, &text[at + 1..])),
            b'a'..=b'z' | b'A'..=b'Z' => scheme.push(char::from(byte.to_ascii_lowercase())),
            b'0'..=b'9' | b'+' | b'-' | b'.' if !scheme.is_empty() => scheme.push(char::from(byte)),
            _ => return None,
        }
        if scheme.len() > SCHEME_CHARS_MAX {
            return None;
        }
    }
    None
}

/// All repairs, in order. The fragment goes first: it is no part of the address.
pub(super) fn repair<'a>(text: &'a str, base: Option<&Url>) -> Cow<'a, str> {
    let text = trim(text);
    let text = &text[..text.find('#').map_or(text.len(), |at| fragment_cut(text, at))];
    let text = doubled_scheme(unwrapped(text));
    if let Some(repaired) = misspelt_scheme(text).or_else(|| lost_separator(text, base)) {
        return Cow::Owned(repaired);
    }
    match space_before_host(text).or_else(|| too_many_slashes(text, base)) {
        Some(repaired) => Cow::Owned(repaired),
        None => Cow::Borrowed(text),
    }
}

/// Where to cut off the fragment that begins at `hash`. A space before it is inside the URL for browsers; the sign is
/// left to mark it as such.
fn fragment_cut(text: &str, hash: usize) -> usize {
    if text[..hash].ends_with(|c: char| c <= ' ') {
        hash + 1
    } else {
        hash
    }
}

/// Takes off quotes and angle brackets around the URL, in whatever order they are nested.
fn unwrapped(mut text: &str) -> &str {
    const LAYERS_MAX: usize = 4;
    for _ in 0..LAYERS_MAX {
        match without_layer(text) {
            Some(inside) => text = trim(inside),
            None => break,
        }
    }
    text
}

fn without_layer(text: &str) -> Option<&str> {
    if let Some(inside) = text.strip_prefix('<') {
        let inside = inside.strip_suffix('>').unwrap_or(inside);
        return scheme(inside).is_some().then_some(inside);
    }
    // `<URL:http://…>` was the recommended way to write one in a text (RFC 3986, appendix C).
    if let Some((label, rest)) = scheme(text)
        && label == "url"
    {
        return scheme(trim(rest)).is_some().then_some(rest);
    }
    for open in OPENING {
        let Some(rest) = text.strip_prefix(open) else {
            continue;
        };
        let inside = CLOSING.iter().find_map(|close| rest.strip_suffix(close));
        if inside.is_none() && matches!(*open, "'" | "’" | "‘") && scheme(rest).is_none() {
            return None; // A file may well be called 'tis.html.
        }
        return Some(inside.unwrap_or(rest));
    }
    let inside = text.strip_suffix(DOUBLE)?;
    (!inside.contains(DOUBLE) && !inside.contains('?')).then_some(inside)
}

/// `http://http://example.com/`: the second one counts; no host is called `http`.
fn doubled_scheme(mut text: &str) -> &str {
    while let Some(rest) = after_web_scheme(text, "://") {
        if after_web_scheme(rest, "://").is_none() {
            break;
        }
        text = rest;
    }
    text
}

/// What follows `http` or `https` and `separator`.
fn after_web_scheme<'a>(text: &'a str, separator: &str) -> Option<&'a str> {
    let letters = text
        .get(..4)
        .filter(|scheme| scheme.eq_ignore_ascii_case("http"))?
        .len();
    let rest = &text[letters..];
    let rest = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    rest.strip_prefix(separator)
}

fn misspelt_scheme(text: &str) -> Option<String> {
    let (written, rest) = scheme(text)?;
    let (_, meant) = MISSPELT.iter().find(|(wrong, _)| *wrong == written)?;
    let names_host = rest.starts_with("//") || rest.starts_with("\\\\");
    names_host.then(|| format!("{meant}:{rest}"))
}

/// Whether `text` has a scheme that is none and is read as one of the web's: `htp://x`, `url:http://x`. Cheap for what
/// pages are full of (`mailto:`, `javascript:`).
pub(super) fn mends_scheme(text: &str) -> bool {
    let Some((written, rest)) = scheme(text) else {
        return false;
    };
    if written != "url" && !rest.starts_with(['/', '\\']) {
        return false;
    }
    let repaired = repair(text, None);
    scheme(&repaired).is_some_and(|(meant, _)| meant != written && matches!(meant.as_str(), "http" | "https"))
}

/// Whether the author of this link made a mistake that was put right, here or by the parser: what is then fetched is
/// not what stands on the page. `text` is trimmed.
pub(super) fn is_mistaken(text: &str, base: &Url) -> bool {
    let end = text.find('#').unwrap_or(text.len());
    let before_query = text[..end].find('?').unwrap_or(end);
    if text[..end]
        .bytes()
        .any(|b| matches!(b, b'\t' | b'\n' | b'\r' | b' '))
        || text[..before_query].contains('\\')
    {
        return true;
    }
    let repaired = repair(text, Some(base));
    if matches!(repaired, Cow::Owned(_)) || repaired.len() != end {
        return true;
    }
    // Too many slashes after the scheme, or too few on a page of the other one.
    let rest = after_web_scheme(text, ":");
    rest.is_some_and(|rest| rest.len() - rest.trim_start_matches('/').len() != 2)
}

/// `http//x`, `http;//x`, `http:://x`, and `http:/x` or `http:x` on a page of `x` itself.
fn lost_separator(text: &str, base: Option<&Url>) -> Option<String> {
    for separator in ["://", ":\\", ":/\\", "//", ";//", ":://", ":/", ":"] {
        let Some(rest) = after_web_scheme(text, separator) else {
            continue;
        };
        let authority = &rest[..rest.find(['/', '\\', '?']).unwrap_or(rest.len())];
        // What stands before an `@` is no host, whatever it looks like.
        let host = if authority.contains('@') {
            ""
        } else {
            &authority[..authority.find(':').unwrap_or(authority.len())]
        };
        let repairable = match (separator, base) {
            // In order, or put in order by the parser.
            ("://" | ":\\" | ":/\\", _) | (":/" | ":", None) => false,
            (_, None) => !authority.is_empty(),
            (_, Some(base)) => !host.is_empty() && host.eq_ignore_ascii_case(base.host()),
        };
        let scheme = &text[..text.len() - rest.len() - separator.len()];
        return repairable.then(|| format!("{scheme}://{rest}"));
    }
    None
}

/// `http:// example.com/`: a host cannot begin with a space, so nothing else can be meant.
fn space_before_host(text: &str) -> Option<String> {
    let rest = after_web_scheme(text, "://")?;
    let trimmed = rest.trim_start_matches(' ');
    let head = &text[..text.len() - rest.len()];
    (trimmed.len() < rest.len()).then(|| format!("{head}{trimmed}"))
}

/// `///x.example/` on a page: browsers see `//x.example/`, our parser would see an empty host.
fn too_many_slashes(text: &str, base: Option<&Url>) -> Option<String> {
    if !matches!(base?.scheme(), "http" | "https" | "ftp") {
        return None;
    }
    let rest = text.trim_start_matches(['/', '\\']);
    (text.len() - rest.len() > 2).then(|| format!("//{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_repair_is_not_copied() {
        for text in [
            "http://a.test/x",
            "/x/y?z=1",
            "../x",
            "?q=\"two words\"",
            "'tis.html",
            "mailto:a@b.test",
            "x y",
        ] {
            assert!(
                matches!(repair(text, None), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn schemes_are_seen_through_line_breaks() {
        assert_eq!(
            scheme("java\nscript:alert(1)"),
            Some(("javascript".to_owned(), "alert(1)"))
        );
        assert_eq!(scheme("HTTP://x"), Some(("http".to_owned(), "//x")));
        for text in ["", ":x", "/a:b", "a/b:c", "1a:b", "a b:c", "?a:b"] {
            assert_eq!(scheme(text), None, "{text}");
        }
    }
}
