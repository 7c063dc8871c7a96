//! The store by itself: kept whole or not at all, once, and readable afterwards.

use super::*;
use crate::keep::{Enqueue, Found, Keep, Kept, Outcome, Page, Refused};
use crate::leases::Fence;
use crate::ledger::StoredBody;
use crate::outlinks::Outlinks;
use crate::sqlite::one_run::OneRun;
use crate::sqlite::verify::{Fix, fix, verify};
use crate::warc::{Capture, Packed, Payload};
use crate::work::{Ending, Load, Loaded, Queued, RowPlace};
use crate::{DataFolder, Digest, Packer};
use gleaner_model::State;
use gleaner_model::chance::{Chance, SplitMix};
use gleaner_model::{Link, LinkKind, Project, Reason};
use rusqlite::Connection;
use std::collections::HashSet;
use std::io::{Read as _, Write};
use std::path::Path;

const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn url(path: &str) -> Url {
    Url::parse(&format!("http://a.test{path}")).unwrap()
}

/// The store with a run whose seeds are these paths.
fn open(root: &Path, paths: &[&str]) -> OneRun {
    let mut keeper = OneRun::open(root).unwrap();
    let project = Project::new("p", vec![url("/")]);
    let id = keeper.catalog.project(&project, NOW).unwrap();
    let run = match keeper.catalog.unfinished_run(Some(id)).unwrap() {
        Some(run) => run,
        None => keeper
            .catalog
            .start_run(id, &project, crate::runs::RunKind::Crawl, NOW)
            .unwrap(),
    };
    keeper.work_on(id, run);
    let seeds: Vec<Url> = paths.iter().map(|path| url(path)).collect();
    keeper.enqueue_seeds(&seeds, NOW).unwrap();
    keeper
}

/// A second run of the same project.
fn next_run(keeper: &mut OneRun, paths: &[&str]) {
    keeper
        .catalog
        .end_run(keeper.of.run, crate::runs::RunStatus::Finished, NOW, None)
        .unwrap();
    let (id, project) = keeper.catalog.run_settings(keeper.of.run).unwrap();
    let run = keeper
        .catalog
        .start_run(id, &project, crate::runs::RunKind::Crawl, NOW)
        .unwrap();
    keeper.work_on(id, run);
    let seeds: Vec<Url> = paths.iter().map(|path| url(path)).collect();
    keeper.enqueue_seeds(&seeds, NOW).unwrap();
}

fn packed(url: &Url, body: &str) -> Packed {
    let mut packer = Packer::default();
    packed_by(&mut packer, url, Payload::Memory(body.as_bytes()), false)
}

fn packed_by(packer: &mut Packer, url: &Url, payload: Payload<'_>, is_compressed: bool) -> Packed {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Url: {url}\r\n\r\n");
    let capture = Capture {
        url: url.as_str(),
        at: NOW,
        address: None,
        protocol: "http/1.1",
        request_head: b"GET / HTTP/1.1\r\n\r\n",
        response_head: head.as_bytes(),
        media_type: "",
        payload,
        truncated: false,
        is_compressed,
        facts: &[("depth", "0".to_owned())],
    };
    packer.pack(capture, &tempfile::tempfile).unwrap()
}

/// What is queued for the first host, as many rows as that, behind one of them.
fn load(keeper: &OneRun, after: Option<RowPlace>, limit: usize) -> Loaded {
    let hosts = keeper.catalog.hosts_waiting(keeper.of.run).unwrap();
    let load = Load {
        host: hosts[0],
        fence: Fence::default(),
        after,
        held: HashSet::new(),
        limit,
        priority_below: None,
        wants_robots: false,
        lists_only: false,
    };
    keeper
        .catalog
        .load(keeper.of.run, keeper.of.project, &load, true)
        .unwrap()
}

/// What is queued for a path became a page with this body, linking to these paths.
fn page(keeper: &OneRun, path: &str, body: &str, links: &[&str]) -> Keep {
    let rows = load(keeper, None, 100).rows;
    let row = rows.into_iter().find(|row| row.url == url(path)).unwrap();
    let state = match &row.known {
        None => State::New,
        Some(known) if known.digest == Digest::of(body.as_bytes()) => State::Sam,
        Some(_) => State::Upd,
    };
    Keep {
        packed: Some(packed(&row.url, body)),
        state: Some(state),
        outlinks: outlinks(links),
        links_unchanged: state == State::Sam,
        ..kept_as(&row, body.len())
    }
}

