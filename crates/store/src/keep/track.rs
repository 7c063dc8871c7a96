//! How does a track begin? With everything the project had: its documents, and the other addresses that its pages name.
//!
//! Documents are asked for by themselves and not only where a page still links to them, so that nothing is called gone
//! that nobody asked for (B1). What our own settings no longer take is OUT here and now, without a request. Addresses that
//! never were documents (redirects, dead links, failures) come from the pages' stored lists: an unchanged page is not
//! read again, so nobody else would follow its links.
//!
//! Done in pieces, each a transaction; `visits` remembers what is done, so a kill in between costs nothing.

use super::batch::Batch;
use super::{Enqueue, Found, Keeper, Kept, LastAnswer, Statements};
use crate::StoreError;
use crate::catalog::queue::Purpose;
use crate::catalog::seen::Known;
use gleaner_model::{Leg, LinkKind, Reason, ResourceId, RunId, State, Timestamp, Url, UrlKey};
use rusqlite::{OptionalExtension, Transaction};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Rows worked on in one transaction.
const PIECE: usize = 4000;

/// Whether `url`, reached by such a link at such a depth, is taken up; if not, why. `None` as kind: a document. The last: what
/// it was when it was asked last, where that was something else.
pub type Decide<'a> =
    dyn FnMut(&Url, Option<LinkKind>, u32, Option<(ResourceId, LastAnswer)>) -> Option<Reason> + 'a;

/// Whether the server of a document lists what it has: its folders are asked then, not the document.
pub type IsListed<'a> = dyn Fn(&Url) -> bool + 'a;

/// How far from a seed the documents of a track are; smaller than what they lead to, so that they come first.
const PRIORITY: i64 = 0;

/// Addresses that the last run took up and that are no documents, each with the page that it was found on first.
#[derive(Debug)]
pub struct Others {
    found: Vec<(i64, i64)>,
}

impl Others {
    pub fn count(&self) -> u64 {
        self.found.len() as u64
    }
}

impl Keeper {
    /// Queues what the project had before. `others`: what of the links is queued too; none where the settings changed, so
    /// that links which no run followed may be wanted now. `legs`: where the documents of a project with steps come in; none
    /// for one without.
    pub fn enqueue_known(
        &mut self,
        others: Option<&Others>,
        legs: &[Leg],
        decide: &mut Decide<'_>,
        is_listed: &IsListed<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let result = self.try_enqueue_known(others, legs, decide, is_listed, now);
        if result.is_err() {
            self.forget_rows();
        }
        result
    }

