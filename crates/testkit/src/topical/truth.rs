//! What is true of an address? Kind, topic, genre, whether the library wants it, and which work it is.

use super::corpus::KEPT;
use super::site::{NodeKind, Serving, Site, Trap};
use super::spec::SiteKind;
use super::web::Web;

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Node {
        node: u32,
        session: Option<u64>,
        number: u64,
    },
    Calendar {
        month: i64,
        day: Option<u8>,
    },
    Robots,
    Missing,
}

/// Finds what a path with its query leads to.
pub(super) fn resolve(site: &Site, target: &str) -> Target {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path == "/robots.txt" {
        return Target::Robots;
    }
    let mut session = None;
    let mut number = 0;
    for part in query.split('&') {
        if let Some(id) = part.strip_prefix("PHPSESSID=") {
            session = u64::from_str_radix(id, 16).ok();
        } else if let Some(page) = part.strip_prefix("page=") {
            number = page.parse().unwrap_or(0);
        }
    }
    if site.trap == Trap::Calendar
        && let Some(name) = path.strip_prefix("/calendar/")
    {
        return calendar(name.trim_end_matches(".html")).unwrap_or(Target::Missing);
    }
    if site.kind == SiteKind::Renaming
        && let Some(rest) = path.strip_prefix("/get/")
    {
        let token = rest
            .split('/')
            .next()
            .and_then(|token| u64::from_str_radix(token, 16).ok());
        let node = token.map(|token| (token >> 24) as u32);
        return match node {
            Some(node)
                if site
                    .nodes
                    .get(node as usize)
                    .is_some_and(|node| node.kind.is_file()) =>
            {
                Target::Node {
                    node,
                    session,
                    number,
                }
            }
            _ => Target::Missing,
        };
    }
    let known = site
        .at(path)
        .filter(|_| query.is_empty() || session.is_some() || number > 0);
    known.map_or(Target::Missing, |node| Target::Node {
        node,
        session,
        number,
    })
}

fn calendar(name: &str) -> Option<Target> {
    let mut parts = name.split('-');
    let year: i64 = parts.next()?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok()?;
    let day = parts.next().and_then(|day| day.parse().ok());
    Some(Target::Calendar {
        month: year * 12 + month - 1,
        day,
    })
}

/// How good a site is for the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteClass {
    /// Many good documents.
    Good,
    /// A few, or the way to others.
    Trial,
    /// None.
    Bad,
    /// Cannot be read, or is another one under a second name: nobody is right or wrong about it.
    None,
}

impl SiteClass {
    pub(super) fn name(self) -> &'static str {
        match self {
            SiteClass::Good => "good",
            SiteClass::Trial => "trial",
            SiteClass::Bad => "bad",
            SiteClass::None => "none",
        }
    }
}

/// So many good works, and one for a hundred pages, make a good site; so many make it by themselves.
const GOOD_WORKS_MIN: usize = 8;
const MANY_WORKS: usize = 40;

/// How many good works a site has.
pub(super) fn good_works(web: &Web, site: &Site) -> usize {
    let mut works: Vec<u32> = (0..site.nodes.len() as u32)
        .filter_map(|node| web.good_at(site, node))
        .collect();
    works.sort_unstable();
    works.dedup();
    works.len()
}

pub(super) fn class(web: &Web, site: &Site) -> SiteClass {
    if site.serving != Serving::Pages {
        return SiteClass::None;
    }
    let works = good_works(web, site);
    match works {
        0 if site.kind == SiteKind::Hub && site.is_on => SiteClass::Trial,
        0 => SiteClass::Bad,
        _ if works >= MANY_WORKS => SiteClass::Good,
        _ if works >= GOOD_WORKS_MIN && works * 100 >= site.nodes.len() => SiteClass::Good,
        _ => SiteClass::Trial,
    }
}

/// The row of one address: kind, topic, relevant, document, genre, accept, work. `either` is said where a page of documentation
/// may be called a manual, and where nobody knows what a real document is about.
pub(super) fn row(web: &Web, site: &Site, node: u32) -> String {
    let node = &site.nodes[node as usize];
    let topic = web
        .corpus
        .topics
        .get(usize::from(node.topic))
        .map_or("-", |topic| topic.name.as_str());
    let is_relevant = node.topic == web.topic;
    let (kind, is_document, genre, accept, work) = match node.kind {
        NodeKind::Home => ("home", false, "-", "no", None),
        NodeKind::Listing => ("listing", false, "-", "no", None),
        NodeKind::Person => ("person", false, "-", "no", None),
        NodeKind::Content => (
            "content",
            false,
            "-",
            if is_relevant { "either" } else { "no" },
            None,
        ),
        NodeKind::Abstract => ("abstract", false, "-", "no", None),
        NodeKind::Post => ("post", false, "-", "no", None),
        NodeKind::Goods => ("goods", false, "-", "no", None),
        NodeKind::Links => ("links", false, "-", "no", None),
        NodeKind::Document { work, .. } => {
            let made = &web.works.all[work as usize];
            (
                "document",
                true,
                made.genre,
                if web.is_good(work) { "yes" } else { "no" },
                Some(work),
            )
        }
        NodeKind::File(at) => {
            let genre = web.corpus.files[at as usize].genre.as_str();
            (
                "file",
                true,
                genre,
                if KEPT.contains(&genre) { "either" } else { "no" },
                None,
            )
        }
        NodeKind::Junk(_) => ("junk", true, "-", "no", None),
    };
    let work = work.map_or_else(|| "-".to_owned(), |work| work.to_string());
    format!(
        "{kind}\t{topic}\t{}\t{}\t{genre}\t{accept}\t{work}",
        u8::from(is_relevant),
        u8::from(is_document)
    )
}
