//! How is a document written down? The same draft as PDF, `PostScript`, Word, RTF, TeX, Markdown, text or HTML.

use std::fmt::Write;
use std::io::Write as _;

use super::works::{Draft, Style};

/// The bytes of a draft in a format named by its ending.
pub(super) fn written(draft: &Draft, format: &str) -> Vec<u8> {
    match format {
        "pdf" => pdf(draft),
        "ps.gz" => gzipped(&postscript(draft)),
        "ps" => postscript(draft),
        "docx" => docx(draft),
        "rtf" => rtf(draft).into_bytes(),
        "tex" => tex(draft).into_bytes(),
        "md" => markdown(draft).into_bytes(),
        "html" => html(draft).into_bytes(),
        _ => text(draft).into_bytes(),
    }
}

/// What a server says of it.
pub(super) fn content_type(format: &str) -> &'static str {
    match format {
        "pdf" => "application/pdf",
        "ps" => "application/postscript",
        "ps.gz" => "application/x-gzip",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "ppt" => "application/vnd.ms-powerpoint",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf" => "application/rtf",
        "tex" => "application/x-tex",
        "html" | "htm" => "text/html; charset=utf-8",
        "csv" => "text/csv",
        "json" => "application/json",
        "xml" => "application/xml",
        _ => "text/plain; charset=utf-8",
    }
}

/// Lines of so many letters.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > letters {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(letters));
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// A printed line: size of its letters, whether bold, how far from the left, text.
struct Printed {
    size: f64,
    is_bold: bool,
    left: f64,
    text: String,
}

/// A draft as pages of printed lines.
fn printed(draft: &Draft) -> (f64, f64, Vec<Vec<Printed>>) {
    let (width, height) = if draft.is_landscape {
        (720.0, 540.0)
    } else {
        (612.0, 792.0)
    };
    let (body, heading, title) = if draft.is_landscape {
        (20.0, 28.0, 34.0)
    } else {
        (10.0, 12.0, 17.0)
    };
    let margin = 72.0;
    let mut pages: Vec<Vec<Printed>> = vec![Vec::new()];
    let mut room = height - 2.0 * margin;
    for (style, said) in &draft.lines {
        let (size, is_bold, indent) = match style {
            Style::Title => (title, true, 0.0),
            Style::Heading => (heading, true, 0.0),
            Style::Byline | Style::Text => (body, false, 0.0),
            Style::Item => (body, false, 18.0),
            Style::PageBreak => {
                pages.push(Vec::new());
                room = height - 2.0 * margin;
                continue;
            }
        };
        let letters = ((width - 2.0 * margin - indent) / (size * 0.47)) as usize;
        let marked = if *style == Style::Item && !said.starts_with('(') {
            format!("- {}", said.trim_start_matches(['*', '-', '•', ' ']))
        } else {
            said.clone()
        };
        for line in wrapped(&marked, letters) {
            if room < size * 1.25 {
                pages.push(Vec::new());
                room = height - 2.0 * margin;
            }
            room -= size * 1.25;
            let left = if matches!(style, Style::Title | Style::Byline) {
                ((width - line.chars().count() as f64 * size * 0.47) / 2.0).max(margin)
            } else {
                margin + indent
            };
            let page = pages.last_mut().expect("there is a first page");
            page.push(Printed {
                size,
                is_bold,
                left,
                text: line,
            });
        }
        room -= size * 0.4;
    }
    (width, height, pages)
}

/// Text in parentheses, as PDF and `PostScript` write it, in `WinAnsi`.
fn in_parentheses(text: &str, out: &mut Vec<u8>) {
    out.push(b'(');
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => out.extend([b'\\', c as u8]),
            '‘' | '’' | '′' => out.push(b'\''),
            '“' | '”' => out.push(b'"'),
            '–' | '—' | '−' | '‐' => out.push(b'-'),
            'ﬁ' => out.extend(b"fi"),
            'ﬂ' => out.extend(b"fl"),
            ' '..='~' => out.push(c as u8),
            '\u{a1}'..='\u{ff}' => {
                let _ = write!(out, "\\{:03o}", c as u32);
            }
            c if c.is_alphanumeric() => out.push(b'?'),
            _ => out.push(b' '),
        }
    }
    out.push(b')');
}

