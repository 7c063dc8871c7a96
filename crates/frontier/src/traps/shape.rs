//! The shape of a URL: what is left when everything that counts or names one item is masked.
//!
//! `http://a.test/forum/viewtopic.php?t=17&f=3` has the shape `a.test/forum/viewtopic.php?f&t`. The site is the
//! registrable domain, so that endless host names are one site. Digits become `#`, hexadecimal ids, UUIDs and long
//! tokens become `x`; parameter values are left out, their names sorted.

use gleaner_model::Url;
use gleaner_model::defaults::TRAP_PARAMETERS_MAX;
use xxhash_rust::xxh3::xxh3_64;

/// The keys under which one URL is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shapes {
    pub(super) fine: u64,
    /// Site, first segment, depth, extension and parameter names: groups what words alone tell apart.
    pub(super) coarse: u64,
    /// Site and masked path, for URLs with two parameters or more.
    pub(super) family: Option<u64>,
    pub(super) site: u64,
}

/// Room for the text of a shape, kept between questions so that none allocates.
#[derive(Debug, Default)]
pub(super) struct ShapeBuffer {
    text: Vec<u8>,
    /// The last host and the length of its registrable domain, at its end: links mostly stay on one host.
    host: String,
    domain_length: usize,
}

/// One number per shape, stable between runs.
pub fn shape(url: &Url) -> u64 {
    ShapeBuffer::default().shapes(url).fine
}

impl ShapeBuffer {
    pub(super) fn shapes(&mut self, url: &Url) -> Shapes {
        if self.host != url.host() {
            url.host().clone_into(&mut self.host);
            self.domain_length = url.domain().len();
        }
        let domain = &self.host[self.host.len().saturating_sub(self.domain_length)..];
        let text = &mut self.text;
        text.clear();
        text.extend_from_slice(domain.as_bytes());
        let site = xxh3_64(text) ^ SITE;
        let path = url.path();
        mask(path.as_bytes(), text);
        let family = xxh3_64(text) ^ FAMILY;
        let path_end = text.len();
        let names_count = push_names(url.query(), text);
        let fine = xxh3_64(text);

        // The coarse key is written behind the fine one: site, first segment if it is not the last, depth, names.
        let start = text.len();
        text.extend_from_slice(domain.as_bytes());
        let mut segments = path.split('/').skip(1);
        let first = segments.next().unwrap_or("");
        let mut last = first;
        let mut depth = 1u8;
        for segment in segments {
            last = segment;
            depth = depth.saturating_add(1);
        }
        text.push(depth);
        if depth > 1 {
            mask(first.as_bytes(), text);
        }
        text.push(b'.');
        text.extend_from_slice(extension(last).as_bytes());
        text.extend_from_within(path_end..start);
        let coarse = xxh3_64(&text[start..]) ^ COARSE;
        Shapes {
            fine,
            coarse,
            family: (names_count >= 2).then_some(family),
            site,
        }
    }

    /// The fine shape as people read it.
    pub(super) fn text(&mut self, url: &Url) -> String {
        self.text.clear();
        self.text.extend_from_slice(url.domain().as_bytes());
        mask(url.path().as_bytes(), &mut self.text);
        push_names(url.query(), &mut self.text);
        String::from_utf8_lossy(&self.text).into_owned()
    }
}

// Keeps the kinds of keys apart in one map.
const SITE: u64 = 0x5175_6974_6500_0001;
const FAMILY: u64 = 0x6661_6d69_6c79_0002;
const COARSE: u64 = 0x636f_6172_7365_0003;

/// `pdf` of `x.pdf`; empty for none and for what is no extension.
pub(super) fn extension(segment: &str) -> &str {
    let bytes = segment.as_bytes();
    // From the end, and no further back than an extension may be long.
    let plain = bytes
        .iter()
        .rev()
        .take(6)
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    match bytes.len().checked_sub(plain + 1) {
        Some(dot) if bytes[dot] == b'.' && (1..=5).contains(&plain) => &segment[dot + 1..],
        _ => "",
    }
}

/// Appends `?` and the sorted, masked, distinct parameter names; gives their number.
fn push_names(query: Option<&str>, text: &mut Vec<u8>) -> usize {
    let Some(query) = query else { return 0 };
    let mut names = [""; TRAP_PARAMETERS_MAX];
    let mut count = 0;
    // More parameters than the limit are refused before; if one is asked about anyway, the first ones speak for it.
    for pair in query
        .split('&')
        .filter(|p| !p.is_empty())
        .take(TRAP_PARAMETERS_MAX)
    {
        names[count] = pair.split_once('=').map_or(pair, |(name, _)| name);
        count += 1;
    }
    names[..count].sort_unstable();
    let mut previous = text.len()..text.len();
    for name in &names[..count] {
        let start = text.len();
        text.push(b'?');
        mask(name.as_bytes(), text);
        if text[start..] == text[previous.clone()] {
            text.truncate(start);
        } else {
            previous = start..text.len();
        }
    }
    count
}

/// Appends `text` with numbers, ids and tokens masked. All of these hold a digit, so what lies between runs with digits
/// is copied whole.
fn mask(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(digit) = text[at..].iter().position(u8::is_ascii_digit).map(|d| at + d) {
        let is_apart = |b: &u8| !b.is_ascii_alphanumeric();
        let start = text[at..digit]
            .iter()
            .rposition(is_apart)
            .map_or(at, |i| at + i + 1);
        out.extend_from_slice(&text[at..start]);
        if is_uuid(&text[start..]) {
            out.push(b'x');
            at = start + UUID_LENGTH;
            continue;
        }
        let end = text[digit..]
            .iter()
            .position(is_apart)
            .map_or(text.len(), |i| digit + i);
        mask_run(&text[start..end], out);
        at = end;
    }
    out.extend_from_slice(&text[at..]);
}

const UUID_LENGTH: usize = 36;

fn is_uuid(text: &[u8]) -> bool {
    let Some(text) = text.get(..UUID_LENGTH) else {
        return false;
    };
    text.iter().enumerate().all(|(i, b)| match i {
        8 | 13 | 18 | 23 => *b == b'-',
        _ => b.is_ascii_hexdigit(),
    })
}

/// A run of letters and digits, at least one of them a digit.
fn mask_run(run: &[u8], out: &mut Vec<u8>) {
    let digits = run.iter().filter(|b| b.is_ascii_digit()).count();
    let is_number = digits == run.len();
    let is_hex = run.len() >= 8 && run.iter().all(u8::is_ascii_hexdigit);
    let is_token = run.len() >= 12 && digits >= 2;
    if !is_number && (is_hex || is_token) {
        out.push(b'x');
        return;
    }
    // A long number among hexadecimal ids is one of them that happens to have no letter: 32 digits are no count.
    if is_number && run.len() >= 20 {
        out.push(b'x');
        return;
    }
    let mut in_number = false;
    for byte in run {
        if byte.is_ascii_digit() {
            if !in_number {
                out.push(b'#');
            }
            in_number = true;
        } else {
            out.push(*byte);
            in_number = false;
        }
    }
}
