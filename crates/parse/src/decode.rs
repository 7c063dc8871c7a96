//! From the bytes of the wire to the bytes of the document: content encodings, streaming and bounded (HC074–HC077).
//!
//! Every layer is a reader that counts what it gives; the limits stop the reading, so a bomb costs its limit and no more.
//! As browsers do: a body announced as gzip that is not is taken as it is; `deflate` may be zlib or raw; several gzip
//! members follow one another; rubbish after the last is ignored. Unlike browsers: damage is an answer, not half a page.

use gleaner_model::{Reason, defaults};
use std::io::{self, BufRead, BufReader, Read};

/// How much one read asks for. A decoder step cannot give more than this.
const STEP_BYTES: usize = 64 * 1024;
/// RFC 9659: a zstd content encoding needs no larger window (8 MiB), so no larger one is believed.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// A content encoding that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// How far a body may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeLimits {
    pub decoded_bytes_max: u64,
    /// Past this many decoded bytes, at most `expansion_max` to 1 is believed.
    pub expansion_free_bytes: u64,
    pub expansion_max: u64,
    pub encodings_max: usize,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        DecodeLimits {
            decoded_bytes_max: defaults::DECODED_BYTES_MAX,
            expansion_free_bytes: defaults::EXPANSION_FREE_BYTES,
            expansion_max: defaults::EXPANSION_MAX,
            encodings_max: defaults::ENCODINGS_MAX,
        }
    }
}

/// What decoding gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded {
    /// All of them, kept or not.
    pub decoded_bytes: u64,
    /// More was decoded (and found sound) than was kept.
    pub cut: bool,
}

/// The encodings of a body in the order they were applied, from all `Content-Encoding` fields together.
///
/// More than [`defaults::ENCODINGS_MAX`] are refused before anything is decoded (HC075).
pub fn encodings(headers: &[(String, String)]) -> Result<Vec<Encoding>, Reason> {
    let mut found = Vec::new();
    for (_, value) in headers.iter().filter(|(name, _)| name == "content-encoding") {
        for token in value.split(',') {
            let encoding = match token.trim().to_ascii_lowercase().as_str() {
                "" | "identity" | "none" | "utf-8" | "binary" => continue,
                "gzip" | "x-gzip" => Encoding::Gzip,
                "deflate" | "x-deflate" => Encoding::Deflate,
                "br" => Encoding::Brotli,
                "zstd" => Encoding::Zstd,
                _ => return Err(Reason::UnknownEncoding),
            };
            if found.len() == defaults::ENCODINGS_MAX {
                return Err(Reason::TooManyEncodings);
            }
            found.push(encoding);
        }
    }
    Ok(found)
}

/// Decodes `raw` (whose length on the wire is `raw_len`) and appends to `out` at most `keep_max` bytes.
///
/// The stream is read to its end even past `keep_max`, because only its end proves it whole.
pub fn decode<R: Read>(
    raw: R,
    raw_len: u64,
    encodings: &[Encoding],
    limits: &DecodeLimits,
    out: &mut Vec<u8>,
    keep_max: usize,
) -> Result<Decoded, Reason> {
    let mut reader = reader(raw, raw_len, encodings, limits)?;
    let mut decoded_bytes = 0u64;
    let mut kept = 0usize;
    loop {
        let step = match reader.fill_buf() {
            Ok([]) => break,
            Ok(step) => step,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(reason_of(&e)),
        };
        let len = step.len();
        decoded_bytes += len as u64;
        if decoded_bytes > limits.decoded_bytes_max {
            return Err(Reason::DecodedTooLarge);
        }
        let take = len.min(keep_max - kept);
        out.extend_from_slice(&step[..take]);
        kept += take;
        reader.consume(len);
    }
    Ok(Decoded {
        decoded_bytes,
        cut: decoded_bytes > kept as u64,
    })
}

/// The decoded bytes as they come, each layer held to its limit: past it reading fails, and [`reason_of`] says why.
pub(crate) fn reader<'r, R: Read + 'r>(
    raw: R,
    raw_len: u64,
    encodings: &[Encoding],
    limits: &DecodeLimits,
) -> Result<Box<dyn BufRead + 'r>, Reason> {
    if encodings.len() > limits.encodings_max {
        return Err(Reason::TooManyEncodings);
    }
    let believed = raw_len
        .saturating_mul(limits.expansion_max)
        .max(limits.expansion_free_bytes);
    let layer_max = believed.min(limits.decoded_bytes_max);
    let mut reader: Box<dyn BufRead + 'r> = Box::new(BufReader::with_capacity(STEP_BYTES, raw));
    for encoding in encodings.iter().rev() {
        let layer = layer(*encoding, reader).map_err(|e| reason_of(&e))?;
        reader = Box::new(BufReader::with_capacity(
            STEP_BYTES,
            Counted {
                inner: layer,
                left: layer_max,
            },
        ));
    }
    Ok(reader)
}

/// Marks the error of a passed limit among other I/O errors.
#[derive(Debug)]
struct PastLimit;

impl std::fmt::Display for PastLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("decoded past its limit")
    }
}

impl std::error::Error for PastLimit {}

pub(crate) fn reason_of(error: &io::Error) -> Reason {
    if error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<PastLimit>)
    {
        return Reason::DecodedTooLarge;
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Reason::Truncated,
        _ => Reason::CorruptEncoding,
    }
}

