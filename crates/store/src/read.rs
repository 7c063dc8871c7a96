//! Listings and content for people and programs, beside a running crawl: reads only, takes no lock.

use crate::archive::reader::{Record, read_record};
use crate::catalog::Catalog;
use crate::catalog::runs::{Counts, RunRow, counts, find_project, run_row, run_rows, run_settings};
use crate::{Digest, StoreError, folder};
use gleaner_model::{LinkKind, Project, ProjectId, ResourceId, RunId, Timestamp, Url};
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

/// One line of `gleaner report`.
#[derive(Debug, Clone)]
pub struct ChangeRow {
    pub state: String,
    pub document: Option<i64>,
    pub url: String,
    pub media_type: Option<String>,
    pub size: Option<u64>,
    pub reason: Option<String>,
    pub detail: Option<String>,
}

/// One line of `gleaner ls`.
#[derive(Debug, Clone)]
pub struct DocumentRow {
    pub id: i64,
    pub url: String,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: Option<String>,
    pub size: u64,
    pub fetched_at: Timestamp,
    pub project: String,
}

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

/// One line about what a run left out.
#[derive(Debug, Clone)]
pub struct CutRow {
    pub reason: String,
    pub shape: String,
    pub count: u64,
    pub example: String,
}

/// A stored version with its bytes.
#[derive(Debug, Clone)]
pub struct Content {
    pub url: String,
    pub media_type: String,
    pub charset: Option<String>,
    /// The HTTP head as sent.
    pub head: Vec<u8>,
    /// The body as sent: still content-encoded.
    pub body: Vec<u8>,
}

/// Which documents to list.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    pub host: Option<String>,
    pub media_type: Option<String>,
    pub project: Option<String>,
}

pub struct Reader {
    root: PathBuf,
    db: Connection,
}