    fn try_enqueue_known(
        &mut self,
        others: Option<&Others>,
        legs: &[Leg],
        decide: &mut Decide<'_>,
        is_listed: &IsListed<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            let rows = self.documents_after(last)?;
            let Some(row) = rows.last() else { break };
            last = row.document;
            let transaction = self.catalog.db.unchecked_transaction()?;
            let mut open = |_: &Url, _: &Found| Ok(());
            let mut batch = batch!(self, &transaction, &mut open);
            for row in &rows {
                let refused = decide(&row.url, None, row.depth, None);
                if refused.is_none() && !legs.is_empty() {
                    batch.take_for_steps(row, legs, now)?;
                } else if refused.is_some() || !is_listed(&row.url) {
                    batch.take_document(row, refused, now)?;
                }
            }
            batch.finish()?;
            transaction.commit()?;
        }
        if !legs.is_empty() {
            return Ok(()); // Steps find their way themselves.
        }
        self.enqueue_other_links(others, decide, now)
    }

    /// How many documents the project has.
    pub fn documents_count(&self) -> Result<u64, StoreError> {
        let count: i64 = self.catalog.db.query_row(
            "SELECT count(*) FROM documents WHERE project = ?1 AND gone_run IS NULL",
            [self.project.0],
            |row| row.get(0),
        )?;
        Ok(count as u64)
    }

    fn documents_after(&self, last: i64) -> Result<Vec<DocumentRow>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT d.id, d.resource, r.url, d.depth, r.key FROM documents d JOIN resources r ON r.id = d.resource
             WHERE d.project = ?1 AND d.gone_run IS NULL AND d.id > ?2 ORDER BY d.id LIMIT ?3",
        )?;
        let rows = statement.query_map((self.project.0, last, PIECE as i64), |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get::<_, String>(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        })?;
        let mut found = Vec::new();
        for row in rows {
            let (document, resource, text, depth, key) = row?;
            // Canonical text is a URL; a catalog edited by hand must not stop the run.
            if let Ok(url) = Url::parse(&text) {
                found.push(DocumentRow {
                    document,
                    resource: ResourceId(resource),
                    url,
                    depth,
                    key: UrlKey(key),
                });
            }
        }
        Ok(found)
    }

    /// Targets of stored links that are no documents: those that the last run took up, or all of them.
    fn enqueue_other_links(
        &mut self,
        others: Option<&Others>,
        decide: &mut Decide<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut open = match others {
            None => None,
            Some(others) => Some(self.enqueue_where_found(&others.found, decide, now)?),
        };
        let mut last = 0;
        while open.as_ref().is_none_or(|open| !open.is_empty()) {
            let pages = self.lists_after(last)?;
            let Some(page) = pages.last() else { break };
            last = page.source;
            let wanted = named_in(&pages, |target| {
                open.as_ref().is_none_or(|open| open.contains(&target))
            });
            for taken in self.take_links(wanted, decide, now)? {
                if let Some(open) = &mut open {
                    open.remove(&taken.0);
                }
            }
        }
        Ok(())
    }

    /// Those that still stand on the page that they were found on; gives back the others, which any page may name.
    fn enqueue_where_found(
        &mut self,
        others: &[(i64, i64)],
        decide: &mut Decide<'_>,
        now: Timestamp,
    ) -> Result<HashSet<i64>, StoreError> {
        let mut open: HashSet<i64> = others.iter().map(|(other, _)| *other).collect();
        let sources: BTreeSet<i64> = others.iter().map(|(_, source)| *source).collect();
        let sources: Vec<i64> = sources.into_iter().collect();
        for sources in sources.chunks(PIECE) {
            let mut pages = Vec::with_capacity(sources.len());
            for source in sources {
                pages.extend(self.list_of(*source)?);
            }
            let wanted = named_in(&pages, |target| open.contains(&target));
            for taken in self.take_links(wanted, decide, now)? {
                open.remove(&taken.0);
            }
        }
        Ok(open)
    }

    /// Gives back what was taken up; what was refused here may be taken where another page names it.
    fn take_links(
        &mut self,
        wanted: Wanted,
        decide: &mut Decide<'_>,
        now: Timestamp,
    ) -> Result<Vec<ResourceId>, StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        let mut open = |_: &Url, _: &Found| Ok(());
        let mut batch = batch!(self, &transaction, &mut open);
        let mut taken = Vec::with_capacity(wanted.len());
        for (resource, (depth, kind)) in wanted {
            if batch.take_link(resource, depth, kind, decide, now)? {
                taken.push(resource);
            }
        }
        batch.finish()?;
        transaction.commit()?;
        Ok(taken)
    }

    /// What the run before this one took up and did not keep as a document.
    pub fn others_of_last_run(&self) -> Result<Others, StoreError> {
        // Seeds and sitemaps are asked for without a link.
        let mut statement = self.catalog.db.prepare(
            "SELECT v.resource, r.source, (SELECT list FROM page_links p WHERE p.source = v.resource), v.reason
             FROM visits v JOIN resources r ON r.id = v.resource
             WHERE r.source IS NOT NULL AND v.run = (SELECT max(id) FROM runs WHERE project = ?1 AND id < ?2)
               AND NOT EXISTS (SELECT 1 FROM documents d
                               WHERE d.resource = v.resource AND d.project = ?1 AND d.gone_run IS NULL)",
        )?;
        let mut rows = statement.query((self.project.0, self.run.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let list = row.get_ref(2)?.as_str_or_null().unwrap_or(None);
            let reason = row.get_ref(3)?.as_str_or_null().unwrap_or(None);
            // What the trap rules closed stays closed; the page that names it may be read again and ask them.
            let is_trap = reason.and_then(Reason::parse).is_some_and(Reason::is_trap);
            if !is_trap && !list.is_some_and(is_sitemap) {
                found.push((row.get(0)?, row.get(1)?));
            }
        }
        Ok(Others { found })
    }

    /// The links of a page, if it is a document.
    fn list_of(&self, source: i64) -> Result<Option<PageList>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT p.source, p.list, d.depth FROM page_links p JOIN documents d ON d.resource = p.source
             WHERE d.project = ?1 AND d.gone_run IS NULL AND p.source = ?2",
        )?;
        let row = statement.query_row((self.project.0, source), PageList::of_row);
        Ok(row.optional()?)
    }

    fn lists_after(&self, last: i64) -> Result<Vec<PageList>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT p.source, p.list, d.depth FROM page_links p JOIN documents d ON d.resource = p.source
             WHERE d.project = ?1 AND d.gone_run IS NULL AND p.source > ?2 ORDER BY p.source LIMIT ?3",
        )?;
        let rows = statement.query_map((self.project.0, last, PIECE as i64), PageList::of_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether the run before this one had other settings as far as they decide what is collected.
    pub fn last_settings(&self) -> Result<Option<gleaner_model::Project>, StoreError> {
        let last: Option<i64> = self.catalog.db.query_row(
            "SELECT max(id) FROM runs WHERE project = ?1 AND id < ?2",
            (self.project.0, self.run.0),
            |row| row.get(0),
        )?;
        last.map(|run| {
            self.catalog
                .run_settings(RunId(run))
                .map(|(_, settings)| settings)
        })
        .transpose()
    }
}

