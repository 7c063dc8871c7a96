//! Can the bars be reached, and are they not trivial? Orders of fetching, walked over the pages as they are served, without a crawler.
//!
//! All begin with the sites that a librarian knows and spend the same number of fetches. `breadth-first` takes addresses as they
//! were found; `site by site` reads each site breadth-first to its end before the next (S1); `random` draws one. `oracle` knows what
//! every page leads to and takes the best first; it is no bound, since it looks no further than the tree below a page.

use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use anyhow::Result;

use super::admin::shown_to_a_librarian;
use super::hosts::Hosts;
use super::page::Asked;
use super::server::{TopicOptions, body, grown};
use super::site::{NodeKind, Serving};
use super::truth::{Target, class, resolve};
use super::web::Web;
use crate::sessions::Random;

/// What one order found.
#[derive(Debug, Clone, Copy)]
pub struct WalkedOrder {
    pub order: &'static str,
    pub fetches: u64,
    /// Good works, copies counted once.
    pub good: usize,
    /// All that was there for it.
    pub of: usize,
    pub sites: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Breadth,
    SiteBySite,
    Random,
    Oracle,
}

/// An address that waits: the site, its target, and the number of links from a seed.
type Waiting = (u16, String);

/// Walks a web in each order.
pub fn walk_orders(options: &TopicOptions) -> Result<Vec<WalkedOrder>> {
    let web = grown(options)?;
    let all = [
        ("breadth-first", Order::Breadth),
        ("site by site", Order::SiteBySite),
        ("random", Order::Random),
        ("oracle", Order::Oracle),
    ];
    Ok(all
        .into_iter()
        .map(|(name, order)| walk(&web, name, order))
        .collect())
}

/// How many good sites a web has, for those who print it.
pub fn good_sites(options: &TopicOptions) -> Result<usize> {
    let web = grown(options)?;
    Ok(web
        .sites
        .iter()
        .filter(|site| class(&web, site).name() == "good")
        .count())
}

struct Frontier {
    order: Order,
    queue: VecDeque<Waiting>,
    of_sites: HashMap<u16, VecDeque<Waiting>>,
    open_sites: VecDeque<u16>,
    best: BinaryHeap<(u64, u64, Waiting)>,
    count: u64,
    random: Random,
}

impl Frontier {
    fn push(&mut self, at: Waiting, value: u64) {
        self.count += 1;
        match self.order {
            Order::Breadth | Order::Random => self.queue.push_back(at),
            Order::SiteBySite => {
                let site = at.0;
                if !self.of_sites.contains_key(&site) {
                    self.open_sites.push_back(site);
                }
                self.of_sites.entry(site).or_default().push_back(at);
            }
            Order::Oracle => self.best.push((value, u64::MAX - self.count, at)),
        }
    }

    fn pop(&mut self) -> Option<Waiting> {
        match self.order {
            Order::Breadth => self.queue.pop_front(),
            Order::Random => {
                let last = self.queue.len().checked_sub(1)?;
                let at = self.random.within(0, last);
                self.queue.swap(at, last);
                self.queue.pop_back()
            }
            Order::SiteBySite => {
                while let Some(site) = self.open_sites.front() {
                    if let Some(at) = self.of_sites.get_mut(site).and_then(VecDeque::pop_front) {
                        return Some(at);
                    }
                    // Kept empty: what is found of it later waits at the end.
                    self.of_sites.remove(site);
                    self.open_sites.pop_front();
                }
                None
            }
            Order::Oracle => self.best.pop().map(|(_, _, at)| at),
        }
    }
}