impl Reader {
    pub fn open(root: &Path) -> Result<Reader, StoreError> {
        let path = folder::catalog(root);
        if !path.is_file() {
            return Err(StoreError::NoData {
                folder: root.to_owned(),
            });
        }
        Ok(Reader {
            root: root.to_owned(),
            db: Catalog::open_reader(&path)?,
        })
    }

    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        run_rows(&self.db)
    }

    pub fn run(&self, run: RunId) -> Result<RunRow, StoreError> {
        run_row(&self.db, run)
    }

    pub fn last_run(&self) -> Result<Option<RunId>, StoreError> {
        Ok(self.db.query_row("SELECT max(id) FROM runs", [], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.map(RunId))
        })?)
    }

    pub fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        run_settings(&self.db, run)
    }

    pub fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
        find_project(&self.db, name)
    }

    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.db.prepare("SELECT name FROM projects ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        counts(&self.db, run)
    }

    /// The changes of a run, in the order they were found.
    pub fn changes(
        &self,
        run: RunId,
        state: Option<&str>,
        mut each: impl FnMut(ChangeRow) -> bool,
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(
            "SELECT c.state, c.document, r.url, coalesce(v.type, r.type), v.size, c.reason, c.detail
             FROM changes c JOIN resources r ON r.id = c.resource
             LEFT JOIN documents d ON d.id = c.document
             LEFT JOIN versions v ON v.id = CASE WHEN c.state IN ('NEW', 'UPD') THEN c.version
                 ELSE coalesce(c.version, d.version) END -- A dropped version's size is not the newest one's.
             WHERE c.run = ?1 AND (?2 IS NULL OR c.state = ?2) ORDER BY c.id",
        )?;
        let mut rows = statement.query((run.0, state))?;
        while let Some(row) = rows.next()? {
            let go_on = each(ChangeRow {
                state: row.get(0)?,
                document: row.get(1)?,
                url: row.get(2)?,
                media_type: row.get(3)?,
                size: row.get::<_, Option<i64>>(4)?.map(|s| s as u64),
                reason: row.get(5)?,
                detail: row.get(6)?,
            });
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    pub fn cuts(&self, run: RunId) -> Result<Vec<CutRow>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT reason, shape, count, example FROM cuts WHERE run = ?1 ORDER BY count DESC, reason",
        )?;
        let rows = statement.query_map([run.0], |row| {
            Ok(CutRow {
                reason: row.get(0)?,
                shape: row.get(1)?,
                count: row.get::<_, i64>(2)? as u64,
                example: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn documents(
        &self,
        filter: &DocumentFilter,
        mut each: impl FnMut(DocumentRow) -> bool,
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare(
            "SELECT d.id, r.url, v.type, v.charset, v.title, v.size, v.fetched_at, p.name
             FROM documents d JOIN resources r ON r.id = d.resource JOIN versions v ON v.id = d.version
             JOIN hosts h ON h.id = r.host JOIN projects p ON p.id = d.project
             WHERE (?1 IS NULL OR h.name = ?1) AND (?2 IS NULL OR v.type = ?2 OR v.type LIKE ?2 || '/%')
               AND (?3 IS NULL OR p.name = ?3)
             ORDER BY d.id",
        )?;
        let mut rows = statement.query((&filter.host, &filter.media_type, &filter.project))?;
        while let Some(row) = rows.next()? {
            let go_on = each(DocumentRow {
                id: row.get(0)?,
                url: row.get(1)?,
                media_type: row.get(2)?,
                charset: row.get(3)?,
                title: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                fetched_at: Timestamp(row.get(6)?),
                project: row.get(7)?,
            });
            if !go_on {
                break;
            }
        }
        Ok(())
    }

    /// A document's id or a URL, as people type it.
    pub fn find_resource(&self, given: &str) -> Result<ResourceId, StoreError> {
        let missing = || StoreError::NotFound {
            what: "document",
            given: given.to_owned(),
        };
        if let Ok(id) = given.parse::<i64>() {
            return self
                .db
                .query_row("SELECT resource FROM documents WHERE id = ?1", [id], |row| {
                    row.get(0).map(ResourceId)
                })
                .optional()?
                .ok_or_else(missing);
        }
        let url = Url::parse(given).map_err(|_| missing())?;
        self.resource_of(&url)?.ok_or_else(missing)
    }

    pub fn resource_of(&self, url: &Url) -> Result<Option<ResourceId>, StoreError> {
        Ok(self
            .db
            .query_row("SELECT id FROM resources WHERE key = ?1", [&url.key().0], |row| {
                row.get(0).map(ResourceId)
            })
            .optional()?)
    }

    /// The newest version of a document.
    pub fn content(&self, resource: ResourceId) -> Result<Content, StoreError> {
        struct Row {
            url: String,
            media_type: String,
            charset: Option<String>,
            /// The version's own record; none if it was lost.
            own: Option<(String, u64)>,
            body: (String, u64),
            body_url: String,
            digest: Digest,
            is_lost: bool,
        }
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let snapshot = self.db.unchecked_transaction()?;
        let row: Option<Row> = snapshot
            .query_row(
                "SELECT r.url, v.type, v.charset, own.name, v.offset, a.name, b.offset, b.is_lost, b.digest, first.url,
                     v.offset >= own.bytes OR EXISTS
                         (SELECT 1 FROM damages g WHERE g.archive = v.archive AND g.offset = v.offset)
                 FROM documents d JOIN resources r ON r.id = d.resource JOIN versions v ON v.id = d.version
                 JOIN bodies b ON b.id = v.body JOIN resources first ON first.id = b.resource
                 JOIN archives a ON a.id = b.archive JOIN archives own ON own.id = v.archive
                 WHERE d.resource = ?1 ORDER BY v.id DESC LIMIT 1",
                [resource.0],
                |row| {
                    let own: (String, i64) = (row.get(3)?, row.get(4)?);
                    let is_own_lost: bool = row.get(10)?;
                    Ok(Row {
                        url: row.get(0)?,
                        media_type: row.get(1)?,
                        charset: row.get(2)?,
                        own: (!is_own_lost).then_some((own.0, own.1 as u64)),
                        body: (row.get(5)?, row.get::<_, i64>(6)? as u64),
                        is_lost: row.get(7)?,
                        digest: Digest(row.get(8)?),
                        body_url: row.get(9)?,
                    })
                },
            )
            .optional()?;
        let Some(row) = row else {
            return Err(StoreError::NotFound {
                what: "stored document",
                given: resource.to_string(),
            });
        };
        if row.is_lost {
            return Err(StoreError::Lost { given: row.url });
        }
        let record = self.checked_record(&row.body, &row.body_url, &row.digest)?;
        let (head, body) = record.http();
        if Digest::of(body) != row.digest {
            return Err(self.not_as_remembered(&row.body, "the payload's digest"));
        }
        let head = match &row.own {
            Some(own) if *own != row.body => {
                self.checked_record(own, &row.url, &row.digest)?.http().0.to_vec()
            }
            // One record for both; or its own was lost, and the one with the same bytes stands for it.
            _ => head.to_vec(),
        };
        Ok(Content {
            url: row.url,
            media_type: row.media_type,
            charset: row.charset,
            head,
            body: body.to_vec(),
        })
    }

    /// The record at a place, if it is the one the catalog means: no wrong content is served (HC122).
    fn checked_record(
        &self,
        place: &(String, u64),
        url: &str,
        digest: &Digest,
    ) -> Result<Record, StoreError> {
        let record = read_record(&folder::archive(&self.root).join(&place.0), place.1)?;
        if record.header("WARC-Target-URI") != Some(url) {
            return Err(self.not_as_remembered(place, "the URL"));
        }
        if record.header("WARC-Payload-Digest") != Some(digest.warc().as_str()) {
            return Err(self.not_as_remembered(place, "the payload's digest"));
        }
        Ok(record)
    }

    fn not_as_remembered(&self, place: &(String, u64), what: &str) -> StoreError {
        StoreError::ArchiveDamaged {
            path: folder::archive(&self.root).join(&place.0),
            offset: place.1,
            what: format!("{what} is not the one the catalog remembers"),
        }
    }

    pub fn links(&self, resource: ResourceId, direction: Direction) -> Result<Vec<LinkRow>, StoreError> {
        let (pages, other) = match direction {
            Direction::Out => (vec![resource.0], "target"),
            Direction::In => (self.pages_that_name(resource)?, "source"),
        };
        let is_wanted = match direction {
            Direction::Out => "",
            Direction::In => "AND l.target = ?2",
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

    /// What robots.txt of the URL's host said when last read.
    pub fn robots_of(&self, url: &Url) -> Result<Option<crate::catalog::queue::StoredRobots>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT robots_status, robots_reason, robots_body, robots_at FROM hosts
                 WHERE scheme = ?1 AND name = ?2 AND port = ?3 AND robots_at IS NOT NULL",
                (url.scheme(), url.host(), url.port()),
                |row| {
                    Ok(crate::catalog::queue::StoredRobots {
                        status: row.get(0)?,
                        reason: row.get(1)?,
                        body: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
                        at: Timestamp(row.get(3)?),
                    })
                },
            )
            .optional()?)
    }

    /// What the last run that took up this resource found: depth, status, reason.
    pub fn last_visit(&self, resource: ResourceId) -> Result<Option<Visit>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT run, depth, at, status, reason FROM visits WHERE resource = ?1 ORDER BY run DESC LIMIT 1",
                [resource.0],
                |row| {
                    Ok(Visit {
                        run: RunId(row.get(0)?),
                        depth: row.get(1)?,
                        at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                        status: row.get(3)?,
                        reason: row.get(4)?,
                    })
                },
            )
            .optional()?)
    }
}

/// One visit of one resource.
#[derive(Debug, Clone)]
pub struct Visit {
    pub run: RunId,
    pub depth: u32,
    /// None: still queued.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<String>,
}

/// Which end of a link a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
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

impl Reader {
    /// Bodies whose bytes are gone; the next run fetches them again.
    pub fn lost_bodies(&self) -> Result<u64, StoreError> {
        Ok(self
            .db
            .query_row("SELECT count(*) FROM bodies WHERE is_lost", [], |row| {
                row.get::<_, i64>(0)
            })? as u64)
    }
}
