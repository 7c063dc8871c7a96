use super::*;
use crate::record::CitedWork;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names and words that every format has to take care of.
fn entries() -> Vec<CatalogueEntry> {
    let record = |title: &str, authors: &[&str], date: &str| BibliographicRecord {
        title: Some(title.to_owned()),
        authors: authors.iter().map(|author| (*author).to_owned()).collect(),
        year: date.get(..4).and_then(|year| year.parse().ok()),
        date: Some(date.to_owned()),
        ..BibliographicRecord::default()
    };
    let entry = |id: &str, record: BibliographicRecord| CatalogueEntry {
        id: id.to_owned(),
        record,
        genre: Some(Genre::Paper),
        url: format!("http://a.test/papers/{id}.pdf?x=1&y={{2}}"),
        media_type: "application/pdf".to_owned(),
        changed_at: "2026-05-06T07:08:09Z".to_owned(),
        ..CatalogueEntry::default()
    };
    let mut first = entry(
        "12",
        record(
            "On 50 % of \"Worlds\" & <Words>: C# and snake_case ~\\",
            &["Müller, Jürgen", "Ludwig van Beethoven"],
            "2004-05-06",
        ),
    );
    first.record.summary = Some("We cost $5 & more {than^.\u{0}\nSecond line.".to_owned());
    first.record.keywords = vec!["small & large".to_owned(), "worlds".to_owned()];
    first.record.doi = Some("10.1000/xy_12".to_owned());
    first.record.language = Some("en".to_owned());
    first.record.references = vec![CitedWork {
        text: "A. Lee. <Things>. 2001.".to_owned(),
        ..CitedWork::default()
    }];
    first.others = vec![
        (Relation::Copy, "http://b.test/copy.pdf".to_owned()),
        (Relation::OtherFormat, "http://a.test/12.ps".to_owned()),
    ];
    let twin = entry("13", record("On 50 Worlds", &["Jürgen Müller"], "2004"));
    let mut thesis = entry("14", record("世界について", &["山田太郎"], "2011-11"));
    thesis.genre = Some(Genre::Thesis);
    let bare = CatalogueEntry {
        id: "15".to_owned(),
        url: "http://a.test/x".to_owned(),
        ..CatalogueEntry::default()
    };
    vec![first, twin, thesis, bare]
}

/// The tools' own Python (`tools/setup.sh`), if it has this package.
fn python_with(package: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("GLEANER_CACHE").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/gleaner"));
    let python = cache.or_else(home)?.join("venv/bin/python");
    let asked = Command::new(&python)
        .args(["-c", &format!("import {package}")])
        .output();
    if asked.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    gleaner_fixtures::skip(format!(
        "the Python package {package} is not installed; run tools/setup.sh"
    ));
    None
}

fn run_python(python: &Path, script: &str, arguments: &[&str]) -> String {
    let output = Command::new(python)
        .arg("-c")
        .arg(script)
        .args(arguments)
        .output()
        .expect("Python starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("room");
    file.to_str().expect("a path").to_owned()
}

#[test]
fn bibtex_is_read_by_pybtex_and_keys_stay() {
    let text = bibtex(&entries());
    let keys: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("@misc{"))
        .collect();
    assert_eq!(
        keys,
        [
            "muller2004worlds,",
            "muller2004worlds-13,",
            "document201114,",
            "http,"
        ]
    );
    // Those that come behind change no key.
    assert!(text.starts_with(&bibtex(&entries()[..1])));
    let Some(python) = python_with("pybtex") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "library.bib", &text);
    let script = "import sys, json\nfrom pybtex.database import parse_file\nd = parse_file(sys.argv[1])\n\
        from pybtex.richtext import Text\n\
        print(json.dumps([[k, str(Text.from_latex(e.fields['title'])), [' '.join(p.prelast_names + p.last_names) for p in e.persons.get('author', [])], e.fields.get('year')] for k, e in d.entries.items()]))";
    let told: serde_json::Value = serde_json::from_str(&run_python(&python, script, &[&file])).expect("JSON");
    assert_eq!(told.as_array().map(Vec::len), Some(4));
    assert_eq!(
        told[0][1],
        "On 50 % of \"Worlds\" & <Words>: C# and snake_case ~\\"
    );
    assert_eq!(told[0][2], serde_json::json!(["Müller", "van Beethoven"]));
    assert_eq!(told[0][3], "2004");
}