/// A row became a new page of so many bytes.
fn kept_as(row: &Queued, bytes: usize) -> Keep {
    let place = (row.fenced_host(), row.resource, row.priority);
    Keep {
        status: Some(200),
        wire_bytes: bytes as u64,
        outcome: Outcome::Document(Page {
            document: row.known.as_ref().map(|known| known.document),
            media_type: "text/html".to_owned(),
            charset: None,
            title: String::new(),
            size: bytes as u64,
            etag: None,
            last_modified: None,
            asked: None,
            compared: None,
        }),
        state: Some(State::New),
        reason: None,
        links_unchanged: false,
        ..Keep::nothing(place, row.depth, row.purpose, Reason::Lost, NOW)
    }
}

fn outlinks(paths: &[&str]) -> Outlinks {
    let mut outlinks = Outlinks::default();
    for path in paths {
        let link = Link {
            url: url(path),
            kind: LinkKind::Anchor,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        outlinks.push(&link, None, Some(Enqueue::page(1, 1)));
    }
    outlinks
}

fn keep(keeper: &mut OneRun, batch: Vec<Keep>) -> Kept {
    keeper
        .keep(batch, Refused::new())
        .map_err(|(error, _)| error)
        .unwrap()
}

/// The same, without asking for these.
fn keep_but(keeper: &mut OneRun, batch: Vec<Keep>, refused: Refused) {
    keeper.keep(batch, refused).map_err(|(error, _)| error).unwrap();
}

fn number(keeper: &OneRun, query: &str) -> i64 {
    keeper.catalog.db.query_row(query, [], |row| row.get(0)).unwrap()
}

fn cat(root: &Path, path: &str) -> Result<(String, String), StoreError> {
    let reader = crate::ledger::open(root).unwrap();
    let content = reader.content(reader.document_named(url(path).as_str())?, None)?;
    Ok((
        String::from_utf8(content.head).unwrap(),
        String::from_utf8(content.body).unwrap(),
    ))
}

fn archive_file(root: &Path) -> std::path::PathBuf {
    let mut files: Vec<_> = std::fs::read_dir(crate::folder::archive(root))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.pop().unwrap()
}

#[test]
fn a_second_answer_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/"]);
    let (first, again) = (
        page(&keeper, "/", "one", &["/a"]),
        page(&keeper, "/", "two", &["/b"]),
    );
    let kept = keep(&mut keeper, vec![first]);
    assert_eq!(kept.queued.values().sum::<u64>(), 1);
    let kept = keep(&mut keeper, vec![again]);
    assert!(kept.queued.is_empty());
    for (query, count) in [
        ("SELECT count(*) FROM versions", 1),
        ("SELECT count(*) FROM changes", 1),
        ("SELECT count(*) FROM links", 1),
        ("SELECT count(*) FROM frontier", 1),
    ] {
        assert_eq!(number(&keeper, query), count, "{query}");
    }
    drop(keeper);
    assert_eq!(cat(folder.path(), "/").unwrap().1, "one");
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

/// Found on a wiki: the one new page among many old ones was taken for a copy of them, though the project asked for it.
#[test]
fn a2_what_a_step_names_is_never_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/"]);
    let mut first = page(&keeper, "/", "one", &[]);
    for (path, depth) in [("/named", 0), ("/further", 1)] {
        let link = Link {
            url: url(path),
            kind: LinkKind::Anchor,
            anchor: String::new(),
            count: 1,
            nofollow: false,
        };
        let entry = Enqueue {
            legs: vec![gleaner_model::Leg { step: 1, depth }],
            ..Enqueue::page(0, depth)
        };
        first.outlinks.push(&link, None, Some(entry));
    }
    let mut batch = vec![first];
    let met = keeper.meet(&mut batch).unwrap();
    assert_eq!(
        met.iter().map(|found| found.url.path()).collect::<Vec<_>>(),
        ["/further"]
    );
    let refused: Refused = ["/named", "/further"]
        .map(|path| (url(path).key(), Reason::TrapCopies))
        .into();
    keep_but(&mut keeper, batch, refused);
    let query = "SELECT count(*) FROM frontier JOIN resources ON resources.id = resource WHERE url LIKE '%/";
    assert_eq!(number(&keeper, &format!("{query}named'")), 1);
    assert_eq!(number(&keeper, &format!("{query}further'")), 0);
}

