//! One search service: the address of a question, and what its answer says.
//!
//! Three ways of answering are read: `SearXNG`'s JSON, feeds (Atom and RSS, as `OpenSearch` gives them), and pages whose results a CSS
//! selector names. What comes may be anything: a broken answer is a fault in words, never a hit.

use gleaner_model::{Link, LinkKind, Url};
use gleaner_parse::{Input, Selector, parse, select_links};
use serde::Deserialize;

/// Hits read from one answer.
const HITS_MAX: usize = 200;
/// Title and text of a hit.
const WORDS_CHARS_MAX: usize = 1_000;

/// How a service is asked and how it answers.
#[derive(Debug, Clone)]
pub enum SeedService {
    /// The address of a `SearXNG`, without `search`.
    SearXng { base: Url },
    /// Atom or RSS. `{searchTerms}`, `{startPage}` and `{startIndex}` are `OpenSearch`'s, `{query}` and `{page}` ours.
    Feed { template: String },
    /// A page for people; `sponsored` names results that somebody pays for.
    Page {
        template: String,
        results: Selector,
        sponsored: Option<Selector>,
    },
}

/// What a service found, as it says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedHit {
    pub url: Url,
    pub title: String,
    pub text: String,
    /// From 1, over the pages of an answer.
    pub rank: u32,
    pub is_sponsored: bool,
}

/// Why an answer is no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceFault {
    #[error("a web page came instead of JSON; the service must allow format=json")]
    PageInsteadOfJson,
    #[error("the answer is not the JSON of SearXNG: {0}")]
    BadJson(String),
    #[error("the answer is no Atom or RSS feed")]
    NoFeed,
    #[error("the answer is no web page")]
    NoPage,
    #[error("the address of the service makes no address with this query: {0}")]
    BadAddress(String),
}

impl SeedService {
    /// The address that asks for one page of results; `page` counts from 1, `page_hits` is what a page holds.
    pub fn address(&self, query: &str, page: u32, page_hits: u32) -> Result<Url, ServiceFault> {
        let text = match self {
            SeedService::SearXng { base } => {
                let base = base.as_str().trim_end_matches('/');
                format!("{base}/search?q={}&format=json&pageno={page}", encoded(query))
            }
            SeedService::Feed { template } | SeedService::Page { template, .. } => {
                filled(template, query, page, page_hits)
            }
        };
        Url::parse(&text).map_err(|error| ServiceFault::BadAddress(error.to_string()))
    }

    /// The hits of an answer. `before` is how many the pages before it had.
    pub fn read(&self, answer: &Input<'_>, before: u32) -> Result<Vec<SeedHit>, ServiceFault> {
        let found = match self {
            SeedService::SearXng { .. } => searxng(answer)?,
            SeedService::Feed { .. } => feed(answer)?,
            SeedService::Page {
                results, sponsored, ..
            } => page(answer, results, sponsored.as_ref())?,
        };
        let hits = found.into_iter().take(HITS_MAX).zip(before + 1..);
        Ok(hits
            .map(|(found, rank)| SeedHit {
                is_sponsored: found.is_sponsored || is_paid(&found.url),
                url: found.url,
                title: found.title,
                text: found.text,
                rank,
            })
            .collect())
    }
}

struct Found {
    url: Url,
    title: String,
    text: String,
    is_sponsored: bool,
}

#[derive(Deserialize)]
struct RawAnswer {
    results: Vec<RawHit>,
}

#[derive(Deserialize)]
struct RawHit {
    url: Option<String>,
    title: Option<String>,
    content: Option<String>,
    #[serde(default)]
    template: Option<String>,
}

fn searxng(answer: &Input<'_>) -> Result<Vec<Found>, ServiceFault> {
    let raw: RawAnswer = serde_json::from_slice(answer.body).map_err(|error| {
        let start = answer.body.iter().find(|byte| !byte.is_ascii_whitespace());
        if start == Some(&b'<') {
            ServiceFault::PageInsteadOfJson
        } else {
            ServiceFault::BadJson(error.to_string())
        }
    })?;
    let found = raw.results.into_iter().filter_map(|hit| {
        Some(Found {
            url: target(&Url::parse(hit.url?.trim()).ok()?, answer.url)?,
            title: cut(hit.title.unwrap_or_default()),
            text: cut(hit.content.unwrap_or_default()),
            is_sponsored: hit.template.is_some_and(|template| template.contains("ads")),
        })
    });
    Ok(found.collect())
}