#[test]
fn csl_json_is_set_by_citeproc() {
    let text = csl_json(&entries());
    let Some(python) = python_with("citeproc") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "library.json", &text);
    let script = "import sys, json, warnings\nwarnings.simplefilter('ignore')\nfrom citeproc import CitationStylesStyle, CitationStylesBibliography, formatter, Citation, CitationItem\n\
        from citeproc.source.json import CiteProcJSON\nsource = CiteProcJSON(json.load(open(sys.argv[1])))\n\
        style = CitationStylesStyle('harvard-cite-them-right', validate=False)\n\
        b = CitationStylesBibliography(style, source, formatter.plain)\n\
        [b.register(Citation([CitationItem(k)])) for k in source]\nprint('\\n'.join(str(i) for i in b.bibliography()))";
    let told = run_python(&python, script, &[&file]);
    assert_eq!(told.lines().count(), 4, "{told}");
    assert!(
        told.contains("Müller, J.") && told.contains("2004") && told.contains("Beethoven"),
        "{told}"
    );
}

#[test]
fn dublin_core_and_the_static_repository_have_the_shape_that_is_asked_for() {
    let repository = RepositoryName {
        name: "Worlds & words",
        base_url: "http://gateway.test/oai/library.test/oai.xml",
        admin_email: "ann@library.test",
        domain: "library.test",
    };
    let Some(python) = python_with("lxml") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let oai = written(
        folder.path(),
        "oai.xml",
        &oai_static_repository(&entries(), &repository),
    );
    let dc = written(folder.path(), "dc.xml", &dublin_core(&entries()));
    let script = include_str!("shape.py");
    let told: serde_json::Value =
        serde_json::from_str(&run_python(&python, script, &[&oai, &dc])).expect("JSON");
    assert_eq!(
        told["identifiers"],
        serde_json::json!([
            "oai:library.test:12",
            "oai:library.test:13",
            "oai:library.test:14",
            "oai:library.test:15"
        ])
    );
    assert_eq!(
        told["titles"][0],
        "On 50 % of \"Worlds\" & <Words>: C# and snake_case ~\\"
    );
    assert_eq!(told["titles"], told["dc titles"]);
    assert_eq!(
        told["first"]["creator"],
        serde_json::json!(["Müller, Jürgen", "Ludwig van Beethoven"])
    );
    assert_eq!(
        told["first"]["relation"],
        serde_json::json!(["http://a.test/12.ps", "A. Lee. <Things>. 2001."])
    );
}

#[test]
fn s1s_tables_are_read_by_sqlite() {
    let rows = vec![
        S1Rows {
            table: "LEVEL_STATS",
            rows: vec![
                vec![S1Value::Number(5), S1Value::Number(25_121), S1Value::Number(24)],
                vec![S1Value::Number(1), S1Value::Number(260), S1Value::Null],
            ],
        },
        S1Rows {
            table: "STOP_DIR_LIST",
            rows: vec![vec![
                S1Value::Text("it's, \"so\"\nit is".to_owned()),
                S1Value::Number(36),
                S1Value::Number(36),
                S1Value::Number(100),
            ]],
        },
    ];
    let csv = s1_csv(&rows[1]);
    assert_eq!(
        csv,
        "dir_name,num_of_invalids,num_of_downloads,percentage\n\"it's, \"\"so\"\"\nit is\",36,36,100\n"
    );
    assert_eq!(
        s1_csv(&rows[0]),
        "level,num_of_document,percentage\n5,25121,24\n1,260,\n"
    );
    let Some(python) = python_with("sqlite3") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "s1.sql", &s1_sql(&rows));
    let script = "import sys, json, sqlite3\nd = sqlite3.connect(':memory:')\nd.executescript(open(sys.argv[1]).read())\n\
        names = [r[0] for r in d.execute(\"select name from sqlite_master where type = 'table'\")]\n\
        print(json.dumps([names, d.execute('select * from LEVEL_STATS').fetchall(), d.execute('select * from STOP_DIR_LIST').fetchall()]))";
    let told: serde_json::Value = serde_json::from_str(&run_python(&python, script, &[&file])).expect("JSON");
    let names: Vec<&str> = S1_TABLES.iter().map(|table| table.name).collect();
    assert_eq!(told[0], serde_json::json!(names));
    assert_eq!(told[1], serde_json::json!([[5, 25121, 24], [1, 260, null]]));
    assert_eq!(told[2], serde_json::json!([["it's, \"so\"\nit is", 36, 36, 100]]));
}

#[test]
fn names_are_parted() {
    let parted = |written: &str| {
        let name = person_name(written);
        (name.given, name.family)
    };
    let pair = |given: &str, family: &str| (given.to_owned(), family.to_owned());
    assert_eq!(parted("Ludwig van Beethoven"), pair("Ludwig", "van Beethoven"));
    assert_eq!(parted("Lee, Ann B."), pair("Ann B.", "Lee"));
    assert_eq!(parted("Ann B. Lee"), pair("Ann B.", "Lee"));
    assert_eq!(parted("山田太郎"), pair("", "山田太郎"));
    assert_eq!(parted(""), pair("", ""));
}
