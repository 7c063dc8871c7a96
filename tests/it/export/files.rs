//! One file: JSON lines, Parquet, WARC and WACZ, each opened by a tool that is not ours.

use super::{change, contents, export, export_well, shown, site};
use crate::crawled::expect_hidden;
use gleaner_testkit::python::{python_with, run_python};
use gleaner_testkit::warcio::warcio_check;
use gleaner_testkit::{Gleaner, crash};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Document, version, URL, digest and size, as the catalog has them.
fn truth(gleaner: &Gleaner) -> BTreeSet<Vec<String>> {
    let rows = gleaner.sqlite(
        "SELECT d.id, v.id, v.run, r.url, b.digest, v.size, v.fetched_at FROM documents d JOIN versions v ON v.id = d.version
         JOIN resources r ON r.id = d.resource JOIN bodies b ON b.id = v.body WHERE d.gone_run IS NULL",
    );
    rows.into_iter().collect()
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a file");
    let read = |line: &str| serde_json::from_str(line).expect("JSON");
    text.lines().map(read).collect()
}

#[test]
fn json_lines_are_the_catalog_with_texts() {
    let (gleaner, server) = site();
    change(&gleaner, &server);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("site.jsonl");
    let done = export_well(&gleaner, &file, &["jsonl"]);
    let found = lines(&file);
    assert_eq!((found.len(), &done["documents"]), (7, &7.into()), "{done}");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let names = ["document", "version", "run", "url", "digest", "size"];
    let told: BTreeSet<Vec<String>> = found
        .iter()
        .map(|line| names.iter().map(|name| text(&line[*name])).collect())
        .collect();
    let wanted = truth(&gleaner).into_iter().map(|mut row| {
        row.pop();
        row
    });
    assert_eq!(told, wanted.collect());
    let of = |path: &str| {
        found
            .iter()
            .find(|line| line["url"] == server.url(path))
            .expect("a line")
    };
    assert_eq!(of("/rich")["text"], shown(&gleaner, &server.url("/rich"), "main"));
    assert_eq!(
        (&of("/rich")["title"], &of("/rich")["state"]),
        (&"Solar power".into(), &"SAM".into())
    );
    assert_eq!(of("/changes")["state"], "UPD");
    assert_eq!(
        (&of("/silent")["text"], &of("/silent")["reason"]),
        (&Value::Null, &"document-no-text".into())
    );

    // To the output the same, and filters.
    let out = gleaner.run(&["export", "site", "--as", "jsonl", "-o", "-"]);
    out.expect_code(&[0]);
    assert_eq!(out.stdout.as_bytes(), std::fs::read(&file).expect("a file"));
    let urls = |more: &[&str]| -> BTreeSet<String> {
        let arguments = [&["export", "site", "--as", "jsonl", "-o", "-"], more].concat();
        let lines = gleaner.run(&arguments).json_lines();
        lines
            .iter()
            .map(|line| text(&line["url"]).replace(&server.url(""), ""))
            .collect()
    };
    let set = |paths: &[&str]| {
        paths
            .iter()
            .map(|path| path.trim_start_matches('/').to_owned())
            .collect()
    };
    let bare = |urls: BTreeSet<String>| -> BTreeSet<String> {
        urls.iter()
            .map(|url| url.trim_start_matches('/').to_owned())
            .collect()
    };
    assert_eq!(bare(urls(&["--state", "upd"])), set(&["/changes"]));
    assert_eq!(bare(urls(&["--state", "MIS"])), set(&["/goes"]));
    assert_eq!(
        bare(urls(&["--path", "/*i*", "--state", "SAM"])),
        set(&["/rich", "/plain", "/silent"])
    );
    assert_eq!(bare(urls(&["--run", "1"])).len(), 8);
    assert_eq!(bare(urls(&["--type", "image"])), set(&[]));
    let marked = lines_of(&gleaner, &["--gone", "mark"]);
    let gone = marked
        .iter()
        .find(|line| line["url"] == server.url("/goes"))
        .expect("a line");
    assert_eq!((&gone["gone_run"], &gone["state"]), (&2.into(), &"MIS".into()));

    // A file that is there is replaced only by force.
    let refused = export(&gleaner, &file, &["jsonl"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("--force"), "{refused}");
    export_well(&gleaner, &file, &["jsonl", "--force", "--state", "UPD"]);
    assert_eq!(lines(&file).len(), 1);
}

fn lines_of(gleaner: &Gleaner, more: &[&str]) -> Vec<Value> {
    let arguments = [&["export", "site", "--as", "jsonl", "-o", "-"], more].concat();
    gleaner.run(&arguments).json_lines()
}

#[test]
fn pyarrow_reads_the_table() {
    let Some(python) = python_with("pyarrow") else {
        return;
    };
    let (gleaner, server) = site();
    change(&gleaner, &server);
    let folder = tempfile::tempdir().expect("a folder");
    let (table, json) = (
        folder.path().join("site.parquet"),
        folder.path().join("site.jsonl"),
    );
    export_well(&gleaner, &table, &["parquet", "--gone", "mark"]);
    export_well(&gleaner, &json, &["jsonl", "--gone", "mark"]);
    let script = "import sys, json, pyarrow.parquet as p\n\
        t = p.read_table(sys.argv[1])\n\
        print(json.dumps({f.name: str(f.type) for f in t.schema}))\n\
        for r in t.to_pylist():\n\
        \x20   for n in ('fetched_at', 'first_fetched_at'): r[n] = r[n].strftime('%Y-%m-%dT%H:%M:%SZ')\n\
        \x20   print(json.dumps(r))\n";
    let said = run_python(&python, script, &[table.to_str().expect("a path")]);
    let mut said = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let schema = said.next().expect("the schema");
    assert_eq!(schema["fetched_at"], "timestamp[ms, tz=UTC]");
    assert_eq!(
        (&schema["document"], &schema["text"]),
        (&"int64".into(), &"string".into())
    );
    let rows: Vec<Value> = said.collect();
    assert_eq!(rows, lines(&json), "the same rows as the JSON lines");
    assert_eq!(rows.len(), 8);
}

#[test]
fn warcio_reads_the_records_of_a_selection() {
    let (gleaner, server) = site();
    change(&gleaner, &server);
    let folder = tempfile::tempdir().expect("a folder");
    // The copy without what it is a copy of: it is made whole.
    for (name, more, wanted) in [
        (
            "all",
            vec![],
            vec![
                "/",
                "/rich",
                "/plain",
                "/changes",
                "/odd%3Fname",
                "/copy",
                "/silent",
            ],
        ),
        ("copy", vec!["--path", "/copy"], vec!["/copy"]),
        ("plain", vec!["--path", "/plain"], vec!["/plain"]),
        ("changed", vec!["--state", "UPD"], vec!["/changes"]),
        (
            "before",
            vec!["--run", "1", "--path", "/*o*"],
            vec!["/goes", "/copy", "/odd%3Fname"],
        ),
    ] {
        let below = folder.path().join(name);
        std::fs::create_dir(&below).expect("a folder");
        let file = below.join("x.warc.gz");
        export_well(&gleaner, &file, &[vec!["warc"], more].concat());
        match warcio_check(&below) {
            Ok(verdicts) => assert!(
                verdicts.iter().all(|(_, verdict)| verdict.is_ok()),
                "{verdicts:?}"
            ),
            Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
        }
        let Some(python) = python_with("warcio") else {
            return;
        };
        let script = "import sys, json\nfrom warcio.archiveiterator import ArchiveIterator\n\
            for r in ArchiveIterator(open(sys.argv[1], 'rb')):\n\
            \x20   print(json.dumps([r.rec_type, r.rec_headers.get_header('WARC-Target-URI'), r.content_stream().read().decode('utf-8', 'replace')]))\n";
        let said = run_python(&python, script, &[file.to_str().expect("a path")]);
        let records: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(records[0][0], "warcinfo");
        let mut pages: BTreeMap<String, String> = BTreeMap::new();
        for record in &records {
            let is_main = record[0] == "response" || record[0] == "revisit";
            if is_main {
                let text = |at: usize| record[at].as_str().expect("text").to_owned();
                pages.insert(text(1), text(2));
            }
        }
        let urls: BTreeSet<String> = wanted.iter().map(|path| server.url(path)).collect();
        assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), urls, "{name}");
        let requests = records.iter().filter(|record| record[0] == "request").count();
        assert_eq!(requests, wanted.len(), "{name}: each with its request");
        // Both have the same bytes, so one of them only refers to the other: alone it has them itself.
        if name == "copy" || name == "plain" {
            assert_eq!(pages[&server.url(wanted[0])], super::story("it is plain"));
        }
    }
}

