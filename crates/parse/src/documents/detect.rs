//! Which format is it? By its bytes first, then by what was announced, then by its name (A6, HC030).

use super::container::{Cfb, Zip};
use super::limits::{GZIP_LAYERS_MAX, UNPACKED_BYTES_MAX};
use super::reading::{Format, Unread};
use crate::kind::{Kind, sniff};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::io::Read;

/// What is known of a document besides its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// As announced, with parameters; empty where nothing was.
    pub media_type: &'a str,
    /// A file name or the path of an address; empty where there is none.
    pub name: &'a str,
}

/// Whether there is gzip around it.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b\x08")
}

/// Takes gzip off, layer by layer, as far as is allowed.
pub fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Unread> {
    let mut whole = Cow::Borrowed(bytes);
    for layer in 0.. {
        if !is_packed(&whole) {
            break;
        }
        if layer >= GZIP_LAYERS_MAX {
            return Err(Unread::TooLarge);
        }
        let mut out = Vec::new();
        let mut from = MultiGzDecoder::new(whole.as_ref()).take(UNPACKED_BYTES_MAX as u64 + 1);
        if from.read_to_end(&mut out).is_err() && out.is_empty() {
            return Err(Unread::damaged("its gzip cannot be unpacked"));
        }
        if out.len() > UNPACKED_BYTES_MAX {
            return Err(Unread::TooLarge);
        }
        whole = Cow::Owned(out);
    }
    Ok(whole)
}

/// The format of a document whose gzip is off.
pub fn detect(bytes: &[u8], given: &Given<'_>) -> Result<Format, Unread> {
    let head = &bytes[..bytes.len().min(4096)];
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return in_zip(bytes);
    }
    if head.starts_with(b"\xD0\xCF\x11\xE0") {
        return in_cfb(bytes);
    }
    // Word 2 to 6 on its own, without a compound file around it.
    if matches!(head, [0xDB, 0xA5, 0x2D, 0x00, ..] | [0xEC | 0xDC, 0xA5, ..]) {
        return Ok(Format::Doc);
    }
    // A sheet of Excel 2 to 5 on its own: it begins with the record that says so.
    if matches!(head, [0x09, 0x00 | 0x02 | 0x04 | 0x08, 0x04..=0x10, 0x00, ..]) {
        return Ok(Format::Xls);
    }
    let trimmed = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head)
        .trim_ascii_start();
    if memchr::memmem::find(&head[..head.len().min(1024)], b"%PDF-").is_some() {
        return Ok(Format::Pdf);
    }
    if trimmed.starts_with(b"{\\rtf") {
        return Ok(Format::Rtf);
    }
    if is_postscript(head) {
        return Ok(Format::PostScript);
    }
    Ok(of_text(head, given))
}

/// The type of the document that an archive or a compound file is; none where it is something else.
pub(crate) fn media_type_inside(bytes: &[u8]) -> Option<&'static str> {
    let format = if bytes.starts_with(b"PK") {
        in_zip(bytes)
    } else {
        in_cfb(bytes)
    };
    Some(match format.ok()? {
        Format::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Format::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Format::Odt => "application/vnd.oasis.opendocument.text",
        Format::Ods => "application/vnd.oasis.opendocument.spreadsheet",
        Format::Odp => "application/vnd.oasis.opendocument.presentation",
        Format::Epub => "application/epub+zip",
        Format::Doc => "application/msword",
        Format::Ppt => "application/vnd.ms-powerpoint",
        Format::Xls => "application/vnd.ms-excel",
        _ => return None,
    })
}

/// Also where a printer's own commands stand in front, or a preview is bound to it.
fn is_postscript(head: &[u8]) -> bool {
    let is_spooled = || head.starts_with(b"\x1b%-12345X") && memchr::memmem::find(head, b"%!PS").is_some();
    let trimmed = head.trim_ascii_start();
    trimmed.starts_with(b"%!PS")
        || trimmed.starts_with(b"\x04%!")
        || trimmed.starts_with(b"%!\n")
        || trimmed.starts_with(b"%!\r")
        || trimmed.starts_with(b"%! ")
        || head.starts_with(b"\xC5\xD0\xD3\xC6")
        || is_spooled()
}

