//! What becomes of the entries of a list? Folders and sitemaps are no documents themselves: they name others.

use super::super::follow::{Follows, LinkRules};
use super::Bench;
use crate::site_memory::{Likeness, SiteMemory};
use gleaner_frontier::Bond;
use gleaner_frontier::traps::Lineage;
use gleaner_judge::Finding;
use gleaner_model::{Link, LinkKind, Modified, Reason, Url, defaults};
use gleaner_parse::Parsed;
use gleaner_store::keep::{Enqueue, Keep, Listed, Outcome, Share};
use gleaner_store::work::Queued;
use gleaner_units::{EntryKind, Listing, ListingEntry, ListingPiece};

/// Every entry becomes a link of the sitemap; sitemaps in an index become sitemaps to read.
pub(super) fn sitemap(page: &Queued, parsed: &Parsed, by: LinkRules<'_>, follows: &mut Follows) {
    for entry in &parsed.entries {
        let link = |url: &Url| Link {
            url: url.clone(),
            kind: LinkKind::Sitemap,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        if !entry.is_sitemap {
            follows.add(by, &link(&entry.url), None, page, true, None);
            if let Some(modified) = entry.lastmod.as_deref().and_then(Modified::parse) {
                follows.outlinks.date_last(modified);
            }
            continue;
        }
        let refused = if page.hops + 1 >= defaults::SITEMAP_DEPTH_MAX {
            Some(Reason::TooDeep)
        } else if entry.url.host() != page.url.host() && !by.rules.scope.contains(&entry.url) {
            // Otherwise a sitemap index could make the run ask a thousand other hosts.
            Some(Reason::OutOfScope)
        } else {
            by.sites.sitemaps.refuses(&entry.url, &page.url)
        };
        if let Some(reason) = refused {
            follows.note(reason, 1, &entry.url);
        }
        let queue = refused.is_none().then(|| Enqueue {
            priority: page.priority,
            ..Enqueue::sitemap(page.hops + 1)
        });
        follows.outlinks.push(&link(&entry.url), None, queue);
    }
}

/// Every entry becomes a link of the folder: files and folders are taken up, the rest is only named.
pub(super) fn folder(
    keep: &mut Keep,
    page: &Queued,
    listing: Listing,
    bench: &Bench<'_>,
    follows: &mut Follows,
) -> Finding<bool> {
    match listing.piece {
        ListingPiece::First => keep.outcome = Outcome::Piece(Share::First),
        ListingPiece::Next => keep.outcome = Outcome::Piece(Share::Next),
        ListingPiece::Only | ListingPiece::Last | ListingPiece::BrokenOff => {}
    }
    if let Some(detail) = listing.cut.clone() {
        (keep.reason, keep.detail) = (Some(Reason::ListingCut), Some(detail));
        follows.note(Reason::ListingCut, 1, &page.url);
    } else if let Some(oldest) = listing.oldest {
        // No cut: all that the server has was listed. The number tells, at the end, which of the missing went by their age.
        (keep.reason, keep.detail) = (Some(Reason::Expired), Some(oldest.to_string()));
    }
    keep.at = listing.started;
    let depth = page.depth + 1;
    let Likeness { lineage, endless } = likeness(page, &listing, bench.by.sites);
    if let Some(reason) = endless {
        // What lies below is not looked for, so nothing there is called gone.
        let detail = "the folder looks like those above it; the folders in it were left out";
        (keep.reason, keep.detail) = (Some(Reason::ListingCut), Some(detail.to_owned()));
        let folders = listing
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Folder);
        follows.note(reason, folders.count() as u64, &page.url);
    }
    for entry in listing.entries {
        let is_taken = match entry.kind {
            EntryKind::File => true,
            EntryKind::Folder => endless.is_none(),
            EntryKind::Link | EntryKind::Other => false,
        };
        let is_taken = is_taken && follows.decide(bench.by, &entry.url, LinkKind::Entry, depth, Bond::Leads);
        let queue = is_taken.then(|| Enqueue {
            chain: match (entry.kind, lineage) {
                (EntryKind::Folder, Some(lineage)) => vec![lineage.write()],
                _ => Vec::new(),
            },
            listed: Some(Listed {
                stamp: match entry.kind {
                    EntryKind::File => entry.meta.stamp(listing.started),
                    _ => None,
                },
                sample: bench.by.rules.sample_of_listed,
            }),
            ..Enqueue::page(i64::from(depth) * 2, depth)
        });
        let link = Link {
            url: entry.url,
            kind: LinkKind::Entry,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        follows.outlinks.push(&link, None, queue);
    }
    Finding::NoDocument
}

/// How the folder looks beside those above it. A long one is judged by its first piece: what comes later must not change
/// what was said of its folders.
fn likeness(page: &Queued, listing: &Listing, sites: &SiteMemory) -> Likeness {
    let looks = &sites.folders;
    match listing.piece {
        ListingPiece::Only | ListingPiece::BrokenOff => likeness_of(page, &listing.entries, sites),
        ListingPiece::First => {
            let likeness = likeness_of(page, &listing.entries, sites);
            looks.begin(page.resource, likeness);
            likeness
        }
        ListingPiece::Next => looks.begun(page.resource).unwrap_or_default(),
        ListingPiece::Last => looks.end(page.resource).unwrap_or_default(),
    }
}

/// Trees of this machine have an end.
fn likeness_of(page: &Queued, entries: &[ListingEntry], sites: &SiteMemory) -> Likeness {
    let has_folders = entries.iter().any(|entry| entry.kind == EntryKind::Folder);
    if page.url.scheme() == "file" || !has_folders {
        return Likeness::default();
    }
    let above = page.chain.first().and_then(|text| Lineage::parse(text));
    let start = page.url.as_str().len();
    let names = entries.iter().filter_map(|entry| entry.url.as_str().get(start..));
    let lineage = Lineage::of(above, names);
    let alike = sites.folders.met(lineage.look);
    Likeness {
        lineage: Some(lineage),
        endless: lineage.refuses(&page.url, alike),
    }
}
