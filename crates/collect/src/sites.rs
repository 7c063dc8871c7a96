//! The sites of a library: where they come from, and what is kept of each.

use crate::CollectError;
use gleaner_library::levels::SiteStanding;
use gleaner_library::new_sites::Evidence;
use gleaner_library::statistics::Tally;
use gleaner_library::stop::Yield;
use gleaner_model::LibraryId;
use gleaner_model::Url;
use gleaner_store::Ledger;
use gleaner_store::libraries::{LibrarySite, LibrarySiteState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known of a site beside its row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteFacts {
    /// Of all visits, and of the last one.
    pub all: Tally,
    pub last: Tally,
    pub yields: Yield,
    pub standing: SiteStanding,
    /// Fetches behind the last accepted document.
    pub after_last_accepted: u64,
    /// Why the last visit ended before the site was read whole; empty: it was.
    pub left: String,
    /// Its share of the cycle was used up while it still paid.
    pub is_cut_off: bool,
    /// How it came into the library.
    pub how_found: String,
    pub evidence: Option<Evidence>,
    /// How likely it is good, as judged before it was read.
    pub probability: Option<f64>,
    /// Accepted documents found at each visit: new ones, and when.
    pub visits: Vec<VisitNote>,
}

/// What a visit brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct VisitNote {
    pub cycle: u32,
    pub at_ms: i64,
    pub accepted_new: u64,
    pub fetches: u64,
}

/// The site of an address: scheme, host and port.
pub fn site_of(url: &Url) -> String {
    url.origin().to_owned()
}

pub fn facts_of(site: &LibrarySite) -> Result<SiteFacts, CollectError> {
    if site.facts.is_empty() {
        return Ok(SiteFacts::default());
    }
    serde_json::from_str(&site.facts).map_err(|cause| CollectError::Kept {
        what: "facts of a site",
        cause,
    })
}

pub fn facts_json(facts: &SiteFacts) -> Result<String, CollectError> {
    serde_json::to_string(facts).map_err(|cause| CollectError::Kept {
        what: "facts of a site",
        cause,
    })
}

/// A site that nobody has visited.
pub fn new_site(
    site: &str,
    starts: Vec<String>,
    state: LibrarySiteState,
    how_found: &str,
    why: &str,
) -> Result<LibrarySite, CollectError> {
    let facts = SiteFacts {
        how_found: how_found.to_owned(),
        ..SiteFacts::default()
    };
    Ok(LibrarySite {
        site: site.to_owned(),
        state,
        starts,
        is_by_hand: false,
        level: 1,
        visits: 0,
        last_visit: None,
        next_visit: None,
        why: why.to_owned(),
        facts: facts_json(&facts)?,
    })
}

/// All sites of a library by name.
pub fn all_sites(
    ledger: &dyn Ledger,
    library: LibraryId,
) -> Result<BTreeMap<String, LibrarySite>, CollectError> {
    let mut sites = BTreeMap::new();
    for site in ledger.all_library_sites(library) {
        let site = site?;
        sites.insert(site.site.clone(), site);
    }
    Ok(sites)
}

/// The addresses of a list: one a line, or the links of a bookmark file. Lines that begin with `#` say nothing; what cannot be an
/// address is given back as such, with its line.
pub fn addresses_in(text: &str) -> (Vec<Url>, Vec<(usize, String)>) {
    let lower = text.to_lowercase();
    if lower.contains("<a ") || lower.contains("netscape-bookmark") {
        return (bookmarks(text), Vec::new());
    }
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match Url::parse(line).or_else(|_| Url::from_user(line)) {
            Ok(url) => found.push(url),
            Err(_) => wrong.push((number + 1, line.to_owned())),
        }
    }
    (found, wrong)
}

/// The links of a bookmark file that lead into the web.
fn bookmarks(text: &str) -> Vec<Url> {
    let lower = text.to_ascii_lowercase();
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find("href=")) {
        let start = from + at + "href=".len();
        let rest = text.get(start..).unwrap_or_default();
        let (quote, rest) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => (Some(quote), &rest[1..]),
            _ => (None, rest),
        };
        let is_end = |sign: char| match quote {
            Some(quote) => sign == quote,
            None => sign.is_whitespace() || sign == '>',
        };
        let end = rest.find(is_end).unwrap_or(rest.len());
        let address = rest[..end].replace("&amp;", "&");
        if let Ok(url) = Url::parse(&address)
            && url.is_web()
        {
            found.push(url);
        }
        from = start;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g1_lists_and_bookmarks_give_addresses() {
        let (found, wrong) = addresses_in("# mine\nhttps://a.test/\n\nb.test\nnot an address at all\n");
        let found: Vec<_> = found.iter().map(Url::as_str).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], "https://a.test/");
        assert!(found[1].ends_with("://b.test/"));
        assert_eq!(wrong, [(5, "not an address at all".to_owned())]);
        let file = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT><A HREF=\"https://a.test/?x=1&amp;y=2\">A</A>\n<A href='place:x'>";
        let (found, _) = addresses_in(file);
        assert_eq!(
            found.iter().map(Url::as_str).collect::<Vec<_>>(),
            ["https://a.test/?x=1&y=2"]
        );
    }
}
