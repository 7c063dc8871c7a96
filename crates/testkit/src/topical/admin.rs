//! What is true of the web, and what was asked of it? The control port.

use std::fmt::Write as _;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::search::SearchMode;
use super::server::TopicApp;
use super::site::{NodeKind, Serving, Site};
use super::spec::SiteKind;
use super::truth::{class, good_works, row};
use super::web::Web;
use crate::sessions::Random;
use crate::synth::request::read_req;

pub(super) async fn serve_admin(mut stream: TcpStream, app: &TopicApp) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    let Some(asked) = read_req(&mut stream, &mut buffer).await else {
        return Ok(());
    };
    let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
    let argument = |key: &str| {
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    };
    let mut out = String::from(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n",
    );
    match path {
        "/info" => out.push_str(&info(app)),
        "/stats" => out.push_str(&stats(app)),
        "/reset" => {
            app.log.borrow_mut().clear();
            app.searches.set(0);
        }
        "/set" => {
            if let Some(epoch) = argument("epoch").and_then(|epoch| epoch.parse().ok()) {
                app.epoch.set(epoch);
            }
            if let Some(mode) = argument("search").and_then(SearchMode::named) {
                app.search_mode.set(mode);
            }
        }
        // site, kind, topic, class, pages, good works, serving, trap
        "/sites" => {
            for site in &app.web.sites {
                let shown = app.web.shown(site.index);
                let topic = &app.web.corpus.topics[usize::from(site.topic)].name;
                let _ = writeln!(
                    out,
                    "http://{}/\t{:?}\t{topic}\t{}\t{}\t{}\t{:?}\t{:?}",
                    app.hosts.authority(site.index),
                    site.kind,
                    class(&app.web, site).name(),
                    shown.nodes.len(),
                    good_works(&app.web, shown),
                    site.serving,
                    site.trap
                );
            }
        }
        // url, then the truth of it, then its depth and the epochs at which it appears and goes.
        "/truth" => {
            for site in &app.web.sites {
                if !matches!(site.serving, Serving::Pages | Serving::As(_)) {
                    continue;
                }
                let shown = app.web.shown(site.index);
                for node in 0..shown.nodes.len() as u32 {
                    let page = &shown.nodes[node as usize];
                    let (url, row) = (url(app, site, shown, node), row(&app.web, shown, node));
                    let _ = writeln!(
                        out,
                        "{url}\t{row}\t{}\t{}\t{}",
                        shown.depth(node),
                        page.born,
                        page.gone
                    );
                }
                if out.len() > 256 * 1024 {
                    stream.write_all(out.as_bytes()).await?;
                    out.clear();
                }
            }
        }
        // number, site, url, status, then the truth of it, in the order in which it was asked.
        "/log" => {
            let rows: Vec<String> = app
                .log
                .borrow()
                .iter()
                .enumerate()
                .map(|(number, served)| {
                    let truth = served.node.map_or_else(
                        || "none\t-\t0\t0\t-\tno\t-".to_owned(),
                        |node| row(&app.web, app.web.shown(served.site), node),
                    );
                    format!(
                        "{number}\t{}\thttp://{}{}\t{}\t{truth}\n",
                        served.site,
                        app.hosts.authority(served.site),
                        served.target,
                        served.status
                    )
                })
                .collect();
            out.push_str(&rows.concat());
        }
        _ => out = String::from("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    }
    stream.write_all(out.as_bytes()).await?;
    stream.shutdown().await
}

fn url(app: &TopicApp, site: &Site, shown: &Site, node: u32) -> String {
    format!("http://{}{}", app.hosts.authority(site.index), shown.path(node))
}

/// Good documents that a librarian may have at hand, from different sites, and sites that she may know.
pub(super) fn shown_to_a_librarian(web: &Web) -> (Vec<(u16, u32)>, Vec<u16>) {
    let mut random = Random::of(&[web.seed, 0xe8a]);
    let mut on: Vec<u16> = web
        .sites
        .iter()
        .filter(|site| site.is_on && site.serving == Serving::Pages)
        .map(|site| site.index)
        .collect();
    random.shuffle(&mut on);
    let mut known: Vec<u16> = on
        .iter()
        .copied()
        .filter(|site| {
            matches!(
                web.sites[usize::from(*site)].kind,
                SiteKind::Group | SiteKind::Manual | SiteKind::Hub
            )
        })
        .collect();
    // One hub at most: who knows all of them has found everything.
    let hubs: Vec<u16> = known
        .iter()
        .copied()
        .filter(|site| web.sites[usize::from(*site)].kind == SiteKind::Hub)
        .collect();
    known.retain(|site| !hubs.contains(site));
    known.truncate(web.spec.known_sites.saturating_sub(1).max(1));
    if web.spec.known_sites > known.len() {
        known.extend(hubs.first());
    }
    let mut examples: Vec<(u16, u32)> = Vec::new();
    for site in on.iter().chain(&on) {
        let shown = &web.sites[usize::from(*site)];
        let good: Vec<u32> = (0..shown.nodes.len() as u32)
            .filter(|node| {
                web.good_at(shown, *node).is_some()
                    && shown.is_alive(*node, 0)
                    && shown.kind != SiteKind::Renaming
            })
            .collect();
        if examples.len() < web.spec.examples && !good.is_empty() {
            let spot = (*site, *random.pick(&good));
            if !examples.contains(&spot) {
                examples.push(spot);
            }
        }
    }
    (examples, known)
}

fn info(app: &TopicApp) -> String {
    let web = &app.web;
    let (examples, known) = shown_to_a_librarian(web);
    let examples: Vec<String> = examples
        .iter()
        .map(|(site, node)| {
            url(
                app,
                &web.sites[usize::from(*site)],
                &web.sites[usize::from(*site)],
                *node,
            )
        })
        .collect();
    let known: Vec<String> = known
        .iter()
        .map(|site| format!("http://{}/", app.hosts.authority(*site)))
        .collect();
    let good = (0..web.works.all.len() as u32)
        .filter(|work| web.is_good(*work))
        .count();
    let pages: usize = web.sites.iter().map(|site| site.nodes.len()).sum();
    let words: Vec<&String> = web
        .corpus
        .vocabulary
        .own(usize::from(web.topic))
        .iter()
        .take(12)
        .collect();
    let told = json!({
        "topic": web.corpus.topics[usize::from(web.topic)].name,
        "words": words,
        "seed": web.seed,
        "sites": web.sites.len(),
        "pages": pages,
        "works": web.works.all.len(),
        "good_works": good,
        "budget": web.spec.budget,
        "examples": examples,
        "known_sites": known,
        "search": format!("http://{}/search", app.search_address),
        "opensearch": format!("http://{}/opensearch.xml", app.search_address),
        "search_html": format!("http://{}/html?q={{query}}&page={{page}}", app.search_address),
    });
    format!("{told}\n")
}

fn stats(app: &TopicApp) -> String {
    let log = app.log.borrow();
    let mut good = Vec::new();
    let (mut found, mut documents) = (0, 0);
    for served in log.iter() {
        let Some(node) = served.node.filter(|_| served.status == 200) else {
            continue;
        };
        found += 1;
        let shown = app.web.shown(served.site);
        documents += u64::from(matches!(
            shown.nodes[node as usize].kind,
            NodeKind::Document { .. } | NodeKind::File(_)
        ));
        good.extend(app.web.good_at(shown, node));
    }
    good.sort_unstable();
    good.dedup();
    let told = json!({
        "requests": log.len(),
        "found": found,
        "documents": documents,
        "good_works": good.len(),
        "searches": app.searches.get(),
        "epoch": app.epoch.get(),
    });
    format!("{told}\n")
}
