//! What documents say is searched, cut into chunks and counted in concepts, whatever their format; where one says nothing, the
//! reason is known (F5, J4, F4).

use super::{made, processes};
use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page};
use std::collections::BTreeSet;
use std::path::Path;

/// A file of each format, with words that only it has.
fn write_all(folder: &Path) -> Vec<(&'static str, &'static str)> {
    let sent = "From: Ann <ann@a.test>\nSubject: Ferries\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nwords of a letter\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, b"words of a parcel\n").expect("memory takes all");
    let mut files = vec![
        (
            "paper.pdf",
            made::pdf("words of a paper", "http://a.test/"),
            "paper",
        ),
        ("report.docx", made::docx("http://a.test/"), "\"Word heading\""),
        ("note.rtf", b"{\\rtf1 words of a \\b memo\\b0 .}".to_vec(), "memo"),
        (
            "thesis.tex",
            b"\\documentclass{article}\\begin{document}words of a thesis\\end{document}".to_vec(),
            "thesis",
        ),
        ("readme.md", b"# Hints\n\nwords of a manual\n".to_vec(), "manual"),
        ("letter.eml", sent.as_bytes().to_vec(), "letter"),
        (
            "parcel.txt.gz",
            gzip.finish().expect("memory takes all"),
            "parcel",
        ),
        ("plain.txt", b"words of a plaintext\n".to_vec(), "plaintext"),
    ];
    for (name, bytes, _) in made::others() {
        let word = match name.rsplit('.').next() {
            Some("epub") => "book",
            Some("pptx") => "slide",
            Some("xlsx") => "sheet",
            _ => "\"of a text\"",
        };
        files.push((name, bytes, word));
    }
    for (name, bytes, _) in &files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    files.iter().map(|(name, _, word)| (*name, *word)).collect()
}

/// The names of the files in the addresses of these lines.
fn names(lines: &[serde_json::Value]) -> BTreeSet<String> {
    let name = |line: &serde_json::Value| {
        let url = line["url"].as_str().unwrap_or_default();
        url.rsplit('/').next().unwrap_or_default().to_owned()
    };
    lines.iter().map(name).collect()
}

#[test]
fn f5_words_of_documents_of_every_format_are_found_and_cut() {
    let mark = processes::Mark::new();
    let gleaner = Gleaner::new().with_env(processes::Mark::NAME, mark.value());
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let files = write_all(&root);
    let bad: [(&str, &[u8]); 3] = [
        ("broken.docx", b"PK\x03\x04 and nothing more"),
        ("empty.rtf", b"{\\rtf1 }"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ];
    for (name, bytes) in bad {
        std::fs::write(root.join(name), bytes).expect("a file");
    }
    crawl_well(
        &gleaner,
        &format!("file://{}/", root.display()),
        &["--name", "files", "--types", "all"],
    );

    for (name, word) in &files {
        let told = gleaner.run(&["search", "--json", word]);
        told.expect_code(&[0]);
        assert!(
            names(&told.json_lines()).contains(*name),
            "{word} of {name}: {}",
            told.stdout
        );
    }
    let found = gleaner.run(&["search", "--json", "paper"]).json_lines();
    assert_eq!(found[0]["title"], "A PDF title");
    let found = gleaner.run(&["search", "--json", "rtf1"]).json_lines();
    assert!(found.is_empty(), "commands are no words: {found:?}");

    let chunks = gleaner.run(&["chunks", "files"]);
    chunks.expect_code(&[0]);
    let lines = chunks.json_lines();
    for (name, word) in &files {
        let word = word.trim_matches('"');
        let has = |line: &serde_json::Value| {
            let url = line["url"].as_str().unwrap_or_default();
            let said = line.to_string();
            url.ends_with(name) && said.contains(word)
        };
        assert!(
            lines.iter().any(has),
            "no chunk of {name} has {word}: {}",
            chunks.stdout
        );
    }
    let concepts = gleaner.run(&["concepts", "files", "--document", &url(&root, "paper.pdf")]);
    concepts.expect_code(&[0]);
    assert!(concepts.stdout.contains("paper"), "{}", concepts.stdout);

    let none = gleaner.run(&["search", "submarine"]);
    assert!(none.stderr.contains("1 document-damaged"), "{}", none.stderr);
    let again = gleaner.run(&["search", "rebuild", "--json"]);
    again.expect_code(&[0]);
    assert_eq!(
        again.json()["without_text"],
        serde_json::json!({ "document-damaged": 1, "document-no-text": 1, "document-unknown": 1 })
    );
    assert_eq!(mark.running(), Vec::<String>::new(), "nothing is left behind");
    assert!(mark.is_empty(), "and no files");
}

fn url(root: &Path, name: &str) -> String {
    format!("file://{}/{name}", root.display())
}

#[test]
fn f5_a_document_that_breaks_its_reader_has_a_reason_and_the_next_is_found() {
    let gleaner = Gleaner::new();
    let server = HostileServer::start();
    let bomb = made::deflated_zeros(512 << 20);
    server.route("/", page(links(["/deep.pdf", "/bomb.docx", "/paper.pdf"])));
    let pdf = |bytes: Vec<u8>| super::document("application/pdf", bytes);
    server.route("/deep.pdf", pdf(made::deep_pdf(100_000)));
    server.route(
        "/bomb.docx",
        super::document(
            "application/msword",
            made::zip_of(&[("word/document.xml", 8, 512 << 20, &bomb)]),
        ),
    );
    server.route("/paper.pdf", pdf(made::pdf("words of a paper", "#")));
    crawl_well(&gleaner, &server.url("/"), &["--no-document-links"]);

    let found = gleaner.run(&["search", "--json", "words of a paper"]);
    found.expect_code(&[0]);
    assert_eq!(
        names(&found.json_lines()),
        BTreeSet::from(["paper.pdf".to_owned()])
    );
    let told = gleaner.run(&["search", "rebuild", "--json"]).json();
    let without = told["without_text"].as_object().expect("reasons");
    assert_eq!(without["document-too-large"], 1, "{told}");
    let all: u64 = without.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(all, 2, "{told}");
}

#[test]
fn f5_a_collection_of_pages_starts_no_reader() {
    let gleaner = Gleaner::new();
    let server = HostileServer::start();
    server.route("/", page(links(["/page"])));
    server.route(
        "/page",
        page("<title>T</title><p>words of a page that is read where it is met</p>"),
    );
    crawl_well(&gleaner, &server.url("/"), &["--name", "pages"]);
    // A reader could not even be given a folder here.
    let gleaner = gleaner.with_env("TMPDIR", "/nowhere/at/all");
    let found = gleaner.run(&["search", "--json", "met"]);
    found.expect_code(&[0]);
    assert_eq!(found.json_lines().len(), 1);
    gleaner.run(&["chunks", "pages"]).expect_code(&[0]);
}