/// Gives at most `left` bytes, then an error.
struct Counted<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buf)?;
        self.left = self
            .left
            .checked_sub(got as u64)
            .ok_or_else(|| io::Error::other(PastLimit))?;
        Ok(got)
    }
}

fn layer<'r>(encoding: Encoding, mut from: Box<dyn BufRead + 'r>) -> io::Result<Box<dyn Read + 'r>> {
    let start = from.fill_buf()?;
    if start.is_empty() {
        // An empty body has no encoding, whatever was announced (HEAD, 304, careless servers).
        return Ok(from);
    }
    Ok(match encoding {
        Encoding::Gzip if is_gzip(start) => Box::new(Gzip::new(from)),
        Encoding::Zstd if is_zstd(start) => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(from)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
            Box::new(decoder)
        }
        Encoding::Gzip | Encoding::Zstd => from,
        Encoding::Deflate => match deflate_form(start) {
            Some(zlib) => Box::new(Inflate {
                from,
                state: flate2::Decompress::new(zlib),
                is_done: false,
            }),
            None => from,
        },
        Encoding::Brotli => Box::new(Brotli::new(from)),
    })
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1F, 0x8B]) || start == [0x1F]
}

fn is_zstd(start: &[u8]) -> bool {
    const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    start.starts_with(&FRAME)
        || FRAME.starts_with(start)
        || matches!(start, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// `Some(true)` for zlib, `Some(false)` for raw deflate, `None` for neither: then the body was never compressed.
fn deflate_form(start: &[u8]) -> Option<bool> {
    if let [cmf, flg, ..] = start
        && cmf & 0x0F == 8
        && cmf >> 4 <= 7
        && (u16::from(*cmf) << 8 | u16::from(*flg)) % 31 == 0
        && flg & 0x20 == 0
        && inflates(start, true)
    {
        return Some(true);
    }
    inflates(start, false).then_some(false)
}

/// Whether the first bytes can be inflated at all.
fn inflates(start: &[u8], zlib: bool) -> bool {
    let mut probe = flate2::Decompress::new(zlib);
    let mut sink = [0u8; 4096];
    probe
        .decompress(
            &start[..start.len().min(1024)],
            &mut sink,
            flate2::FlushDecompress::None,
        )
        .is_ok()
}

/// zlib or raw deflate, with a clear word on streams that end too early.
struct Inflate<R> {
    from: R,
    state: flate2::Decompress,
    is_done: bool,
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !buf.is_empty() {
            let input = self.from.fill_buf()?;
            let is_end = input.is_empty();
            let (in_before, out_before) = (self.state.total_in(), self.state.total_out());
            let status = self
                .state
                .decompress(input, buf, flate2::FlushDecompress::None)
                .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
            let consumed = (self.state.total_in() - in_before) as usize;
            let produced = (self.state.total_out() - out_before) as usize;
            self.from.consume(consumed);
            self.is_done = status == flate2::Status::StreamEnd;
            if produced > 0 {
                return Ok(produced);
            }
            if is_end && !self.is_done {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

type BrotliMemory = brotli_decompressor::StandardAlloc;

/// Brotli, telling a stream that ends too early from a damaged one.
struct Brotli<R> {
    from: R,
    state: Box<brotli_decompressor::BrotliState<BrotliMemory, BrotliMemory, BrotliMemory>>,
    total_out: usize,
    is_done: bool,
}

impl<R: BufRead> Brotli<R> {
    fn new(from: R) -> Self {
        let memory = BrotliMemory::default;
        let state = Box::new(brotli_decompressor::BrotliState::new(
            memory(),
            memory(),
            memory(),
        ));
        Brotli {
            from,
            state,
            total_out: 0,
            is_done: false,
        }
    }
}

impl<R: BufRead> Read for Brotli<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        use brotli_decompressor::{BrotliDecompressStream, BrotliResult};
        while !self.is_done && !buf.is_empty() {
            let input = self.from.fill_buf()?;
            let is_end = input.is_empty();
            let (mut in_left, mut consumed) = (input.len(), 0);
            let (mut out_left, mut produced) = (buf.len(), 0);
            let result = BrotliDecompressStream(
                &mut in_left,
                &mut consumed,
                input,
                &mut out_left,
                &mut produced,
                buf,
                &mut self.total_out,
                &mut self.state,
            );
            self.from.consume(consumed);
            self.is_done = matches!(result, BrotliResult::ResultSuccess);
            if matches!(result, BrotliResult::ResultFailure) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if produced > 0 {
                return Ok(produced);
            }
            if is_end && !self.is_done {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

/// Gzip members one after the other; what follows the last and is no member is ignored.
struct Gzip<R: BufRead> {
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    fn new(from: R) -> Self {
        Gzip {
            member: Some(flate2::bufread::GzDecoder::new(from)),
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let got = member.read(buf)?;
            if got > 0 {
                return Ok(got);
            }
            let Some(mut from) = self.member.take().map(flate2::bufread::GzDecoder::into_inner) else {
                break;
            };
            if from.fill_buf()?.starts_with(&[0x1F, 0x8B]) {
                self.member = Some(flate2::bufread::GzDecoder::new(from));
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests;
