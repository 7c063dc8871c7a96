//! Other programs read what is exported, and find what the catalog has.

use super::{crawled, graph, python};
use crate::crawled::crawl_well;
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status};
use std::collections::BTreeSet;

const READ: &str = r"
import sys, json, networkx as nx
folder = sys.argv[1]
kinds = {
  'graphml': lambda: nx.read_graphml(folder + '/g.graphml'),
  'gexf': lambda: nx.read_gexf(folder + '/g.gexf'),
  'json': lambda: nx.node_link_graph(json.load(open(folder + '/g.json')), edges='links'),
}
for kind, read in kinds.items():
    g = read()
    name = lambda n: g.nodes[n]['url']
    print(json.dumps({
      'kind': kind, 'nodes': sorted(name(n) for n in g), 'links': sorted([name(a), name(b), d['weight']] for a, b, d in g.edges(data=True)),
      'titles': sorted([name(n), g.nodes[n].get('title') or ''] for n in g), 'ranks': sum(g.nodes[n]['pagerank'] for n in g)}))
";

#[test]
fn e6_networkx_reads_graphml_gexf_and_json_and_finds_the_catalog() {
    let (_site, gleaner) = crawled(2, 60);
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["graphml", "gexf", "json", "dot"] {
        let file = folder.path().join(format!("g.{format}"));
        graph(
            &gleaner,
            &[
                "export",
                "--format",
                format,
                "--to",
                file.to_str().expect("a path"),
            ],
        );
    }
    let truth: BTreeSet<(String, String, String)> = gleaner
        .sqlite(
            "SELECT s.url, t.url, sum(l.count) FROM links l JOIN resources s ON s.id = l.source JOIN resources t ON t.id = l.target
             WHERE l.gone_run IS NULL AND l.kind NOT IN (14, 20) GROUP BY s.id, t.id",
        )
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone(), row[2].clone()))
        .collect();
    let lines = graph(&gleaner, &["export", "--format", "weighted-edges"]).stdout;
    let told: BTreeSet<(String, String, String)> = lines
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            (parts[0].to_owned(), parts[1].to_owned(), parts[2].to_owned())
        })
        .collect();
    assert_eq!(told, truth);

    let Some(read) = python(READ, &[folder.path().to_str().expect("a path")]) else {
        return;
    };
    let titles = gleaner.sqlite("SELECT url, title FROM resources WHERE title IS NOT NULL");
    for line in read.lines() {
        let found: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let links: BTreeSet<(String, String, String)> = found["links"]
            .as_array()
            .expect("links")
            .iter()
            .map(|link| {
                let text = |at: usize| link[at].as_str().unwrap_or_default().to_owned();
                (
                    text(0),
                    text(1),
                    format!("{}", link[2].as_f64().expect("a weight")),
                )
            })
            .collect();
        assert_eq!(links, truth, "{}", found["kind"]);
        assert!((found["ranks"].as_f64().expect("a sum") - 1.0).abs() < 1e-6);
        let told = found["titles"].as_array().expect("titles");
        for row in &titles {
            assert!(
                told.iter()
                    .any(|one| one[0] == row[0].as_str() && one[1] == row[1].as_str()),
                "{}: no title of {row:?}",
                found["kind"]
            );
        }
    }
}

