//! The pages of a university and the links among them.

use gleaner_model::{Content, Link, LinkKind, Url};
use gleaner_parse::{Input, content, parse};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;

pub(crate) struct Page {
    pub(crate) url: Url,
    pub(crate) label: String,
    pub(crate) content: Content,
    /// The pages of this university that it links to: place in the list, kind of link, anchor.
    pub(crate) links: Vec<(usize, LinkKind, String)>,
}

pub(crate) struct University {
    pub(crate) name: String,
    pub(crate) pages: Vec<Page>,
    pub(crate) start: Option<usize>,
}

pub(crate) fn all(folder: &Path) -> Vec<University> {
    let stats: Value =
        serde_json::from_reader(File::open(folder.join("stats.json")).expect("figures of the corpus"))
            .expect("JSON");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder of universities")
        .filter_map(|entry| {
            Some(
                entry
                    .ok()?
                    .file_name()
                    .to_str()?
                    .strip_suffix(".jsonl.zst")?
                    .to_owned(),
            )
        })
        .collect();
    names.sort();
    names
        .iter()
        .map(|name| university(folder, name, stats[name]["start"].as_str()))
        .collect()
}

fn text_of(path: &Path) -> String {
    let packed = File::open(path).expect("a file of the corpus");
    String::from_utf8(zstd::decode_all(packed).expect("zstd")).expect("UTF-8")
}

fn university(folder: &Path, name: &str, start: Option<&str>) -> University {
    let text = text_of(&folder.join(format!("{name}.jsonl.zst")));
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mut at_id: HashMap<u64, usize> = HashMap::new();
    let mut at_url: HashMap<String, usize> = HashMap::new();
    let mut pages = Vec::new();
    let mut linked: Vec<Vec<Link>> = Vec::new();
    for row in &rows {
        let url = row["url"].as_str().expect("an address");
        let Ok(url) = Url::parse(url) else { continue };
        let html = row["html"].as_str().expect("a page");
        let body = html.split_once("\n\n").map_or("", |(_, body)| body);
        let body: Vec<u8> = body
            .chars()
            .map(|sign| u8::try_from(sign as u32).unwrap_or(b'?'))
            .collect();
        let headers = [("content-type".to_owned(), "text/html".to_owned())];
        let input = Input {
            url: &url,
            headers: &headers,
            body: &body,
            agent: "",
            is_sitemap: false,
        };
        linked.push(parse(&input).links);
        let content = content::read_said(&url, &headers, &body).unwrap_or_default();
        at_id.insert(row["id"].as_u64().expect("a number"), pages.len());
        at_url.entry(spelled(&url)).or_insert(pages.len());
        let label = row["label"].as_str().expect("a label").to_owned();
        pages.push(Page {
            url,
            label,
            content,
            links: Vec::new(),
        });
    }
    let urls: Vec<String> = pages.iter().map(|page| page.url.as_str().to_owned()).collect();
    let mut pairs: HashMap<usize, Vec<(usize, String)>> = HashMap::new();
    for line in text_of(&folder.join(format!("{name}.links.tsv.zst"))).lines() {
        let mut parts = line.splitn(3, '\t');
        let mut next = || at_id.get(&parts.next()?.parse().ok()?).copied();
        let (Some(from), Some(to)) = (next(), next()) else {
            continue;
        };
        pairs
            .entry(from)
            .or_default()
            .push((to, parts.next().unwrap_or("").to_owned()));
    }
    for (at, (page, links)) in pages.iter_mut().zip(linked).enumerate() {
        let told = pairs.remove(&at).unwrap_or_default();
        let meant: HashSet<usize> = told.iter().map(|(to, _)| *to).collect();
        let mut found = HashSet::new();
        for link in links {
            let to = at_url
                .get(&spelled(&link.url))
                .copied()
                .filter(|to| meant.contains(to));
            if let Some(to) = to.filter(|to| found.insert(*to)) {
                page.links.push((to, link.kind, link.anchor));
            }
        }
        // Links that only the corpus knows stand behind.
        let rest = told.into_iter().filter(|(to, _)| found.insert(*to));
        page.links
            .extend(rest.map(|(to, anchor)| (to, LinkKind::Anchor, anchor)));
        // One address has one spelling here, as a run has it by what it learned of the site.
        for link in page.content.blocks.iter_mut().flat_map(|block| &mut block.links) {
            let to = Url::parse(link).ok().and_then(|url| at_url.get(&spelled(&url)));
            if let Some(to) = to {
                link.clone_from(&urls[*to]);
            }
        }
    }
    let start = start.and_then(|start| at_url.get(&spelled(&Url::parse(start).ok()?)).copied());
    University {
        name: name.to_owned(),
        pages,
        start,
    }
}

/// `index.html` is the folder.
fn spelled(url: &Url) -> String {
    let text = url.as_str();
    let text = text
        .strip_suffix("index.html")
        .or(text.strip_suffix("index.htm"))
        .unwrap_or(text);
    text.to_owned()
}
