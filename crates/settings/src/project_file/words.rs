//! The small texts of a project file: addresses, patterns, values and secrets, names.

use super::section::{At, Notes};
use gleaner_model::Url;
use gleaner_model::project::PatternKind;
use gleaner_model::steps::Value;
use gleaner_model::url::UrlError;
use std::ops::Range;

/// What can be part of a project's name besides letters and digits. Dots and colons, because a crawl without a name is
/// called after its host.
const NAME_SIGNS: [char; 4] = ['-', '_', '.', ':'];

/// What is wrong with a project's name, and what would be right.
pub fn check_name(name: &str) -> Result<(), (String, String)> {
    const FORM: &str = "a name consists of letters, digits, - and _, such as my-board";
    if name.trim().is_empty() {
        return Err(("the name is empty".to_owned(), FORM.to_owned()));
    }
    let is_good = |c: char| c.is_alphanumeric() || NAME_SIGNS.contains(&c);
    let better = || {
        let kept: String = name
            .trim()
            .chars()
            .map(|c| if is_good(c) { c } else { '-' })
            .collect();
        let kept = kept.trim_matches(['-', '.', ':']).trim_end_matches(".toml");
        if kept.is_empty() {
            FORM.to_owned()
        } else {
            format!("{FORM}; \"{kept}\" would do")
        }
    };
    if let Some(bad) = name.chars().find(|c| !is_good(*c)) {
        let shown = if bad == ' ' {
            "a space".to_owned()
        } else {
            format!("`{bad}`")
        };
        return Err((format!("a name cannot contain {shown}"), better()));
    }
    if name.starts_with(['-', '.', ':']) {
        return Err(("a name must begin with a letter or a digit".to_owned(), better()));
    }
    if name.to_lowercase().ends_with(".toml") {
        let what = "a name cannot end in .toml, like a project file".to_owned();
        return Err((what, better()));
    }
    Ok(())
}

/// Whether a source is a folder or file of this machine rather than an address.
pub fn is_path(text: &str) -> bool {
    let begins = ["/", "./", "../", "~/"]
        .iter()
        .any(|start| text.starts_with(start));
    (begins && !text.starts_with("//")) || text == "." || text == ".." || text == "~"
}

/// A source: an address, or a path, which stays as it is until somebody knows where it begins.
pub(crate) fn source((text, at): &At<String>, notes: &mut Notes) -> Option<String> {
    let text = text.trim();
    if is_path(text) {
        return Some(text.to_owned());
    }
    address(text, at, notes)
}

/// An address in its canonical form.
pub(crate) fn address(text: &str, at: &Range<usize>, notes: &mut Notes) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        notes.wrong(at, "an address is empty", "write https://… or leave it out");
        return None;
    }
    if is_path(text) {
        let path = text.trim_start_matches(['.', '~']);
        notes.wrong(
            at,
            format!("an address is needed here, but this is a path: {text}"),
            format!("write the whole address, such as https://example.com{path}"),
        );
        return None;
    }
    if let Ok((_, Some(credentials))) = Url::parse_with_credentials(text) {
        let what = if credentials.password.is_empty() {
            "an address must not contain a user name"
        } else {
            let secret = login_in(&notes.places.text, at);
            notes.secrets.push(secret);
            "an address must not contain a password: whoever can read the file could read it"
        };
        notes.wrong(
            at,
            what,
            "leave it out here and write [auth] with user = \"…\" and password = \"env:NAME\"",
        );
        return None;
    }
    if Url::mends_scheme(text) {
        let help =
            Url::parse(text).map_or_else(|_| "write https://…".to_owned(), |url| format!("write \"{url}\""));
        notes.wrong(at, format!("the scheme is misspelled: {text}"), help);
        return None;
    }
    match Url::parse(text) {
        Ok(url) => Some(url.to_string()),
        Err(UrlError::Scheme { scheme }) if text.contains("://") || scheme == "mailto" => {
            notes.wrong(
                at,
                format!("`{scheme}:` addresses cannot be fetched"),
                "use http, https, ftp, ftps, sftp, nntp or file",
            );
            None
        }
        Err(error) => {
            let (what, help) = match (&error, Url::from_user(text)) {
                (UrlError::TooLong { .. }, _) => (error.to_string(), "shorten it".to_owned()),
                (_, Ok(meant)) if !text.contains("://") => (
                    format!("the address has no scheme: {text}"),
                    format!("write \"{}\"", secure(&meant, text)),
                ),
                (UrlError::Malformed { why, .. }, _) if text.contains("://") => (
                    format!("this is not an address ({why}): {text}"),
                    "write it as https://example.com/page".to_owned(),
                ),
                _ => (
                    format!("this is not an address: {text}"),
                    format!("write https://… for a site, ./{text} for a folder"),
                ),
            };
            notes.wrong(at, what, help);
            None
        }
    }
}

