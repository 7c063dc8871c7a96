//! Which document of a work is the original? Dates, hosts, links and formats are added up; what counted is told. (G4)
//!
//! No date is believed by itself: a copy's Last-Modified is when it was put there, and a clock that was never set says 1980. Dates
//! that cannot be are left out, those of an upload wave too. Two questions are kept apart: when the file was made (a copy of the file
//! says the same as the original, one made from it says later), and when it was first there. Neither counts for more than a host
//! that belongs to an author.

use gleaner_model::Timestamp;
use gleaner_model::url::registrable_domain;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is known of a document of the work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provenance<'a> {
    pub document: i64,
    pub host: &'a str,
    /// Name of the format, as `Format::as_str` gives it.
    pub format: &'a str,
    /// As the document itself says.
    pub created: Option<Timestamp>,
    /// In an archive or a sitemap for the first time.
    pub archived: Option<Timestamp>,
    pub first_seen: Option<Timestamp>,
    pub last_modified: Option<Timestamp>,
    /// Its host put many files there in the same hour.
    pub is_of_upload_wave: bool,
    /// Links that call it the author's own.
    pub own_links: u32,
    /// Its host is the one that its DOI leads to.
    pub is_at_publisher: bool,
    /// Rank by links from elsewhere, from 0 to 1.
    pub rank: f64,
}

/// Why a document is taken for the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginEvidence {
    SetByHand,
    EarliestMade,
    EarliestThere,
    AuthorsHost,
    OwnLinks,
    AtPublisher,
    RicherFormat,
    MoreLinked,
}

impl OriginEvidence {
    pub fn as_str(self) -> &'static str {
        match self {
            OriginEvidence::SetByHand => "a person said so",
            OriginEvidence::EarliestMade => "by its own date no other was made earlier",
            OriginEvidence::EarliestThere => "no other was there earlier",
            OriginEvidence::AuthorsHost => "it lies at a host that belongs to an author",
            OriginEvidence::OwnLinks => "links call it the author's own",
            OriginEvidence::AtPublisher => "it lies where its DOI leads",
            OriginEvidence::RicherFormat => "others can be made from its format",
            OriginEvidence::MoreLinked => "more links from elsewhere lead to it",
        }
    }
}

/// A document with what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OriginalScore {
    pub document: i64,
    pub score: f64,
    /// The weightiest first.
    pub evidence: Vec<OriginEvidence>,
}

const EARLIEST_MADE: f64 = 0.75;
/// Another says that it was made earlier.
const MADE_LATER: f64 = -1.0;
const EARLIEST_THERE: f64 = 1.0;
const SET_BY_HAND: f64 = 1000.0;
const AUTHORS_HOST: f64 = 2.0;
const OWN_LINKS: f64 = 1.5;
const AT_PUBLISHER: f64 = 2.0;
const RICHER_FORMAT: f64 = 0.75;
const MORE_LINKED: f64 = 0.5;
/// Dates nearer to each other say nothing of who was first.
const SAME_TIME_MS: i64 = 3 * DAY_MS;
const DAY_MS: i64 = 24 * 3_600_000;
/// 1985-01-01: documents that are older were not made by a computer that the web knows.
const FIRST_DATE_MS: i64 = 473_385_600_000;

