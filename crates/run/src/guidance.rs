//! What guides a run that looks for something: asked where pages are judged and where rows are chosen.
//!
//! A run without guidance goes breadth first, and pays nothing for this.

use gleaner_frontier::{Guide, LinkSeen, PageSeen, PlaceTurn};
use gleaner_model::{Reason, Url, UrlKey};
use gleaner_parse::{Parsed, content};
use gleaner_readers::Appraises;
use gleaner_store::work::Queued;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Who says what is worth a fetch, and what a document was worth.
#[derive(Clone)]
pub struct Guidance {
    pub guide: Arc<dyn Guide>,
    pub appraiser: Arc<dyn Appraises>,
}

/// The header fields of a page, and its bytes.
type ReceivedBody<'a> = (&'a [(String, String)], &'a [u8]);

impl Guidance {
    /// The scores of a page's links, by their keys: higher is sooner. `body` is that of a page; documents are known by their worth.
    pub(crate) fn scores(
        &self,
        page: &Queued,
        parsed: &Parsed,
        body: Option<ReceivedBody<'_>>,
        worth: Option<f32>,
        is_ours: impl Fn(&Url) -> bool,
    ) -> HashMap<UrlKey, u16> {
        let read = |(headers, body)| content::read_said(&page.url, headers, body);
        let content = body.and_then(|body| catch_unwind(AssertUnwindSafe(|| read(body))).ok().flatten());
        let links: Vec<LinkSeen<'_>> = parsed
            .links
            .iter()
            .filter(|link| link.kind.is_followed() && is_ours(&link.url))
            .map(|link| LinkSeen {
                url: &link.url,
                kind: link.kind,
                anchor: &link.anchor,
            })
            .collect();
        let guided = self.guide.page(&PageSeen {
            url: &page.url,
            depth: page.depth,
            title: &parsed.title,
            content: content.as_ref(),
            worth,
            links: &links,
        });
        let scores = links.iter().zip(guided.scores);
        scores
            .map(|(link, score)| (link.url.key(), score.0.max(1)))
            .collect()
    }

    /// Why a page whose turn has come is not asked for after all.
    pub(crate) fn refuses(&self, page: &Queued, chance: u64) -> Option<Reason> {
        if !page.purpose.is_page() {
            return None;
        }
        match self.guide.place(&page.url, chance) {
            PlaceTurn::Open => None,
            // What the project has is looked at nevertheless: nothing else says how it is.
            PlaceTurn::Paused(_) if page.known.is_some() => None,
            PlaceTurn::Paused(_) => Some(Reason::FolderPaused),
            PlaceTurn::Left(_) => Some(Reason::SiteLeft),
        }
    }
}
