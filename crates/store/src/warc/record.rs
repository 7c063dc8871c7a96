//! From an exchange with a server to WARC 1.1 records (ISO 28500, C4).
//!
//! A capture becomes three records, each a gzip member of its own: the response (or a revisit, when the same payload
//! is stored already), the request that asked for it, and metadata that says how we came to ask. Digests are SHA-256
//! in base 32, over the block and over the payload, on every response.

use super::gzip::{Effort, Members};
use super::packed::{FirstSeen, Metadata, Packed, Response, RevisitSeed, each_piece, push_fact};
use super::reader::Record;
use data_encoding::BASE32;
use gleaner_model::Timestamp;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};
use std::net::IpAddr;

/// SHA-256 of a payload as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// As WARC headers spell it.
    pub fn warc(&self) -> String {
        let mut text = String::with_capacity(7 + BASE32.encode_len(self.0.len()));
        text.push_str("sha256:");
        BASE32.encode_append(&self.0, &mut text);
        text
    }
}

/// A body as it came: in memory, or in a file because it is large.
pub enum Payload<'a> {
    Memory(&'a [u8]),
    File { file: &'a mut std::fs::File, len: u64 },
}

/// One exchange with a server, as the archive wants it.
pub struct Capture<'a> {
    pub url: &'a str,
    pub at: Timestamp,
    pub address: Option<IpAddr>,
    /// `http/1.1`, `h2`, `ftp` …, as WARC-Protocol spells it.
    pub protocol: &'a str,
    /// Of what was asked over HTTP. Where both heads are empty there was no HTTP: the bytes become a resource record.
    pub request_head: &'a [u8],
    pub response_head: &'a [u8],
    /// Of a resource record.
    pub media_type: &'a str,
    pub payload: Payload<'a>,
    /// Was the body cut at a limit of ours?
    pub truncated: bool,
    /// Deflating it again would be a waste: it is compressed already.
    pub is_compressed: bool,
    /// `via`, `depth`, … for the metadata record.
    pub facts: &'a [(&'static str, String)],
}

/// What a response record holds.
const RESPONSE_TYPE: &str = "application/http;msgtype=response";

/// Makes records. One per thread: it keeps working memory.
#[derive(Default)]
pub struct Packer {
    members: Members,
}

impl Packer {
    pub fn pack(
        &mut self,
        capture: Capture<'_>,
        spool: &dyn Fn() -> io::Result<std::fs::File>,
    ) -> io::Result<Packed> {
        let record_id = new_id();
        let date = warc_date(capture.at);
        let mut common = ["WARC-Target-URI: ", capture.url, "\r\nWARC-Date: ", &date, "\r\n"].concat();
        if let Some(address) = capture.address {
            common.extend(["WARC-IP-Address: ", &address.to_string(), "\r\n"]);
        }
        common.extend(["WARC-Protocol: ", capture.protocol, "\r\n"]);

        let is_http = !capture.response_head.is_empty();
        let kind = if is_http {
            ("response", RESPONSE_TYPE)
        } else {
            ("resource", capture.media_type)
        };
        // Heads are put together without formatting, which costs several times as much.
        let mut request = Vec::new();
        if is_http && !capture.request_head.is_empty() {
            request.reserve(1024);
            self.request(&capture, &record_id, &common, &mut request);
        }
        let (response, payload_digest, payload_bytes) = self.response(
            capture.payload,
            kind,
            &record_id,
            &common,
            capture.response_head,
            capture.truncated,
            capture.is_compressed,
            spool,
        )?;

        let head = [
            "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: ",
            &new_id(),
            "\r\nWARC-Refers-To: ",
            &record_id,
            "\r\nWARC-Target-URI: ",
            capture.url,
            "\r\nWARC-Date: ",
            &date,
            "\r\nContent-Type: application/warc-fields\r\n",
        ]
        .concat();
        let mut facts = String::new();
        for (name, value) in capture.facts {
            push_fact(&mut facts, name, value);
        }

        Ok(Packed {
            payload_digest,
            payload_bytes,
            response,
            request,
            metadata: Metadata::Open { head, facts },
            revisit: RevisitSeed {
                record_id,
                common,
                head: capture.response_head.to_vec(),
                media_type: kind.1.to_owned(),
            },
        })
    }