/// The documents of a work, the original first. `author_hosts`: of the authors' addresses and affiliations; `set_by_hand` outweighs
/// everything.
pub fn original(
    documents: &[Provenance<'_>],
    author_hosts: &[&str],
    set_by_hand: Option<i64>,
) -> Vec<OriginalScore> {
    let made: Vec<Option<i64>> = documents.iter().map(made).collect();
    let there: Vec<Option<i64>> = documents.iter().map(there).collect();
    let first_made = made.iter().flatten().min().copied();
    let first_there = there.iter().flatten().min().copied();
    let is_first = |date: Option<i64>, first: Option<i64>| {
        date.zip(first).map(|(date, first)| date - first <= SAME_TIME_MS)
    };
    let best_format = documents.iter().map(|document| richness(document.format)).max();
    let worst_format = documents.iter().map(|document| richness(document.format)).min();
    let best_rank = documents.iter().map(|document| document.rank).fold(0.0, f64::max);
    let mut scores: Vec<OriginalScore> = documents
        .iter()
        .zip(made.iter().zip(&there))
        .map(|(document, (made, there))| {
            let is_first_made = is_first(*made, first_made);
            let is_richer = best_format != worst_format && Some(richness(document.format)) == best_format;
            let facts = [
                (
                    set_by_hand == Some(document.document),
                    SET_BY_HAND,
                    OriginEvidence::SetByHand,
                ),
                (
                    belongs(document.host, author_hosts),
                    AUTHORS_HOST,
                    OriginEvidence::AuthorsHost,
                ),
                (
                    document.is_at_publisher,
                    AT_PUBLISHER,
                    OriginEvidence::AtPublisher,
                ),
                (document.own_links > 0, OWN_LINKS, OriginEvidence::OwnLinks),
                (
                    is_first(*there, first_there) == Some(true),
                    EARLIEST_THERE,
                    OriginEvidence::EarliestThere,
                ),
                (
                    is_first_made == Some(true),
                    EARLIEST_MADE,
                    OriginEvidence::EarliestMade,
                ),
                (is_richer, RICHER_FORMAT, OriginEvidence::RicherFormat),
                (
                    best_rank > 0.0 && document.rank >= best_rank,
                    MORE_LINKED,
                    OriginEvidence::MoreLinked,
                ),
            ];
            let told = facts.iter().filter(|(holds, _, _)| *holds);
            let later = if is_first_made == Some(false) {
                MADE_LATER
            } else {
                0.0
            };
            OriginalScore {
                document: document.document,
                score: told.clone().map(|(_, weight, _)| weight).sum::<f64>() + later,
                evidence: told.map(|(_, _, evidence)| *evidence).collect(),
            }
        })
        .collect();
    let date_of: BTreeMap<i64, i64> = documents
        .iter()
        .zip(&there)
        .filter_map(|(document, date)| Some((document.document, (*date)?)))
        .collect();
    scores.sort_by(|one, other| {
        let rest = |score: &OriginalScore| {
            (
                date_of.get(&score.document).copied().unwrap_or(i64::MAX),
                score.document,
            )
        };
        other
            .score
            .total_cmp(&one.score)
            .then_with(|| rest(one).cmp(&rest(other)))
    });
    scores
}

/// A date that can be: not before the web, and not after the document was seen.
fn possible(document: &Provenance<'_>, date: Option<Timestamp>) -> Option<i64> {
    let latest = document
        .first_seen
        .map_or(i64::MAX, |seen| seen.0.saturating_add(DAY_MS));
    date.map(|date| date.0)
        .filter(|date| (FIRST_DATE_MS..=latest).contains(date))
}

fn made(document: &Provenance<'_>) -> Option<i64> {
    possible(document, document.created)
}

/// The earliest day on which it was surely at its address.
fn there(document: &Provenance<'_>) -> Option<i64> {
    let put_there = document.last_modified.filter(|_| !document.is_of_upload_wave);
    let dates = [document.archived, put_there, document.first_seen];
    dates
        .into_iter()
        .filter_map(|date| possible(document, date))
        .min()
}

/// A host of the same registrable domain; a host that many share, such as one of mail, is nobody's.
fn belongs(host: &str, author_hosts: &[&str]) -> bool {
    let domain = |host: &str| registrable_domain(host).unwrap_or(host).to_ascii_lowercase();
    let own = domain(host);
    author_hosts
        .iter()
        .map(|host| domain(host))
        .any(|other| other == own && !SHARED_HOSTS.contains(&own.as_str()))
}

const SHARED_HOSTS: [&str; 22] = [
    "126.com",
    "163.com",
    "academia.edu",
    "acm.org",
    "aol.com",
    "arxiv.org",
    "github.com",
    "github.io",
    "gmail.com",
    "gmx.de",
    "gmx.net",
    "google.com",
    "hotmail.com",
    "icloud.com",
    "ieee.org",
    "mail.ru",
    "outlook.com",
    "proton.me",
    "protonmail.com",
    "qq.com",
    "yahoo.com",
    "yandex.ru",
];

/// What the others can be made from comes first.
fn richness(format: &str) -> u8 {
    match format {
        "tex" | "markdown" => 4,
        "docx" | "odt" | "doc" | "rtf" | "pptx" | "ppt" | "odp" | "xlsx" | "xls" | "ods" => 3,
        "pdf" | "epub" => 2,
        "postscript" | "html" => 1,
        _ => 0,
    }
}

/// Hours in which a host put more than a third of its files there, or nearly so: their Last-Modified says nothing of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UploadWaves {
    hours: Vec<i64>,
}