#[test]
fn wacz_validates_and_its_index_finds_every_page() {
    let Some(python) = python_with("wacz") else { return };
    let (gleaner, server) = site();
    change(&gleaner, &server);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("site.wacz");
    let done = export_well(&gleaner, &file, &["wacz"]);
    assert_eq!(done["documents"], 7);
    let wacz = python.with_file_name("wacz");
    let path = file.to_str().expect("a path");
    let said = std::process::Command::new(wacz)
        .args(["validate", "-f", path])
        .output()
        .expect("wacz starts");
    let told = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.status.success() && told.contains("WACZ is valid"),
        "{told}\n{}",
        String::from_utf8_lossy(&said.stderr)
    );

    // Every line of the index leads to its record, under the key that others look up.
    let script = "import sys, json, zipfile, gzip, io, surt\nfrom warcio.archiveiterator import ArchiveIterator\n\
        z = zipfile.ZipFile(sys.argv[1])\nassert all(i.compress_type == 0 for i in z.infolist())\n\
        warc = z.read('archive/data.warc.gz')\nlines = gzip.decompress(z.read('indexes/index.cdx.gz')).decode().splitlines()\n\
        assert lines == sorted(lines)\n\
        idx = z.read('indexes/index.idx').decode().splitlines()\n\
        assert idx[0].startswith('!meta') and len(idx) == 2\n\
        for line in lines:\n\
        \x20   key, time, about = line.split(' ', 2)\n\
        \x20   about = json.loads(about)\n\
        \x20   assert key == surt.surt(about['url']), (key, about['url'])\n\
        \x20   at, length = int(about['offset']), int(about['length'])\n\
        \x20   r = next(iter(ArchiveIterator(io.BytesIO(warc[at:at+length]))))\n\
        \x20   assert r.rec_headers.get_header('WARC-Target-URI') == about['url']\n\
        \x20   assert r.rec_headers.get_header('WARC-Payload-Digest') == about['digest']\n\
        \x20   print(json.dumps(about))\n\
        for line in z.read('pages/pages.jsonl').decode().splitlines()[1:]: print(line)\n";
    let said = run_python(&python, script, &[path]);
    let objects: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let (index, pages): (Vec<&Value>, Vec<&Value>) =
        objects.iter().partition(|one| one["offset"].is_string());
    assert_eq!((index.len(), pages.len()), (7, 7));
    let rich = pages
        .iter()
        .find(|page| page["url"] == server.url("/rich"))
        .expect("a page");
    assert_eq!(rich["title"], "Solar power");
}

