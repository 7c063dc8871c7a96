//! The store by itself: what is dropped is gone, what stays is what it was, and a catalog from another time is noticed.

use super::*;
use crate::keep::{Away, Refused};
use crate::leases::Fence;
use crate::outlinks::Outlinks;
use crate::runs::RunStatus;
use crate::sqlite::one_run::OneRun;
use crate::sqlite::verify::{fix, verify};
use crate::warc::{Capture, Payload};
use crate::work::Load;
use crate::{Digest, Keep, Outcome, Packer, Page, folder};
use gleaner_model::{Project, ProjectId, RunId, State, Url};
use std::collections::HashSet;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const FIRST: Timestamp = Timestamp(1_790_000_000_000);

/// Large enough to be seen in the size of a file, and unlike any other.
fn long(text: &str) -> String {
    let mut state = Digest::of(text.as_bytes());
    let mut all = text.to_owned();
    for _ in 0..100 {
        state = Digest::of(&state.0);
        all.push_str(&data_encoding::HEXLOWER.encode(&state.0));
    }
    all
}

fn url(path: &str) -> Url {
    Url::parse(&format!("http://a.test{path}")).unwrap()
}

struct Store {
    folder: tempfile::TempDir,
    days: i64,
}

/// What came for a path: a page, or an answer that is none.
enum Came<'a> {
    Page(&'a str, &'a str),
    NotFound(&'a str, &'a str),
}
use Came::{NotFound, Page as Is};

