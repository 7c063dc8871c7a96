use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use super::corpus::Corpus;
use super::hosts::Hosts;
use super::page::Asked;
use super::server::body;
use super::site::{FORMATS, NodeKind};
use super::spec::TopicSpec;
use super::truth::{Target, resolve};
use super::web::Web;
use super::{SearchMode, TopicWeb};
use crate::synth::get;

fn corpora() -> Option<std::path::PathBuf> {
    let topics = gleaner_fixtures::corpus("topics")?;
    topics.parent().map(Path::to_owned)
}

fn small(seed: u64) -> Option<Web> {
    let corpus = Corpus::read(&corpora()?).expect("the corpora are read");
    Some(Web::grown(TopicSpec::small(), seed, corpus, None).expect("the web is grown"))
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_other_ones() {
    let (Some(one), Some(two), Some(other)) = (small(1), small(1), small(2)) else {
        return;
    };
    let hosts = Hosts {
        port: 80,
        suffix: String::new(),
    };
    let mut different = 0;
    for (site, again) in one.sites.iter().zip(&two.sites) {
        for node in 0..site.nodes.len() as u32 {
            let bytes = body(&one, &hosts, site, node, Asked::default());
            assert_eq!(
                bytes,
                body(&two, &hosts, again, node, Asked::default()),
                "{}",
                site.path(node)
            );
        }
        let third = &other.sites[usize::from(site.index)];
        different += usize::from(third.title != site.title);
    }
    assert!(different > 5);
}

#[test]
fn every_page_of_a_site_is_linked_from_its_home_page() {
    let Some(web) = small(3) else { return };
    let hosts = Hosts {
        port: 80,
        suffix: String::new(),
    };
    for site in &web.sites {
        let mut seen: HashSet<u32> = HashSet::from([0]);
        let mut waiting = VecDeque::from([0]);
        while let Some(node) = waiting.pop_front() {
            if site.nodes[node as usize].kind.is_file() {
                continue;
            }
            let (_, bytes) = body(&web, &hosts, site, node, Asked::default());
            let page = String::from_utf8(bytes).expect("pages are UTF-8");
            for part in page.split("<a href=\"").skip(1) {
                let href = part.split('"').next().unwrap_or_default();
                if !href.starts_with('/') {
                    continue;
                }
                match resolve(site, href) {
                    Target::Node { node, .. } => {
                        if seen.insert(node) {
                            waiting.push_back(node);
                        }
                    }
                    Target::Calendar { .. } | Target::Robots => {}
                    Target::Missing => panic!("a dead link at {}: {href}", site.path(node)),
                }
            }
        }
        let missed: Vec<&str> = (0..site.nodes.len() as u32)
            .filter(|node| site.is_alive(*node, 0) && !seen.contains(node))
            .map(|node| site.path(node))
            .collect();
        assert!(missed.is_empty(), "{:?}: {missed:?}", site.kind);
    }
}

#[test]
fn documents_are_what_their_names_say() {
    let Some(web) = small(4) else { return };
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for site in &web.sites {
        for node in &site.nodes {
            let NodeKind::Document { work, format } = node.kind else {
                continue;
            };
            let format = FORMATS[usize::from(format)];
            *seen.entry(format).or_default() += 1;
            let work = &web.works.all[work as usize];
            let draft = work.draft(&web.corpus, 0);
            let letters: usize = draft.lines.iter().map(|line| line.1.len()).sum();
            assert!(letters > 300, "{} {letters}", work.genre);
            let bytes = super::formats::written(&draft, format);
            let start: &[u8] = match format {
                "pdf" => b"%PDF-",
                "ps.gz" => b"\x1f\x8b",
                "docx" => b"PK",
                "rtf" => b"{\\rtf",
                "tex" => b"\\documentclass",
                "html" => b"<!DOCTYPE html>",
                _ => b"",
            };
            assert!(bytes.starts_with(start), "{format}");
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

#[test]
fn the_search_service_finds_sites_of_the_topic_and_fails_as_told() {
    let Some(corpora) = corpora() else { return };
    let web = TopicWeb::of(&corpora, TopicSpec::small(), 5);
    let info = web.info();
    let address = info
        .search
        .trim_start_matches("http://")
        .trim_end_matches("/search")
        .parse()
        .expect("an address");
    let query = format!("/search?q={}&format=json", info.words[..3].join("+"));
    let first = get(address, &query).expect("an answer");
    let told: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    let results = told["results"].as_array().expect("results");
    assert!(!results.is_empty());
    let on: HashSet<String> = web
        .sites()
        .into_iter()
        .filter(|site| site.topic == info.topic)
        .map(|site| site.url)
        .collect();
    let right = results.iter().filter(|hit| {
        on.iter()
            .any(|site| hit["url"].as_str().is_some_and(|url| url.starts_with(site)))
    });
    assert!(right.count() * 2 > results.len(), "{first}");

    web.set_search(SearchMode::Down);
    assert!(get(address, &query).is_err());
    web.set_search(SearchMode::Big);
    assert!(get(address, &query).expect("an answer").len() > 10 << 20);
    web.set_search(SearchMode::Html);
    assert!(get(address, &query).expect("an answer").starts_with("<!DOCTYPE"));
    web.set_search(SearchMode::Works);
    let atom = get(address, "/atom?q=data&p=1").expect("an answer");
    assert!(atom.contains("<entry>"), "{atom}");
}
