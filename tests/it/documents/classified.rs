//! Files are judged for a library, also those that cannot be read (G3, G5).

use super::made;
use gleaner_testkit::Gleaner;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const HOMEWORK: &str = "# Math 821, Problem Set 7\n\nDue date: Wednesday\n\n\
    1. Show that every finite group of prime order is cyclic. (10 points)\n\
    2. Find all subgroups of S4 and compute their orders. (15 points)\n\
    3. Prove or disprove: every abelian group is cyclic. Justify your answer. (10 points)\n\n\
    Submit your solutions before class. Show your work; no late homework is accepted.\n";

fn manual() -> String {
    let mut text = "# Frequently asked questions\n\n".to_owned();
    for word in ["install", "configure", "start", "update", "remove", "translate"] {
        let _never_fails = write!(
            text,
            "## How do I {word} the program?\n\nRun `program --{word} FILE` as described in the manual. If you get an error, check \
             the version of the package and the options in the configuration file.\n\n"
        );
    }
    text
}

/// A PDF of many pages with the same words.
fn long_pdf(pages: usize) -> Vec<u8> {
    let content = "BT /F1 12 Tf 72 700 Td (words of a very long file) Tj ET";
    let mut kids = String::new();
    let mut out = String::from("%PDF-1.4\n");
    for page in 0..pages {
        let number = page + 10;
        let _never_fails = write!(kids, "{number} 0 R ");
        let _never_fails = write!(
            out,
            "{number} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n"
        );
    }
    let _never_fails = write!(
        out,
        "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [{kids}] /Count {pages} >>\nendobj\n\
         4 0 obj\n<< /Length {} >>\nstream\n{content}\nendstream\nendobj\n\
         5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\ntrailer\n<< /Size {} /Root 1 0 R >>\n%%EOF\n",
        content.len(),
        pages + 10
    );
    out.into_bytes()
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let file = folder.join(name);
    std::fs::write(&file, bytes).expect("a file");
    file.display().to_string()
}

fn of<'a>(lines: &'a [Value], file: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["file"] == file);
    found.unwrap_or_else(|| panic!("no line for {file}: {lines:?}"))
}

#[test]
fn g5_files_are_judged_one_object_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let homework = write(folder.path(), "hw7.md", HOMEWORK);
    let manual = write(folder.path(), "faq.md", manual());
    let told = Gleaner::new().run(&["library", "classify", &homework, &manual, "--json"]);
    told.expect_code(&[0]);
    let lines = told.json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(of(&lines, &homework)["genre"], "assignment-or-exam");
    assert_eq!(of(&lines, &homework)["accept"], false);
    assert_eq!(of(&lines, &manual)["genre"], "faq-or-manual");
    assert_eq!(of(&lines, &manual)["accept"], true);
    for line in &lines {
        let mut keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        keys.sort();
        assert_eq!(keys, ["accept", "file", "genre", "reasons", "record", "score"]);
        assert!(
            line["score"]
                .as_f64()
                .is_some_and(|score| (0.0..=1.0).contains(&score))
        );
        assert_eq!(line["reasons"].as_array().map(Vec::len), Some(3));
    }
    let shown = Gleaner::new()
        .run(&["library", "classify", &homework, "--ignore-names"])
        .stdout;
    assert!(
        shown.starts_with("rejected") && shown.contains("assignment-or-exam"),
        "{shown}"
    );
}

#[test]
fn g5_what_cannot_be_read_has_a_reason_and_the_others_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let sealed = made::zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text".as_slice()),
        ("META-INF/manifest.xml", b"<m><encryption-data/></m>"),
        ("content.xml", b"\x01\x02"),
    ]);
    let wrong = [
        (write(at, "locked.odt", sealed), "password"),
        (write(at, "empty.pdf", b""), "empty"),
        (write(at, "scan.pdf", made::pdf("", "#")), "no text"),
        (
            write(at, "broken.docx", b"PK\x03\x04 and nothing more"),
            "damaged",
        ),
        (
            write(at, "picture.pdf", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            "not supported",
        ),
        (at.join("missing.pdf").display().to_string(), "cannot be read"),
        (at.display().to_string(), "not a file"),
    ];
    let long = write(at, "long.pdf", long_pdf(1000));
    // It is called .pdf and is text.
    let homework = write(at, "homework.pdf", HOMEWORK);
    let mut arguments = vec!["library", "classify", "--json", &long, &homework];
    arguments.extend(wrong.iter().map(|(file, _)| file.as_str()));
    let told = Gleaner::new().run(&arguments);
    told.expect_code(&[1]);
    let lines = told.json_lines();
    assert_eq!(lines.len(), wrong.len() + 2);
    for (file, reason) in &wrong {
        let line = of(&lines, file);
        assert_eq!(
            (&line["genre"], &line["accept"]),
            (&Value::Null, &Value::Bool(false))
        );
        let said = line["reasons"][0].as_str().unwrap_or_default();
        assert!(said.contains(reason), "{file}: {said}");
    }
    assert!(of(&lines, &long)["genre"].is_string());
    assert_eq!(of(&lines, &homework)["accept"], false);
}

#[test]
fn g5_overrules_teach_and_contradictions_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let homework = write(folder.path(), "hw7.md", HOMEWORK);
    let copy = write(folder.path(), "other.md", format!("{HOMEWORK}\nGood luck.\n"));
    let line = |accept: bool| format!("{}\n", serde_json::json!({ "file": homework, "accept": accept }));
    let overrules = write(folder.path(), "overrules.jsonl", line(true));
    let judged = |file: &str| {
        let told = Gleaner::new().run(&["library", "classify", file, "--overrules", &overrules, "--json"]);
        (told.json_lines()[0]["accept"].clone(), told.stderr)
    };
    assert_eq!(judged(&homework), (Value::Bool(true), String::new()));
    assert_eq!(judged(&copy).0, Value::Bool(true));
    write(
        folder.path(),
        "overrules.jsonl",
        format!("{}{}", line(true), line(false)),
    );
    let (accept, said) = judged(&homework);
    assert_eq!(accept, Value::Bool(false));
    assert!(said.contains("contradict"), "{said}");
    write(
        folder.path(),
        "overrules.jsonl",
        "{\"file\": \"x\", \"genre\": \"poem\"}\n",
    );
    let told = Gleaner::new().run(&["library", "classify", &homework, "--overrules", &overrules]);
    told.expect_code(&[3]);
    assert!(told.stderr.contains("no such genre: poem"), "{}", told.stderr);
}