impl Store {
    fn new() -> Store {
        Store {
            folder: tempfile::tempdir().unwrap(),
            days: 0,
        }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn now(&self) -> Timestamp {
        Timestamp(FIRST.0 + self.days * DAY_MS)
    }

    /// One run of the project, a day after the last one.
    fn run(&mut self, came: &[Came<'_>]) {
        self.run_of("p", came);
    }

    fn run_of(&mut self, name: &str, came: &[Came<'_>]) {
        self.days += 1;
        let now = self.now();
        let mut keeper = OneRun::open(self.root()).unwrap();
        let project = Project::new(name, vec![url("/")]);
        let id = keeper.catalog.project(&project, now).unwrap();
        let run = keeper
            .catalog
            .start_run(id, &project, crate::runs::RunKind::Crawl, now)
            .unwrap();
        keeper.work_on(id, run);
        let seeds: Vec<Url> = came
            .iter()
            .map(|came| match came {
                Is(path, _) | NotFound(path, _) => url(path),
            })
            .collect();
        keeper.enqueue_seeds(&seeds, now).unwrap();
        for came in came {
            let batch = vec![keep_of(&keeper, id, run, came, now)];
            keeper
                .keep(batch, Refused::new())
                .map_err(|(error, _)| error)
                .unwrap();
        }
        keeper
            .catalog
            .end_run(run, RunStatus::Finished, now, None)
            .unwrap();
        keeper.catalog.tidy().unwrap();
    }

    /// The next run begins a new file.
    fn seal(&self) {
        self.execute("UPDATE archives SET is_sealed = 1");
    }

    fn prune(&self, keep: Retention) -> Pruned {
        self.try_prune(&PruneOptions {
            keep: Some(keep),
            ..PruneOptions::default()
        })
        .unwrap()
    }

    fn try_prune(&self, wish: &PruneOptions) -> Result<Pruned, StoreError> {
        let folder = DataFolder::open(self.root())?;
        prune(&folder, wish, "gleaner/test", self.now())
    }

    fn catalog(&self) -> Connection {
        Connection::open(folder::catalog(self.root())).unwrap()
    }

    fn number(&self, query: &str) -> i64 {
        self.catalog().query_row(query, [], |row| row.get(0)).unwrap()
    }

    /// A change that the catalog takes for its own.
    fn execute(&self, sql: &str) {
        let catalog = Catalog::open(&folder::catalog(self.root())).unwrap();
        catalog.db.execute_batch(sql).unwrap();
        catalog.tidy().unwrap();
    }

    fn cat(&self, path: &str) -> String {
        let reader = crate::ledger::open(self.root()).unwrap();
        let document = reader.document_named(url(path).as_str()).unwrap();
        String::from_utf8(reader.content(document, None).unwrap().body).unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder::archive(self.root())).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Everything the archive holds, unpacked.
    fn archive_text(&self) -> String {
        let mut text = String::new();
        for file in self.files() {
            let mut bytes = Vec::new();
            let packed = std::fs::read(file).unwrap();
            std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut bytes)
                .unwrap();
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }

    fn assert_sound(&self) {
        assert_eq!(verify(self.root()).unwrap().findings, []);
        assert_eq!(self.number("SELECT count(*) FROM doomed"), 0);
    }

    /// As a record: with its request and metadata.
    fn count_of(&self, kind: &str) -> usize {
        self.archive_text()
            .matches(&format!("WARC-Type: {kind}\r\n"))
            .count()
    }
}

fn keep_of(keeper: &OneRun, id: ProjectId, run: RunId, came: &Came<'_>, at: Timestamp) -> Keep {
    let (path, body, status) = match came {
        Is(path, body) => (path, body, 200),
        NotFound(path, body) => (path, body, 404),
    };
    let hosts = keeper.catalog.hosts_waiting(run).unwrap();
    let load = Load {
        host: hosts[0],
        fence: Fence::default(),
        after: None,
        held: HashSet::new(),
        limit: 100,
        priority_below: None,
        wants_robots: false,
        lists_only: false,
    };
    let rows = keeper.catalog.load(run, id, &load, true).unwrap().rows;
    let row = rows.into_iter().find(|row| row.url == url(path)).unwrap();
    let body = long(body);
    let state = match &row.known {
        None => State::New,
        Some(known) if known.digest == Digest::of(body.as_bytes()) => State::Sam,
        Some(_) => State::Upd,
    };
    let head = format!("HTTP/1.1 {status} Said\r\nX-Url: {}\r\n\r\n", row.url);
    let capture = Capture {
        url: row.url.as_str(),
        at,
        address: None,
        protocol: "http/1.1",
        request_head: b"GET / HTTP/1.1\r\n\r\n",
        response_head: head.as_bytes(),
        media_type: "",
        payload: Payload::Memory(body.as_bytes()),
        truncated: false,
        is_compressed: false,
        facts: &[("depth", "0".to_owned())],
    };
    let page = Page {
        document: row.known.as_ref().map(|known| known.document),
        media_type: "text/html".to_owned(),
        charset: None,
        title: String::new(),
        size: body.len() as u64,
        etag: None,
        last_modified: None,
        asked: None,
        compared: None,
    };
    Keep {
        host: row.host,
        fence: row.fence,
        resource: row.resource,
        priority: row.priority,
        depth: row.depth,
        at,
        status: Some(status),
        wire_bytes: body.len() as u64,
        packed: Some(Packer::default().pack(capture, &tempfile::tempfile).unwrap()),
        outcome: if status == 200 {
            Outcome::Document(page)
        } else {
            Outcome::Nothing
        },
        state: (status == 200).then_some(state),
        reason: None,
        detail: None,
        outlinks: Outlinks::default(),
        links_unchanged: false,
        cuts: Vec::new(),
        validators: None,
        legs: Vec::new(),
        away: Away::No,
    }
}

/// A page in five versions, and one that stays the same.
fn five_versions() -> Store {
    let mut store = Store::new();
    for text in ["one", "two", "three", "four", "five"] {
        store.run(&[Is("/", text), Is("/still", "still")]);
    }
    store
}

#[test]
fn the_newest_versions_stay_and_the_rest_leaves_no_trace() {
    let store = five_versions();
    store.execute("INSERT INTO ladders SELECT id, x'00' FROM versions");
    let size = std::fs::metadata(&store.files()[0]).unwrap().len();

    let done = store.prune(Retention::Versions(2));

    assert_eq!((done.versions_dropped(), done.bodies_dropped), (3, 3));
    assert_eq!((done.files_rewritten, done.left_alone.len()), (1, 0));
    assert_eq!(store.number("SELECT count(*) FROM versions"), 3);
    assert_eq!(store.number("SELECT count(*) FROM ladders"), 3);
    assert_eq!(store.number("SELECT count(*) FROM changes"), 10);
    assert_eq!(
        store.number("SELECT count(*) FROM changes WHERE version IS NOT NULL"),
        3
    );
    assert_eq!(store.number("SELECT count(*) FROM dropped"), 0);
    let text = store.archive_text();
    for (body, is_left) in [
        ("one", false),
        ("two", false),
        ("three", false),
        ("four", true),
        ("five", true),
    ] {
        assert_eq!(text.contains(&long(body)), is_left, "{body}");
    }
    // Two versions, one page that stayed the same with its four confirmations.
    assert_eq!((store.count_of("response"), store.count_of("revisit")), (3, 4));
    assert_eq!((store.count_of("request"), store.count_of("metadata")), (7, 7));
    assert_eq!(
        (store.cat("/"), store.cat("/still")),
        (long("five"), long("still"))
    );
    let after = std::fs::metadata(&store.files()[0]).unwrap().len();
    assert_eq!(store.files().len(), 1);
    assert!(
        after + done.bytes_freed <= size + 100,
        "{after} of {size}, {} freed",
        done.bytes_freed
    );
    store.assert_sound();
    assert_eq!(store.prune(Retention::Versions(2)).bytes_freed, 0);
}

#[test]
fn days_count_from_when_a_version_was_replaced() {
    let store = five_versions(); // Fetched on the days 1 to 5; it is day 5.
    let left = |days| {
        store.prune(Retention::Days(days));
        store.number("SELECT count(*) FROM versions WHERE document = 1")
    };
    assert_eq!(left(5), 5);
    // Replaced on day 2, which is three days ago: no longer current within the last three.
    assert_eq!(left(3), 4);
    assert_eq!(left(1), 2);
    store.assert_sound();
}

#[test]
fn what_a_version_is_compared_with_stays() {
    let store = five_versions();
    let ids = "(SELECT group_concat(id) FROM (SELECT id FROM versions WHERE document = 1 ORDER BY id))";
    let ids: String = store
        .catalog()
        .query_row(&format!("SELECT {ids}"), [], |row| row.get(0))
        .unwrap();
    let ids: Vec<i64> = ids.split(',').map(|id| id.parse().unwrap()).collect();
    // The newest repeats the third, which repeats the first.
    for (version, same_as) in [(ids[4], ids[2]), (ids[2], ids[0])] {
        store.execute(&format!(
            "UPDATE versions SET same_as = {same_as} WHERE id = {version}"
        ));
    }
    assert_eq!(store.prune(Retention::Versions(1)).versions_dropped(), 2);
    for (nth, is_left) in [(0, 1), (1, 0), (2, 1), (3, 0), (4, 1)] {
        let query = format!("SELECT count(*) FROM versions WHERE id = {}", ids[nth]);
        assert_eq!(store.number(&query), is_left, "version {nth}");
    }
    store.assert_sound();
}

#[test]
fn a_body_stays_where_it_is_while_anyone_needs_it() {
    let mut store = Store::new();
    store.run(&[Is("/a", "shared")]);
    store.run(&[Is("/a", "own")]);
    store.run_of("other", &[Is("/b", "shared")]);
    store.prune(Retention::Versions(1));
    assert_eq!(store.number("SELECT count(*) FROM versions"), 2);
    assert_eq!((store.cat("/a"), store.cat("/b")), (long("own"), long("shared")));
    assert_eq!(
        store.number("SELECT count(*) FROM dropped"),
        1,
        "its version is gone"
    );
    store.assert_sound();

    // The last one that needed it goes too, and then the record itself.
    store.run_of("other", &[Is("/b", "new")]);
    let done = store.prune(Retention::Versions(1));
    assert_eq!((done.versions_dropped(), done.bodies_dropped), (1, 1));
    assert!(!store.archive_text().contains(&long("shared")));
    assert_eq!((store.cat("/a"), store.cat("/b")), (long("own"), long("new")));
    assert_eq!(store.number("SELECT count(*) FROM dropped"), 0);
    store.assert_sound();
}

#[test]
fn answers_that_are_no_versions_stay_and_confirmations_go_with_what_they_confirm() {
    let mut store = Store::new();
    store.run(&[Is("/", "one"), NotFound("/gone", "not here")]);
    store.run(&[Is("/", "one"), NotFound("/gone", "not here")]);
    store.run(&[Is("/", "two"), NotFound("/gone", "not here")]);
    assert_eq!((store.count_of("response"), store.count_of("revisit")), (3, 3));
    store.prune(Retention::Versions(1));
    // The first 404 and its two repetitions; the new page.
    assert_eq!((store.count_of("response"), store.count_of("revisit")), (2, 2));
    assert_eq!((store.count_of("request"), store.count_of("metadata")), (4, 4));
    assert!(!store.archive_text().contains(&long("one")));
    store.assert_sound();

    // A body that came first with such an answer stays with it.
    store.run(&[Is("/", "not here")]);
    store.run(&[Is("/", "three")]);
    let done = store.prune(Retention::Versions(1));
    assert_eq!((done.versions_dropped(), done.bodies_dropped), (2, 1));
    assert!(store.archive_text().contains(&long("not here")));
    store.assert_sound();
}

#[test]
fn dropped_bytes_that_come_again_are_stored_again() {
    let mut store = Store::new();
    store.run(&[Is("/", "one")]);
    store.run(&[Is("/", "two")]);
    store.prune(Retention::Versions(1));
    store.run(&[Is("/", "one")]);
    assert_eq!(store.cat("/"), long("one"));
    // Records go on in the file that was rewritten.
    assert_eq!(store.files().len(), 1);
    store.assert_sound();
}

#[test]
fn little_is_left_until_all_is_asked_for_and_an_empty_file_is_removed() {
    let mut store = Store::new();
    store.run(&[Is("/", "one")]);
    store.seal();
    let many: Vec<String> = (0..30).map(|n| format!("/{n}")).collect();
    let mut came: Vec<_> = many.iter().map(|path| Is(path, path)).collect();
    came.push(Is("/", "two"));
    store.run(&came);
    store.seal();
    store.run(&[Is("/", "three")]);
    assert_eq!(store.files().len(), 3);

    let keep = Some(Retention::Versions(1));
    let wish = PruneOptions {
        keep,
        ..PruneOptions::default()
    };
    let trial = store
        .try_prune(&PruneOptions {
            is_trial: true,
            ..wish.clone()
        })
        .unwrap();
    assert_eq!(store.number("SELECT count(*) FROM versions"), 33);
    let done = store.try_prune(&wish).unwrap();
    assert_eq!(
        (done.versions_dropped(), done.files_removed, done.files_rewritten),
        (2, 1, 0)
    );
    assert_eq!(
        (trial.versions_dropped(), trial.files_removed, trial.bytes_freed),
        (2, 1, done.bytes_freed)
    );
    assert!(store.archive_text().contains(&long("two")));
    store.assert_sound();

    let done = store
        .try_prune(&PruneOptions {
            every_file: true,
            ..wish
        })
        .unwrap();
    assert_eq!((done.files_rewritten, store.files().len()), (1, 2));
    assert!(!store.archive_text().contains(&long("two")));
    store.assert_sound();
}

#[test]
fn a_file_stays_while_someone_reads_from_before() {
    let store = five_versions();
    let reader = Catalog::open_reader(&folder::catalog(store.root())).unwrap();
    let snapshot = reader.unchecked_transaction().unwrap();
    let place = "SELECT a.name, v.offset FROM versions v JOIN archives a ON a.id = v.archive WHERE v.id = 1";
    let (name, offset): (String, i64) = snapshot
        .query_row(place, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();

    assert_eq!(store.prune(Retention::Versions(1)).files_waiting, 1);

    let path = folder::archive(store.root()).join(&name);
    crate::warc::read_record(&path, offset as u64).unwrap();
    assert_eq!(verify(store.root()).unwrap().findings, []);
    drop(snapshot);
    assert!(store.files().contains(&path));
    let keeper = OneRun::open(store.root());
    drop(keeper.unwrap());
    assert!(!path.exists());
    store.assert_sound();
}

#[test]
fn only_doomed_files_go_and_only_while_their_heir_stands() {
    let store = five_versions();
    let old = store.files()[0].clone();
    let name = old.file_name().unwrap().to_string_lossy().into_owned();
    let half_made = old.with_file_name("gleaner-20300101000000-000002.warc.gz");
    let foreign = old.with_file_name("notes.txt");
    let doom = |heir: &str| {
        let bytes = std::fs::read(&old).unwrap();
        std::fs::write(&half_made, &bytes[..bytes.len() / 2]).unwrap();
        store.execute(&format!(
            "INSERT OR REPLACE INTO doomed VALUES ('gleaner-20300101000000-000002.warc.gz', '{heir}')"
        ));
    };
    let open = || OneRun::open(store.root());
    std::fs::write(&foreign, "mine").unwrap();

    doom(&name);
    assert_eq!(verify(store.root()).unwrap().findings.len(), 1, "the foreign one");
    drop(open().unwrap());
    assert!(!half_made.exists() && foreign.exists());
    std::fs::remove_file(&foreign).unwrap();
    store.assert_sound();

    // Its heir is not there: it may be the only copy.
    doom("gleaner-20300101000000-000001.warc.gz");
    assert!(matches!(open().err(), Some(StoreError::CatalogBehind { .. })));
    assert!(half_made.exists());
}

#[test]
fn a_catalog_from_before_the_compaction_is_refused() {
    let store = five_versions();
    let catalog = folder::catalog(store.root());
    let before = std::fs::read(&catalog).unwrap();
    store.prune(Retention::Versions(1));
    let (files, bytes) = (store.files(), std::fs::read(&store.files()[0]).unwrap());
    std::fs::write(&catalog, before).unwrap();
    std::fs::remove_file(store.root().join("gleaner.db-sums")).unwrap();

    let refused = store.try_prune(&PruneOptions::default());

    assert!(matches!(refused, Err(StoreError::CatalogBehind { .. })));
    assert_eq!(
        (store.files(), std::fs::read(&files[0]).unwrap()),
        (files.clone(), bytes)
    );
}

#[test]
fn a_damaged_file_is_left_alone() {
    let store = five_versions();
    let place = store.number("SELECT offset FROM versions WHERE id = 3");
    let path = store.files()[0].clone();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[place as usize + 60] ^= 4;
    std::fs::write(&path, &bytes).unwrap();

    let done = store.prune(Retention::Versions(1));

    assert_eq!((done.left_alone.len(), done.files_rewritten), (1, 0));
    assert!(done.left_alone[0].why.contains("damaged"), "{done:?}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(
        (store.cat("/"), store.cat("/still")),
        (long("five"), long("still"))
    );
}

#[test]
fn lost_places_stay_lost_and_are_fetched_again() {
    let mut store = five_versions();
    let place = store.number("SELECT offset FROM versions WHERE document = 1 ORDER BY id DESC LIMIT 1");
    let path = store.files()[0].clone();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(place as u64 + 10)
        .unwrap();
    let found = verify(store.root()).unwrap();
    fix(&DataFolder::open(store.root()).unwrap(), &found).unwrap();

    let done = store.prune(Retention::Versions(1));

    assert_eq!((done.files_rewritten, done.left_alone.len()), (1, 0), "{done:?}");
    store.assert_sound();
    assert_eq!(store.cat("/still"), long("still"));
    let reader = crate::ledger::open(store.root()).unwrap();
    let document = reader.document_named(url("/").as_str()).unwrap();
    assert!(matches!(
        reader.content(document, None),
        Err(StoreError::Lost { .. })
    ));
    drop(reader);
    store.run(&[Is("/", "five")]);
    assert_eq!(store.cat("/"), long("five"));
    store.assert_sound();
}
