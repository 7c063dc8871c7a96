//! The statements of a batch, looked up once.

use crate::StoreError;
use crate::sqlite::numbers::next_number;
use rusqlite::{CachedStatement, Transaction};

pub(super) struct Statements<'t> {
    pub(super) find_resource: CachedStatement<'t>,
    pub(super) insert_resource: CachedStatement<'t>,
    pub(super) insert_host: CachedStatement<'t>,
    pub(super) find_host: CachedStatement<'t>,
    pub(super) take_up: CachedStatement<'t>,
    pub(super) insert_frontier: CachedStatement<'t>,
    pub(super) delete_frontier: CachedStatement<'t>,
    pub(super) retry: CachedStatement<'t>,
    pub(super) visit: CachedStatement<'t>,
    pub(super) visit_listed: CachedStatement<'t>,
    pub(super) processed: CachedStatement<'t>,
    pub(super) insert_body: CachedStatement<'t>,
    pub(super) refind_body: CachedStatement<'t>,
    pub(super) insert_document: CachedStatement<'t>,
    pub(super) insert_version: CachedStatement<'t>,
    pub(super) newest: CachedStatement<'t>,
    pub(super) set_validators: CachedStatement<'t>,
    pub(super) kept_stamp: CachedStatement<'t>,
    pub(super) gone: CachedStatement<'t>,
    pub(super) insert_ladder: CachedStatement<'t>,
    pub(super) trust: CachedStatement<'t>,
    pub(super) move_record: CachedStatement<'t>,
    pub(super) insert_change: CachedStatement<'t>,
    pub(super) insert_list: CachedStatement<'t>,
    pub(super) stored_list: CachedStatement<'t>,
    pub(super) end_list: CachedStatement<'t>,
    pub(super) drop_list: CachedStatement<'t>,
}

impl<'t> Statements<'t> {
    pub(super) fn prepare(transaction: &'t Transaction<'t>) -> Result<Statements<'t>, StoreError> {
        let sql = |text: &str| transaction.prepare_cached(text);
        Ok(Statements {
            find_resource: sql("SELECT id FROM resources WHERE key = ?1")?,
            insert_resource: sql(
                "INSERT INTO resources(key, host, url, source, discovered_at, discovered_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            insert_host: sql("INSERT INTO hosts(scheme, name, port) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?,
            find_host: sql("SELECT id FROM hosts WHERE scheme = ?1 AND name = ?2 AND port = ?3")?,
            take_up: sql("INSERT INTO visits(run, resource, depth) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?,
            insert_frontier: sql(
                "INSERT INTO frontier(run, host, priority, resource, depth, purpose, hops, chain, stamp, score)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING",
            )?,
            delete_frontier: sql("DELETE FROM frontier WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4")?,
            retry: sql(
                "UPDATE frontier SET tries = ?5, due_at = ?6
                 WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4",
            )?,
            visit: sql(
                "UPDATE visits SET at = ?3, status = ?4, reason = ?5, detail = ?6, bytes = ?7
                 WHERE run = ?1 AND resource = ?2",
            )?,
            visit_listed: sql(
                "INSERT INTO visits(run, resource, depth, at, bytes) VALUES (?1, ?2, ?3, ?4, 0) ON CONFLICT DO NOTHING",
            )?,
            processed: sql(
                "UPDATE resources SET processed_at = ?2, processed_by = ?3, status = ?4, type = coalesce(?5, type),
                     charset = coalesce(?6, charset), title = coalesce(?7, title) WHERE id = ?1",
            )?,
            insert_body: sql(
                "INSERT INTO bodies(digest, size, archive, offset, resource, stored_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
            )?,
            refind_body: sql(
                "UPDATE bodies SET size = ?2, archive = ?3, offset = ?4, resource = ?5, stored_at = ?6, is_lost = 0
                 WHERE digest = ?1 RETURNING id",
            )?,
            insert_document: sql(concat!(
                "INSERT INTO documents(id, project, resource, depth, version) VALUES (",
                next_number!("documents"),
                ", ?1, ?2, ?3, CASE WHEN ?4 THEN ",
                next_number!("versions"),
                " END) ON CONFLICT DO NOTHING",
            ))?,
            insert_version: sql(concat!(
                "INSERT INTO versions(id, document, run, fetched_at, status, type, charset, title, size, etag, last_modified,
                     body, archive, offset, same_as, ignored, url) VALUES (",
                next_number!("versions"),
                ", ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            ))?,
            newest: sql("UPDATE documents SET version = ?2, gone_run = NULL WHERE id = ?1")?,
            set_validators: sql(
                "UPDATE versions SET etag = ?2, last_modified = ?3
                 WHERE id = (SELECT version FROM documents WHERE id = ?1) AND (etag IS NOT ?2 OR last_modified IS NOT ?3)",
            )?,
            kept_stamp: sql(
                "SELECT d.id, v.etag FROM documents d JOIN versions v ON v.id = d.version
                 WHERE d.resource = ?1 AND d.project = ?2 AND d.gone_run IS NULL",
            )?,
            gone: sql("UPDATE documents SET gone_run = ?2 WHERE id = ?1")?,
            // A ladder is made anew where the one that is there came from an older extractor.
            insert_ladder: sql("INSERT INTO ladders(version, ladder) VALUES (?1, ?2)
                 ON CONFLICT DO UPDATE SET ladder = excluded.ladder")?,
            trust: sql(
                "INSERT INTO trusts(host, right, wrong) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET right = right + excluded.right, wrong = wrong + excluded.wrong",
            )?,
            move_record: sql(
                "UPDATE versions SET archive = ?2, offset = ?3
                 WHERE id = (SELECT version FROM documents WHERE id = ?1)
                   AND (offset >= (SELECT bytes FROM archives a WHERE a.id = versions.archive) OR EXISTS
                        (SELECT 1 FROM damages d WHERE d.archive = versions.archive AND d.offset = versions.offset))",
            )?,
            insert_change: sql(concat!(
                "INSERT INTO changes(id, run, resource, document, version, state, reason, detail) VALUES (",
                next_number!("changes"),
                ", ?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
            ))?,
            insert_list: sql(
                "INSERT INTO page_links(source, first_run, list) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            )?,
            stored_list: sql("SELECT first_run, list FROM page_links WHERE source = ?1")?,
            end_list: sql(
                "INSERT INTO past_links(source, first_run, gone_run, list)
                 SELECT source, first_run, ?2, list FROM page_links WHERE source = ?1
                 ON CONFLICT DO UPDATE SET gone_run = excluded.gone_run, list = excluded.list",
            )?,
            drop_list: sql("DELETE FROM page_links WHERE source = ?1")?,
        })
    }
}
