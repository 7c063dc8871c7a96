//! WACZ 1.1.1: a WARC file, its index and a list of pages in one ZIP file, as players of archives open it.
//!
//! ```text
//!  archive/data.warc.gz      the records
//!  indexes/index.cdx.gz      a line for each record, sorted by its key (`surt`); a gzip member for each block of lines
//!  indexes/index.idx         a line for each block
//!  pages/pages.jsonl         what a person can begin with
//!  datapackage.json          all of these with their digests
//!  datapackage-digest.json   the digest of that
//! ```
//! Nothing is deflated by ZIP itself, so that any part can be read where it lies.
//! <https://specs.webrecorder.net/wacz/1.1.1/>

use super::jsonl::hex;
use super::select::select;
use super::surt::surt;
use super::warc::{SOFTWARE, copy};
use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use crate::time::iso;
use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner_model::{Timestamp, Url};
use gleaner_store::ledger::{Extracted, Holding};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const ARCHIVE: &str = "archive/data.warc.gz";
const INDEX: &str = "indexes/index.cdx.gz";
const BLOCKS: &str = "indexes/index.idx";
const PAGES: &str = "pages/pages.jsonl";
/// Lines in a block of the index.
const BLOCK_LINES: usize = 3_000;

/// Writes the file. `progress` hears how many documents are done, and of how many.
pub fn write_wacz<W: Write + Seek>(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    now: Timestamp,
    to: W,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(Exported, W), ExportError> {
    let holdings = select(sources.reader, request)?;
    let mut package = Package::new(to);
    let (mut lines, mut pages) = (Vec::new(), Vec::new());
    let done = package.add(ARCHIVE, |to| {
        copy(
            sources,
            &holdings,
            "data.warc.gz",
            now,
            to,
            progress,
            &mut |holding, records, at| {
                lines.extend(index_line(records, at));
                pages.extend(page(holding, records));
            },
        )
    })?;
    lines.sort_unstable();
    let form = json!({ "format": "cdxj-gzip-1.0", "filename": "index.cdx.gz" });
    let mut blocks = vec![format!("!meta 0 {form}\n")];
    package.add(INDEX, |to| {
        let mut at = 0;
        for block in lines.chunks(BLOCK_LINES) {
            let packed = packed(block)?;
            to.write_all(&packed)?;
            let about = json!({
                "offset": at, "length": packed.len(), "digest": digest(&packed), "filename": "index.cdx.gz"
            });
            let mut words = block[0].splitn(3, ' ');
            let (key, time) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            blocks.push(format!("{key} {time} {about}\n"));
            at += packed.len();
        }
        Ok(())
    })?;
    package.add(BLOCKS, |to| Ok(to.write_all(blocks.concat().as_bytes())?))?;
    package.add(PAGES, |to| {
        let title = json!({ "format": "json-pages-1.0", "id": "pages", "title": "All pages" });
        writeln!(to, "{title}")?;
        for page in &pages {
            writeln!(to, "{page}")?;
        }
        Ok(())
    })?;
    let mut about = json!({
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": request.name,
        "description": format!("{} as of run {}", request.name, request.run),
        "created": iso(now),
        "software": SOFTWARE,
        "resources": package.resources,
    });
    if let Some(first) = pages.first() {
        about["mainPageUrl"] = first["url"].clone();
        about["mainPageDate"] = first["ts"].clone();
    }
    let mut about = serde_json::to_vec_pretty(&about).map_err(io::Error::from)?;
    about.push(b'\n');
    package.add("datapackage.json", |to| Ok(to.write_all(&about)?))?;
    let proof = json!({ "path": "datapackage.json", "hash": digest(&about) });
    package.add("datapackage-digest.json", |to| Ok(writeln!(to, "{proof}")?))?;
    Ok((done, package.zip.finish().map_err(cause)?))
}

/// The ZIP file, and what is in it already.
struct Package<W: Write + Seek> {
    zip: ZipWriter<W>,
    resources: Vec<Value>,
}

impl<W: Write + Seek> Package<W> {
    fn new(to: W) -> Package<W> {
        Package {
            zip: ZipWriter::new(to),
            resources: Vec::new(),
        }
    }

    /// Adds a file that `write` gives the content of.
    fn add<T>(
        &mut self,
        path: &str,
        write: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
    ) -> Result<T, ExportError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(path == ARCHIVE);
        self.zip.start_file(path, options).map_err(cause)?;
        let mut hashed = Hashed {
            to: &mut self.zip,
            hash: Sha256::new(),
            bytes: 0,
        };
        let written = write(&mut hashed)?;
        let hash = hex(&hashed.hash.finalize());
        let name = path.rsplit('/').next().unwrap_or(path);
        self.resources.push(json!({
            "name": name, "path": path, "hash": format!("sha256:{hash}"), "bytes": hashed.bytes
        }));
        Ok(written)
    }
}

/// Knows the digest and the length of what was written.
struct Hashed<'a> {
    to: &'a mut dyn Write,
    hash: Sha256,
    bytes: u64,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// `key time {"url": …}`; none for an address that this program does not know any more.
fn index_line(records: &Extracted, at: u64) -> Option<String> {
    let url = Url::parse(&records.url).ok()?;
    let time: String = records
        .date
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    let mut about = json!({
        "url": records.url,
        "mime": if records.is_revisit { "warc/revisit" } else { records.media_type.as_str() },
        "digest": records.digest,
        "length": records.main_bytes.to_string(),
        "offset": at.to_string(),
        "filename": "data.warc.gz",
    });
    if let Some(status) = records.status {
        about["status"] = status.to_string().into();
    }
    Some(format!("{} {time} {about}\n", surt(&url)))
}

/// What a person can begin with: pages, not their pictures and styles.
fn page(holding: &Holding, records: &Extracted) -> Option<Value> {
    let is_page = matches!(holding.media_type.as_str(), "text/html" | "application/xhtml+xml");
    is_page.then(|| {
        let title = holding.title.as_deref().unwrap_or(&records.url);
        json!({ "id": holding.document.to_string(), "url": records.url, "ts": records.date, "title": title })
    })
}

fn packed(lines: &[String]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    for line in lines {
        encoder.write_all(line.as_bytes())?;
    }
    encoder.finish()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

fn cause(error: zip::result::ZipError) -> io::Error {
    match error {
        zip::result::ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