#[test]
fn s4_its_own_tables_hold_hosts_resources_and_links_as_rows() {
    let (_site, gleaner) = crawled(2, 40);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s4.db");
    graph(
        &gleaner,
        &[
            "export",
            "--format",
            "s4-sqlite",
            "--to",
            file.to_str().expect("a path"),
        ],
    );
    let db = rusqlite::Connection::open(&file).expect("a database");
    let number = |query: &str| -> i64 { db.query_row(query, [], |row| row.get(0)).expect("a number") };
    assert_eq!(number("SELECT count(*) FROM Hosts"), 2);
    assert_eq!(
        number("SELECT count(*) FROM Links"),
        gleaner.sqlite_number("SELECT sum(count) FROM links WHERE gone_run IS NULL AND kind NOT IN (14, 20)")
    );
    assert_eq!(
        number(
            "SELECT count(*) FROM Links WHERE FRID NOT IN (SELECT RID FROM Resources) OR RID NOT IN (SELECT RID FROM Resources)"
        ),
        0
    );
    assert_eq!(
        number("SELECT count(*) FROM Resources WHERE length(RID) <> 32 OR RID <> upper(RID)"),
        0
    );
    assert_eq!(
        number("SELECT count(*) FROM Resources WHERE Source LIKE '%<html%'"),
        gleaner.sqlite_number("SELECT count(*) FROM documents"),
        "every page has its source"
    );
    let columns: Vec<String> = db
        .prepare("SELECT name FROM pragma_table_info('Resources')")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("columns");
    assert_eq!(
        columns,
        [
            "RID", "URL", "RType", "Charset", "DTime", "DBot", "PTime", "PBot", "Source", "HID"
        ]
    );
    let sql = graph(&gleaner, &["export", "--format", "s4-sql", "--without-source"]).stdout;
    let other = rusqlite::Connection::open_in_memory().expect("a database");
    other.execute_batch(&sql).expect("the statements run");
    let count: i64 = other
        .query_row("SELECT count(*) FROM Links", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(count, number("SELECT count(*) FROM Links"));
}

/// The cells of a row of the table `Resources`.
type Resource = Vec<String>;

const READ_CSV: &str = r"
import csv, json, sys
csv.field_size_limit(1 << 30)
with open(sys.argv[1] + '/Resources.csv', newline='', encoding='utf-8') as file:
    print(json.dumps([[row['URL'], row['RType'], row['Charset'], row['Source'], row['DTime'], row['DBot'], row['PTime'], row['PBot']]
        for row in csv.DictReader(file)]))
";

#[test]
fn s4_all_characters_come_through_whole_in_all_three_forms() {
    let server = HostileServer::start();
    // Cyrillic in a charset of its own, and what breaks tables: quotes, commas, line ends, signs beyond the first plane.
    let cyrillic =
        "<title>Мир</title><a href='/other?q=ё'>other</a>\r\n<p>Съешь — \"ещё\"; it's 'all', \\ here</p>";
    let other =
        "<title>Other</title><p>\u{1f4da}a\u{0301} \u{4e2d}\u{6587}\n\"\",\t''--;</p><a href='/'>home</a>";
    let in_windows_1251 = |sign: char| match sign {
        'А'..='я' => (u32::from(sign) - u32::from('А') + 0xc0) as u8,
        'ё' => 0xb8,
        '—' => 0x97,
        plain => u8::try_from(plain).expect("ASCII"),
    };
    let bytes: Vec<u8> = cyrillic.chars().map(in_windows_1251).collect();
    let first = status(200)
        .with_header("Content-Type", "text/html; charset=windows-1251")
        .with_body(bytes);
    // A query is encoded in the charset of its page.
    server.route("/", first).route("/other?q=%B8", page(other));
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "letters"]);
    let folder = tempfile::tempdir().expect("a folder");
    let (file, tables) = (folder.path().join("s4.db"), folder.path().join("tables"));
    let (file, tables) = (file.to_str().expect("a path"), tables.to_str().expect("a path"));
    graph(&gleaner, &["export", "--format", "s4-sqlite", "--to", file]);
    graph(&gleaner, &["export", "--format", "s4-csv", "--to", tables]);
    let sql = graph(&gleaner, &["export", "--format", "s4-sql"]).stdout;
    let rows = |db: &rusqlite::Connection| -> BTreeSet<Resource> {
        let query = "SELECT URL, RType, Charset, Source, DTime, DBot, PTime, PBot FROM Resources";
        let mut statement = db.prepare(query).expect("the columns");
        let rows = statement.query_map([], |row| {
            (0..8)
                .map(|at| Ok(row.get::<_, Option<String>>(at)?.unwrap_or_default()))
                .collect()
        });
        rows.and_then(Iterator::collect).expect("rows")
    };
    let told = rows(&rusqlite::Connection::open(file).expect("a database"));
    assert_eq!(told.len(), 2, "{told:?}");
    for (start, media_type, charset, source) in [
        (server.url("/"), "text/html", "windows-1251", cyrillic),
        (server.url("/other?q=%B8"), "text/html", "UTF-8", other),
    ] {
        let row = told.iter().find(|row| row[0] == start).expect("a row");
        assert_eq!(
            (row[1].as_str(), row[3].as_str()),
            (media_type, source),
            "{start}"
        );
        assert!(row[2].eq_ignore_ascii_case(charset), "{row:?}");
        assert!(
            row[4..].iter().all(|cell| !cell.is_empty()),
            "when and by which bot: {row:?}"
        );
    }
    let again = rusqlite::Connection::open_in_memory().expect("a database");
    again.execute_batch(&sql).expect("the statements run");
    assert_eq!(rows(&again), told, "as SQL");
    let Some(read) = python(READ_CSV, &[tables]) else {
        return;
    };
    let read: BTreeSet<Resource> = serde_json::from_str(&read).expect("JSON");
    assert_eq!(read, told, "as CSV");
}

const READ_TABLES: &str = r"
import sys, json, pyarrow.parquet as pq
nodes, edges = (pq.read_table(sys.argv[1] + '/' + name + '.parquet') for name in ('nodes', 'edges'))
urls = dict(zip(nodes['id'].to_pylist(), nodes['url'].to_pylist()))
print(json.dumps({'types': {field.name: str(field.type) for field in nodes.schema},
  'links': [[urls[a], urls[b], str(int(w))] for a, b, w in zip(edges['source'].to_pylist(), edges['target'].to_pylist(), edges['weight'].to_pylist())]}))
";

#[test]
fn e6_pyarrow_reads_the_tables_and_finds_the_catalog() {
    let (_site, gleaner) = crawled(2, 60);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    graph(&gleaner, &["export", "--format", "parquet", "--to", path]);
    let Some(read) = python(READ_TABLES, &[path]) else {
        return;
    };
    let found: serde_json::Value = serde_json::from_str(&read).expect("JSON");
    let types = &found["types"];
    assert_eq!(
        (&types["pagerank"], &types["depth"]),
        (&"double".into(), &"int64".into())
    );
    assert!(
        types["first_seen"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("timestamp"))
    );
    let told: BTreeSet<String> = found["links"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| {
            let parts: Vec<&str> = link
                .as_array()
                .expect("a link")
                .iter()
                .filter_map(|part| part.as_str())
                .collect();
            parts.join("\t")
        })
        .collect();
    let lines = graph(&gleaner, &["export", "--format", "weighted-edges"]).stdout;
    assert_eq!(told, lines.lines().map(str::to_owned).collect());
}
