//! Small documents of each format that needs no packing; the packed ones are made in `readers`' tests.

use super::*;
use gleaner_model::BlockKind;

fn read_text(format: Format, bytes: &[u8]) -> String {
    to_text(&read(format, bytes, &Given::default()).expect("it reads"))
}

/// Stored entries without a directory at the end: a reader has to go by the entries themselves.
fn zipped(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, text) in entries {
        out.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
        for _ in 0..2 {
            out.extend((text.len() as u32).to_le_bytes());
        }
        out.extend((name.len() as u16).to_le_bytes());
        out.extend([0, 0]);
        out.extend(name.as_bytes());
        out.extend(text.as_bytes());
    }
    out
}

#[test]
fn hc030_a_document_is_known_whatever_part_stands_first() {
    let zip = zipped(&[("docProps/core.xml", "<p/>"), ("word/document.xml", "<d/>")]);
    let sniffed = crate::kind::sniff(None, false, &zip);
    assert_eq!(
        sniffed.media_type,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    );
    let other = zipped(&[("readme", "words"), ("a/b.c", "int main;")]);
    assert_eq!(
        crate::kind::sniff(None, false, &other).media_type,
        "application/zip"
    );
}

#[test]
fn g6_a_footer_that_a_slide_hides_is_no_text_of_it() {
    let slides = r#"<office:document xmlns:office="o" xmlns:style="s" xmlns:draw="d" xmlns:presentation="p" xmlns:text="t">
<office:automatic-styles><style:style style:name="dp1"><style:drawing-page-properties presentation:display-footer="false"/></style:style>
<style:style style:name="dp2"><style:drawing-page-properties presentation:display-footer="true"/></style:style></office:automatic-styles>
<office:body><office:presentation><presentation:footer-decl presentation:name="ftr1">Conference</presentation:footer-decl>
<draw:page draw:style-name="dp1" presentation:use-footer-name="ftr1"><text:p>first slide</text:p></draw:page>
<draw:page draw:style-name="dp2" presentation:use-footer-name="ftr1"><text:p>second slide</text:p></draw:page>
</office:presentation></office:body></office:document>"#;
    assert_eq!(
        read_text(Format::Odp, slides.as_bytes()),
        "first slide\nsecond slide\nConference\n"
    );
}