/// As it was written, with the scheme in front.
fn secure(meant: &Url, text: &str) -> String {
    format!("{}://{}", meant.scheme(), text.trim_start_matches('/'))
}

/// An address of the web, for pages with forms.
pub(crate) fn web_address(text: &str, at: &Range<usize>, notes: &mut Notes) -> Option<String> {
    let url = address(text, at, notes)?;
    if url.starts_with("http") {
        return Some(url);
    }
    notes.wrong(
        at,
        format!("only web pages have forms: {text}"),
        "write https://…",
    );
    None
}

/// `glob:…`, `regex:…`, `prefix:…`; without a word in front it is a glob if it has a star, else a prefix.
pub(crate) fn pattern(text: &str) -> (PatternKind, &str) {
    let kinds = [
        ("glob:", PatternKind::Glob),
        ("regex:", PatternKind::Regex),
        ("prefix:", PatternKind::Prefix),
    ];
    for (word, kind) in kinds {
        if let Some(rest) = text.strip_prefix(word) {
            return (kind, rest);
        }
    }
    if text.contains('*') {
        (PatternKind::Glob, text)
    } else {
        (PatternKind::Prefix, text)
    }
}

/// Globs and prefixes begin with the scheme: one that cannot match any address is not what was meant.
pub(crate) fn pattern_help(kind: PatternKind, pattern: &str) -> Option<String> {
    let matches_nothing = match kind {
        PatternKind::Regex => false,
        PatternKind::Glob => pattern.starts_with('/'),
        PatternKind::Prefix => !pattern.contains(':'),
    };
    let inner = pattern.trim_matches('*');
    matches_nothing.then(|| format!("write \"*{inner}*\", or begin with https://"))
}

/// A value, literal or by reference. Literal secrets are refused, and not shown again.
pub(crate) fn value(
    name: &str,
    (text, at): &At<String>,
    is_secret: bool,
    notes: &mut Notes,
) -> Option<Value> {
    let value = Value::from(text.as_str());
    let reference = value.to_string();
    if let Some((word, rest)) = reference.split_once(':')
        && !matches!(value, Value::Text(_))
    {
        let help = match word {
            "env" => "write env: and the name of a variable, such as env:PASSWORD",
            "secret" => "write secret: and the name under which it is stored",
            _ => "write the path of a file after it",
        };
        if rest.trim().is_empty() {
            notes.wrong(at, format!("`{word}:` does not say which one"), help);
            return None;
        }
        if word == "env" && !is_variable(rest) {
            let name = rest.trim_start_matches('$').trim_matches(['{', '}']);
            let help = if is_variable(name) {
                format!("write \"env:{name}\"")
            } else {
                help.to_owned()
            };
            notes.wrong(at, format!("not the name of a variable: {rest}"), help);
            return None;
        }
    }
    let is_literal = matches!(&value, Value::Text(text) if !text.is_empty());
    if is_secret && is_literal {
        notes.secrets.push(inside(at));
        let named = text.strip_prefix('$').unwrap_or(text).trim_matches(['{', '}']);
        let variable = if text.starts_with('$') && is_variable(named) {
            named.to_owned()
        } else {
            variable_for(name)
        };
        notes.wrong(
            at,
            format!("`{name}` is a secret, and secrets are not written into the file"),
            format!("write \"env:{variable}\" and set that variable, or \"file:PATH\" for the first line of a file"),
        );
        return None;
    }
    Some(value)
}

