//! Documents that are no pages: their text (G6), their links (A8), and that nothing they do reaches further (HC111 to HC115).

mod classified;
mod hostile;
pub(crate) mod made;
mod processes;
mod said;
mod scores;

use crate::crawled::{crawl_well, links, urls_in_state, visits};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page, status};
use serde_json::Value;
use std::path::Path;

fn document(media_type: &str, bytes: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", media_type)
        .with_body(bytes)
}

/// A page that links to a PDF, a Word document and one announced as nothing, each of which links further.
fn library() -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page(links(["/paper.pdf", "/report.docx", "/file"])));
    server.route(
        "/paper.pdf",
        document(
            "application/pdf",
            made::pdf("words of a paper", &server.url("/from-pdf")),
        ),
    );
    server.route(
        "/report.docx",
        document(
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            made::docx("from-docx"),
        ),
    );
    server.route(
        "/file",
        document(
            "application/octet-stream",
            made::pdf("words of a file", &server.url("/from-plain")),
        ),
    );
    for path in ["/from-pdf", "/from-docx", "/from-plain"] {
        server.route(path, page(format!("<title>{path}</title>words")));
    }
    server
}

#[test]
fn a8_links_inside_documents_lead_to_pages_that_nothing_else_links_to() {
    let (gleaner, server) = (Gleaner::new(), library());
    crawl_well(&gleaner, &server.url("/"), &["--name", "library"]);
    let new = urls_in_state(&gleaner, "NEW");
    for path in ["/from-pdf", "/from-docx", "/from-plain"] {
        assert!(new.contains(&server.url(path)), "{path}: {new:?}");
    }
    let told = gleaner.run(&["links", &server.url("/from-docx"), "--in", "--json"]);
    assert_eq!(
        told.json()["url"],
        server.url("/report.docx"),
        "the graph knows it"
    );
    assert_eq!(told.json()["anchor"], "the report");

    let again = gleaner.run(&["track", "library", "--delay", "0", "--json"]);
    again.expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "SAM"), new, "nothing is lost or changed");
}

/// Gzip around a document is a document, whatever the server calls it (G4).
#[test]
fn g4_packed_documents_are_collected_searched_and_followed() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let packed = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, bytes).expect("memory takes all");
        gzip.finish().expect("memory takes all")
    };
    let paper = packed(&made::pdf("words of a parcel", &server.url("/from-pdf")));
    server.route(
        "/",
        page(links(["/a.pdf.gz", "/b.pdf.gz", "/c.txt.gz", "/d.tar.gz"])),
    );
    server.route("/a.pdf.gz", document("application/gzip", &paper));
    server.route("/b.pdf.gz", document("application/octet-stream", &paper));
    server.route(
        "/c.txt.gz",
        document("application/x-gzip", packed(b"words of a note\n")),
    );
    server.route(
        "/d.tar.gz",
        document("application/gzip", packed(b"no document\n")),
    );
    server.route("/from-pdf", page("<title>Found</title>words"));
    crawl_well(&gleaner, &server.url("/"), &["--name", "packed"]);
    let new = urls_in_state(&gleaner, "NEW");
    for path in ["/a.pdf.gz", "/b.pdf.gz", "/c.txt.gz", "/from-pdf"] {
        assert!(new.contains(&server.url(path)), "{path}: {new:?}");
    }
    assert_eq!(server.hits("/d.tar.gz"), 0, "an archive is not wanted");
    let found = gleaner.run(&["search", "--json", "parcel"]);
    assert_eq!(found.json_lines().len(), 2, "{}", found.stdout);
    let note = gleaner.run(&["convert", &server.url("/c.txt.gz")]);
    assert_eq!(note.stdout, "words of a note\n", "{}", note.stderr);
    gleaner
        .run(&["track", "packed", "--delay", "0"])
        .expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "SAM"), new);
}

