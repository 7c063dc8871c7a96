//! How does a document look: its pages, lines, letters, its size, and the program that made it?

use super::Subject;
use super::features::{MISSING, Row, slow};
use super::sample::Sample;
use gleaner_parse::documents::Format;

/// What programs are called that make documents of one kind, in parts of their names.
const PROGRAMS: [(&str, &str, &str, &[&str]); 4] = [
    (
        "made-slides",
        "it was made by a program for slides",
        "it was not made by a program for slides",
        &[
            "beamer",
            "powerpoint",
            "keynote",
            "impress",
            "prosper",
            "google slides",
            "reveal",
        ],
    ),
    (
        "made-tex",
        "it was set by TeX",
        "it was not set by TeX",
        &["tex", "dvips", "dvipdf", "context"],
    ),
    (
        "made-office",
        "it was made by an office program",
        "it was not made by an office program",
        &["word", "writer", "office", "pages", "docs"],
    ),
    (
        "made-design",
        "it was made by a program for printed matter or forms",
        "it was not made by a program for printed matter",
        &[
            "indesign",
            "quark",
            "illustrator",
            "designer",
            "canva",
            "publisher",
            "scribus",
            "corel",
            "livecycle",
            "formflow",
            "framemaker",
            "photoshop",
            "acroform",
            "omniform",
            "pagemaker",
        ],
    ),
];

pub(super) fn add(subject: &Subject<'_>, sample: &Sample<'_>, row: &mut Row) {
    let metadata = &subject.reading.metadata;
    let format = subject.reading.format;
    let pages = metadata
        .pages
        .filter(|pages| *pages > 0)
        .map(|pages| pages as f32);
    let all_words = sample.len() as f32 * sample.bytes as f32 / sample.sampled_bytes.max(1) as f32;
    row.looks("pages", "many pages", "few pages", pages.map_or(MISSING, slow));
    row.looks(
        "page-words",
        "many words on a page",
        "few words on a page",
        pages.map_or(MISSING, |pages| slow(all_words / pages)),
    );
    let pieces = subject.reading.pieces.len() as f32;
    row.looks(
        "page-parts",
        "many paragraphs on a page",
        "few paragraphs on a page",
        pages.map_or(MISSING, |pages| slow(pieces / pages)),
    );
    let bytes = subject.size_bytes.map_or(MISSING, |bytes| bytes as f32);
    row.looks(
        "bytes",
        "a large file",
        "a small file",
        if bytes < 0.0 { MISSING } else { slow(bytes) },
    );
    row.looks(
        "page-bytes",
        "a large file for its pages",
        "a small file for its pages",
        pages
            .filter(|_| bytes >= 0.0)
            .map_or(MISSING, |pages| slow(bytes / pages)),
    );
    looks(subject, row);
    let program = metadata.program.as_deref().map(str::to_lowercase);
    for (name, high, low, parts) in PROGRAMS {
        let value = program.as_ref().map_or(MISSING, |program| {
            f32::from(u8::from(parts.iter().any(|part| program.contains(part))))
        });
        row.looks(name, high, low, value);
    }
    let is = |formats: &[Format]| f32::from(u8::from(formats.contains(&format)));
    row.looks(
        "is-paged",
        "it is made for printing",
        "it is not made for printing",
        is(&[Format::Pdf, Format::PostScript]),
    );
    row.looks(
        "is-slides",
        "it is a file of slides",
        "it is no file of slides",
        is(&[Format::Ppt, Format::Pptx, Format::Odp]),
    );
    row.looks(
        "is-office",
        "it is an office document",
        "it is no office document",
        is(&[Format::Doc, Format::Docx, Format::Odt, Format::Rtf]),
    );
    row.looks(
        "is-sheet",
        "it is a spreadsheet",
        "it is no spreadsheet",
        is(&[Format::Xls, Format::Xlsx, Format::Ods]),
    );
    row.looks("is-mail", "it is a mail", "it is no mail", is(&[Format::Mail]));
    row.looks(
        "is-book",
        "it is an e-book",
        "it is no e-book",
        is(&[Format::Epub]),
    );
}

fn looks(subject: &Subject<'_>, row: &mut Row) {
    let layout = subject.reading.metadata.layout.as_ref();
    let paged = layout.filter(|layout| layout.pages > 0);
    let lined = layout.filter(|layout| layout.lines > 0);
    let of_pages = |count: u32, pages: u32| count as f32 / pages.max(1) as f32;
    row.looks(
        "wide",
        "its pages are wider than high",
        "its pages are higher than wide",
        paged.map_or(MISSING, |layout| of_pages(layout.wide_pages, layout.pages)),
    );
    row.looks(
        "page-ratio",
        "wide pages",
        "high pages",
        paged
            .filter(|layout| layout.height > 0)
            .map_or(MISSING, |layout| layout.width as f32 / layout.height as f32),
    );
    row.looks(
        "page-width",
        "large pages",
        "small pages",
        paged.map_or(MISSING, |layout| slow(layout.width as f32)),
    );
    row.looks(
        "columns",
        "text in columns",
        "no columns",
        paged.map_or(MISSING, |layout| of_pages(layout.column_pages, layout.pages)),
    );
    row.looks(
        "text-size",
        "large letters",
        "small letters",
        paged.map_or(MISSING, |layout| layout.text_size as f32 / 2.0),
    );
    row.looks(
        "title-ratio",
        "a large title",
        "no large title",
        paged
            .filter(|layout| layout.text_size > 0)
            .map_or(MISSING, |layout| {
                layout.title_size as f32 / layout.text_size as f32
            }),
    );
    row.looks(
        "fonts",
        "many typefaces",
        "few typefaces",
        paged.map_or(MISSING, |layout| slow(layout.fonts as f32)),
    );
    row.looks(
        "fields",
        "places to fill in",
        "no places to fill in",
        paged.map_or(MISSING, |layout| slow(layout.fields as f32 / layout.pages as f32)),
    );
    row.looks(
        "page-lines",
        "many lines on a page",
        "few lines on a page",
        paged.map_or(MISSING, |layout| slow(layout.lines as f32 / layout.pages as f32)),
    );
    row.looks(
        "line-letters",
        "long lines",
        "short lines",
        lined.map_or(MISSING, |layout| {
            slow(layout.letters as f32 / layout.lines as f32)
        }),
    );
    row.looks(
        "short-lines",
        "most lines are short",
        "few lines are short",
        lined.map_or(MISSING, |layout| layout.short_lines as f32 / layout.lines as f32),
    );
}
