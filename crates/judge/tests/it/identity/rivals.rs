//! What Gleaner is measured against: the seed's method and lists of famous names.

use regex::Regex;

/// Special characters as the seed's prose names them.
fn is_special(byte: u8) -> bool {
    matches!(byte, b';' | b'/' | b'&' | b'%' | b'?' | b'=' | b'#')
}

/// FIND-SID of the seed. `index` is where FIND-CS looks for the end of a candidate: `1` as printed, `length` as meant.
fn find_sid(links: &[String], length: usize, index: usize) -> Option<String> {
    let mut pool: Vec<&str> = links.iter().map(String::as_str).collect();
    pool.sort_by_key(|link| link.len());
    while pool.len() >= 2 {
        let (t, u) = (pool.pop()?, pool.pop()?);
        let bytes = u.as_bytes();
        let mut candidates: Vec<&str> = Vec::new();
        for start in 0..=bytes.len().saturating_sub(length) {
            let Some(window) = u.get(start..start + length) else {
                continue;
            };
            let ends = bytes.get(start + index).is_none_or(|byte| is_special(*byte));
            if !window.bytes().any(is_special) && ends && t.contains(window) && !window.is_empty() {
                candidates.push(window);
            }
        }
        let count = |value: &str| pool.iter().filter(|link| link.contains(value)).count();
        if let Some(best) = candidates.iter().max_by_key(|value| count(value)) {
            return Some((*best).to_owned());
        }
    }
    None
}

/// Identities by the seed: the id that was found becomes one and the same word.
pub(super) fn seed(links: &[String], length: usize, index: usize) -> Vec<String> {
    let sid = find_sid(links, length, index);
    links
        .iter()
        .map(|link| {
            sid.as_ref()
                .map_or_else(|| link.clone(), |sid| link.replace(sid, "{sid}"))
        })
        .collect()
}

/// Identities by patterns such as archives' crawlers ship, with ASP.NET's added.
pub(super) struct Lists(Vec<Regex>);

impl Lists {
    pub(super) fn new() -> Lists {
        let patterns = [
            r"(?i)[;?&](?:jsessionid|phpsessid|sid)=[0-9a-z]{32}",
            r"(?i)[?&]phpsessid=[0-9a-z]{26}",
            r"(?i)[?&]aspsessionid[a-z]{8}=[a-z]{24}",
            r"(?i)[?&]cfid=[^&]+",
            r"(?i)[?&]cftoken=[^&]+",
            r"(?i)/\((?:[a-z]\([0-9a-z]{24}\))+\)",
            r"(?i)/\([0-9a-z]{24}\)",
        ];
        Lists(
            patterns
                .iter()
                .map(|pattern| Regex::new(pattern).unwrap())
                .collect(),
        )
    }

    pub(super) fn identities(&self, links: &[String]) -> Vec<String> {
        let strip = |link: &String| {
            self.0.iter().fold(link.clone(), |text, pattern| {
                pattern.replace_all(&text, "").into_owned()
            })
        };
        links.iter().map(strip).collect()
    }
}