#[test]
fn a_file_is_whole_or_not_there_whenever_the_program_is_killed() {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let (gleaner, _server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    for form in ["jsonl", "parquet", "warc", "wacz"] {
        let at = |name: &str| folder.path().join(form).join(name);
        std::fs::create_dir(folder.path().join(form)).expect("a folder");
        let command = |file: &Path| {
            let file = file.to_str().expect("a path");
            gleaner.command(&["export", "site", "--as", form, "-o", file])
        };
        let points = crash::points(&command(&at("trial")), &["write", "rename", "fsync"]).expect("counted");
        let size = std::fs::metadata(at("trial")).expect("written").len();
        for (nth, point) in crash::sample(&points, 4, 3).iter().enumerate() {
            let file = at(&format!("file {nth}"));
            crash::kill_at(&command(&file), point).expect("traced");
            assert!(
                !file.exists() || std::fs::metadata(&file).expect("a file").len().abs_diff(size) < 400,
                "{point:?}"
            );
            let more: &[&str] = if file.exists() {
                &[form, "--force"]
            } else {
                &[form]
            };
            export_well(&gleaner, &file, more);
        }
        // Nothing is left over: what was killed was taken over by the next.
        let names = std::fs::read_dir(folder.path().join(form))
            .expect("a folder")
            .count();
        assert_eq!(names, contents(&folder.path().join(form)).len(), "{form}");
    }
}

#[test]
fn a_password_shows_in_no_export() {
    use gleaner_testkit::HostileServer;
    let (gleaner, server) = (
        Gleaner::new().with_env("GLEANER_PASSWORD", "hush-hush-42"),
        HostileServer::start(),
    );
    server.route("/", gleaner_testkit::hostile::page(super::story("it is open")));
    let crawled = gleaner.run(&[
        "crawl",
        &server.url("/"),
        "--name",
        "site",
        "--user",
        "ann",
        "--delay",
        "0",
        "--json",
    ]);
    crawled.expect_code(&[0]);
    expect_hidden(&gleaner, &crawled, "hush-hush-42");
    let folder = tempfile::tempdir().expect("a folder");
    for form in ["jsonl", "warc"] {
        let file = folder.path().join(form);
        export_well(&gleaner, &file, &[form]);
        let mut bytes = std::fs::read(&file).expect("a file");
        if form == "warc" {
            let mut plain = Vec::new();
            let mut members = flate2::read::MultiGzDecoder::new(bytes.as_slice());
            std::io::Read::read_to_end(&mut members, &mut plain).expect("gzip");
            bytes = plain;
        }
        assert!(!bytes.windows(12).any(|part| part == b"hush-hush-42"), "{form}");
    }
}
