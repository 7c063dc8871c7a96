//! Every default, with its unit and the reason for the number. docs/limits.md is checked against this file.

use std::time::Duration;

/// What we say we are in robots.txt groups and robots meta tags.
pub const AGENT_TOKEN: &str = "gleaner";

// Time on the wire. Ten seconds are three lost packets' worth of patience; slower is broken, not slow.
pub const RESOLVE_TIMEOUT: Duration = Duration::from_secs(10);
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
pub const TLS_TIMEOUT: Duration = Duration::from_secs(10);
pub const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(30);
pub const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
pub const FETCH_TIMEOUT: Duration = Duration::from_mins(10);
/// The slowest acceptable rate, averaged over [`RATE_WINDOW`].
pub const RATE_MIN_BYTES_PER_S: u64 = 1024;
pub const RATE_WINDOW: Duration = Duration::from_mins(1);
/// An idle kept-alive connection is closed after this: servers mostly close theirs at 5 to 75 s.
pub const KEEP_ALIVE: Duration = Duration::from_secs(4);

// Sizes on the wire.
pub const HEADERS_BYTES_MAX: usize = 256 * 1024;
pub const HEADER_FIELDS_MAX: usize = 512;
pub const BODY_BYTES_MAX: u64 = 100 * 1024 * 1024;
pub const DECODED_BYTES_MAX: u64 = 100 * 1024 * 1024;
/// Past this many decoded bytes, at most [`EXPANSION_MAX`] to 1 is believed.
pub const EXPANSION_FREE_BYTES: u64 = 10 * 1024 * 1024;
pub const EXPANSION_MAX: u64 = 200;
pub const ENCODINGS_MAX: usize = 3;
/// A body up to this stays in memory; a larger one goes to a spool file, so that 64 fetches at once stay below 64 MiB.
pub const SPOOL_BYTES: usize = 1024 * 1024;
pub const REDIRECTS_MAX: u32 = 10;
pub const ROBOTS_REDIRECTS_MAX: u32 = 5;

// URLs and pages.
pub const URL_BYTES_MAX: usize = 8 * 1024;
/// Above this many decoded bytes the rest of a page is not searched for links; the cut is noted.
pub const PARSE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Between two looks at a page that differs: clocks on pages show seconds.
pub const LOOK_AGAIN: Duration = Duration::from_millis(1200);
/// Larger pages are compared as streams: by the digest of their words and of where their links lead, so nothing in them is
/// learned or overlooked. A tree takes ten times the memory of its page, two are needed, and every thread that reads may
/// hold two: 40 MiB for each. A page with more text than this is a log or a data set, where every word counts anyway.
pub const COMPARE_BYTES_MAX: usize = 2 * 1024 * 1024;
pub const HTML_DEPTH_MAX: usize = 512;
pub const HTML_ATTRIBUTES_MAX: usize = 1000;
pub const LINKS_PER_PAGE_MAX: usize = 50_000;
pub const ANCHOR_CHARS_MAX: usize = 200;
pub const TITLE_CHARS_MAX: usize = 300;

// robots.txt (RFC 9309 asks for at least 500 KiB and at most a day of caching).
pub const ROBOTS_BYTES_MAX: usize = 512 * 1024;
pub const ROBOTS_LINE_BYTES_MAX: usize = 16 * 1024;
pub const ROBOTS_CACHE: Duration = Duration::from_hours(24);
/// A larger Crawl-delay is taken as this: slower would mean one page a day.
pub const CRAWL_DELAY_MAX: Duration = Duration::from_mins(5);

