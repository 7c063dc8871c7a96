//! What do the pages of a project show that nobody collected? Pictures, styles, scripts, films: without them a copy of a page is
//! not what the page was.

use super::Reader;
use super::link_list::LinkList;
use crate::StoreError;
use gleaner_model::{LinkKind, ProjectId, Reason};
use rusqlite::OptionalExtension;
use std::collections::{BTreeMap, HashSet};

/// A part of some page that is not among the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requisite {
    pub url: String,
    /// The place that names it.
    pub kind: LinkKind,
}

/// Redirects that are followed from a part to what it is.
const HOPS_MAX: usize = 5;

impl Reader {
    /// The parts of a project's pages that it does not have, in the order in which they were found. Not those that were asked
    /// for and are not to be had: dead links, servers that refuse.
    pub fn missing_requisites(&self, project: ProjectId) -> Result<Vec<Requisite>, StoreError> {
        let _snapshot = self.db.unchecked_transaction()?;
        let mut statement = self
            .db
            .prepare("SELECT resource FROM documents WHERE project = ?1 AND gone_run IS NULL")?;
        let kept: HashSet<i64> = statement
            .query_map([project.0], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut statement = self.db.prepare(
            "SELECT p.list FROM documents d JOIN page_links p ON p.source = d.resource
             WHERE d.project = ?1 AND d.gone_run IS NULL ORDER BY d.id",
        )?;
        let mut rows = statement.query([project.0])?;
        let mut wanted: BTreeMap<i64, LinkKind> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            for link in LinkList::new(row.get_ref(0)?.as_str().unwrap_or("")) {
                if is_part(link.kind) && !kept.contains(&link.target.0) {
                    wanted.entry(link.target.0).or_insert(link.kind);
                }
            }
        }
        let mut missing = Vec::new();
        for (resource, kind) in wanted {
            if self.may_be_had(resource, project, &kept)? {
                let (_, url) = self.address_of(resource)?;
                if url.starts_with("http") {
                    missing.push(Requisite { url, kind });
                }
            }
        }
        Ok(missing)
    }

    /// Whether nobody asked for it yet, or only our own settings kept it out.
    fn may_be_had(&self, resource: i64, project: ProjectId, kept: &HashSet<i64>) -> Result<bool, StoreError> {
        let mut visit = self.db.prepare_cached(
            "SELECT v.status, v.reason, (SELECT list FROM page_links p WHERE p.source = v.resource)
             FROM runs n CROSS JOIN visits v ON v.run = n.id AND v.resource = ?1
             WHERE n.project = ?2 AND v.at IS NOT NULL ORDER BY n.id DESC LIMIT 1",
        )?;
        let mut at = resource;
        for _ in 0..HOPS_MAX {
            let found = visit.query_row((at, project.0), |row| {
                Ok((
                    row.get::<_, Option<u16>>(0)?,
                    row.get::<_, Option<String>>(1)?,
                    row.get::<_, Option<String>>(2)?,
                ))
            });
            let Some((status, reason, list)) = found.optional()? else {
                return Ok(true);
            };
            let is_redirect = status.is_some_and(|status| (300..400).contains(&status) && status != 304);
            let next = LinkList::new(list.as_deref().unwrap_or(""))
                .find(|link| is_redirect && link.kind == LinkKind::Redirect);
            match next {
                Some(link) if kept.contains(&link.target.0) => return Ok(false),
                Some(link) => at = link.target.0,
                None => {
                    let reason = reason.as_deref().and_then(Reason::parse);
                    return Ok(matches!(
                        reason,
                        Some(Reason::UnwantedType | Reason::OutOfScope | Reason::AsBefore)
                    ));
                }
            }
        }
        Ok(false)
    }
}

/// A browser fetches it by itself to show the page.
fn is_part(kind: LinkKind) -> bool {
    matches!(
        kind,
        LinkKind::Image | LinkKind::Media | LinkKind::Script | LinkKind::Style
    )
}
