//! Names of people as pages write them: `By Ann Lee and Bo Chan`, `Lee, Ann`, `Ann Lee <ann at site>`.

use super::super::words::folded;
use super::dates;

const NAME_WORDS_MAX: usize = 6;
const NAME_BYTES_MAX: usize = 80;
const LINE_BYTES_MAX: usize = 4000;

/// What stands before a name, in lower case, longest first where one begins with another. A name may stand behind several.
const BEFORE: &[&str] = &[
    "a cura di ",
    "autorin: ",
    "autoren: ",
    "autor: ",
    "autor ",
    "autor/in: ",
    "auteur : ",
    "auteur: ",
    "auteur ",
    "author: ",
    "authors: ",
    "author : ",
    "author ",
    "automatisch von ",
    "autore: ",
    "автор: ",
    "av ",
    "af ",
    "blog beitrag von ",
    "by: ",
    "by ",
    "di ",
    "door ",
    "ein artikel von ",
    "ein beitrag von ",
    "ein gastbeitrag von ",
    "gastbeitrag von ",
    "eingestellt von ",
    "erstellt von ",
    "escrito por ",
    "écrit par ",
    "geschreven door ",
    "geschrieben von ",
    "gepostet von ",
    "from ",
    "interview: ",
    "kommentar von ",
    "par ",
    "por ",
    "posted by ",
    "publicado por ",
    "publié par ",
    "pubblicato da ",
    "published by ",
    "reported by ",
    "reporter: ",
    "redaktion: ",
    "rédigé par ",
    "scritto da ",
    "story by ",
    "submitted by ",
    "started by ",
    "text by ",
    "text: ",
    "text von ",
    "verfasst von ",
    "veröffentlicht von ",
    "von: ",
    "von ",
    "words by ",
    "written by ",
    "created by ",
    "作者：",
    "作者: ",
    "文/",
];
/// What stands where a name should, and is none.
const NO_NAMES: &[&str] = &[
    "about the author",
    "all posts",
    "anonymous",
    "anzeige",
    "author",
    "authors",
    "autor",
    "autoren",
    "auteur",
    "by",
    "contact",
    "email",
    "follow",
    "gast",
    "guest",
    "log in",
    "login",
    "name",
    "name required",
    "none",
    "null",
    "posted",
    "published",
    "publiziert am",
    "read more",
    "share",
    "subscribe",
    "undefined",
    "unknown",
    "url",
    "username",
    "von",
    "website",
    "written by",
    "view all posts",
    "view profile",
    "op",
    "www",
    "name erforderlich",
    "jetzt teilen",
    "veröffentlicht am",
    "posted on",
    "published by",
    "posted by",
    "see all",
];
/// Accounts and desks: said where no person is.
const DESKS: &[&str] = &[
    "admin",
    "administrator",
    "editor",
    "editorial",
    "editorial staff",
    "editorial team",
    "editors",
    "human",
    "newsroom",
    "redaktion",
    "staff",
    "team",
    "webmaster",
];

/// The names in a line.
pub(super) fn people(text: &str) -> Vec<String> {
    let text = folded(super::cut(text, LINE_BYTES_MAX));
    let text = strip_tags(&text);
    if text.contains("://") || text.starts_with("www.") {
        return Vec::new();
    }
    let rest = without_before(&text);
    let mut parted = rest.to_owned();
    for and in [
        " and ", " und ", " & ", " et ", " y ", " with ", " mit ", " e ", " og ", " och ", " en ",
    ] {
        if parted.contains(and) {
            // Short words of names in other languages are kept where they do not part two names.
            let is_safe = matches!(and, " and " | " und " | " & " | " with " | " mit ")
                || parted.split(and).all(|name| name.split(' ').count() >= 2);
            if is_safe {
                parted = parted.replace(and, ";");
            }
        }
    }
    let parts: Vec<&str> = parted
        .split([',', ';', '|', '•', '·'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    // `Lee, Ann` of libraries is one name, and so is `Lee, Ann D.`.
    if let [family, given] = parts[..]
        && rest.contains(',')
        && !parted.contains(';')
        && !family.contains(' ')
        && given.split(' ').count() <= 3
        && !is_title(given)
    {
        return one(&format!("{given} {family}")).into_iter().collect();
    }
    let is_alone = parts.len() == 1;
    parts
        .into_iter()
        .filter(|name| is_alone || !is_title(name))
        .filter_map(one)
        .collect()
}

/// One name, if it is one.
fn one(name: &str) -> Option<String> {
    let name = name.split(['<', '(', '[']).next().unwrap_or_default();
    let name = without_before(name.trim()).trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ':' | '-' | '–' | '—' | '"' | '*' | '“' | '”' | '/' | '»' | '@' | '†'
            )
    });
    let name = name.strip_suffix("'s").unwrap_or(name);
    is_name(name).then(|| name.to_owned())
}

