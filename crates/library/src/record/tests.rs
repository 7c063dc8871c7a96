use super::*;
use gleaner_model::BlockKind;
use gleaner_parse::documents::{Format, Given, HeadLine, Piece, read};

fn record_of(format: Format, text: &str) -> BibliographicRecord {
    let given = Given {
        media_type: "",
        name: "",
    };
    BibliographicRecord::of(&read(format, text.as_bytes(), &given).expect("it can be read"))
}

fn piece(text: &str) -> Piece {
    Piece {
        kind: BlockKind::Paragraph,
        level: 0,
        page: 1,
        text: text.to_owned(),
        links: Vec::new(),
    }
}

#[test]
fn a_standard_is_known_by_its_head() {
    let text = "Network Working Group                                        E. Levinson\n\
        Request for Comments: 1874                    Accurate Information, Inc.\n\
        Category: Experimental                                     December 1995\n\n\n\
        \x20                           SGML Media Types\n\n\
        Status of this Memo\n\n   This memo defines an Experimental Protocol.\n\n\
        Abstract\n\n   This document proposes new media sub-types of Text/SGML and\n   Application/SGML.\n\n\
        1.  Introduction\n\n   Words.\n\n\
        References\n\n   [RFC-1521] Borenstein, N. and N. Freed, \"MIME Part One\", RFC\n              1521, September, 1993.\n\n\
        \x20  [SGML] International Standards Organization, \"Standard Generalized\n              Markup Language\", ISO 8879, 1986.\n\n";
    let record = record_of(Format::Text, text);
    assert_eq!(record.title.as_deref(), Some("SGML Media Types"));
    assert_eq!(record.authors, ["E. Levinson"]);
    assert_eq!(
        (record.date.as_deref(), record.year),
        (Some("1995-12"), Some(1995))
    );
    assert!(record.summary.as_deref().is_some_and(
        |text| text.starts_with("This document proposes") && text.ends_with("Application/SGML.")
    ));
    assert_eq!(record.references.len(), 2);
    assert_eq!(record.references[0].title.as_deref(), Some("MIME Part One"));
    assert_eq!(record.references[0].year, Some(1993));
}

#[test]
fn tex_says_it_in_commands() {
    let text = "\\documentclass{article}\\title{On \\emph{Small} Worlds}\\author{Ann Lee\\thanks{x} \\and Bo Ek}\\date{May 2004}\n\
        \\begin{document}\\maketitle\\begin{abstract}We show that worlds are small, and that they stay so.\\end{abstract}\n\
        \\keywords{worlds, size}\\section{Introduction}Words.\n\
        \\begin{thebibliography}{9}\\bibitem{a} D. Watts and S. Strogatz. Collective dynamics of small-world networks. Nature, 1998.\n\
        \\bibitem{b} J. Kleinberg. The small-world phenomenon. In Proc. STOC, 2000.\\end{thebibliography}\\end{document}";
    let record = record_of(Format::Tex, text);
    assert_eq!(record.title.as_deref(), Some("On Small Worlds"));
    assert_eq!(record.authors, ["Ann Lee", "Bo Ek"]);
    assert_eq!(
        record.summary.as_deref(),
        Some("We show that worlds are small, and that they stay so.")
    );
    assert_eq!(record.keywords, ["worlds", "size"]);
    assert_eq!(record.date.as_deref(), Some("2004-05"));
    let titles: Vec<_> = record
        .references
        .iter()
        .filter_map(|cited| cited.title.as_deref())
        .collect();
    assert_eq!(
        titles,
        [
            "Collective dynamics of small-world networks",
            "The small-world phenomenon"
        ]
    );
    assert_eq!(record.references[0].authors, ["D. Watts", "S. Strogatz"]);
}

#[test]
fn libraries_fields_of_a_page_come_before_its_own() {
    let text = "<html lang=en><head><title>Journal of X | A Title</title><meta name=citation_title content='A Title'>\
        <meta name=citation_author content='Lee, Ann'><meta name=citation_author content='Ek, Bo'>\
        <meta name=citation_publication_date content='2004/05/06'><meta name=citation_doi content='10.1000/XY.12'></head>\
        <body><h1>A Title</h1><p>Words of the page, and more of them, so that there is a text.</p></body></html>";
    let record = record_of(Format::Html, text);
    assert_eq!(record.title.as_deref(), Some("A Title"));
    assert_eq!(record.authors, ["Lee, Ann", "Ek, Bo"]);
    assert_eq!(record.date.as_deref(), Some("2004-05-06"));
    assert_eq!(record.doi.as_deref(), Some("10.1000/xy.12"));
}