#[test]
fn a6_formats_are_told_by_bytes_before_names() {
    let cases: [(&[u8], &str, &str, Format); 9] = [
        (b"%PDF-1.4", "text/html", "a.doc", Format::Pdf),
        (b"{\\rtf1 x}", "application/msword", "a.doc", Format::Rtf),
        (b"%!PS-Adobe-3.0\n", "", "", Format::PostScript),
        (b"\\documentclass{article}\n", "text/plain", "", Format::Tex),
        (b"% a comment\n\\documentclass{article}\n", "", "", Format::Tex),
        (b"words only", "", "notes.md", Format::Markdown),
        (b"words only", "", "notes.tex.gz", Format::Tex),
        (b"From: a@a.test\nSubject: b\n\nc", "", "", Format::Mail),
        (b"<!DOCTYPE html><p>x", "", "", Format::Html),
    ];
    for (bytes, media_type, name, want) in cases {
        let got = detect(bytes, &Given { media_type, name });
        assert_eq!(got, Ok(want), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn hc075_gzip_is_taken_off_twice_and_no_more() {
    let mut bytes = b"words".to_vec();
    for layers in 0..4 {
        let unpacked = unpack(&bytes);
        match layers {
            0..=2 => assert_eq!(unpacked.expect("it unpacks").as_ref(), b"words"),
            _ => assert_eq!(unpacked, Err(Unread::TooLarge)),
        }
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, &bytes).expect("memory");
        bytes = packer.finish().expect("memory");
    }
}

#[test]
fn g6_rtf_has_its_text_code_pages_and_links() {
    let rtf = br#"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}
{\info{\title A title}{\author Ann}}{\*\unknown not shown}
caf\'e9 \u8364? {\f1\'cf\'f0}\par second {\field{\*\fldinst HYPERLINK "http://a.test/x"}{\fldrslt here}}\par
\trowd\intbl one\cell two\cell\row\pard {\pict 0102} end}"#;
    let reading = read(Format::Rtf, rtf, &Given::default()).expect("it reads");
    assert_eq!(
        to_text(&reading),
        "caf\u{e9} \u{20ac} \u{41f}\u{440}\nsecond here\none | two\nend\n"
    );
    assert_eq!(
        (reading.metadata.title.as_str(), &reading.metadata.authors[..]),
        ("A title", &["Ann".to_owned()][..])
    );
    let links: Vec<_> = reading
        .links()
        .map(|link| (link.address.as_str(), link.text.as_str()))
        .collect();
    assert_eq!(links, [("http://a.test/x", "here")]);
    assert_eq!(reading.pieces[2].kind, BlockKind::Row);
}

#[test]
fn g6_tex_becomes_text() {
    let tex = br#"\documentclass{article} % a comment
\newcommand{\who}[1]{Dear #1}
\title{On \emph{things}}\author{A. Bee \and C. Dee}
\begin{document}\maketitle
\section{First part}
\who{reader}, na\"ive caf\'e ``quoted'' 5\%~off.
% gone
\begin{itemize}\item one \item two\end{itemize}
\begin{tabular}{ll} a & b \\ c & d \end{tabular}
See \href{http://a.test/}{this page} and $x^2$.
\begin{verbatim}
code % kept
\end{verbatim}
\end{document} behind"#;
    let reading = read(Format::Tex, tex, &Given::default()).expect("it reads");
    let text = to_text(&reading);
    for wanted in [
        "First part\n",
        "Dear reader, na\u{ef}ve caf\u{e9} \u{201c}quoted\u{201d} 5% off.",
        "one\n",
        "two\n",
        "a | b\nc | d\n",
        "See this page and x\u{b2}.",
        "code % kept\n",
    ] {
        assert!(text.contains(wanted), "{wanted:?} in {text}");
    }
    assert!(!text.contains("gone") && !text.contains("behind"), "{text}");
    assert_eq!(reading.metadata.title, "On things");
    assert_eq!(reading.links().count(), 1);
}

#[test]
fn hc115_tex_that_calls_itself_ends() {
    let tex = b"\\def\\a{\\a\\a x}\\begin{document}\\a word\\end{document}";
    let _text_or_none = read(Format::Tex, tex, &Given::default());
    let deep = format!("\\begin{{document}}{}x", "{".repeat(200_000));
    assert_eq!(read_text(Format::Tex, deep.as_bytes()), "x\n");
}

#[test]
fn hc115_rtf_nested_without_end_ends() {
    let deep = format!("{{\\rtf1 a{}b", "{".repeat(500_000));
    assert_eq!(read_text(Format::Rtf, deep.as_bytes()), "ab\n");
}

#[test]
fn g6_markdown_and_letters_have_pieces() {
    let md = b"# One\n\nText with a [link](http://a.test/) in *it*.\n\n- item\n  - inner\n\n```\ncode\n```\n| a | b |\n|---|---|\n| c | d |\n";
    let reading = read(Format::Markdown, md, &Given::default()).expect("it reads");
    assert_eq!(
        to_text(&reading),
        "One\nText with a link in it.\nitem\ninner\ncode\na | b\nc | d\n"
    );
    let back = to_markdown(&reading);
    assert!(
        back.contains("# One\n") && back.contains("[link](http://a.test/)"),
        "{back}"
    );
    assert!(back.contains("- item\n  - inner\n"), "{back}");
    let mail = b"From: Ann <a@a.test>\nSubject: Hello\nContent-Type: text/html\n\n<p>See <a href=http://b.test/>this</a></p>";
    let reading = read(Format::Mail, mail, &Given::default()).expect("it reads");
    assert_eq!(to_text(&reading), "Hello\nSee this\n");
    assert_eq!(
        reading.links().next().map(|link| link.address.as_str()),
        Some("http://b.test/")
    );
}

#[test]
fn html_output_runs_nothing() {
    let md = b"[x](javascript:alert(1)) <script>";
    let reading = read(Format::Markdown, md, &Given::default()).expect("it reads");
    let page = html(&reading);
    assert!(
        !page.contains("javascript:") && !page.contains("<script"),
        "{page}"
    );
}

#[test]
fn what_has_no_text_says_so() {
    assert_eq!(
        read(Format::Rtf, b"{\\rtf1 }", &Given::default()),
        Err(Unread::NoText)
    );
}