fn pdf(draft: &Draft) -> Vec<u8> {
    let (width, height, pages) = printed(draft);
    let mut out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    let object = |out: &mut Vec<u8>, places: &mut Vec<usize>, body: &[u8]| {
        places.push(out.len());
        let _ = writeln!(out, "{} 0 obj", places.len());
        out.extend_from_slice(body);
        out.extend_from_slice(b"\nendobj\n");
    };
    // 1 catalog, 2 pages, 3 and 4 fonts, 5 what is said of it, then two objects a page.
    object(&mut out, &mut places, b"<< /Type /Catalog /Pages 2 0 R >>");
    let kids: Vec<String> = (0..pages.len()).map(|at| format!("{} 0 R", 6 + 2 * at)).collect();
    let list = format!(
        "<< /Type /Pages /Count {} /Kids [{}] >>",
        pages.len(),
        kids.join(" ")
    );
    object(&mut out, &mut places, list.as_bytes());
    let (normal, bold) = if draft.is_landscape {
        ("Helvetica", "Helvetica-Bold")
    } else {
        ("Times-Roman", "Times-Bold")
    };
    for font in [normal, bold] {
        let font = format!("<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>");
        object(&mut out, &mut places, font.as_bytes());
    }
    let mut info = b"<< /Title ".to_vec();
    in_parentheses(&draft.title, &mut info);
    info.extend_from_slice(b" /Author ");
    in_parentheses(&draft.author, &mut info);
    info.extend_from_slice(if draft.is_landscape {
        b" /Producer (LibreOffice Impress) >>"
    } else {
        b" /Producer (pdfTeX-1.40.21) >>"
    });
    object(&mut out, &mut places, &info);
    for (at, page) in pages.iter().enumerate() {
        let head = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            7 + 2 * at
        );
        object(&mut out, &mut places, head.as_bytes());
        let mut drawn = Vec::new();
        let mut y = height - 72.0;
        for line in page {
            y -= line.size * 1.25;
            let font = if line.is_bold { "F2" } else { "F1" };
            let _ = write!(drawn, "BT /{font} {} Tf {:.1} {y:.1} Td ", line.size, line.left);
            in_parentheses(&line.text, &mut drawn);
            drawn.extend_from_slice(b" Tj ET\n");
        }
        let _ = writeln!(drawn, "BT /F1 9 Tf {:.1} 36 Td ({}) Tj ET", width / 2.0, at + 1);
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&drawn, 1);
        let mut stream =
            format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", packed.len()).into_bytes();
        stream.extend_from_slice(&packed);
        stream.extend_from_slice(b"\nendstream");
        object(&mut out, &mut places, &stream);
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in &places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{start}\n%%EOF\n",
        places.len() + 1
    );
    out
}

fn postscript(draft: &Draft) -> Vec<u8> {
    let (_, height, pages) = printed(draft);
    let mut out = b"%!PS-Adobe-2.0\n%%Title: ".to_vec();
    out.extend(draft.title.bytes().filter(u8::is_ascii));
    let _ = write!(
        out,
        "\n%%Creator: dvips(k) 5.95a\n%%Pages: {}\n%%EndComments\n",
        pages.len()
    );
    for (at, page) in pages.iter().enumerate() {
        let _ = writeln!(out, "%%Page: {} {}", at + 1, at + 1);
        let mut y = height - 72.0;
        for line in page {
            y -= line.size * 1.25;
            let font = if line.is_bold { "Times-Bold" } else { "Times-Roman" };
            let _ = write!(
                out,
                "/{font} findfont {} scalefont setfont {:.1} {y:.1} moveto ",
                line.size, line.left
            );
            in_parentheses(&line.text, &mut out);
            out.extend_from_slice(b" show\n");
        }
        out.extend_from_slice(b"showpage\n");
    }
    out.extend_from_slice(b"%%EOF\n");
    out
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    out.extend(miniz_oxide::deflate::compress_to_vec(bytes, 1));
    out.extend(crc32fast::hash(bytes).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' => {}
            c => out.push(c),
        }
    }
    out
}