#[test]
fn the_largest_letters_are_the_title_and_names_stand_below() {
    let line = |text: &str, size| HeadLine {
        text: text.to_owned(),
        size,
    };
    let mut reading = Reading {
        format: Format::Pdf,
        ..Reading::default()
    };
    reading.metadata.title = "Microsoft Word - final3.doc".to_owned();
    reading.metadata.created = Some("2011-02-03T00:00:00Z".to_owned());
    reading.metadata.head = vec![
        line("arXiv:1207.1234v2 [cs.DS] 5 Jul 2012", 40),
        line("Proceedings of the 12th Conference", 18),
        line("A Sparse Johnson–Lindenstrauss", 34),
        line("Transform", 34),
        line("Anirban Dasgupta*", 24),
        line("Ravi Kumar and Tamás Sarlós", 24),
        line("Yahoo! Research, Sunnyvale, CA", 20),
        line("{anirban,ravik}@yahoo-inc.com", 20),
        line("Abstract", 20),
        line("Dimension reduction is a key algorithmic tool", 20),
    ];
    reading.pieces = vec![
        piece("A Sparse Johnson–Lindenstrauss Transform"),
        piece("Anirban Dasgupta* Ravi Kumar and Tamás Sarlós {anirban,ravik}@yahoo-inc.com"),
        piece("Abstract"),
        piece(
            "Dimension reduction is a key algorithmic tool with many applications. Keywords: sketching, hashing",
        ),
        piece(
            "References [1] D. Achlioptas. Database-friendly random projections. JCSS, 66(4):671–687, 2003. [2] N. Ailon and B. Chazelle. The fast transform. SICOMP, 2009.",
        ),
    ];
    let record = BibliographicRecord::of(&reading);
    assert_eq!(
        record.title.as_deref(),
        Some("A Sparse Johnson–Lindenstrauss Transform")
    );
    assert_eq!(record.authors, ["Anirban Dasgupta", "Ravi Kumar", "Tamás Sarlós"]);
    assert_eq!(record.arxiv.as_deref(), Some("1207.1234"));
    assert_eq!(record.author_hosts, ["yahoo-inc.com"]);
    assert_eq!(record.keywords, ["sketching", "hashing"]);
    assert_eq!(record.references.len(), 2);
    assert_eq!(record.references[1].title.as_deref(), Some("The fast transform"));
    assert_eq!(record.references[1].year, Some(2009));
}

#[test]
fn references_are_counted_for_the_works_they_mean() {
    let mut index = CitationIndex::default();
    index.add(
        1,
        "The small-world phenomenon: an algorithmic perspective",
        Some(2000),
        None,
    );
    index.add(2, "Networks", Some(1999), None);
    index.add(3, "On something else", None, Some("10.1000/x1"));
    let cited = |text: &str, title: &str, year| CitedWork {
        text: text.to_owned(),
        title: Some(title.to_owned()),
        year,
        ..CitedWork::default()
    };
    let whole = cited(
        "J. Kleinberg. The small-world phenomenon: An algorithmic perspective. STOC 2000",
        "x",
        Some(2000),
    );
    assert_eq!(index.find(&whole), Some(1));
    let misread = cited(
        "",
        "The small world phenomenon: a algorithmic perspective",
        Some(2000),
    );
    assert_eq!(
        index.find(&CitedWork {
            text: misread.title.clone().unwrap_or_default(),
            ..misread
        }),
        Some(1)
    );
    assert_eq!(
        index.find(&cited("Neural networks", "Neural networks", Some(1999))),
        None
    );
    assert_eq!(index.find(&cited("Networks", "Networks", Some(1999))), Some(2));
    assert_eq!(index.find(&cited("Networks", "Networks", Some(2012))), None);
    let by_doi = CitedWork {
        doi: Some("10.1000/x1".to_owned()),
        ..cited("?", "?", None)
    };
    let entries = [whole.clone(), whole, by_doi];
    let counts = index.count([(2, &entries[..]), (3, &entries[..])]);
    assert_eq!(
        counts[&1],
        CitedCount {
            works: 2,
            references: 4
        }
    );
    assert_eq!(
        counts[&3],
        CitedCount {
            works: 1,
            references: 1
        }
    );
}
