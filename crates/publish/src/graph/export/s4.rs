//! The tables of "Extraction and Storage of Web Structures" (S4) with their own names and columns, for whoever has programs on them.
//!
//! ```text
//! Hosts(HID, HName) · Resources(RID, URL, RType, Charset, DTime, DBot, PTime, PBot, Source, HID) · Links(FRID, RID)
//! ```
//!
//! RID is the MD5 of the URL in upper-case hexadecimal. A link stands there as often as it stands on its page: the repetition is
//! its weight. All texts are Unicode and whole, whatever the lengths in the original tables were.

use super::super::{GraphError, View};
use crate::concepts::sql_text;
use gleaner_graph::Node;
use gleaner_history::side::open;
use gleaner_model::{DocumentId, ResourceId, Timestamp, Url, VersionId};
use gleaner_store::ledger::{Extent, ResourceRow};
use gleaner_store::s4::{S4File, S4Resource};
use gleaner_store::{Ledger, StoreError};
use md5::{Digest as _, Md5};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Rows that are read in one go.
const ROWS: usize = 1024;

/// How the tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum S4Form {
    Sql,
    Csv,
    Sqlite,
}

/// What of the catalog.
#[derive(Debug, Clone)]
pub struct S4Wish<'a> {
    pub extent: &'a Extent,
    pub with_source: bool,
}

/// Writes the tables. `to` is a folder for CSV and a file for a database; SQL goes to `out`.
pub fn write_s4(
    reader: &dyn Ledger,
    view: &View,
    wish: &S4Wish<'_>,
    form: S4Form,
    to: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), GraphError> {
    match (form, to) {
        (S4Form::Sqlite, Some(path)) => {
            let mut file = S4File::create(path)?;
            each_row(reader, view, wish, &mut |row| match row {
                Row::Host(id, name) => Ok(file.host(id, name)?),
                Row::Resource(resource) => Ok(file.resource(resource)?),
                Row::Link(from, to) => Ok(file.link(from, to)?),
            })?;
            Ok(file.finish()?)
        }
        (S4Form::Csv, Some(folder)) => write_csv(reader, view, wish, folder),
        _ => {
            out.write_all(SCHEMA.as_bytes())?;
            each_row(reader, view, wish, &mut |row| Ok(write_sql(&row, out)?))?;
            Ok(out.write_all(b"COMMIT;\n")?)
        }
    }
}

const SCHEMA: &str = "BEGIN;
CREATE TABLE Hosts (HID BIGINT NOT NULL PRIMARY KEY, HName VARCHAR(253));
CREATE TABLE Resources (RID CHAR(32) NOT NULL PRIMARY KEY, URL VARCHAR(8192), RType VARCHAR(128), Charset VARCHAR(40), \
DTime TIMESTAMP, DBot CHAR(16), PTime TIMESTAMP, PBot CHAR(16), Source CLOB, HID BIGINT NOT NULL REFERENCES Hosts(HID));
CREATE TABLE Links (FRID CHAR(32) NOT NULL REFERENCES Resources(RID), RID CHAR(32) NOT NULL REFERENCES Resources(RID));
";

