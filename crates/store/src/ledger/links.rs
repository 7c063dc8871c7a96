//! Who links to whom, page by page.

use super::structure::LinkLists;
use crate::StoreError;
use gleaner_model::{Leg, LinkKind, Reason, ResourceId, RunId, Timestamp, UrlKey};

/// One line of `gleaner links`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    pub url: String,
    pub kind: LinkKind,
    pub count: u32,
    pub anchor: Option<String>,
    pub nofollow: bool,
    /// As the page spells it, where that was mended.
    pub original: Option<String>,
    /// The last status of the page at the other end; none if it was never asked for.
    pub status: Option<u16>,
}

/// Which end of a link a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEnd {
    Out,
    In,
}

/// How a run could come to a page: a link on another that it saw, or its own visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approach {
    /// None: the page itself.
    pub kind: Option<LinkKind>,
    /// The address of the page that has the link.
    pub page: String,
    pub depth: u32,
    pub legs: Vec<Leg>,
}

/// A resource as it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourcePlace {
    /// Of its address, or of its identity where parts of that are volatile.
    pub key: UrlKey,
    pub url: String,
    /// Of the last answer; none: it was never asked for.
    pub status: Option<u16>,
}

/// What one run did about one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVisit {
    pub depth: u32,
    /// None: still queued.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
    /// The steps that it was taken up for.
    pub legs: Vec<Leg>,
}

pub trait LinkLedger {
    fn place(&self, resource: ResourceId) -> Result<Option<ResourcePlace>, StoreError>;

    /// What a run did about a resource; none: it never took it up.
    fn visit(&self, run: RunId, resource: ResourceId) -> Result<Option<RunVisit>, StoreError>;

    /// The links of a page: those that it has, or those that it had at the end of a run.
    fn links_of(&self, page: ResourceId, run: Option<RunId>) -> Result<LinkLists, StoreError>;

    /// Pages that link to this one, in the order of their numbers.
    fn pages_that_name(&self, target: ResourceId) -> Result<Vec<ResourceId>, StoreError>;

    /// The links of a page, or those that lead to it.
    fn links(&self, resource: ResourceId, direction: LinkEnd) -> Result<Vec<LinkRow>, StoreError> {
        let pages = match direction {
            LinkEnd::Out => vec![resource],
            LinkEnd::In => self.pages_that_name(resource)?,
        };
        let mut rows = Vec::new();
        for page in pages {
            for (source, links) in self.links_of(page, None)?.iter() {
                for link in links {
                    let other = match direction {
                        LinkEnd::Out => link.target,
                        LinkEnd::In if link.target == resource => source,
                        LinkEnd::In => continue,
                    };
                    let Some(place) = self.place(other)? else { continue };
                    rows.push(LinkRow {
                        url: place.url,
                        kind: link.kind,
                        count: link.count,
                        anchor: Some(link.anchor()).filter(|anchor| !anchor.is_empty()),
                        nofollow: link.nofollow,
                        original: link.original(),
                        status: place.status,
                    });
                }
            }
        }
        Ok(rows)
    }

    /// How `run` could come to `target`.
    fn approaches(&self, target: ResourceId, run: RunId) -> Result<Vec<Approach>, StoreError> {
        let mut found = Vec::new();
        let mut at = |page: ResourceId, kind: Option<LinkKind>| -> Result<(), StoreError> {
            if let (Some(visit), Some(place)) = (self.visit(run, page)?, self.place(page)?) {
                found.push(Approach {
                    kind,
                    page: place.url,
                    depth: visit.depth,
                    legs: visit.legs,
                });
            }
            Ok(())
        };
        at(target, None)?;
        for page in self.pages_that_name(target)? {
            for (_, links) in self.links_of(page, None)?.iter() {
                for link in links.filter(|link| link.target == target) {
                    at(page, Some(link.kind))?;
                }
            }
        }
        Ok(found)
    }
}