fn in_zip(bytes: &[u8]) -> Result<Format, Unread> {
    let zip = Zip::open(bytes)?;
    if let Some(said) = zip.read("mimetype").ok().flatten() {
        let said = String::from_utf8_lossy(&said).trim().to_ascii_lowercase();
        let named = match said.as_str() {
            "application/epub+zip" => Some(Format::Epub),
            said if said.contains("opendocument.spreadsheet") || said.contains("sun.xml.calc") => {
                Some(Format::Ods)
            }
            said if said.contains("opendocument.presentation") || said.contains("sun.xml.impress") => {
                Some(Format::Odp)
            }
            said if said.contains("opendocument.graphics") => Some(Format::Odp),
            said if said.contains("opendocument") || said.contains("sun.xml") => Some(Format::Odt),
            _ => None,
        };
        if let Some(format) = named {
            return Ok(format);
        }
    }
    let found = zip.names().find_map(|name| {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "word/document.xml" => Some(Format::Docx),
            "ppt/presentation.xml" => Some(Format::Pptx),
            "xl/workbook.xml" => Some(Format::Xlsx),
            "meta-inf/container.xml" => Some(Format::Epub),
            "content.xml" => Some(Format::Odt),
            _ if name.starts_with("word/document") => Some(Format::Docx),
            _ if name.starts_with("ppt/slides/") => Some(Format::Pptx),
            _ if name.starts_with("xl/worksheets/") => Some(Format::Xlsx),
            _ => None,
        }
    });
    found.ok_or(Unread::Unknown)
}

fn in_cfb(bytes: &[u8]) -> Result<Format, Unread> {
    let cfb = Cfb::open(bytes)?;
    if cfb.has("EncryptedPackage") {
        return Err(Unread::Encrypted);
    }
    let names = [
        ("WordDocument", Format::Doc),
        ("PowerPoint Document", Format::Ppt),
        ("PP40", Format::Ppt),
        ("Workbook", Format::Xls),
        ("Book", Format::Xls),
    ];
    // A document may hold others: what lies at the top says what it is.
    let top = names.iter().find(|(name, _)| cfb.has_on_top(name));
    if let Some((_, format)) = top.or_else(|| names.iter().find(|(name, _)| cfb.has(name))) {
        return Ok(*format);
    }
    Err(Unread::Unknown)
}

/// Text of some kind, or nothing that is read.
fn of_text(head: &[u8], given: &Given<'_>) -> Format {
    let extension = extension(given.name);
    let media_type = given
        .media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    let sniffed = sniff(
        Some(given.media_type).filter(|said| !said.is_empty()),
        false,
        head,
    );
    // Names and announcements count for text only: it has no marks of its own.
    if crate::mail::is_mail(&media_type) || matches!(extension.as_str(), "eml" | "mbox") || is_letter(head) {
        return Format::Mail;
    }
    if is_flat_odf(head) {
        return Format::Odt;
    }
    if !sniffed.kind.is_textual() && !matches!(sniffed.kind, Kind::Document) {
        return Format::Unknown;
    }
    match sniffed.kind {
        Kind::Html | Kind::Xhtml => Format::Html,
        _ if media_type == "text/markdown" || matches!(extension.as_str(), "md" | "markdown") => {
            Format::Markdown
        }
        _ if is_tex(head) => Format::Tex,
        _ if matches!(extension.as_str(), "tex" | "latex" | "ltx") => Format::Tex,
        _ if matches!(
            media_type.as_str(),
            "application/x-tex" | "application/x-latex" | "text/x-tex"
        ) =>
        {
            Format::Tex
        }
        Kind::Document => Format::Unknown,
        _ => Format::Text,
    }
}

/// The end of a name, lower case, where packing is not counted.
fn extension(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or("").to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .map_or(String::new(), |(_, end)| end.to_owned())
}

fn is_flat_odf(head: &[u8]) -> bool {
    head.starts_with(b"<?xml") && memchr::memmem::find(head, b"<office:document").is_some()
}

/// Commands that only TeX has, at the beginning of a line, past comments.
fn is_tex(head: &[u8]) -> bool {
    let openings: [&[u8]; 7] = [
        b"\\documentclass",
        b"\\documentstyle",
        b"\\begin{document}",
        b"\\input",
        b"\\usepackage",
        b"\\section",
        b"\\chapter",
    ];
    let mut lines = head
        .split(|b| matches!(b, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii_start)
        .filter(|line| !line.is_empty() && !line.starts_with(b"%"));
    let first = lines.next().unwrap_or(b"");
    openings.iter().any(|opening| first.starts_with(opening))
        || head
            .split(|b| matches!(b, b'\n' | b'\r'))
            .any(|line| line.starts_with(b"\\documentclass") || line.starts_with(b"\\documentstyle"))
}

/// Its first lines are fields that only letters have.
fn is_letter(head: &[u8]) -> bool {
    let marks: [&[u8]; 8] = [
        b"received:",
        b"return-path:",
        b"message-id:",
        b"mime-version:",
        b"delivered-to:",
        b"from:",
        b"subject:",
        b"date:",
    ];
    let mut seen = 0usize;
    for (number, line) in head.split(|b| *b == b'\n').take(40).enumerate() {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        if matches!(line[0], b' ' | b'\t') && number > 0 || number == 0 && line.starts_with(b"From ") {
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            return false;
        };
        let name = &line[..=colon];
        let is_name = name[..colon]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if !is_name {
            return false;
        }
        seen += usize::from(marks.iter().any(|mark| name.eq_ignore_ascii_case(mark)));
    }
    seen >= 2
}