const WAVE_SHARE_PERCENT: usize = 30;
const WAVE_FILES_MIN: usize = 5;
const HOUR_MS: i64 = 3_600_000;

impl UploadWaves {
    /// From the Last-Modified dates of all files of one host.
    pub fn of(dates: impl IntoIterator<Item = Timestamp>) -> UploadWaves {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        let mut all = 0;
        for date in dates {
            *counts.entry(date.0.div_euclid(HOUR_MS)).or_default() += 1;
            all += 1;
        }
        let is_wave = |count: usize| count >= WAVE_FILES_MIN && count * 100 > all * WAVE_SHARE_PERCENT;
        let mut hours: Vec<(Reverse<usize>, i64)> = counts
            .into_iter()
            .filter(|(_, count)| is_wave(*count))
            .map(|(hour, count)| (Reverse(count), hour))
            .collect();
        hours.sort_unstable();
        UploadWaves {
            hours: hours.into_iter().map(|(_, hour)| hour).collect(),
        }
    }

    pub fn holds(&self, date: Timestamp) -> bool {
        self.hours.contains(&date.0.div_euclid(HOUR_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3_600_000;

    #[expect(clippy::unnecessary_wraps, reason = "dates of documents are known or not")]
    fn at(days: i64) -> Option<Timestamp> {
        Some(Timestamp(FIRST_DATE_MS + days * DAY))
    }

    fn document(document: i64, host: &str) -> Provenance<'_> {
        Provenance {
            document,
            host,
            format: "pdf",
            first_seen: at(9000),
            ..Provenance::default()
        }
    }

    #[test]
    fn an_authors_page_outweighs_a_clock_that_was_never_set() {
        let mut copy = document(1, "mirror.example.org");
        copy.created = Some(Timestamp(315_532_800_000));
        let mut own = document(2, "www.cs.uni.edu");
        own.created = at(8000);
        let told = original(&[copy, own], &["uni.edu"], None);
        assert_eq!(told[0].document, 2);
        let expected = [
            OriginEvidence::AuthorsHost,
            OriginEvidence::EarliestThere,
            OriginEvidence::EarliestMade,
        ];
        assert_eq!(told[0].evidence, expected);
    }

    #[test]
    fn dates_of_an_upload_wave_and_of_tomorrow_say_nothing() {
        let mut copy = document(1, "a.test");
        copy.last_modified = at(100);
        copy.is_of_upload_wave = true;
        copy.created = at(9999);
        let mut first = document(2, "b.test");
        first.last_modified = at(5000);
        assert_eq!(original(&[copy, first], &[], None)[0].document, 2);
        let waves = UploadWaves::of([at(1), at(1), at(1), at(1), at(1), at(7)].into_iter().flatten());
        assert!(waves.holds(at(1).expect("a date")) && !waves.holds(at(7).expect("a date")));
    }

    #[test]
    fn a_person_decides_and_mail_hosts_belong_to_nobody() {
        let documents = [document(1, "a.test"), document(2, "gmail.com")];
        assert_eq!(original(&documents, &["gmail.com"], None)[0].document, 1);
        let told = original(&documents, &[], Some(2));
        assert_eq!(
            (told[0].document, told[0].evidence[0]),
            (2, OriginEvidence::SetByHand)
        );
    }
}
