//! Where a visit to a known site goes on: what was linked to and never asked for, and pages whose links may have changed.
//!
//! A page that is as it was says nothing about what it links to, so a visit that only began at the home page would end there.

use crate::sites::site_of;
use crate::{CollectError, Collecting};
use gleaner_frontier::{Guide, LinkScore, RowSeen};
use gleaner_model::project::TypeGroup;
use gleaner_model::{ResourceId, Url};
use gleaner_parse::group_of_extension;
use gleaner_store::keep::Enqueue;
use gleaner_store::{Ledger, RunRef, wait};
use std::collections::BTreeMap;

const PAGE: usize = 4096;
/// Of a site's share of requests, so much goes to pages that are known.
const FOR_KNOWN: f64 = 0.5;
/// Addresses of one site that are taken up at once; what they lead to comes by itself.
const MOST: usize = 5000;

#[derive(Default)]
struct KnownSite {
    unasked: Vec<Url>,
    pages: Vec<Url>,
}

/// Puts what is known of these sites, each with its share of requests, into the frontier of a run. Harmless to repeat.
pub(crate) fn enqueue_known(
    of: &Collecting<'_>,
    ledger: &dyn Ledger,
    run: RunRef,
    shares: &BTreeMap<String, u64>,
    guide: &dyn Guide,
) -> Result<(), CollectError> {
    if shares.is_empty() {
        return Ok(());
    }
    for (site, known) in known_of(ledger, shares)? {
        let share = shares.get(&site).copied().unwrap_or(0) as usize;
        let for_known = (share as f64 * FOR_KNOWN) as usize;
        let pages = known.pages.into_iter().take(for_known.min(MOST));
        let urls: Vec<Url> = known
            .unasked
            .into_iter()
            .take(share.min(MOST))
            .chain(pages)
            .collect();
        let rows: Vec<RowSeen<'_>> = urls
            .iter()
            .map(|url| RowSeen {
                url,
                depth: depth_of(url),
                score: LinkScore(u16::MAX - u16::try_from(depth_of(url)).unwrap_or(u16::MAX - 1)),
            })
            .collect();
        let scores = guide.rescore(&rows);
        let starts = urls.iter().zip(scores).map(|(url, score)| {
            let depth = depth_of(url);
            let entry = Enqueue {
                score: score.0.max(1),
                ..Enqueue::page(i64::from(depth), depth)
            };
            (url.clone(), entry)
        });
        wait(of.store.enqueue_starts(run, starts.collect(), of.clock.wall()))?;
    }
    Ok(())
}

/// How far a page probably lies from its site's home page, where no run has said so: its folders.
fn depth_of(url: &Url) -> u32 {
    let parts = url.path().split('/').filter(|part| !part.is_empty());
    parts.count().clamp(1, 100) as u32
}

fn known_of(
    ledger: &dyn Ledger,
    shares: &BTreeMap<String, u64>,
) -> Result<BTreeMap<String, KnownSite>, CollectError> {
    let mut found: BTreeMap<String, KnownSite> = BTreeMap::new();
    let mut after = ResourceId(0);
    loop {
        let rows = ledger.addresses(after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in rows {
            let Ok(url) = Url::parse(&row.url) else { continue };
            if !url.is_web() || !shares.contains_key(url.origin()) || !may_be_wanted(&url) {
                continue;
            }
            let is_page = row.media_type.starts_with("text/html") || row.media_type.contains("xhtml");
            if !is_page && !row.media_type.is_empty() {
                continue; // A document: whether it changed is not asked in passing.
            }
            let status = ledger.place(row.id)?.and_then(|place| place.status);
            let site = found.entry(site_of(&url)).or_default();
            match status {
                None => site.unasked.push(url),
                Some(200) if is_page => site.pages.push(url),
                Some(_) => {}
            }
        }
    }
    Ok(found)
}

/// Pictures, sheets and films are linked to as well.
fn may_be_wanted(url: &Url) -> bool {
    group_of_extension(url.path()).is_none_or(|group| {
        matches!(
            group,
            TypeGroup::Html | TypeGroup::Xml | TypeGroup::Text | TypeGroup::Documents
        )
    })
}
