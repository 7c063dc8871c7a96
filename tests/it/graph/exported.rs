//! Other programs read what is exported, and find what the catalog has.

use super::{crawled, graph, python};
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
