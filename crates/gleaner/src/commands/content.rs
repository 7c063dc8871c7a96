//! `gleaner cat` and `gleaner links`: one document, its bytes and its neighbours.

use crate::arguments::{Cat, Links};
use crate::output::Output;
use anyhow::bail;
use gleaner_publish::listing;
use gleaner_publish::report::safe;
use gleaner_store::Reader;
use gleaner_store::read::{Content, Direction};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn cat(data: &Path, arguments: &Cat, output: Output) -> anyhow::Result<ExitCode> {
    let reader = Reader::open(data)?;
    let content = reader.content(reader.find_resource(&arguments.document)?)?;
    let mut out = output.writer();
    if arguments.headers {
        out.write_all(&content.head)?;
    }
    if arguments.encoded {
        out.write_all(&content.body)?;
    } else {
        out.write_all(&decoded(&content)?)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The content as its author made it, content encodings off.
fn decoded(content: &Content) -> anyhow::Result<Vec<u8>> {
    let head = String::from_utf8_lossy(&content.head);
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let encodings = match gleaner_parse::encodings(&headers) {
        Ok(encodings) if encodings.is_empty() => return Ok(content.body.clone()),
        Ok(encodings) => encodings,
        Err(reason) => bail!(
            "the content cannot be unpacked ({reason}), --encoded gives it as sent: {}",
            content.url
        ),
    };
    let mut body = Vec::new();
    let limits = gleaner_parse::DecodeLimits::default();
    let length = content.body.len() as u64;
    gleaner_parse::decode(
        content.body.as_slice(),
        length,
        &encodings,
        &limits,
        &mut body,
        usize::MAX,
    )
    .map_err(|reason| {
        anyhow::anyhow!(
            "the content cannot be unpacked ({reason}), --encoded gives it as sent: {}",
            content.url
        )
    })?;
    Ok(body)
}

pub(crate) fn links(data: &Path, arguments: &Links, output: Output) -> anyhow::Result<ExitCode> {
    let reader = Reader::open(data)?;
    let resource = reader.find_resource(&arguments.document)?;
    let direction = if arguments.inward {
        Direction::In
    } else {
        Direction::Out
    };
    let mut out = output.writer();
    for row in reader.links(resource, direction)? {
        if output.json {
            writeln!(out, "{}", listing::link(&row))?;
            continue;
        }
        let times = if row.count > 1 {
            format!(" x{}", row.count)
        } else {
            String::new()
        };
        let anchor = row
            .anchor
            .as_deref()
            .map(|a| format!("  \"{}\"", safe(a)))
            .unwrap_or_default();
        writeln!(out, "{:9}  {}{times}{anchor}", row.kind, safe(&row.url))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