/// What a batch would take up is told once, and not any more when the run has met it.
#[test]
fn what_is_met_is_told_before_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/", "/b"]);
    let mut batch = vec![
        page(&keeper, "/", "one", &["/b", "/c", "/d"]),
        page(&keeper, "/b", "two", &["/c", "/e"]),
    ];
    let met = keeper.meet(&mut batch).unwrap();
    let paths = |met: &[Found]| -> Vec<String> { met.iter().map(|f| f.url.path().to_owned()).collect() };
    assert_eq!(paths(&met), ["/c", "/d", "/e"]);
    assert!(
        met.iter()
            .all(|found| found.resource.is_none() && found.last.is_none())
    );
    assert_eq!(keeper.meet(&mut batch).unwrap(), met, "asking changes nothing");
    let refused: Refused = [(url("/d").key(), Reason::TrapCopies)].into();
    keep_but(&mut keeper, batch, refused);
    let waiting =
        "SELECT count(*) FROM frontier JOIN resources ON resources.id = resource WHERE url LIKE '%/";
    for (path, count) in [("c", 1), ("d", 0), ("e", 1)] {
        assert_eq!(number(&keeper, &format!("{waiting}{path}'")), count, "{path}");
    }
    keeper.forget_rows();
    let mut again = vec![page(&keeper, "/c", "three", &["/d", "/e", "/f"])];
    assert_eq!(paths(&keeper.meet(&mut again).unwrap()), ["/f"]);
}

#[test]
fn the_same_bytes_are_stored_once_within_a_batch_and_across() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2", "/3"]);
    let batch = vec![page(&keeper, "/1", "same", &[]), page(&keeper, "/2", "same", &[])];
    let third = page(&keeper, "/3", "same", &[]);
    assert_eq!(keep(&mut keeper, batch).copies.len(), 1);
    assert_eq!(keep(&mut keeper, vec![third]).copies.len(), 1);
    assert_eq!(number(&keeper, "SELECT count(*) FROM bodies"), 1);
    assert_eq!(number(&keeper, "SELECT count(*) FROM versions"), 3);
    drop(keeper);
    for path in ["/1", "/2", "/3"] {
        let (head, body) = cat(folder.path(), path).unwrap();
        assert_eq!(body, "same");
        assert!(
            head.contains(&format!("X-Url: http://a.test{path}\r\n")),
            "{head}"
        );
    }
    let verified = verify(folder.path()).unwrap();
    // The file says who wrote it, and what the run is.
    assert_eq!((verified.records, verified.findings), (2 + 3 * 3, Vec::new()));
}

#[test]
fn giving_up_leaves_nothing_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2"]);
    let first = page(&keeper, "/1", "one", &["/3"]);
    keep(&mut keeper, vec![first]);
    let why = Ending {
        reason: Reason::HostPaused,
        detail: None,
        state: Some(State::Err),
    };
    let of = keeper.of;
    let count = keeper.of(of, |run| run.give_up(None, &why, NOW)).unwrap();
    assert_eq!(count, 2);
    assert_eq!(
        number(
            &keeper,
            "SELECT count(*) FROM changes WHERE state = 'ERR' AND reason IS NOT NULL"
        ),
        2
    );
    assert_eq!(number(&keeper, "SELECT count(*) FROM visits WHERE at IS NULL"), 0);
    assert_eq!(keeper.catalog.waiting(keeper.of.run).unwrap(), 0);
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

#[test]
fn a_batch_that_fails_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2"]);
    let (first, second) = (page(&keeper, "/1", "one", &[]), page(&keeper, "/2", "two", &[]));
    keep(&mut keeper, vec![first]);
    let length = std::fs::metadata(archive_file(folder.path())).unwrap().len();
    // The transaction fails after the bytes were written.
    keeper
        .catalog
        .db
        .execute_batch("ALTER TABLE documents RENAME TO elsewhere")
        .unwrap();
    let Err((_, batch)) = keeper.keep(vec![second], Refused::new()) else {
        panic!("the transaction fails");
    };
    assert_eq!(
        std::fs::metadata(archive_file(folder.path())).unwrap().len(),
        length
    );
    keeper
        .catalog
        .db
        .execute_batch("ALTER TABLE elsewhere RENAME TO documents")
        .unwrap();

    keeper
        .keep(batch, Refused::new())
        .map_err(|(error, _)| error)
        .unwrap();

    assert_eq!(number(&keeper, "SELECT count(*) FROM changes"), 2);
    assert_eq!(number(&keeper, "SELECT last FROM commits"), 2);
    drop(keeper);
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

