//! Who links to whom, from the pages' lists.

use super::Reader;
use crate::StoreError;
use gleaner_model::steps::legs_of;
use gleaner_model::{Leg, LinkKind, ResourceId, RunId};
use rusqlite::OptionalExtension;

/// One line of `gleaner links`.
#[derive(Debug, Clone)]
pub struct LinkRow {
    pub url: String,
    pub kind: String,
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

/// The kinds as stored, for callers that show them.
pub fn kind_name(id: u8) -> Option<&'static str> {
    LinkKind::ALL
        .into_iter()
        .find(|k| *k as u8 == id)
        .map(LinkKind::as_str)
}

/// How a run could come to a page: a link on another that it saw, or its own visit.
#[derive(Debug, Clone)]
pub struct Approach {
    /// None: the page itself.
    pub kind: Option<LinkKind>,
    /// The address of the page that has the link.
    pub page: String,
    pub depth: u32,
    pub legs: Vec<Leg>,
}

impl Reader {
    /// How `run` could come to `target`.
    pub fn approaches(&self, target: ResourceId, run: RunId) -> Result<Vec<Approach>, StoreError> {
        let mut visit = self.db.prepare(
            "SELECT v.depth, v.legs, r.url FROM visits v JOIN resources r ON r.id = v.resource
                 WHERE v.run = ?1 AND v.resource = ?2",
        )?;
        let mut at = |page: i64, kind: Option<LinkKind>| {
            visit
                .query_row((run.0, page), |row| {
                    let legs: Option<String> = row.get(1)?;
                    Ok(Approach {
                        kind,
                        page: row.get(2)?,
                        depth: row.get(0)?,
                        legs: legs.as_deref().map_or_else(Vec::new, legs_of),
                    })
                })
                .optional()
        };
        let mut found: Vec<Approach> = at(target.0, None)?.into_iter().collect();
        let mut links = self
            .db
            .prepare("SELECT kind FROM links WHERE source = ?1 AND target = ?2 AND gone_run IS NULL")?;
        for page in self.pages_that_name(target)? {
            let kinds = links.query_map([page, target.0], |row| row.get::<_, u8>(0))?;
            for kind in kinds.collect::<Result<Vec<u8>, _>>()? {
                let kind = LinkKind::ALL.into_iter().find(|known| *known as u8 == kind);
                if let Some(kind) = kind {
                    found.extend(at(page, Some(kind))?);
                }
            }
        }
        Ok(found)
    }

    pub fn links(&self, resource: ResourceId, direction: LinkEnd) -> Result<Vec<LinkRow>, StoreError> {
        let (pages, other) = match direction {
            LinkEnd::Out => (vec![resource.0], "target"),
            LinkEnd::In => (self.pages_that_name(resource)?, "source"),
        };
        let is_wanted = match direction {
            LinkEnd::Out => "",
            LinkEnd::In => "AND l.target = ?2",
        };
        let mut statement = self.db.prepare(&format!(
            "SELECT r.url, k.name, l.count, l.anchor, l.nofollow, r.status, l.original
             FROM links l JOIN resources r ON r.id = l.{other} JOIN link_kinds k ON k.id = l.kind
             WHERE l.source = ?1 AND ?2 IS NOT NULL AND l.gone_run IS NULL {is_wanted}"
        ))?;
        let mut links = Vec::new();
        for page in pages {
            let rows = statement.query_map([page, resource.0], |row| {
                Ok(LinkRow {
                    url: row.get(0)?,
                    kind: row.get(1)?,
                    count: row.get(2)?,
                    anchor: row.get(3)?,
                    nofollow: row.get::<_, Option<bool>>(4)?.unwrap_or(false),
                    status: row.get(5)?,
                    original: row.get(6)?,
                })
            })?;
            for row in rows {
                links.push(row?);
            }
        }
        Ok(links)
    }

    /// Pages whose list of links may hold this target: found by its spelling in every list, which saves the crawl an index
    /// as large as the lists.
    fn pages_that_name(&self, target: ResourceId) -> Result<Vec<i64>, StoreError> {
        let spelling = format!("[{},", target.0);
        let finder = memchr::memmem::Finder::new(spelling.as_bytes());
        let mut statement = self
            .db
            .prepare("SELECT source, list FROM page_links ORDER BY source")?;
        let mut rows = statement.query([])?;
        let mut pages = Vec::new();
        while let Some(row) = rows.next()? {
            if finder
                .find(row.get_ref(1)?.as_bytes().unwrap_or_default())
                .is_some()
            {
                pages.push(row.get(0)?);
            }
        }
        Ok(pages)
    }
}
