//! What is a page called, and what does a calendar without end show?

use std::fmt::Write;

use super::formats::escaped;
use super::site::{NO_TOPIC, NodeKind, Site};
use super::web::Web;

/// The title of a page, as its head and the links to it say.
pub(super) fn title(web: &Web, site: &Site, id: u32) -> String {
    let node = &site.nodes[id as usize];
    let path = site.path(id);
    match node.kind {
        NodeKind::Home => site.title.clone(),
        NodeKind::Document { work, .. } => web.works.all[work as usize].title(&web.corpus),
        NodeKind::File(at) => words_of(&web.corpus.files[at as usize].name),
        NodeKind::Abstract => match node.children.first() {
            Some(child) => title(web, site, *child),
            None => words_of(path),
        },
        NodeKind::Content | NodeKind::Post if node.topic != NO_TOPIC => {
            let topic = &web.corpus.topics[usize::from(node.topic)];
            let text = &topic.texts[node.text as usize % topic.texts.len()].title;
            if node.kind == NodeKind::Post {
                format!("Re: {text}")
            } else {
                text.clone()
            }
        }
        _ => words_of(path),
    }
}

/// The last part of a path, as words.
pub(super) fn words_of(path: &str) -> String {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = last.rsplit_once('.').map_or(last, |parts| parts.0);
    let words: Vec<String> = stem
        .split(['-', '_', '~'])
        .filter(|word| !word.is_empty())
        .map(super::naming::capital)
        .collect();
    words.join(" ")
}

/// A month or a day of a calendar without end.
pub(super) fn calendar(site: &Site, month: i64, day: Option<u8>) -> String {
    let name = |month: i64| format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
    let title = format!(
        "Calendar {}{}",
        name(month),
        day.map(|day| format!("-{day:02}")).unwrap_or_default()
    );
    let mut out = format!(
        "<!DOCTYPE html>\n<html><head><title>{title} - {}</title></head><body><h1>{title}</h1>\n<p>Nothing is planned.</p>\n",
        escaped(&site.title)
    );
    let _ = writeln!(
        out,
        "<a href=\"/calendar/{}.html\">Previous month</a> <a href=\"/calendar/{}.html\">Next month</a> <a href=\"/\">Home</a>",
        name(month - 1),
        name(month + 1)
    );
    if day.is_none() {
        for day in 1..=28 {
            let _ = write!(
                out,
                "<a href=\"/calendar/{}-{day:02}.html\">{day}</a> ",
                name(month)
            );
        }
    }
    out.push_str("</body></html>\n");
    out
}