#[test]
fn full_files_are_sealed_also_when_the_first_try_fails() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2", "/3"]);
    let pages: Vec<Keep> = ["/1", "/2", "/3"]
        .iter()
        .map(|path| page(&keeper, path, path, &[]))
        .collect();
    keeper.archive = ArchiveWriter::new(&keeper.folder.archive(), "test", 1, None, 1).unwrap();
    for (n, one) in pages.into_iter().enumerate() {
        keeper
            .catalog
            .db
            .execute_batch("ALTER TABLE documents RENAME TO elsewhere")
            .unwrap();
        let Err((_, batch)) = keeper.keep(vec![one], Refused::new()) else {
            panic!("the transaction fails");
        };
        keeper
            .catalog
            .db
            .execute_batch("ALTER TABLE elsewhere RENAME TO documents")
            .unwrap();
        keeper
            .keep(batch, Refused::new())
            .map_err(|(error, _)| error)
            .unwrap();
        assert_eq!(
            number(&keeper, "SELECT count(*) FROM archives WHERE is_sealed"),
            n as i64
        );
    }
    drop(keeper);
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.archives, verified.findings), (3, Vec::new()));
}

#[test]
fn what_no_commit_refers_to_is_cut_off_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2"]);
    let (first, second) = (page(&keeper, "/1", "one", &[]), page(&keeper, "/2", "two", &[]));
    keep(&mut keeper, vec![first]);
    let path = archive_file(folder.path());
    let length = std::fs::metadata(&path).unwrap().len();
    // As if killed between the bytes and the transaction, and in the middle of the bytes.
    for torn in [0, 40, 1] {
        let mut records = Vec::new();
        let mut packed = packed(&url("/2"), "two");
        packed
            .append(&mut records, keeper.commit + 1, None, &mut Packer::default())
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(&records[..records.len() - torn]);
        std::fs::write(&path, &bytes).unwrap();
        drop(keeper);
        assert_eq!(verify(folder.path()).unwrap().findings[0].fix, Fix::CutTail);
        keeper = open(folder.path(), &[]);
        assert!(keeper.recovered.bytes_cut > 0);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    }
    keep(&mut keeper, vec![second]);
    drop(keeper);
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

#[test]
fn a_catalog_from_the_past_is_refused_and_adopted_by_fix() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2", "/3"]);
    let pages: Vec<Keep> = ["/1", "/2", "/3"]
        .iter()
        .map(|path| page(&keeper, path, path, &[]))
        .collect();
    keeper.catalog.tidy().unwrap();
    let old = std::fs::read(keeper.folder.catalog()).unwrap();
    for one in pages {
        keep(&mut keeper, vec![one]);
    }
    drop(keeper);
    let length = std::fs::metadata(archive_file(folder.path())).unwrap().len();
    std::fs::write(crate::folder::catalog(folder.path()), old).unwrap();

    assert!(matches!(
        OneRun::open(folder.path()),
        Err(StoreError::CatalogBehind { .. })
    ));
    assert_eq!(
        std::fs::metadata(archive_file(folder.path())).unwrap().len(),
        length
    );
    let found = verify(folder.path()).unwrap();
    assert_eq!(
        found.findings.iter().map(|f| f.fix.clone()).collect::<Vec<_>>(),
        [Fix::Adopt]
    );
    let held = DataFolder::open(folder.path()).unwrap();
    assert_eq!(fix(&held, &found).unwrap(), 1);
    drop(held);

    assert_eq!(verify(folder.path()).unwrap().findings, []);
    let mut keeper = open(folder.path(), &[]);
    let one = page(&keeper, "/1", "/1", &[]);
    keep(&mut keeper, vec![one]);
    assert_eq!(number(&keeper, "SELECT last FROM commits"), 4);
    drop(keeper);
    assert_eq!(
        std::fs::read_dir(crate::folder::archive(folder.path()))
            .unwrap()
            .count(),
        2
    );
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

