//! A search service: it really searches a share of the sites, by the words of titles and first texts, and has the faults of real ones.
//!
//! `/search?q=…&format=json&pageno=N` answers as `SearXNG` does, `/opensearch.xml` describes `/atom` and `/html`. Among the
//! results are sponsored ones (in HTML in a box of the class `ad`), doubles and pages that only repeat the query.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::formats::escaped;
use super::page::mixed;
use super::server::{Reply, TopicApp};
use super::site::{NO_TOPIC, NodeKind, Serving};
use super::spec::SiteKind;
use super::titles::title;
use super::vocabulary::words;
use super::web::Web;
use crate::sessions::Random;
use crate::synth::request::read_req;

const PAGES_OF_A_SITE: usize = 40;
const RESULTS_OF_A_PAGE: usize = 10;
const BIG_BYTES: usize = 10 << 20;

/// What the service does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchMode {
    Works,
    /// 503.
    Down,
    /// Answers after a minute.
    Slow,
    /// 10 MB.
    Big,
    /// HTML where JSON was asked for.
    Html,
    /// The first page, whichever is asked for.
    Same,
    /// No results.
    Empty,
    /// JSON that ends in the middle.
    Broken,
}

impl SearchMode {
    pub(super) fn named(name: &str) -> Option<SearchMode> {
        Some(match name {
            "works" => SearchMode::Works,
            "down" => SearchMode::Down,
            "slow" => SearchMode::Slow,
            "big" => SearchMode::Big,
            "html" => SearchMode::Html,
            "same" => SearchMode::Same,
            "empty" => SearchMode::Empty,
            "broken" => SearchMode::Broken,
            _ => return None,
        })
    }
}

struct Hit {
    url: String,
    title: String,
    content: String,
    is_sponsored: bool,
}

/// Which pages have which words.
pub(super) struct Index {
    pages: Vec<(u16, u32, String)>,
    postings: HashMap<String, Vec<(u32, f32)>>,
}

impl Index {
    fn of(web: &Web) -> Index {
        let mut index = Index {
            pages: Vec::new(),
            postings: HashMap::new(),
        };
        for site in &web.sites {
            let mut random = Random::of(&[web.seed, u64::from(site.index), 0x5ea]);
            let is_there =
                !matches!(site.serving, Serving::Refuses | Serving::Unavailable) || random.percent(50);
            if !random.percent(web.spec.searched_percent) || !is_there || site.kind == SiteKind::Moved {
                continue;
            }
            let shown = web.shown(site.index);
            let step = (shown.nodes.len() / PAGES_OF_A_SITE).max(1);
            for node in (0..shown.nodes.len()).step_by(step) {
                let page = &shown.nodes[node];
                if page.kind.is_file() && !matches!(page.kind, NodeKind::Document { .. }) {
                    continue;
                }
                let mut text = format!("{} {}", title(web, shown, node as u32), shown.title);
                if page.topic != NO_TOPIC {
                    let texts = &web.corpus.topics[usize::from(page.topic)].texts;
                    let own = &texts[page.text as usize % texts.len()];
                    let _ = write!(text, " {}", own.paragraphs[0]);
                }
                index.add(site.index, node as u32, text);
            }
        }
        index
    }

    fn add(&mut self, site: u16, node: u32, text: String) {
        let id = self.pages.len() as u32;
        let mut counts: HashMap<String, f32> = HashMap::new();
        let mut total = 0.0;
        for (at, word) in words(&text).enumerate() {
            // Titles come first and count more.
            *counts.entry(word).or_default() += if at < 12 { 3.0 } else { 1.0 };
            total += 1.0;
        }
        for (word, count) in counts {
            self.postings
                .entry(word)
                .or_default()
                .push((id, count / f32::sqrt(total)));
        }
        self.pages.push((site, node, text));
    }

    /// The pages for a query, the best first.
    fn found(&self, query: &str) -> Vec<u32> {
        let mut scores: HashMap<u32, f32> = HashMap::new();
        for word in words(query) {
            let Some(pages) = self.postings.get(&word) else {
                continue;
            };
            let rare = (self.pages.len() as f32 / pages.len() as f32).ln() + 0.1;
            for (page, weight) in pages {
                *scores.entry(*page).or_default() += weight * rare;
            }
        }
        let mut best: Vec<(u32, f32)> = scores.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.into_iter().map(|(page, _)| page).collect()
    }
}

pub(super) async fn serve_search(mut stream: TcpStream, app: &TopicApp) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(asked) = read_req(&mut stream, &mut buffer).await {
        app.searches.set(app.searches.get() + 1);
        if app.search_mode.get() == SearchMode::Slow {
            tokio::time::sleep(Duration::from_mins(1)).await;
        }
        let reply = answer(app, &asked.target);
        stream.write_all(&reply.bytes(asked.method == "HEAD")).await?;
        if asked.close {
            break;
        }
    }
    Ok(())
}