struct DocumentRow {
    document: i64,
    resource: ResourceId,
    url: Url,
    depth: u32,
    key: UrlKey,
}

struct PageList {
    source: i64,
    list: String,
    depth: u32,
}

impl PageList {
    fn of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<PageList> {
        Ok(PageList {
            source: row.get(0)?,
            list: row.get(1)?,
            depth: row.get(2)?,
        })
    }
}

/// Links to be taken up, each from the place nearest to the seeds.
type Wanted = BTreeMap<ResourceId, (u32, LinkKind)>;

/// The targets of pages that somebody wants.
fn named_in(pages: &[PageList], is_wanted: impl Fn(i64) -> bool) -> Wanted {
    let mut wanted = Wanted::new();
    for page in pages {
        for (target, kind) in targets(&page.list).filter(|(target, _)| is_wanted(*target)) {
            if let Some(kind) =
                LinkKind::of_number(kind).filter(|kind| kind.is_followed() && *kind != LinkKind::Entry)
            {
                let depth = page.depth + u32::from(kind != LinkKind::Refresh);
                let place = wanted.entry(ResourceId(target)).or_insert((depth, kind));
                // What a link leads to is no guess, however near the guess is.
                let order = |(depth, kind): (u32, LinkKind)| (kind.is_guess(), depth, kind);
                if order((depth, kind)) < order(*place) {
                    *place = (depth, kind);
                }
            }
        }
    }
    wanted
}