#[test]
fn a8_links_inside_documents_are_left_when_switched_off() {
    let (gleaner, server) = (Gleaner::new(), library());
    crawl_well(&gleaner, &server.url("/"), &["--no-document-links"]);
    let new = urls_in_state(&gleaner, "NEW");
    assert_eq!(new.len(), 4, "{new:?}");
}

#[test]
fn g6_files_become_text_markdown_html_and_json() {
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("a.docx"), made::docx("http://a.test/x")).expect("a file");
    std::fs::write(at("a.pdf"), made::pdf("words of a paper", "http://a.test/y")).expect("a file");

    let text = gleaner.run(&["convert", &at("a.docx")]);
    text.expect_code(&[0]);
    assert_eq!(
        text.stdout,
        "Word heading\nSee the report\nfirst item\nleft | right\n"
    );
    let markdown = gleaner
        .run(&["convert", &at("a.docx"), "--to", "markdown"])
        .stdout;
    assert_eq!(
        markdown,
        "# Word heading\n\nSee [the report](http://a.test/x)\n\n- first item\n\n| left | right |\n| --- | --- |\n"
    );
    let page = gleaner.run(&["convert", &at("a.docx"), "--to", "html"]).stdout;
    assert!(
        page.contains("<title>A Word title</title>") && page.contains("<td>right</td>"),
        "{page}"
    );
    let json = gleaner.run(&["convert", &at("a.pdf"), "--to", "json"]).json();
    assert_eq!(
        (&json["format"], &json["metadata"]["title"]),
        (&Value::from("pdf"), &Value::from("A PDF title"))
    );
    assert_eq!(
        (&json["metadata"]["authors"][0], &json["metadata"]["pages"]),
        (&Value::from("Bee"), &Value::from(1))
    );
    let pieces = json["pieces"].as_array().expect("a list");
    assert!(
        pieces
            .iter()
            .any(|piece| piece["text"] == "words of a paper" && piece["page"] == 1),
        "{json}"
    );
    assert!(
        pieces
            .iter()
            .any(|piece| piece["links"][0]["address"] == "http://a.test/y"),
        "{json}"
    );

    gleaner
        .run(&["convert", &at("a.docx"), "-o", &at("out.txt")])
        .expect_code(&[0]);
    assert_eq!(
        std::fs::read_to_string(at("out.txt")).expect("a file"),
        text.stdout
    );
    for (name, bytes, words) in made::others() {
        std::fs::write(at(name), bytes).expect("a file");
        let told = gleaner.run(&["convert", &at(name)]);
        assert_eq!(told.stdout, words, "{name}: {}", told.stderr);
    }
}

/// What `pdftotext` reads in a PDF; none where there is no such program.
fn read_back(file: &str) -> Option<String> {
    let told = std::process::Command::new("pdftotext")
        .args([file, "-"])
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&told.stdout).into_owned())
}

