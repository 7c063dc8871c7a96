//! What stays the same about an element's names while pages are made anew: digits and hash-like parts are cut out.

/// A part of a name, or a value, that looks made by a machine: a hash, a counter, a build's suffix.
pub(super) fn is_hash_like(part: &str) -> bool {
    let bytes = part.as_bytes();
    if bytes.len() < 4 {
        return false;
    }
    // Nearly all names are words in lower case, and nearly all words have a vowel among their first letters.
    if bytes.iter().all(u8::is_ascii_lowercase) {
        return bytes.len() >= 6
            && !bytes
                .iter()
                .any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
    }
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    if digits + letters < bytes.len() {
        return false;
    }
    if digits > 0 && letters > 0 {
        // `col2`, `h1` and `2024q1` are names; `1x9f3a` is not: letters and digits take turns.
        let turns = bytes
            .windows(2)
            .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
            .count();
        let is_hex = bytes.iter().all(u8::is_ascii_hexdigit);
        return is_hex && bytes.len() >= 4 || bytes.len() >= 5 && (turns >= 2 || bytes.len() >= 16);
    }
    if digits > 0 {
        return digits >= 5;
    }
    let vowels = bytes
        .iter()
        .filter(|b| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
        .count();
    let changes = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    // `bdVaJa` changes case every two letters, `mainContentArea` does not; `xkcdq` cannot be spoken.
    (bytes.len() >= 5 && changes >= 2 && bytes.len() / (changes + 1) < 3) || (bytes.len() >= 6 && vowels == 0)
}

/// A whole attribute value that is a token nobody reads: one long piece of letters and digits.
pub(super) fn is_token(value: &str) -> bool {
    let value = value.trim();
    let bytes = value.as_bytes();
    if bytes.len() < 8
        || bytes.iter().any(|b| {
            !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'+' | b'/' | b'=' | b'.' | b':')
        })
    {
        return false;
    }
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let hashes: usize = value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| is_hash_like(part))
        .map(str::len)
        .sum();
    digits == bytes.len() || hashes * 2 > bytes.len()
}

/// Appends a name without its digits and hash-like parts; true if anything is left of it.
pub(super) fn push_clean(name: &str, out: &mut String) -> bool {
    let before = out.len();
    for part in name.split(['-', '_', ':', '.']) {
        if part.is_empty() || is_hash_like(part) {
            continue;
        }
        let mut letters = part.chars().filter(|c| c.is_alphabetic()).take(24).peekable();
        if letters.peek().is_none() {
            continue;
        }
        if out.len() > before {
            out.push('-');
        }
        out.extend(letters);
    }
    out.len() > before
}

/// Appends the shape of an element: `tag`, `tag#id` or `tag.class.class`.
pub(super) fn push(tag: &str, id: &str, class: &str, out: &mut String) {
    const CLASSES_MAX: usize = 2;
    out.extend(tag.chars().take(24));
    let before = out.len();
    out.push('#');
    if push_clean(head(id), out) {
        return;
    }
    out.truncate(before);
    let mut left = CLASSES_MAX;
    for name in head(class).split_ascii_whitespace() {
        if is_state(name) {
            continue;
        }
        let before = out.len();
        out.push('.');
        if !push_clean(name, out) {
            out.truncate(before);
            continue;
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
}

/// Only so much of a name is looked at.
fn head(name: &str) -> &str {
    const NAME_BYTES_MAX: usize = 200;
    let mut end = name.len().min(NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Classes that say how an element is just now, not what it is.
fn is_state(name: &str) -> bool {
    ["is-", "has-", "js-"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || matches!(
            name,
            "active"
                | "open"
                | "current"
                | "selected"
                | "first"
                | "last"
                | "odd"
                | "even"
                | "show"
                | "hide"
                | "visible"
                | "collapsed"
                | "expanded"
                | "loaded"
                | "lazy"
                | "lazyload"
                | "lazyloaded"
                | "even-row"
                | "odd-row"
        )
}
