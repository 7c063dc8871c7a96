//! Traps that the URL itself gives away (HC036, HC039): no memory needed.

use gleaner_model::defaults::{TRAP_PARAMETERS_MAX, TRAP_PATH_DEPTH_MAX, TRAP_SEGMENT_REPEATS};
use gleaner_model::{Reason, Url};

/// The trap that `url` walks into by its looks, if any.
pub fn syntax(url: &Url) -> Option<Reason> {
    let path = url.path();
    let slashes = memchr::memchr_iter(b'/', path.as_bytes()).count();
    if slashes > TRAP_PATH_DEPTH_MAX {
        return Some(Reason::TrapDepth);
    }
    if slashes >= TRAP_SEGMENT_REPEATS && (repeats(path) || has_gaps(path)) {
        return Some(Reason::TrapRepeating);
    }
    let query = url.query()?;
    if memchr::memchr_iter(b'&', query.as_bytes()).count() >= TRAP_PARAMETERS_MAX {
        return Some(Reason::TrapParameters);
    }
    pairs_repeat(query).then_some(Reason::TrapRepeating)
}

/// One segment three times (`/a/b/a/c/a`), or a group of segments three times in a row (`/1/2/1/2/1/2`).
/// Numbers alone may repeat in dates (`/2001/01/01/01`), so single segments count only if they hold a letter.
fn repeats(path: &str) -> bool {
    let mut segments = [""; TRAP_PATH_DEPTH_MAX + 1];
    let mut count = 0;
    for segment in path.split('/').filter(|s| !s.is_empty()).take(segments.len()) {
        segments[count] = segment;
        count += 1;
    }
    let segments = &segments[..count];
    let has_letter = |s: &str| s.bytes().any(|b| b.is_ascii_alphabetic());
    for (index, segment) in segments.iter().enumerate() {
        let later = segments[index + 1..].iter().filter(|s| *s == segment).count();
        if later + 1 >= TRAP_SEGMENT_REPEATS && has_letter(segment) {
            return true;
        }
    }
    (2..=count / TRAP_SEGMENT_REPEATS).any(|period| {
        let length = period * TRAP_SEGMENT_REPEATS;
        segments
            .windows(length)
            .any(|w| (period..length).all(|i| w[i] == w[i - period]))
    })
}

/// Three segments without a name. Those behind a colon are the slashes of an address.
fn has_gaps(path: &str) -> bool {
    let inner = path.trim_start_matches('/');
    let (mut gaps, mut before) = ((path.len() - inner.len()).saturating_sub(1), "");
    let mut segments = inner.split('/').peekable();
    while let Some(segment) = segments.next() {
        // The last one is empty in the address of a folder.
        let is_gap = segment.is_empty() && segments.peek().is_some() && !before.ends_with(':');
        gaps += usize::from(is_gap);
        before = segment;
    }
    gaps >= TRAP_SEGMENT_REPEATS
}

/// The same name and value three times: a query that grows by itself. Other values are a list (`id=1&id=2&id=3`).
fn pairs_repeat(query: &str) -> bool {
    let mut pairs = [""; TRAP_PARAMETERS_MAX];
    let mut count = 0;
    for pair in query.split('&').filter(|p| !p.is_empty()).take(pairs.len()) {
        pairs[count] = pair;
        count += 1;
    }
    if count < TRAP_SEGMENT_REPEATS {
        return false;
    }
    pairs[..count].sort_unstable();
    pairs[..count]
        .windows(TRAP_SEGMENT_REPEATS)
        .any(|w| w.iter().all(|p| *p == w[0]))
}