impl Batch<'_> {
    fn take_for_steps(&mut self, row: &DocumentRow, legs: &[Leg], now: Timestamp) -> Result<(), StoreError> {
        let known = Known {
            resource: row.resource,
            is_taken: false,
            is_new: false,
        };
        let entry = Enqueue {
            legs: legs.to_vec(),
            ..Enqueue::page(PRIORITY, row.depth)
        };
        self.enqueue_for_steps(&row.url, known, None, &entry, now)?;
        Ok(())
    }

    fn take_document(
        &mut self,
        row: &DocumentRow,
        refused: Option<Reason>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Some(reason) = refused else {
            // Sitemaps and menus name it again and again: no need to ask then.
            let known = Known {
                resource: row.resource,
                is_taken: true,
                is_new: false,
            };
            self.seen.put(row.key, known);
            return self.take(row.resource, &row.url, &Enqueue::page(PRIORITY, row.depth));
        };
        let is_new = self
            .sql
            .take_up
            .execute((self.run.0, row.resource.0, row.depth))?
            == 1;
        if !is_new {
            return Ok(());
        }
        let nothing: Option<&str> = None;
        let visit = (
            self.run.0,
            row.resource.0,
            now.0,
            None::<u16>,
            reason.code(),
            nothing,
            0,
        );
        self.sql.visit.execute(visit)?;
        self.sql.insert_change.execute((
            self.run.0,
            row.resource.0,
            Some(row.document),
            None::<i64>,
            State::Out.as_str(),
            Some(reason.code()),
            nothing,
        ))?;
        Ok(())
    }

    fn take_link(
        &mut self,
        resource: ResourceId,
        depth: u32,
        kind: LinkKind,
        decide: &mut Decide<'_>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let url: Option<String> = self
            .transaction
            .prepare_cached("SELECT url FROM resources WHERE id = ?1")?
            .query_row([resource.0], |row| row.get(0))
            .optional()?;
        let Some(url) = url.and_then(|text| Url::parse(&text).ok()) else {
            return Ok(false);
        };
        let last = self.last_answer(resource)?.map(|last| (resource, last));
        match decide(&url, Some(kind), depth, last) {
            Some(Reason::AsBefore) => {
                self.sql.take_up.execute((self.run.0, resource.0, depth))?;
                self.leave_out(resource, Reason::AsBefore, now)?;
                return Ok(true);
            }
            Some(_) => return Ok(false),
            None => {}
        }
        let mut entry = Enqueue::page(i64::from(depth) * 2, depth);
        if kind.is_guess() {
            entry.purpose = Purpose::Guess;
        }
        self.take(resource, &url, &entry)?;
        Ok(true)
    }

    fn take(&mut self, resource: ResourceId, url: &Url, entry: &Enqueue) -> Result<(), StoreError> {
        if self.sql.take_up.execute((self.run.0, resource.0, entry.depth))? != 1 {
            return Ok(());
        }
        let host = self.host(url)?;
        self.insert_row(host, resource, entry)
    }
}

/// Whether a stored list is that of a sitemap.
pub(super) fn is_sitemap(list: &str) -> bool {
    let mut kinds = targets(list).map(|(_, kind)| kind == LinkKind::Sitemap as u8);
    kinds.next() == Some(true) && kinds.all(|is_entry| is_entry)
}

/// The targets of a stored list with the numbers of their kinds, without reading the rest of it.
pub(crate) fn targets(list: &str) -> impl Iterator<Item = (i64, u8)> + '_ {
    let bytes = list.as_bytes();
    let mut at = 0;
    let mut depth = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            match byte {
                b'[' => {
                    depth += 1;
                    if depth == 2 {
                        let mut number = || {
                            let start = at;
                            while at < bytes.len() && bytes[at].is_ascii_digit() {
                                at += 1;
                            }
                            let found = list[start..at].parse::<i64>().ok();
                            at += usize::from(at < bytes.len() && bytes[at] == b',');
                            found
                        };
                        if let (Some(target), Some(kind)) = (number(), number()) {
                            // The bracket may have been passed with the last number.
                            return Some((target, u8::try_from(kind).unwrap_or(u8::MAX)));
                        }
                    }
                }
                b']' => depth -= 1,
                b'"' => {
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    at += 1;
                }
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn targets_are_read_out_of_a_list_whatever_its_anchors_say() {
        let list = r#"[[7,0],[8,2,"a]],[9,\"[1,2","x"],[10,0,"",3,1,"[ü]"],[11,4]]"#;
        let found: Vec<_> = targets(list).collect();
        assert_eq!(found, [(7, 0), (8, 2), (10, 0), (11, 4)]);
        assert_eq!(targets("").count(), 0);
        assert_eq!(targets("[]").count(), 0);
    }
}