#[test]
fn g6_documents_become_pdf_by_the_programs_that_are_there() {
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let shown =
        "%!PS\n/Times-Roman findfont 20 scalefont setfont 72 700 moveto (words of a print) show showpage\n";
    std::fs::write(at("print.ps"), shown).expect("a file");
    std::fs::write(at("note.rtf"), "{\\rtf1 words of a memo}").expect("a file");
    let tools = gleaner_readers::Tools::find();
    let mut cases = vec![
        (
            "print.ps",
            tools.has_ghostscript(),
            "ghostscript",
            "words of a print",
        ),
        ("note.rtf", tools.has_office(), "LibreOffice", "words of a memo"),
    ];
    // What office programs do not lay out is made of its text: no source shows.
    let mut sources = vec![
        (
            "thesis.tex",
            b"\\documentclass{article}\\begin{document}words of a \\emph{thesis}\\end{document}".to_vec(),
            "words of a thesis",
        ),
        (
            "letter.eml",
            b"From: a@a.test\nSubject: Ferries\nContent-Transfer-Encoding: base64\n\nd29yZHMgb2YgYSBsZXR0ZXI=\n"
                .to_vec(),
            "words of a letter",
        ),
    ];
    for (name, bytes, _) in made::others() {
        match name {
            "book.epub" => sources.push((name, bytes, "words of a book")),
            "sheet.xlsx" => sources.push((name, bytes, "words of a sheet")),
            _ => {}
        }
    }
    for (name, bytes, words) in sources {
        std::fs::write(at(name), bytes).expect("a file");
        cases.push((name, tools.has_office(), "LibreOffice", words));
    }
    for (name, is_there, tool, words) in cases {
        let out = at(&format!("{name}.pdf"));
        let told = gleaner.run(&["convert", &at(name), "--to", "pdf", "-o", &out]);
        if is_there {
            told.expect_code(&[0]);
            let text = gleaner.run(&["convert", &out]).stdout;
            assert!(text.contains(words), "{name}: {text}");
            if let Some(theirs) = read_back(&out) {
                assert!(theirs.contains(words), "{name}: {theirs}");
            }
        }
        // Where it is missing or not wanted, that is said, and nothing is written.
        let none = at("none.pdf");
        let command = ["convert", &at(name), "--to", "pdf", "-o", &none];
        for told in [
            Gleaner::new().with_env("PATH", "/nowhere").run(&command),
            gleaner.run(&[&command[..], &["--no-tools"]].concat()),
        ] {
            told.expect_code(&[1]);
            assert!(
                told.stderr.contains("document-tool-missing") && told.stderr.contains(tool),
                "{name}: {}",
                told.stderr
            );
            assert!(!Path::new(&none).exists(), "{name}");
        }
    }
    // A PDF is one already.
    std::fs::write(at("a.pdf"), made::pdf("words of a paper", "#")).expect("a file");
    gleaner
        .run(&["convert", &at("a.pdf"), "--to", "pdf", "-o", &at("b.pdf")])
        .expect_code(&[0]);
    let bytes = |name: &str| std::fs::read(at(name)).expect("a file");
    assert_eq!(bytes("a.pdf"), bytes("b.pdf"));
}

/// Making PDF loads nothing that a document refers to, from other machines or from this one (HC115).
#[test]
fn hc115_a_document_that_becomes_pdf_loads_nothing() {
    if !gleaner_readers::Tools::find().has_office() {
        gleaner_fixtures::skip("no LibreOffice");
        return;
    }
    let gleaner = Gleaner::new();
    let server = HostileServer::start();
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("own.ppm"), b"P6 2 2 255\n\xff\0\0\0\xff\0\0\0\xff\xff\xff\0").expect("a file");
    let (style, far, near) = (
        server.url("/style.css"),
        server.url("/picture.png"),
        format!("file://{}", at("own.ppm")),
    );
    let html = format!(
        "<link rel='stylesheet' href='{style}'><p>words of a page</p><img src='{far}' width='9' height='9'><img src='{near}' width='9' height='9'>"
    );
    std::fs::write(at("page.html"), html).expect("a file");
    let frame = |picture: &str| {
        format!(
            r#"<draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="{picture}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>"#
        )
    };
    let frames = frame(&far) + &frame(&near);
    let flat = format!(
        r#"<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>words of a page {frames}</text:p></office:text></office:body></office:document>"#
    );
    std::fs::write(at("text.fodt"), flat).expect("a file");
    for name in ["page.html", "text.fodt"] {
        let out = at(&format!("{name}.pdf"));
        let told = gleaner.run(&["convert", &at(name), "--to", "pdf", "-o", &out]);
        told.expect_code(&[0]);
        let made = std::fs::read(&out).expect("a file");
        let made = String::from_utf8_lossy(&made).replace(' ', "");
        assert!(
            !made.contains("/Subtype/Image"),
            "{name} shows a picture from elsewhere"
        );
        let text = gleaner.run(&["convert", &out]).stdout;
        assert!(text.contains("words of a page"), "{name}: {text}");
    }
    assert_eq!(server.connections(), 0, "{:?}", server.requests());
}