    /// Ends what is said of a capture: its metadata record is made. What is appended unclosed is closed then.
    pub fn close(&mut self, packed: &mut Packed) {
        let Metadata::Open { head, facts } = &packed.metadata else {
            return;
        };
        let head = [
            head,
            "WARC-Block-Digest: ",
            &Digest::of(facts.as_bytes()).warc(),
            "\r\nContent-Length: ",
            &facts.len().to_string(),
            "\r\n\r\n",
        ]
        .concat();
        let mut member = Vec::with_capacity(512);
        self.members.append(
            Effort::Fast,
            &[head.as_bytes(), facts.as_bytes(), b"\r\n\r\n"],
            &mut member,
        );
        packed.metadata = Metadata::Packed(member);
    }

    fn request(&mut self, capture: &Capture<'_>, record_id: &str, common: &str, to: &mut Vec<u8>) {
        let request_head = [
            "WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: ",
            &new_id(),
            "\r\nWARC-Concurrent-To: ",
            record_id,
            "\r\n",
            common,
            "Content-Type: application/http;msgtype=request\r\nWARC-Block-Digest: ",
            &Digest::of(capture.request_head).warc(),
            "\r\nContent-Length: ",
            &capture.request_head.len().to_string(),
            "\r\n\r\n",
        ]
        .concat();
        self.members.append(
            Effort::Fast,
            &[request_head.as_bytes(), capture.request_head, b"\r\n\r\n"],
            to,
        );
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one record, used once")]
    fn response(
        &mut self,
        payload: Payload<'_>,
        (kind, media_type): (&str, &str),
        record_id: &str,
        common: &str,
        head: &[u8],
        truncated: bool,
        is_compressed: bool,
        spool: &dyn Fn() -> io::Result<std::fs::File>,
    ) -> io::Result<(Response, Digest, u64)> {
        let effort = if is_compressed {
            Effort::Store
        } else {
            Effort::Fast
        };
        let header = |block: &Digest, payload: &Digest, len: u64| {
            let truncated = if truncated {
                "WARC-Truncated: length\r\n"
            } else {
                ""
            };
            [
                "WARC/1.1\r\nWARC-Type: ",
                kind,
                "\r\nWARC-Record-ID: ",
                record_id,
                "\r\n",
                common,
                truncated,
                "Content-Type: ",
                media_type,
                "\r\nWARC-Block-Digest: ",
                &block.warc(),
                "\r\nWARC-Payload-Digest: ",
                &payload.warc(),
                "\r\nContent-Length: ",
                &len.to_string(),
                "\r\n\r\n",
            ]
            .concat()
        };
        match payload {
            Payload::Memory(body) => {
                let payload_digest = Digest::of(body);
                let block_digest = Digest(
                    Sha256::new()
                        .chain_update(head)
                        .chain_update(body)
                        .finalize()
                        .into(),
                );
                let header = header(&block_digest, &payload_digest, (head.len() + body.len()) as u64);
                let mut out = Vec::new();
                self.members
                    .append(effort, &[header.as_bytes(), head, body, b"\r\n\r\n"], &mut out);
                Ok((Response::Memory(out), payload_digest, body.len() as u64))
            }
            Payload::File { file, len } => {
                // Without a head the block is the payload.
                let mut block = (!head.is_empty()).then(|| Sha256::new().chain_update(head));
                let mut payload = Sha256::new();
                let mut buffer = vec![0u8; 256 * 1024];
                each_piece(file, len, &mut buffer, |piece| {
                    if let Some(block) = &mut block {
                        block.update(piece);
                    }
                    payload.update(piece);
                    Ok(())
                })?;
                let payload = Digest(payload.finalize().into());
                let block = block.map_or(payload, |block| Digest(block.finalize().into()));
                let header = header(&block, &payload, head.len() as u64 + len);
                let mut to = spool()?;
                let mut total = 0u64;
                let mut member = self.members.stream(effort);
                member.write(&[header.as_bytes(), head].concat());
                each_piece(file, len, &mut buffer, |piece| {
                    member.write(piece);
                    let ready = member.ready();
                    total += ready.len() as u64;
                    to.write_all(ready.as_slice())
                })?;
                member.write(b"\r\n\r\n");
                let rest = member.finish();
                total += rest.len() as u64;
                to.write_all(&rest)?;
                Ok((Response::File { file: to, len: total }, payload, len))
            }
        }
    }

    /// The record that begins every archive file.
    pub fn warcinfo(&mut self, file_name: &str, at: Timestamp, software: &str) -> Vec<u8> {
        let fields = format!(
            "software: {software}\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        );
        let header = format!(
            "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {}\r\nWARC-Date: {}\r\nWARC-Filename: {file_name}\r\nContent-Type: application/warc-fields\r\nWARC-Block-Digest: {}\r\nContent-Length: {}\r\n\r\n",
            new_id(),
            warc_date(at),
            Digest::of(fields.as_bytes()).warc(),
            fields.len(),
        );
        let mut out = Vec::new();
        self.members.append(
            Effort::Fast,
            &[header.as_bytes(), fields.as_bytes(), b"\r\n\r\n"],
            &mut out,
        );
        out
    }

    /// A record that says to which run what follows belongs.
    pub fn run_info(&mut self, fields: &[(&str, String)]) -> Vec<u8> {
        let mut text = String::new();
        for (name, value) in fields {
            push_fact(&mut text, name, value);
        }
        let at = Timestamp(fields_moment(fields));
        let header = format!(
            "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {}\r\nWARC-Date: {}\r\nContent-Type: application/warc-fields\r\nWARC-Block-Digest: {}\r\nContent-Length: {}\r\n\r\n",
            new_id(),
            warc_date(at),
            Digest::of(text.as_bytes()).warc(),
            text.len(),
        );
        let mut out = Vec::new();
        self.members.append(
            Effort::Fast,
            &[header.as_bytes(), text.as_bytes(), b"\r\n\r\n"],
            &mut out,
        );
        out
    }

    /// A revisit record for a payload that is stored already, in place of the response.
    pub(super) fn revisit(&mut self, seed: &RevisitSeed, digest: &Digest, first: &FirstSeen) -> Vec<u8> {
        let header = format!(
            "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: {}\r\n{}WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: {}\r\nWARC-Refers-To-Date: {}\r\nContent-Type: {}\r\nWARC-Block-Digest: {}\r\nWARC-Payload-Digest: {}\r\nContent-Length: {}\r\n\r\n",
            seed.record_id,
            seed.common,
            first.url,
            warc_date(first.at),
            seed.media_type,
            Digest::of(&seed.head).warc(),
            digest.warc(),
            seed.head.len(),
        );
        let mut out = Vec::new();
        self.members.append(
            Effort::Fast,
            &[header.as_bytes(), &seed.head, b"\r\n\r\n"],
            &mut out,
        );
        out
    }
}

/// Header fields of a revisit that a record with the payload itself has not, or has anew.
const OF_REVISITS: &[&str] = &[
    "WARC-Type",
    "WARC-Profile",
    "WARC-Refers-To",
    "WARC-Refers-To-Target-URI",
    "WARC-Refers-To-Date",
    "WARC-Block-Digest",
    "Content-Length",
];

impl Packer {
    /// A revisit made whole: the record that it would have been, had its payload not been stored before.
    pub fn whole(&mut self, revisit: &Record, payload: &[u8]) -> Vec<u8> {
        let (head, _) = revisit.http();
        let kind = if head.is_empty() { "resource" } else { "response" };
        let mut header = ["WARC/1.1\r\nWARC-Type: ", kind, "\r\n"].concat();
        for (name, value) in &revisit.headers {
            if !OF_REVISITS.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                header.extend([name, ": ", value, "\r\n"]);
            }
        }
        let block = Sha256::new().chain_update(head).chain_update(payload);
        header.extend([
            "WARC-Block-Digest: ",
            &Digest(block.finalize().into()).warc(),
            "\r\nContent-Length: ",
            &(head.len() + payload.len()).to_string(),
            "\r\n\r\n",
        ]);
        let mut out = Vec::new();
        self.members.append(
            Effort::Fast,
            &[header.as_bytes(), head, payload, b"\r\n\r\n"],
            &mut out,
        );
        out
    }
}

/// When the run began, as its fields say.
fn fields_moment(fields: &[(&str, String)]) -> i64 {
    let began = fields.iter().find(|(name, _)| *name == "startedAt");
    began.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

fn new_id() -> String {
    let mut urn = uuid::Uuid::encode_buffer();
    ["<", uuid::Uuid::new_v4().urn().encode_lower(&mut urn), ">"].concat()
}

/// WARC dates: UTC with milliseconds.
pub fn warc_date(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}