/// A row of any of the tables.
enum Row<'a> {
    Host(i64, &'a str),
    Resource(&'a S4Resource),
    Link(&'a str, &'a str),
}

/// Hosts, then resources, then links, so that nobody refers to what is not there yet.
fn each_row(
    reader: &dyn Ledger,
    view: &View,
    wish: &S4Wish<'_>,
    write: &mut dyn FnMut(Row<'_>) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let facts = view.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    let mut hosts: HashMap<String, i64> = HashMap::new();
    let mut ids: Vec<[u8; 32]> = Vec::with_capacity(view.nodes());
    let mut host_of: Vec<i64> = Vec::with_capacity(view.nodes());
    let mut node_of: HashMap<i64, Node> = HashMap::new();
    for (node, name) in view.names.iter().enumerate() {
        let next = hosts.len() as i64 + 1;
        let host = Url::parse(&name).map_or_else(|_| String::new(), |url| url.host().to_owned());
        let number = if let Some(known) = hosts.get(&host) {
            *known
        } else {
            write(Row::Host(next, &host))?;
            hosts.insert(host, next);
            next
        };
        host_of.push(number);
        ids.push(rid(&name));
        node_of.insert(i64::from(facts.resource(node as Node)), node as Node);
    }
    let mut newest: HashMap<i64, (DocumentId, VersionId)> = HashMap::new();
    if wish.with_source {
        let mut after = VersionId(0);
        loop {
            let page = reader.looks(wish.extent, after, ROWS)?;
            let Some(last) = page.last() else { break };
            after = last.version;
            for look in &page {
                newest.insert(look.resource.0, (look.document, look.version));
            }
        }
    }
    let mut after = ResourceId(0);
    loop {
        let page = reader.resources(after, ROWS)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for row in page {
            let Some(&node) = node_of.get(&row.id.0) else {
                continue;
            };
            let node = node as usize;
            let source = match newest.get(&row.id.0) {
                Some((document, version)) => source(reader, *document, *version, &row)?,
                None => None,
            };
            write(Row::Resource(&S4Resource {
                rid: text_of(&ids[node]).to_owned(),
                host: host_of[node],
                discovered_at: stamp(row.discovered_at),
                processed_at: row.processed_at.map(stamp),
                source,
                url: row.url,
                media_type: row.media_type,
                charset: row.charset,
                discovered_by: row.discovered_by,
                processed_by: row.processed_by,
            }))?;
        }
    }
    for (from, to, weight) in view.every_link() {
        for _ in 0..(weight as u64).max(1) {
            write(Row::Link(
                text_of(&ids[from as usize]),
                text_of(&ids[to as usize]),
            ))?;
        }
    }
    Ok(())
}

/// The page's source as text; none where it is no text or cannot be read any more.
fn source(
    reader: &dyn Ledger,
    document: DocumentId,
    version: VersionId,
    row: &ResourceRow,
) -> Result<Option<String>, StoreError> {
    let media_type = row.media_type.as_deref().unwrap_or_default();
    let is_text =
        media_type.starts_with("text/") || media_type.ends_with("xml") || media_type.ends_with("json");
    if !is_text {
        return Ok(None);
    }
    let stored = match reader.content(document, Some(version)) {
        Ok(stored) => stored,
        Err(error) if error.is_of_one_version() => return Ok(None),
        Err(error) => return Err(error),
    };
    let label = stored.charset.clone().or_else(|| row.charset.clone());
    let Ok(opened) = open(stored) else {
        return Ok(None);
    };
    Ok(Some(
        gleaner_parse::decode_text(&opened.body, label.as_deref()).into_owned(),
    ))
}

fn rid(url: &str) -> [u8; 32] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut id = [0; 32];
    for (place, byte) in Md5::digest(url.as_bytes()).iter().enumerate() {
        id[2 * place] = DIGITS[usize::from(byte >> 4)];
        id[2 * place + 1] = DIGITS[usize::from(byte & 15)];
    }
    id
}

fn text_of(id: &[u8; 32]) -> &str {
    std::str::from_utf8(id).expect("hexadecimal digits are ASCII")
}

/// `2026-11-18 07:05:03.250`, as a TIMESTAMP is written.
fn stamp(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

fn cells(resource: &S4Resource) -> [Option<&str>; 9] {
    [
        Some(&resource.rid),
        Some(&resource.url),
        resource.media_type.as_deref(),
        resource.charset.as_deref(),
        Some(&resource.discovered_at),
        Some(&resource.discovered_by),
        resource.processed_at.as_deref(),
        resource.processed_by.as_deref(),
        resource.source.as_deref(),
    ]
}

fn write_sql(row: &Row<'_>, out: &mut dyn Write) -> std::io::Result<()> {
    match row {
        Row::Host(id, name) => writeln!(out, "INSERT INTO Hosts VALUES ({id}, {});", sql_text(name)),
        Row::Resource(resource) => {
            let mut line = String::from("INSERT INTO Resources VALUES (");
            for cell in cells(resource) {
                // A zero byte would end the statement for many a program.
                let text = cell.map_or_else(
                    || "NULL".to_owned(),
                    |text| sql_text(&text.replace('\0', "\u{fffd}")),
                );
                let _never_fails = write!(line, "{text}, ");
            }
            writeln!(out, "{line}{});", resource.host)
        }
        Row::Link(from, to) => writeln!(out, "INSERT INTO Links VALUES ('{from}', '{to}');"),
    }
}

fn write_csv(reader: &dyn Ledger, view: &View, wish: &S4Wish<'_>, folder: &Path) -> Result<(), GraphError> {
    let open = |name: &str| -> Result<BufWriter<File>, GraphError> {
        let file = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| File::create(&file))
            .map(BufWriter::new)
            .map_err(|cause| GraphError::File { file, cause })
    };
    let (mut hosts, mut resources, mut links) =
        (open("Hosts.csv")?, open("Resources.csv")?, open("Links.csv")?);
    writeln!(hosts, "HID,HName")?;
    writeln!(
        resources,
        "RID,URL,RType,Charset,DTime,DBot,PTime,PBot,Source,HID"
    )?;
    writeln!(links, "FRID,RID")?;
    each_row(reader, view, wish, &mut |row| {
        match row {
            Row::Host(id, name) => writeln!(hosts, "{id},{}", quoted(name))?,
            Row::Resource(resource) => {
                let told: Vec<String> = cells(resource)
                    .into_iter()
                    .map(|cell| cell.map_or_else(String::new, quoted))
                    .collect();
                writeln!(resources, "{},{}", told.join(","), resource.host)?;
            }
            Row::Link(from, to) => writeln!(links, "{from},{to}")?,
        }
        Ok(())
    })?;
    for mut file in [hosts, resources, links] {
        file.flush()?;
    }
    Ok(())
}

/// For programs, not for spreadsheets: every character as it is (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_named_by_the_md5_of_its_url() {
        assert_eq!(text_of(&rid("")), "D41D8CD98F00B204E9800998ECF8427E");
        assert_eq!(
            text_of(&rid("http://example.com/")),
            "A6BF1757FFF057F266B697DF9CF176FD"
        );
        assert_eq!(stamp(Timestamp(1_250)), "1970-01-01 00:00:01.250");
    }
}