fn walk(web: &Web, name: &'static str, order: Order) -> WalkedOrder {
    let hosts = Hosts {
        port: 80,
        suffix: String::new(),
    };
    let mut frontier = Frontier {
        order,
        queue: VecDeque::new(),
        of_sites: HashMap::new(),
        open_sites: VecDeque::new(),
        best: BinaryHeap::new(),
        count: 0,
        random: Random::of(&[web.seed, 0x3a1]),
    };
    let mut values: HashMap<u16, Vec<u64>> = HashMap::new();
    let mut seen: HashSet<Waiting> = HashSet::new();
    let (examples, known) = shown_to_a_librarian(web);
    let seeds = known.into_iter().map(|site| (site, 0)).chain(examples);
    for (site, node) in seeds {
        let at = (site, web.shown(site).path(node).to_owned());
        seen.insert(at.clone());
        frontier.push(at, u64::MAX);
    }
    let (mut fetches, mut good) = (0, HashSet::new());
    let mut sites = HashSet::new();
    let mut pages: HashSet<(u16, u32)> = HashSet::new();
    while fetches < web.spec.budget {
        let Some((site, target)) = frontier.pop() else {
            break;
        };
        if order == Order::Oracle && is_known(web, site, &target, &good, &mut pages) {
            continue;
        }
        fetches += 1;
        sites.insert(site);
        let mut add = |frontier: &mut Frontier, at: Waiting| {
            if usize::from(at.0) < web.sites.len() && seen.insert(at.clone()) {
                let value = if order == Order::Oracle {
                    value(web, &mut values, &at)
                } else {
                    0
                };
                frontier.push(at, value);
            }
        };
        match web.sites[usize::from(site)].serving {
            Serving::Refuses | Serving::Unavailable => continue,
            Serving::MovedTo(other) => {
                add(&mut frontier, (other, target));
                continue;
            }
            Serving::Pages | Serving::As(_) => {}
        }
        let shown = web.shown(site);
        let Target::Node {
            node,
            session,
            number,
        } = resolve(shown, &target)
        else {
            continue;
        };
        if !shown.is_alive(node, 0) {
            continue;
        }
        good.extend(web.good_at(shown, node));
        if shown.nodes[node as usize].kind.is_file() {
            continue;
        }
        let (_, page) = body(
            web,
            &hosts,
            shown,
            node,
            Asked {
                epoch: 0,
                session,
                number,
            },
        );
        let page = String::from_utf8_lossy(&page);
        for part in page.split("<a href=\"").skip(1) {
            let Some(href) = part.split('"').next() else {
                continue;
            };
            if let Some(rest) = href.strip_prefix("http://") {
                let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                if let Some(other) = Hosts::site(authority) {
                    add(&mut frontier, (other, format!("/{path}")));
                }
            } else if href.starts_with('/') {
                add(&mut frontier, (site, href.replace("&amp;", "&")));
            }
        }
    }
    let of = (0..web.works.all.len() as u32)
        .filter(|work| web.is_good(*work))
        .count();
    WalkedOrder {
        order: name,
        fetches,
        good: good.len(),
        of,
        sites: sites.len(),
    }
}

/// Whether an address shows what was seen under another one.
fn is_known(
    web: &Web,
    site: u16,
    target: &str,
    good: &HashSet<u32>,
    pages: &mut HashSet<(u16, u32)>,
) -> bool {
    let shown = web.shown(site);
    let Target::Node { node, .. } = resolve(shown, target) else {
        return false;
    };
    let is_found = web.good_at(shown, node).is_some_and(|work| good.contains(&work));
    is_found || !pages.insert((shown.index, node))
}

/// What the tree below an address holds: good documents by the number of pages that lead to them.
fn value(web: &Web, values: &mut HashMap<u16, Vec<u64>>, at: &Waiting) -> u64 {
    let shown = web.shown(at.0);
    let Target::Node { node, .. } = resolve(shown, &at.1) else {
        return 0;
    };
    let of_site = values.entry(shown.index).or_insert_with(|| {
        let mut good = vec![0u64; shown.nodes.len()];
        let mut pages = vec![1u64; shown.nodes.len()];
        let mut best = vec![0u64; shown.nodes.len()];
        for node in (0..shown.nodes.len()).rev() {
            let here = &shown.nodes[node];
            if let NodeKind::Document { work, .. } = here.kind {
                if web.is_good(work) {
                    good[node] += 1;
                    best[node] = 1_000_000;
                }
            } else {
                // The best that is below, for the fetches that it takes.
                let below = here
                    .children
                    .iter()
                    .map(|child| best[*child as usize])
                    .max()
                    .unwrap_or(0);
                best[node] = (good[node] * 1_000_000 / (pages[node] + 1)).max(below * 7 / 10);
            }
            if node > 0 && (good[node] > 0 || !here.kind.is_file()) {
                let (own_good, own_pages) = (good[node], if good[node] > 0 { pages[node] } else { 0 });
                good[here.parent as usize] += own_good;
                pages[here.parent as usize] += own_pages;
            }
        }
        best
    });
    of_site[node as usize]
}
