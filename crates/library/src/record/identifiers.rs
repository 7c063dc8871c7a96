//! By which others name it: DOI, number at arXiv; and at which hosts its authors are.

use super::front::Front;
use gleaner_parse::documents::Reading;

const HOSTS_MAX: usize = 20;

pub(super) fn doi(reading: &Reading, front: &Front) -> Option<String> {
    let said = reading
        .metadata
        .identifiers
        .iter()
        .find_map(|one| one.strip_prefix("doi:"));
    said.and_then(doi_in).or_else(|| {
        // A DOI in the text may be that of something cited; on the first page only its own is named as one.
        let lower = front.text.to_ascii_lowercase();
        let at = lower
            .find("doi.org/")
            .or_else(|| lower.find("doi:"))
            .or_else(|| lower.find("doi "))?;
        let end = front.text[at..]
            .char_indices()
            .nth(120)
            .map_or(front.text.len(), |(end, _)| at + end);
        doi_in(&front.text[at..end])
    })
}

/// `10.1145/1327452.1327492`, wherever it stands.
pub(super) fn doi_in(text: &str) -> Option<String> {
    for (at, _) in text.match_indices("10.") {
        let rest = &text[at..];
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^'))
            .unwrap_or(rest.len());
        let doi = rest[..end].trim_end_matches(['.', ',', ';', ':', ')', ']', '\'']);
        let (prefix, suffix) = doi.split_once('/').unwrap_or((doi, ""));
        let registrant = prefix.strip_prefix("10.").unwrap_or("");
        let is_one = (4..=9).contains(&registrant.len())
            && registrant
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
            && suffix.len() >= 2;
        if is_one {
            return Some(doi.to_ascii_lowercase());
        }
    }
    None
}

pub(super) fn arxiv(reading: &Reading, front: &Front) -> Option<String> {
    let said = reading
        .metadata
        .identifiers
        .iter()
        .find_map(|one| one.strip_prefix("arxiv:"));
    said.and_then(arxiv_in).or_else(|| {
        let texts = front
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .chain([front.text.as_str()]);
        texts
            .filter_map(|text| text.split_once("arXiv:"))
            .find_map(|(_, after)| arxiv_in(after))
    })
}

/// `1207.1234`, `hep-th/9901001`, without the number of a version.
fn arxiv_in(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '[' | ',' | ';' | ')'))
        .unwrap_or(text.len());
    let whole = &text[..end];
    let id = match whole.rsplit_once('v') {
        Some((id, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => id,
        _ => whole,
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_new = id.split_once('.').is_some_and(|(month, number)| {
        month.len() == 4 && (4..=5).contains(&number.len()) && digits(month) && digits(number)
    });
    let is_old = id.split_once('/').is_some_and(|(field, number)| {
        number.len() == 7
            && digits(number)
            && field
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.'))
    });
    (is_new || is_old).then(|| id.to_owned())
}

/// Hosts of addresses of mail: `{ann,bo}@cs.uni.edu` too.
pub(super) fn mail_hosts(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let rest = text[at + 1..].trim_start();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-')))
            .unwrap_or(rest.len());
        let host = rest[..end].trim_matches(['.', '-']).to_ascii_lowercase();
        let is_host = host.contains('.')
            && host
                .rsplit('.')
                .next()
                .is_some_and(|end| end.len() >= 2 && !end.bytes().any(|byte| byte.is_ascii_digit()));
        if is_host && !found.contains(&host) {
            found.push(host);
        }
        if found.len() >= HOSTS_MAX {
            break;
        }
    }
    found
}
