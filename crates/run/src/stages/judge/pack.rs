//! The records of an exchange for the archive: hashed and deflated here, on the thread that judges.

use super::Bench;
use gleaner_parse::Parsed;
use gleaner_store::warc::{Capture, Packed, Payload};
use gleaner_store::work::Queued;
use gleaner_units::{Body, Exchange};
use std::io;

/// Records of an exchange whose body is not read further: redirects, dead ends, refusals.
pub(super) fn pack_whole(
    page: &Queued,
    mut exchange: Option<Exchange>,
    bench: &mut Bench<'_>,
) -> io::Result<Option<Packed>> {
    pack(page, exchange.as_mut(), &Parsed::default(), false, bench)
}

pub(super) fn pack(
    page: &Queued,
    exchange: Option<&mut Exchange>,
    parsed: &Parsed,
    is_compressed: bool,
    bench: &mut Bench<'_>,
) -> io::Result<Option<Packed>> {
    let Some(exchange) = exchange else {
        return Ok(None);
    };
    let mut facts = vec![
        ("depth", page.depth.to_string()),
        ("fetchTimeMs", exchange.elapsed.as_millis().to_string()),
    ];
    if !parsed.links.is_empty() {
        facts.push(("outlinks", parsed.links.len().to_string()));
    }
    if let Some(charset) = &parsed.charset {
        facts.push(("charset", charset.name.to_string()));
        facts.push(("charsetFrom", charset.source.as_str().to_owned()));
    }
    let payload = match &mut exchange.body {
        Body::Memory(bytes) => Payload::Memory(bytes),
        Body::Spool(spool) => Payload::File {
            file: &mut spool.file,
            len: spool.len,
        },
    };
    let capture = Capture {
        url: bench.asked.as_ref().unwrap_or(&page.url).as_str(),
        at: exchange.started,
        address: exchange.address,
        protocol: exchange.protocol,
        request_head: &exchange.request_head,
        response_head: &exchange.response_head,
        media_type: match parsed.media_type.as_str() {
            "" => "application/octet-stream",
            media_type => media_type,
        },
        payload,
        truncated: exchange.truncated,
        is_compressed,
        facts: &facts,
    };
    bench.packer.pack(capture, bench.spool).map(Some)
}
