//! Does the catalog agree with itself?

use super::{Fix, Verified};
use gleaner_model::Url;
use rusqlite::Connection;

/// Questions whose answer should be 0, each answered in one pass.
const REFERENCES: &[(&str, &str)] = &[
    (
        "versions without a document",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM documents WHERE id = v.document)",
    ),
    (
        "versions without a body",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM bodies WHERE id = v.body)",
    ),
    (
        "versions in an unknown archive",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM archives WHERE id = v.archive)",
    ),
    (
        "versions that repeat an unknown one",
        "FROM versions v WHERE same_as IS NOT NULL AND NOT EXISTS (SELECT 1 FROM versions WHERE id = v.same_as)",
    ),
    (
        "changes with an unknown version",
        "FROM changes c WHERE version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM versions WHERE id = c.version)",
    ),
    (
        "ladders without a version",
        "FROM ladders l WHERE NOT EXISTS (SELECT 1 FROM versions WHERE id = l.version)",
    ),
    (
        "documents without a version",
        "FROM documents d WHERE NOT EXISTS (SELECT 1 FROM versions WHERE id = d.version)",
    ),
    (
        "documents without a resource",
        "FROM documents d WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = d.resource)",
    ),
    (
        "changes without a resource",
        "FROM changes c WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = c.resource)",
    ),
    (
        "bodies in an unknown archive",
        "FROM bodies b WHERE NOT EXISTS (SELECT 1 FROM archives WHERE id = b.archive)",
    ),
    (
        "links from an unknown page",
        "FROM links l WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = l.source)",
    ),
    (
        "links to an unknown page",
        "FROM links l WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = l.target)",
    ),
    (
        "queued URLs without a resource",
        "FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = f.resource)",
    ),
    (
        "queued URLs that no visit waits for",
        "FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM visits WHERE run = f.run AND resource = f.resource)",
    ),
    (
        "visits that wait for no queued URL",
        "FROM (SELECT run, resource FROM visits WHERE at IS NULL EXCEPT SELECT run, resource FROM frontier)",
    ),
];

pub(super) fn check_catalog(db: &Connection, result: &mut Verified) -> rusqlite::Result<()> {
    let place = "gleaner.db";
    let mut statement = db.prepare("PRAGMA integrity_check(100)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let said: String = row.get(0)?;
        if said != "ok" {
            let is_index = said.contains("missing from index") || said.contains("entries in index");
            result.add(said, place, if is_index { Fix::Reindex } else { Fix::Restore });
        }
    }
    for (what, query) in REFERENCES {
        let count: i64 = db.query_row(&format!("SELECT count(*) {query}"), [], |row| row.get(0))?;
        if count > 0 {
            result.add(format!("{count} {what}"), place, Fix::Restore);
        }
    }
    // Where parts of the URLs are volatile the key is made of the rest.
    let mut statement = db.prepare("SELECT site FROM site_rules")?;
    let sites: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut statement = db.prepare("SELECT id, key, url FROM resources")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let is_right = Url::parse(row.get_ref(2)?.as_str().unwrap_or(""))
            .is_ok_and(|url| row.get::<_, [u8; 16]>(1).is_ok_and(|key| url.key().0 == key));
        if !is_right && !sites.iter().any(|site| is_of(row.get_ref(2), site)) {
            let id: i64 = row.get(0)?;
            result.add(
                "the URL is not the one it was",
                format!("{place}, resource {id}"),
                Fix::Restore,
            );
        }
    }
    result.versions = db.query_row("SELECT count(*) FROM versions", [], |row| row.get::<_, i64>(0))? as u64;
    result.bodies = db.query_row("SELECT count(*) FROM bodies", [], |row| row.get::<_, i64>(0))? as u64;
    Ok(())
}

/// Whether a URL belongs to a site: a domain, with its port where that is not the usual one.
fn is_of(url: rusqlite::Result<rusqlite::types::ValueRef<'_>>, site: &str) -> bool {
    let domain = site.split(':').next().unwrap_or(site);
    let url = url
        .ok()
        .and_then(|text| text.as_str().ok())
        .and_then(|text| Url::parse(text).ok());
    url.is_some_and(|url| url.domain() == domain)
}