fn feed(answer: &Input<'_>) -> Result<Vec<Found>, ServiceFault> {
    let parsed = parse(answer);
    let mut found = parsed
        .links
        .iter()
        .filter(|link| link.kind == LinkKind::Feed)
        .peekable();
    if found.peek().is_none() && !answer.body.starts_with(b"<?xml") && !answer.body.starts_with(b"<") {
        return Err(ServiceFault::NoFeed);
    }
    if matches!(parsed.kind, gleaner_parse::Kind::Html) {
        return Err(ServiceFault::NoFeed);
    }
    Ok(found
        .filter_map(|link| found_of(link, answer.url, false))
        .collect())
}

fn page(
    answer: &Input<'_>,
    results: &Selector,
    sponsored: Option<&Selector>,
) -> Result<Vec<Found>, ServiceFault> {
    if !matches!(parse(answer).kind, gleaner_parse::Kind::Html) {
        return Err(ServiceFault::NoPage);
    }
    let paid = sponsored.map_or_else(Vec::new, |selector| select_links(answer, selector));
    let links = select_links(answer, results);
    let found = links.iter().filter_map(|link| {
        let is_sponsored = paid.iter().any(|paid| paid.url == link.url);
        found_of(link, answer.url, is_sponsored)
    });
    Ok(found.collect())
}

fn found_of(link: &Link, service: &Url, is_sponsored: bool) -> Option<Found> {
    Some(Found {
        url: target(&link.url, service)?,
        title: cut(link.anchor.clone()),
        text: String::new(),
        is_sponsored,
    })
}

/// Where a result really leads. Services count clicks by way of themselves; other links to themselves are no results.
fn target(url: &Url, service: &Url) -> Option<Url> {
    if !url.is_web() {
        return None;
    }
    if url.host() != service.host() || url.port() != service.port() {
        return Some(url.clone());
    }
    let inner = url.as_inner();
    inner.query_pairs().find_map(|(_, value)| {
        let leads_on = value.starts_with("https://") || value.starts_with("http://");
        let target = leads_on.then(|| Url::parse(&value).ok()).flatten()?;
        (target.host() != service.host()).then_some(target)
    })
}

/// Marks of bought clicks, in addresses.
fn is_paid(url: &Url) -> bool {
    const NAMES: [&str; 6] = ["gclid", "msclkid", "dclid", "yclid", "wbraid", "gbraid"];
    const MEDIA: [&str; 5] = ["cpc", "ppc", "paid", "paidsearch", "sem"];
    const HOSTS: [&str; 4] = [
        "doubleclick.net",
        "googleadservices.com",
        "googlesyndication.com",
        "adsrvr.org",
    ];
    let host = url.host();
    let is_of = |known: &&str| {
        host.strip_suffix(*known)
            .is_some_and(|front| front.is_empty() || front.ends_with('.'))
    };
    let mut pairs = url::form_urlencoded::parse(url.query().unwrap_or("").as_bytes());
    HOSTS.iter().any(is_of)
        || pairs.any(|(name, value)| {
            NAMES.contains(&name.as_ref())
                || name == "utm_medium" && MEDIA.iter().any(|medium| value.eq_ignore_ascii_case(medium))
        })
}

fn cut(text: String) -> String {
    match text.char_indices().nth(WORDS_CHARS_MAX) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

fn encoded(query: &str) -> String {
    url::form_urlencoded::byte_serialize(query.as_bytes()).collect()
}

/// A template with its places filled. Of `OpenSearch` the optional ones (`{language?}`) that we do not know stay empty.
fn filled(template: &str, query: &str, page: u32, page_hits: u32) -> String {
    let mut out = String::with_capacity(template.len() + query.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match name.trim_end_matches('?') {
            "query" | "searchTerms" => out.push_str(&encoded(query)),
            "page" | "startPage" => out.push_str(&page.to_string()),
            "startIndex" => out.push_str(&((page - 1) * page_hits + 1).to_string()),
            "count" => out.push_str(&page_hits.to_string()),
            "inputEncoding" | "outputEncoding" => out.push_str("UTF-8"),
            _ => {}
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