#[test]
fn g6_stored_documents_are_converted_and_shown() {
    let (gleaner, server) = (Gleaner::new(), library());
    crawl_well(&gleaner, &server.url("/"), &[]);
    let url = server.url("/paper.pdf");
    assert_eq!(gleaner.run(&["convert", &url]).stdout, "words of a paper\n");
    assert_eq!(
        gleaner.run(&["cat", &url, "--as", "text"]).stdout,
        "words of a paper\n"
    );
    let shown = gleaner
        .run(&["cat", &server.url("/report.docx"), "--as", "markdown"])
        .stdout;
    assert!(shown.starts_with("# Word heading\n"), "{shown}");
    let page = server.url("/from-pdf");
    let (converted, shown) = (
        gleaner.run(&["convert", &page]),
        gleaner.run(&["cat", &page, "--as", "text"]),
    );
    assert_eq!(converted.stdout, shown.stdout, "pages are as `cat` shows them");
}

#[test]
fn hc113_what_has_no_text_has_a_reason_and_exit_code_1() {
    let gleaner = Gleaner::new();
    let folder = tempfile::tempdir().expect("a folder");
    let sealed = made::zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text".as_slice()),
        ("META-INF/manifest.xml", b"<m><encryption-data/></m>"),
        ("content.xml", b"\x01\x02"),
    ]);
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("locked.odt", sealed, "document-locked"),
        ("empty.rtf", b"{\\rtf1 }".to_vec(), "document-no-text"),
        (
            "picture.png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
            "document-unknown",
        ),
        (
            "broken.docx",
            b"PK\x03\x04 and nothing more".to_vec(),
            "document-damaged",
        ),
        ("empty.pdf", made::pdf("", "#"), "document-no-text"),
    ];
    for (name, bytes, reason) in cases {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).expect("a file");
        let told = gleaner.run(&["convert", &file.display().to_string()]);
        told.expect_code(&[1]);
        assert!(
            told.stderr.contains(reason) && told.stdout.is_empty(),
            "{name}: {}",
            told.stderr
        );
        let told = gleaner.run(&["convert", &file.display().to_string(), "--json"]);
        assert_eq!(told.json()["reason"], reason, "{name}");
    }
    let none = gleaner.run(&["convert", "/nowhere/at/all.pdf"]);
    none.expect_code(&[3]);
}

#[test]
fn hc115_a_document_that_never_ends_is_a_reason_and_leaves_nothing() {
    if !gleaner_readers::Tools::find().has_ghostscript() {
        gleaner_fixtures::skip("no ghostscript");
        return;
    }
    let mark = processes::Mark::new();
    let gleaner = Gleaner::new().with_env(processes::Mark::NAME, mark.value());
    let server = HostileServer::start();
    server.route("/", page(links(["/endless.ps", "/behind"])));
    server.route(
        "/endless.ps",
        document("application/postscript", "%!PS\n{ 1 pop } loop\n"),
    );
    server.route("/behind", page("words"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    let visit = &visits(&gleaner)[&server.url("/endless.ps")];
    assert_eq!(visit.detail, "document-timeout");
    assert!(urls_in_state(&gleaner, "NEW").contains(&server.url("/behind")));
    assert_eq!(mark.running(), Vec::<String>::new(), "nothing is left behind");
    assert!(mark.is_empty(), "and no files");
}

#[test]
fn hc115_a_killed_program_leaves_no_reader_behind() {
    if !gleaner_readers::Tools::find().has_ghostscript() {
        gleaner_fixtures::skip("no ghostscript");
        return;
    }
    let mark = processes::Mark::new();
    let gleaner = Gleaner::new().with_env(processes::Mark::NAME, mark.value());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.ps");
    std::fs::write(&file, "%!PS\n{ 1 pop } loop\n").expect("a file");
    let mut child = gleaner
        .command(&["convert", &file.display().to_string()])
        .spawn()
        .expect("it starts");
    mark.wait_until(|running| running.iter().any(|command| command.contains("txtwrite")));
    child.kill().expect("it is there");
    child.wait().expect("it is there");
    mark.wait_until(<[String]>::is_empty);
}