// Sitemaps (the protocol's own limits).
pub const SITEMAP_BYTES_MAX: u64 = 50 * 1024 * 1024;
pub const SITEMAP_ENTRIES_MAX: usize = 50_000;
/// Of one folder of a file or news server.
pub const ENTRIES_PER_FOLDER_MAX: usize = 1_000_000;
/// Of those, what is judged and kept at once: some megabytes in memory, and a commit that takes a fraction of a second.
pub const ENTRIES_PER_PIECE: usize = 4096;
pub const SITEMAP_DEPTH_MAX: u32 = 3;
pub const SITEMAPS_PER_HOST_MAX: u32 = 1000;
/// How far a site's clock and ours may differ before a date in its lists is believed: servers without NTP drift by minutes.
pub const LIST_CLOCK_SLACK: Duration = Duration::from_mins(10);
/// Changes that a host's lists must have announced, since they last failed to, before they are believed.
pub const LIST_PROOFS: u32 = 10;
/// Of so many pages that a believed list calls unchanged one is asked for in every run, another one each time.
pub const LIST_SAMPLE: u32 = 20;

// Cookies.
pub const COOKIES_PER_RESPONSE_MAX: usize = 50;
pub const COOKIES_PER_SITE_MAX: usize = 200;
pub const COOKIE_BYTES_MAX: usize = 4 * 1024;
pub const COOKIES_SENT_BYTES_MAX: usize = 8 * 1024;

// Manners.
pub const DELAY: Duration = Duration::from_secs(1);
/// Adaptive pace waits this many times the host's usual response time …
pub const DELAY_FACTOR: u32 = 5;
/// … but never longer than this.
pub const DELAY_ADAPTIVE_MAX: Duration = Duration::from_secs(30);
pub const RESPONSE_TIME_WEIGHT: f64 = 0.3;
pub const PER_HOST: usize = 1;
/// Connections to one address, however many host names live there.
pub const PER_ADDRESS: usize = 2;
pub const CONCURRENCY: usize = 16;
/// An answer is silent below this rate: a page of 50 KiB takes 12 s then.
pub const SLOW_BYTES_PER_S: u64 = 4 * 1024;
/// After so long a silence it does not count against the concurrency any more.
pub const SLOW_AFTER: Duration = Duration::from_secs(2);
/// The same for one that others overtake; also how often answers are looked at.
pub const SLOW_LOOK: Duration = Duration::from_millis(100);
/// The same for a host that was never heard. It is what finding the hosts that answer costs at the start: at 100 ms, a crawl of
/// 100 quick hosts beside 100 dead ones took 15 % longer.
pub const FIRST_LOOK: Duration = Duration::from_millis(50);
/// Answers that are waited for beside that: each is a socket, and up to 64 KiB of buffers.
pub const ASIDE_MAX: usize = 512;
pub const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);
pub const BACKOFF_FIRST: Duration = Duration::from_secs(30);
pub const BACKOFF_MAX: Duration = Duration::from_hours(6);
/// Tries of one URL, the first included.
pub const TRIES_MAX: u32 = 3;
/// Waits before the second and the third try of a URL whose failure may pass.
pub const RETRY_WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];
/// A host that asks for a longer pause than this does not hold up the end of a run.
pub const PAUSE_WORTH_WAITING: Duration = Duration::from_mins(5);

// Workers.
/// How long a worker has a host to itself without a word: longer than it goes without renewing, and than most hosts are to be
/// left alone between two requests. The hosts of a worker that died wait as long.
pub const HOST_LEASE: Duration = Duration::from_mins(1);

// Traps (A10).
pub const TRAP_SEGMENT_REPEATS: usize = 3;
pub const TRAP_PARAMETERS_MAX: usize = 40;
pub const TRAP_PATH_DEPTH_MAX: usize = 20;
/// Fetches of one URL shape that are looked back on, and the share of copies that closes it.
pub const TRAP_WINDOW: usize = 50;
pub const TRAP_COPIES_SHARE: f64 = 0.9;
/// A shape with more than this many discovered URLs per distinct text, after [`TRAP_GROWTH_AFTER`] fetches, is slowed.
pub const TRAP_GROWTH_FACTOR: u64 = 20;
pub const TRAP_GROWTH_AFTER: u64 = 200;
pub const TRAP_CALENDAR_YEARS: i32 = 2;
pub const TRAP_HOST_BUDGET: u64 = 10_000_000;

// Archive.
pub const ARCHIVE_FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;