#[test]
fn a_lost_body_is_healed_by_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2"]);
    let batch = vec![page(&keeper, "/1", "one", &[]), page(&keeper, "/2", "one", &[])];
    keep(&mut keeper, batch);
    let place = number(&keeper, "SELECT offset FROM bodies");
    keeper.catalog.tidy().unwrap();
    drop(keeper);
    let path = archive_file(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[place as usize + 50] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    assert!(matches!(
        cat(folder.path(), "/1"),
        Err(StoreError::ArchiveDamaged { .. })
    ));

    let found = verify(folder.path()).unwrap();
    assert_eq!(found.findings.len(), 1, "{found:?}");
    assert!(matches!(
        found.findings[0].fix,
        Fix::MarkLost { body: Some(1), .. }
    ));
    fix(&DataFolder::open(folder.path()).unwrap(), &found).unwrap();
    assert_eq!(verify(folder.path()).unwrap().findings, []);
    assert!(matches!(cat(folder.path(), "/1"), Err(StoreError::Lost { .. })));

    let mut keeper = open(folder.path(), &[]);
    next_run(&mut keeper, &["/1", "/2"]);
    let batch = vec![page(&keeper, "/2", "one", &[]), page(&keeper, "/1", "one", &[])];
    assert!(batch.iter().all(|keep| keep.state == Some(State::Sam)));
    keep(&mut keeper, batch);
    assert_eq!(number(&keeper, "SELECT count(*) FROM versions"), 2);
    drop(keeper);
    for path in ["/1", "/2"] {
        let (head, body) = cat(folder.path(), path).unwrap();
        assert_eq!(body, "one");
        assert!(
            head.contains(&format!("X-Url: http://a.test{path}\r\n")),
            "{head}"
        );
    }
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

#[test]
fn a_version_that_names_another_pages_record_is_found_and_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = open(folder.path(), &["/1", "/2"]);
    let batch = vec![page(&keeper, "/1", "one", &[]), page(&keeper, "/2", "two", &[])];
    keep(&mut keeper, batch);
    let other = "UPDATE versions SET body = 2 WHERE id = 1";
    let place = "UPDATE versions SET offset = (SELECT offset FROM bodies WHERE id = 2) WHERE id = 1";
    drop(keeper);
    for damage in [other, place] {
        let copy = tempfile::tempdir().unwrap();
        std::fs::create_dir(copy.path().join("archive")).unwrap();
        let file = archive_file(folder.path());
        std::fs::copy(&file, copy.path().join("archive").join(file.file_name().unwrap())).unwrap();
        std::fs::copy(
            crate::folder::catalog(folder.path()),
            crate::folder::catalog(copy.path()),
        )
        .unwrap();
        Catalog::open(&crate::folder::catalog(copy.path()))
            .unwrap()
            .db
            .execute_batch(damage)
            .unwrap();
        assert!(
            matches!(cat(copy.path(), "/1"), Err(StoreError::ArchiveDamaged { .. })),
            "{damage}"
        );
        assert_eq!(cat(copy.path(), "/2").unwrap().1, "two");
        let found = verify(copy.path()).unwrap();
        assert_eq!(found.findings.len(), 1, "{damage}: {found:?}");
        assert!(found.findings[0].place.contains("version 1"), "{found:?}");
    }
}

#[test]
fn hc124_a_newer_catalog_is_refused_and_an_older_one_migrated() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), &["/"]));
    let path = crate::folder::catalog(folder.path());
    let set = |text: &str| Connection::open(&path).unwrap().execute_batch(text).unwrap();
    set(&format!(
        "PRAGMA user_version = {}",
        crate::sqlite::migrate::FORMAT + 1
    ));
    assert!(matches!(Catalog::open(&path), Err(StoreError::TooNew { .. })));
    assert!(matches!(
        Catalog::open_reader(&path),
        Err(StoreError::TooNew { .. })
    ));
    // How tables looked in the first format is for the whole program's tests.
    set(
        "UPDATE runs SET cookies = CAST('sid=in-the-clear' AS BLOB);
         DROP TABLE library_memories; DROP TABLE library_cycles; DROP TABLE library_documents; DROP TABLE library_verdicts;
         DROP TABLE library_sites; DROP TABLE libraries;
         DROP INDEX frontier_by_score; ALTER TABLE frontier DROP COLUMN turn; ALTER TABLE frontier DROP COLUMN score;
         DROP TABLE host_states; DROP TABLE finished; DROP TABLE followers; DROP TABLE numbers; DROP TRIGGER documents_leave; DROP TRIGGER versions_leave; DROP TRIGGER changes_leave;
         PRAGMA user_version = 12; PRAGMA wal_checkpoint(TRUNCATE)",
    );
    let has_cookie = || {
        std::fs::read(&path)
            .unwrap()
            .windows(12)
            .any(|piece| piece == b"in-the-clear")
    };
    assert!(has_cookie());
    assert_eq!(verify(folder.path()).unwrap().findings, []);
    drop(open(folder.path(), &["/"]));
    assert!(
        !has_cookie(),
        "case 4: what lay there in the clear is still there"
    );

    std::fs::write(&path, "").unwrap();
    for left in ["gleaner.db-wal", "gleaner.db-shm"] {
        let _may_not_be_there = std::fs::remove_file(folder.path().join(left));
    }
    assert!(matches!(
        Catalog::open_reader(&path),
        Err(StoreError::Empty { .. })
    ));
    assert_eq!(
        verify(folder.path()).unwrap().findings[0].what,
        "the catalog is empty"
    );
    drop(Catalog::open(&path).unwrap());
    assert_eq!(verify(folder.path()).unwrap().findings, []);
}

