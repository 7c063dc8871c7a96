//! The digests of a record, made again from its bytes.

use crate::warc::reader::{Walked, holds_http};
use data_encoding::BASE32;
use sha2::{Digest as _, Sha256};

/// The digests of one record, taken as its block passes by.
#[derive(Default)]
pub(crate) struct Hashes {
    block: Sha256,
    payload: Sha256,
    /// The last bytes of the HTTP head, until its end is found.
    head: Option<HeadEnd>,
}

#[derive(Default)]
struct HeadEnd {
    tail: Vec<u8>,
    is_over: bool,
}

impl Hashes {
    pub(crate) fn add(&mut self, headers: &[(String, String)], piece: &[u8]) {
        self.block.update(piece);
        let content_type = headers.iter().find(|(name, _)| name == "Content-Type");
        if !holds_http(content_type.map(|(_, value)| value.as_str())) {
            self.payload.update(piece);
            return;
        }
        let head = self.head.get_or_insert_default();
        if head.is_over {
            self.payload.update(piece);
            return;
        }
        let start = head.tail.len();
        head.tail.extend_from_slice(piece);
        let from = start.saturating_sub(3);
        if let Some(end) = find_head_end(&head.tail, from) {
            self.payload.update(&head.tail[end..]);
            head.is_over = true;
            head.tail = Vec::new();
        }
    }

    /// What is wrong with the record by its own account; else the digest of its payload.
    pub(crate) fn judge(self, record: &Walked) -> Result<[u8; 32], String> {
        let (block, payload): ([u8; 32], [u8; 32]) =
            (self.block.finalize().into(), self.payload.finalize().into());
        if let Some(said) = record.header("WARC-Block-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&block).as_str())
        {
            return Err("block digest does not fit".to_owned());
        }
        if matches!(record.header("WARC-Type"), Some("response" | "resource"))
            && let Some(said) = record.header("WARC-Payload-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&payload).as_str())
        {
            return Err("payload digest does not fit".to_owned());
        }
        Ok(payload)
    }
}

/// Behind the empty line that ends an HTTP head, looking from `from` on.
fn find_head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = bytes[at..].iter().position(|&b| b == b'\n') {
        at += found + 1;
        match &bytes[at..] {
            [b'\r', b'\n', ..] => return Some(at + 2),
            [b'\n', ..] => return Some(at + 1),
            _ => {}
        }
    }
    None
}
