//! Documents made by hand, small and with known words.

use std::fmt::Write as _;

/// A ZIP of stored entries.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    zip_of(
        &entries
            .iter()
            .map(|(name, bytes)| (*name, 0u16, bytes.len(), *bytes))
            .collect::<Vec<_>>(),
    )
}

/// A ZIP of entries that are packed already: name, method, size unpacked, bytes.
pub(super) fn zip_of(entries: &[(&str, u16, usize, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, method, size, bytes) in entries {
        let at = out.len() as u32;
        let mut fields = Vec::new();
        for number in [20u16, 0, *method, 0, 0] {
            fields.extend(number.to_le_bytes());
        }
        for number in [0u32, bytes.len() as u32, *size as u32] {
            fields.extend(number.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend(0u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(*bytes);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, size, count) = (out.len() as u32, directory.len() as u32, entries.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Word: a heading, a paragraph with a link, a list item and a table.
pub(crate) fn docx(link: &str) -> Vec<u8> {
    let body = r#"<w:document xmlns:w="w" xmlns:r="r"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Word heading</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="rId7"><w:r><w:t>the report</w:t></w:r></w:hyperlink></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>first item</w:t></w:r></w:p>
<w:del><w:r><w:t>deleted words</w:t></w:r></w:del>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>left</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>right</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>"#;
    let relations = format!(
        r#"<Relationships><Relationship Id="rId7" Type="http://x/hyperlink" Target="{link}" TargetMode="External"/></Relationships>"#
    );
    let core = "<cp:coreProperties xmlns:cp='c' xmlns:dc='d'><dc:title>A Word title</dc:title><dc:creator>Ann Author</dc:creator></cp:coreProperties>";
    zip(&[
        ("docProps/core.xml", core.as_bytes()),
        ("word/document.xml", body.as_bytes()),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
    ])
}

/// A page with words and a link.
pub(crate) fn pdf(words: &str, link: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 700 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [6 0 R] /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!(
            "<< /Type /Annot /Subtype /Link /Rect [72 690 200 712] /Border [0 0 0] /A << /S /URI /URI ({link}) >> >>"
        ),
        "<< /Title (A PDF title) /Author (Bee) >>".to_owned(),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        let _never_fails = write!(out, "{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let table = out.len();
    let _never_fails = write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _never_fails = writeln!(out, "{place:010} 00000 n ");
    }
    let _never_fails = write!(
        out,
        "trailer\n<< /Size {} /Root 1 0 R /Info 7 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    );
    out.into_bytes()
}

/// A PDF whose arrays nest so deep that a reader which recurses falls (HC111).
pub(super) fn deep_pdf(depth: usize) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /X ".to_vec();
    out.extend(std::iter::repeat_n(b'[', depth));
    out.extend(std::iter::repeat_n(b']', depth));
    out.extend(b" >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n");
    out
}

/// A book, slides, sheets and a text of `OpenDocument`, each with its words.
pub(super) fn others() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let container =
        br#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;
    let opf = br#"<package><metadata xmlns:dc="d"><dc:title>Book</dc:title></metadata><manifest><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
    let chapter = b"<html><body><h2>Chapter</h2><p>words of a book</p></body></html>";
    let epub = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", opf),
        ("OEBPS/a b.xhtml", chapter),
    ]);
    let pptx = zip(&[
        ("ppt/presentation.xml", br#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#),
        ("ppt/_rels/presentation.xml.rels", br#"<Relationships><Relationship Id="r1" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>"#),
        ("ppt/slides/slide1.xml", br#"<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>words of a slide</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"#),
    ]);
    let xlsx = zip(&[
        ("xl/workbook.xml", br#"<workbook xmlns:r="r"><sheets><sheet name="Sheet" sheetId="1" r:id="r1"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#),
        ("xl/sharedStrings.xml", b"<sst><si><t>words of a sheet</t></si></sst>"),
        ("xl/worksheets/sheet1.xml", br#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>2.5</v></c></row></sheetData></worksheet>"#),
    ]);
    let odt = zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", br#"<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:h text:outline-level="1">Head</text:h><text:p>words<text:s/>of a text</text:p></office:text></office:body></office:document-content>"#),
    ]);
    vec![
        ("book.epub", epub, "Chapter\nwords of a book\n"),
        ("slides.pptx", pptx, "words of a slide\n"),
        ("sheet.xlsx", xlsx, "Sheet\nwords of a sheet |  | 2.5\n"),
        ("text.odt", odt, "Head\nwords of a text\n"),
    ]
}

/// `count` bytes of zeros, deflated.
pub(super) fn deflated_zeros(count: usize) -> Vec<u8> {
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let block = vec![b' '; 1 << 20];
    for _ in 0..count >> 20 {
        std::io::Write::write_all(&mut out, &block).expect("memory takes all");
    }
    out.finish().expect("memory takes all")
}