/// Bytes that cannot be packed smaller.
fn noise(chance: &SplitMix, bytes: usize) -> Vec<u8> {
    let words = std::iter::repeat_with(|| chance.next().to_le_bytes());
    words.flatten().take(bytes).collect()
}

/// Decoders and buffers end anywhere in a record, also within its last bytes: there is no size that cannot be read back.
#[test]
fn case01_records_of_every_size_are_read_back_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let borders = [16, 32, 64, 128, 256].map(|kilobytes| kilobytes * 1024);
    let sizes: Vec<usize> = (7_300..8_300)
        .chain(borders.iter().flat_map(|border| border - 700..border + 20))
        .collect();
    let paths: Vec<String> = sizes.iter().map(|size| format!("/{size}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut keeper = open(folder.path(), &paths);
    let (chance, mut packer) = (SplitMix::seeded(12), Packer::default());
    let mut bodies = Vec::new();
    while bodies.len() < sizes.len() {
        let mut batch = Vec::new();
        for row in load(&keeper, None, 500).rows {
            let size: usize = row.url.path()[1..].parse().unwrap();
            let body = noise(&chance, size);
            let mut file = tempfile::tempfile().unwrap();
            let (payload, is_compressed) = match size % 3 {
                0 => (Payload::Memory(&body), false),
                1 => (Payload::Memory(&body), true),
                _ => {
                    file.write_all(&body).unwrap();
                    let (file, len) = (&mut file, size as u64);
                    (Payload::File { file, len }, false)
                }
            };
            batch.push(Keep {
                packed: Some(packed_by(&mut packer, &row.url, payload, is_compressed)),
                ..kept_as(&row, body.len())
            });
            bodies.push((row.url, body));
        }
        keep(&mut keeper, batch);
    }
    assert_eq!(verify(folder.path()).unwrap().findings, []);
    let reader = crate::ledger::open(folder.path()).unwrap();
    for (url, body) in &bodies {
        let document = reader.document_named(url.as_str()).unwrap();
        let content = reader.content(document, None);
        assert!(content.is_ok_and(|content| content.body == *body), "cat {url}");
        let version = reader.versions(document).unwrap()[0].id;
        let stored = reader.stored(version).unwrap();
        let is_there = stored.is_some_and(|stored| match stored.body {
            StoredBody::Memory(found) => found == *body,
            StoredBody::File { mut file, .. } => {
                let mut found = Vec::new();
                file.read_to_end(&mut found).unwrap();
                found == *body
            }
        });
        assert!(is_there, "diff {url}");
    }
}

#[test]
fn case36_rows_that_cannot_be_read_do_not_hide_those_behind_them() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = (0..40).map(|n| format!("/{n}")).collect();
    let keeper = open(
        folder.path(),
        &paths.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    // Whole batches of them, at the beginning, in the middle and at the end.
    let damage = "UPDATE resources SET url = 'no address' WHERE id <= 5 OR id % 3 = 0 OR id > 37";
    let damaged = keeper.catalog.db.execute(damage, []).unwrap();
    let (mut found, mut unreadable, mut after) = (0, 0, None);
    loop {
        let loaded = load(&keeper, after, 4);
        found += loaded.rows.len();
        unreadable += loaded.unreadable.len();
        if loaded.is_all {
            break;
        }
        let last = loaded.rows.last().expect("a batch that is not the last has rows");
        after = Some(last.place());
    }
    assert_eq!((found, unreadable), (40 - damaged, damaged));
}