/// Name and password of an address.
fn login_in(text: &str, at: &Range<usize>) -> Range<usize> {
    let given = &text[at.clone()];
    let start = given.find("//").map(|slashes| slashes + 2);
    match (start, given.rfind('@')) {
        (Some(start), Some(end)) if start < end => at.start + start..at.start + end,
        _ => inside(at),
    }
}

/// The text without its quotes.
fn inside(at: &Range<usize>) -> Range<usize> {
    if at.len() >= 2 {
        at.start + 1..at.end - 1
    } else {
        at.clone()
    }
}

fn is_variable(name: &str) -> bool {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_good) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn variable_for(name: &str) -> String {
    let words: Vec<String> = words_of(name)
        .into_iter()
        .map(|word| word.to_ascii_uppercase())
        .collect();
    let name = words.join("_");
    if is_variable(&name) {
        name
    } else {
        "SECRET".to_owned()
    }
}

/// Whether a field or header of that name holds a secret: `wpPassword`, `api_key`, `pwd`, but not `keywords` or `passenger`.
pub(crate) fn sounds_secret(name: &str) -> bool {
    const WORDS: [&str; 17] = [
        "pass",
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "passwort",
        "kennwort",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "apikey",
        "pin",
        "otp",
        "authorization",
        "cookie",
    ];
    const ENDS: [&str; 8] = [
        "password",
        "passwd",
        "passwort",
        "userpass",
        "loginpass",
        "mypass",
        "pwd",
        "secret",
    ];
    words_of(name)
        .iter()
        .any(|word| WORDS.contains(&word.as_str()) || ENDS.iter().any(|end| word.ends_with(end)))
}

/// `userName-2` is user, name, 2; in small letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for secret in [
            "pass",
            "wpPassword",
            "user_pass",
            "userpass",
            "api_key",
            "X-Auth-Token",
            "PWD",
            "client_secret",
            "key",
            "p[pw]",
        ] {
            assert!(sounds_secret(secret), "{secret}");
        }
        for open in [
            "keywords",
            "search",
            "passenger",
            "compass",
            "user",
            "monkey",
            "spinner",
            "q",
            "tokenize",
        ] {
            assert!(!sounds_secret(open), "{open}");
        }
        assert_eq!(variable_for("wpPassword"), "WP_PASSWORD");
        assert_eq!(variable_for("7"), "SECRET");
    }

    #[test]
    fn names_are_plain() {
        for good in ["board", "my-board_2", "example.com:8080", "Zeitung", "größe"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "", " ", "a b", "a/b", "../x", ".x", "-x", "x.toml", "a\nb", "x\"y",
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
        assert!(check_name("my board").unwrap_err().1.contains("\"my-board\""));
    }

    #[test]
    fn patterns_say_what_they_are() {
        for (text, kind, rest) in [
            ("regex:a*b", PatternKind::Regex, "a*b"),
            ("glob:https://a/", PatternKind::Glob, "https://a/"),
            ("prefix:https://a/*", PatternKind::Prefix, "https://a/*"),
            ("https://a/*.pdf", PatternKind::Glob, "https://a/*.pdf"),
            ("https://a/", PatternKind::Prefix, "https://a/"),
        ] {
            assert_eq!(pattern(text), (kind, rest));
        }
        assert!(
            pattern_help(PatternKind::Glob, "/admin/*").is_some_and(|help| help.contains("\"*/admin/*\""))
        );
        assert_eq!(pattern_help(PatternKind::Prefix, "https://a/"), None);
    }
}