fn docx(draft: &Draft) -> Vec<u8> {
    let mut body = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>",
    );
    for (style, line) in &draft.lines {
        let name = match style {
            Style::Title => "Title",
            Style::Heading => "Heading1",
            Style::Item => "ListParagraph",
            _ => "Normal",
        };
        let _ = write!(
            body,
            "<w:p><w:pPr><w:pStyle w:val=\"{name}\"/></w:pPr><w:r><w:t xml:space=\"preserve\">{}</w:t></w:r></w:p>",
            escaped(line)
        );
    }
    body.push_str("</w:body></w:document>");
    let types = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";
    let relations = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/></Relationships>";
    stored_zip(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations),
        ("word/document.xml", &body),
    ])
}

/// A ZIP file, its members packed.
fn stored_zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in members {
        let packed = miniz_oxide::deflate::compress_to_vec(content.as_bytes(), 1);
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0x50]);
        common.extend(crc32fast::hash(content.as_bytes()).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.bytes());
        out.extend(packed);
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn rtf(draft: &Draft) -> String {
    let mut out = String::from("{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times New Roman;}}\n");
    for (style, line) in &draft.lines {
        out.push_str(match style {
            Style::Title => "\\fs34\\b ",
            Style::Heading => "\\fs26\\b ",
            _ => "\\fs20\\b0 ",
        });
        for c in line.chars() {
            match c {
                '\\' | '{' | '}' => {
                    out.push('\\');
                    out.push(c);
                }
                ' '..='~' => out.push(c),
                c if (c as u32) < 0x8000 && !c.is_control() => {
                    let _ = write!(out, "\\u{}?", c as u32);
                }
                _ => out.push(' '),
            }
        }
        out.push_str("\\par\n");
    }
    out.push('}');
    out
}

fn tex(draft: &Draft) -> String {
    let safe = |text: &str| {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '\\' | '^' | '~' => out.push(' '),
                '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
        out
    };
    let mut out = format!(
        "\\documentclass{{article}}\n\\usepackage[utf8]{{inputenc}}\n\\title{{{}}}\n\\author{{{}}}\n\\begin{{document}}\n\\maketitle\n",
        safe(&draft.title),
        safe(&draft.author.replace(", ", " and "))
    );
    for (style, line) in &draft.lines {
        match style {
            Style::Title | Style::Byline | Style::PageBreak => {}
            Style::Heading => {
                let bare =
                    line.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '#' || c == ' ');
                let _ = writeln!(out, "\\section{{{}}}\n", safe(bare));
            }
            Style::Item => {
                let _ = writeln!(out, "\\begin{{itemize}}\\item {}\\end{{itemize}}\n", safe(line));
            }
            Style::Text => {
                let _ = writeln!(out, "{}\n", safe(line));
            }
        }
    }
    out.push_str("\\end{document}\n");
    out
}

fn markdown(draft: &Draft) -> String {
    let mut out = String::new();
    for (style, line) in &draft.lines {
        let bare = line.trim_start_matches(['#', ' ', '*', '-', '•']);
        let _ = match style {
            Style::Title => writeln!(out, "# {bare}\n"),
            Style::Heading => writeln!(out, "## {bare}\n"),
            Style::Item => writeln!(out, "- {bare}"),
            Style::PageBreak => writeln!(out, "---\n"),
            Style::Byline | Style::Text => writeln!(out, "{line}\n"),
        };
    }
    out
}

fn text(draft: &Draft) -> String {
    let mut out = String::new();
    for (style, line) in &draft.lines {
        let indent = if *style == Style::Item { "   * " } else { "" };
        for (at, row) in wrapped(line, 72).iter().enumerate() {
            let _ = writeln!(out, "{}{row}", if at == 0 { indent } else { "" });
        }
        out.push('\n');
    }
    out
}

fn html(draft: &Draft) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{}</title></head><body>\n",
        escaped(&draft.title)
    );
    for (style, line) in &draft.lines {
        let name = match style {
            Style::Title => "h1",
            Style::Heading => "h2",
            Style::PageBreak => continue,
            _ => "p",
        };
        let _ = writeln!(out, "<{name}>{}</{name}>", escaped(line));
    }
    out.push_str("</body></html>\n");
    out
}