pub(super) fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let plain = super::site::plain(text);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (1..=NAME_WORDS_MAX).contains(&words)
        && text.len() <= NAME_BYTES_MAX
        && !plain.is_empty()
        && !NO_NAMES.contains(&plain.as_str())
        && text.chars().any(char::is_alphabetic)
        && (words == 1 || digits <= 4)
        && !(text.contains('@') && text.contains('.'))
        && !text.contains("://")
        && dates::day(text).is_none()
        && dates::month_in(text).is_none_or(|_| words <= 3 && digits == 0)
}

/// Whether nobody in person is named: an account, a desk.
pub(super) fn is_desk(name: &str) -> bool {
    let plain = super::site::plain(name);
    DESKS.contains(&plain.as_str())
        || plain.starts_with("www ")
        || plain.ends_with(" team")
        || plain.ends_with(" staff")
        || plain.ends_with(" redaktion")
        || plain.ends_with(" editors")
        || plain.ends_with(" gmbh")
        || plain.ends_with(" inc")
}

/// `PhD`, `M.D.`: behind a name and a comma.
fn is_title(part: &str) -> bool {
    let letters: String = part.chars().filter(|c| c.is_alphabetic()).collect();
    let is_known = matches!(
        letters.to_ascii_lowercase().as_str(),
        "phd"
            | "md"
            | "rd"
            | "rdn"
            | "rn"
            | "mph"
            | "cpa"
            | "cfp"
            | "esq"
            | "jr"
            | "sr"
            | "msc"
            | "ma"
            | "mba"
            | "ld"
            | "dds"
            | "dvm"
            | "pharmd"
            | "do"
            | "np"
            | "cfa"
            | "pe"
            | "ms"
            | "mscs"
    );
    is_known && part.split(' ').count() == 1
}

/// What comes behind `By`; the whole line where nothing stands before the name.
pub(super) fn without_before(text: &str) -> &str {
    let mut rest = text.trim();
    'more: loop {
        for start in BEFORE {
            if let Some(behind) = behind(rest, start) {
                rest = behind.trim_start();
                continue 'more;
            }
        }
        return rest;
    }
}

/// Whether a line says that a name follows.
pub(super) fn is_announced(text: &str) -> bool {
    // Short ones begin names and sentences too.
    BEFORE
        .iter()
        .filter(|start| {
            !matches!(
                **start,
                "di " | "from " | "av " | "af " | "autor " | "author " | "auteur "
            )
        })
        .any(|start| behind(text, start).is_some())
}

fn behind<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for wanted in start.chars() {
        let found = rest.next()?;
        if found != wanted && !found.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    let rest = rest.as_str();
    // A capital or a sign: `di lavoro` is no name.
    (!rest.trim().is_empty()).then_some(rest)
}

/// Some write markup into the name.
fn strip_tags(text: &str) -> String {
    if !(text.contains("</") || text.contains("/>")) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut is_tag = false;
    for c in text.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => out.push(c),
            _ => {}
        }
    }
    out
}

/// A name without the day and the borders behind it.
pub(super) fn until_day(text: &str) -> String {
    let text = text
        .split(['|', '•', '·', '⋅', '»', '\n'])
        .next()
        .unwrap_or_default();
    let text = [
        " – ",
        " — ",
        " - ",
        " am ",
        " on ",
        " le ",
        ", Datum",
        " Posted",
        " Published",
        " Updated",
        " um ",
    ]
    .iter()
    .filter_map(|border| text.find(border))
    .min()
    .map_or(text, |end| &text[..end]);
    let words: Vec<&str> = text.split_whitespace().take(30).collect();
    let is_start = |at: usize| {
        let rest = words[at..].join(" ");
        let first = words[at].trim_matches(|c: char| !c.is_alphanumeric());
        let is_part = first.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
            || dates::month_in(first).is_some();
        is_part && dates::day(&rest).is_some()
    };
    let end = (0..words.len()).find(|at| is_start(*at)).unwrap_or(words.len());
    let kept = words[..end].join(" ");
    kept.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')' && c != '.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("By Ann Lee and Bo Chan", &["Ann Lee", "Bo Chan"][..]),
            ("Lee, Ann D.", &["Ann D. Lee"]),
            ("Ein Artikel von Ann Lee", &["Ann Lee"]),
            ("Autor: Ann Lee", &["Ann Lee"]),
            ("Auteur : Ann Lee", &["Ann Lee"]),
            ("Ann Lee, PhD", &["Ann Lee"]),
            ("Ann Lee <ann at site dot test>", &["Ann Lee"]),
            ("Von Ann Lee und Bo Chan", &["Ann Lee", "Bo Chan"]),
            ("https://site.test/ann", &[]),
            ("ann@site.test", &[]),
            ("Name (erforderlich)", &[]),
            ("Publiziert am", &[]),
            ("17 May 2024", &[]),
            ("Ann de la Cruz", &["Ann de la Cruz"]),
            ("blumo", &["blumo"]),
        ] {
            assert_eq!(people(text), wanted, "{text}");
        }
        assert_eq!(until_day("Ann Lee on May 17, 2024"), "Ann Lee");
        assert_eq!(until_day("Ann Lee, 17. Mai 2024"), "Ann Lee");
        assert_eq!(until_day("Ann May Lee"), "Ann May Lee");
    }
}