fn answer(app: &TopicApp, target: &str) -> Reply {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let argument = |key: &str| {
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
            .map(decoded)
    };
    let asked = argument("q").unwrap_or_default();
    let number = ["pageno", "page", "p"]
        .into_iter()
        .find_map(argument)
        .and_then(|page| page.parse().ok())
        .unwrap_or(1)
        .max(1);
    let mode = app.search_mode.get();
    match (path, mode) {
        ("/opensearch.xml", _) => {
            return Reply::of(200, "application/opensearchdescription+xml", description(app));
        }
        (_, SearchMode::Down) => return Reply::of(503, "text/plain", "too many requests\n"),
        _ => {}
    }
    let number = if mode == SearchMode::Same { 1 } else { number };
    let hits = if mode == SearchMode::Empty {
        Vec::new()
    } else {
        hits(app, &asked, number)
    };
    match path {
        "/search" if mode == SearchMode::Html || argument("format").as_deref() != Some("json") => {
            Reply::of(200, "text/html; charset=utf-8", as_html(&asked, number, &hits))
        }
        "/search" => {
            let mut body = as_json(&asked, &hits);
            if mode == SearchMode::Big {
                body.insert_str(1, &format!("\"padding\": \"{}\", ", "x".repeat(BIG_BYTES)));
            }
            if mode == SearchMode::Broken {
                body.truncate(body.floor_char_boundary(body.len() / 2));
            }
            Reply::of(200, "application/json", body)
        }
        "/atom" => Reply::of(200, "application/atom+xml", as_atom(&asked, &hits)),
        "/html" => Reply::of(200, "text/html; charset=utf-8", as_html(&asked, number, &hits)),
        _ => Reply::of(404, "text/plain", "no such page\n"),
    }
}

fn hits(app: &TopicApp, query: &str, number: usize) -> Vec<Hit> {
    let index = app.index.get_or_init(|| Index::of(&app.web));
    let found = index.found(query);
    let mut hits = Vec::new();
    let mut random = Random::of(&[app.web.seed, number as u64, query.len() as u64]);
    let first = (number - 1) * RESULTS_OF_A_PAGE;
    let of = |page: u32| {
        let (site, node, text) = &index.pages[page as usize];
        let shown = app.web.shown(*site);
        Hit {
            url: format!("http://{}{}", app.hosts.authority(*site), shown.path(*node)),
            title: title(&app.web, shown, *node),
            content: text.chars().take(160).collect(),
            is_sponsored: false,
        }
    };
    for (at, page) in found.iter().skip(first).take(RESULTS_OF_A_PAGE).enumerate() {
        hits.push(of(*page));
        // The same again, as engines that ask others give it.
        if at == 3 && random.percent(50) {
            hits.push(of(*page));
        }
    }
    if hits.is_empty() {
        return hits;
    }
    // What was shown before comes again, now and then.
    if number > 1 && random.percent(50) {
        hits.push(of(found[0]));
    }
    let shops: Vec<u16> = app
        .web
        .sites
        .iter()
        .filter(|site| matches!(site.kind, SiteKind::Shop | SiteKind::Forum) && !site.is_on)
        .map(|site| site.index)
        .collect();
    for (at, site) in shops
        .iter()
        .filter(|site| mixed(u64::from(**site), number as u64).is_multiple_of(3))
        .take(3)
        .enumerate()
    {
        let is_sponsored = at < 2;
        let hit = Hit {
            url: format!("http://{}/", app.hosts.authority(*site)),
            title: format!("{query} - {}", app.web.sites[usize::from(*site)].title),
            content: format!("{query} {query} {query} best price"),
            is_sponsored,
        };
        if is_sponsored {
            hits.insert(0, hit);
        } else {
            hits.push(hit);
        }
    }
    hits
}

fn as_json(query: &str, hits: &[Hit]) -> String {
    let results: Vec<serde_json::Value> = hits
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let engine = if hit.is_sponsored { "ads" } else { "web" };
            let mut told = json!({"url": hit.url, "title": hit.title, "content": hit.content, "engine": engine, "engines": [engine], "score": 1.0 / (at + 1) as f64, "category": "general", "positions": [at + 1]});
            if hit.is_sponsored {
                told["sponsored"] = true.into();
            }
            told
        })
        .collect();
    json!({"query": query, "number_of_results": 0, "results": results, "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []}).to_string()
}

fn as_html(query: &str, number: usize, hits: &[Hit]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html><head><title>{} - search</title></head><body>\n<form action=\"/html\"><input name=\"q\"></form>\n",
        escaped(query)
    );
    for hit in hits {
        let class = if hit.is_sponsored { "ad" } else { "result" };
        let _ = writeln!(
            out,
            "<div class=\"{class}\"><h3><a href=\"{}\">{}</a></h3><p>{}</p>{}</div>",
            hit.url,
            escaped(&hit.title),
            escaped(&hit.content),
            if hit.is_sponsored {
                "<span>Sponsored</span>"
            } else {
                ""
            }
        );
    }
    if !hits.is_empty() {
        let _ = writeln!(
            out,
            "<a class=\"next\" href=\"/html?q={}&amp;page={}\">Next</a>",
            query.replace(' ', "+"),
            number + 1
        );
    }
    out.push_str("<a href=\"/about\">About</a></body></html>\n");
    out
}

fn as_atom(query: &str, hits: &[Hit]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\"><title>{}</title><id>urn:search</id><updated>2026-01-01T00:00:00Z</updated>\n",
        escaped(query)
    );
    for hit in hits.iter().filter(|hit| !hit.is_sponsored) {
        let _ = writeln!(
            out,
            "<entry><title>{}</title><link href=\"{}\"/><id>{}</id><updated>2026-01-01T00:00:00Z</updated><summary>{}</summary></entry>",
            escaped(&hit.title),
            hit.url,
            hit.url,
            escaped(&hit.content)
        );
    }
    out.push_str("</feed>\n");
    out
}

fn description(app: &TopicApp) -> String {
    let at = app.search_address;
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\"><ShortName>topicweb</ShortName><Description>Searches the synthetic topical web</Description><Url type=\"application/atom+xml\" template=\"http://{at}/atom?q={{searchTerms}}&amp;p={{startPage?}}\"/><Url type=\"text/html\" template=\"http://{at}/html?q={{searchTerms}}&amp;page={{startPage?}}\"/></OpenSearchDescription>\n"
    )
}

/// Percent and plus signs taken off.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let hex = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let hex = std::str::from_utf8(&hex).unwrap_or("20");
                bytes.push(u8::from_str_radix(hex, 16).unwrap_or(b' '));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
