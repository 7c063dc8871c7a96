//! A file of a gigabyte, cut in the middle: resumed, whole, and never in memory (A1).

use super::relay::Relay;
use gleaner_testkit::Gleaner;
use gleaner_testkit::servers::{FtpProgram, FtpSecurity, FtpServer, SshServer};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 1 << 30;
/// Where the connection is cut.
const CUT_AT: u64 = 600 << 20;
/// What comes again after a cut: an overlap, and what was under way.
const REPEATED_MAX: u64 = 64 << 20;
const MEMORY_MAX_KB: u64 = 128 * 1024;
const PATIENCE: Duration = Duration::from_mins(5);

fn write_file(site: &Path) {
    let file = std::fs::File::create(site.join("large.bin")).expect("a file");
    let mut to = BufWriter::with_capacity(1 << 20, &file);
    let mut state = 0x1234_5678_9abc_def1_u64;
    for _ in 0..FILE_BYTES / 64 {
        // No two lines alike, so that a piece in the wrong place shows.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        writeln!(to, "{state:016x}{:>47}", "and the rest of a line").expect("room");
    }
    to.flush().expect("room");
    drop(to);
    let then = std::time::SystemTime::now() - Duration::from_hours(500);
    file.set_modified(then).expect("a time");
}

/// The most memory that a process has had so far.
pub(super) fn peak_kb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn is_same(mut one: impl Read, mut two: impl Read) -> bool {
    let (mut a, mut b) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let count = one.read(&mut a).expect("bytes");
        if count == 0 {
            return two.read(&mut b).expect("bytes") == 0;
        }
        if two.read_exact(&mut b[..count]).is_err() || a[..count] != b[..count] {
            return false;
        }
    }
}

fn is_resumed(site: &Path, url: &str, flags: &[&str], relay: &Relay) {
    let gleaner = Gleaner::new();
    let mut arguments = vec!["crawl", url, "--name", "large", "--max-body", "2G", "--json"];
    arguments.extend_from_slice(flags);
    let mut running = gleaner.spawn(&arguments);
    let (begun, mut peak) = (Instant::now(), 0);
    while !running.has_ended() {
        peak = peak.max(peak_kb(running.id()).unwrap_or_default());
        assert!(begun.elapsed() < PATIENCE, "it takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
    let finished = running.wait(PATIENCE);
    finished.expect_code(&[0]);
    assert_eq!(finished.json()["new"], 1, "{finished}");
    assert_eq!(relay.cuts(), 1, "the connection was cut");
    assert!(
        relay.passed() < FILE_BYTES + REPEATED_MAX,
        "resumed and not begun anew: {} bytes",
        relay.passed()
    );
    assert!(peak > 0 && peak < MEMORY_MAX_KB, "{peak} KB of memory");
    let mut shown = gleaner
        .command(&["cat", url])
        .stdout(Stdio::piped())
        .spawn()
        .expect("gleaner cat");
    let stored = BufReader::with_capacity(1 << 20, shown.stdout.take().expect("its output"));
    let served = std::fs::File::open(site.join("large.bin")).expect("the file");
    assert!(is_same(stored, served), "byte for byte");
    assert!(shown.wait().expect("an end").success());
}

#[test]
fn a1_a_gigabyte_over_ftp_is_resumed_after_a_cut() {
    match FtpServer::start(FtpProgram::Vsftpd, FtpSecurity::Plain, write_file) {
        Ok(server) => {
            let relay = Relay::to(server.address(), CUT_AT);
            let url = format!("ftp://{}/large.bin", relay.address);
            is_resumed(&server.site(), &url, &[], &relay);
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

#[test]
fn a1_a_gigabyte_over_sftp_is_resumed_after_a_cut() {
    match SshServer::start(write_file) {
        Ok(server) => {
            let relay = Relay::to(server.address(), CUT_AT);
            let url = server.url_at(relay.address, "/large.bin");
            let key = server.key_file().display().to_string();
            let flags = ["--user", server.user(), "--key-file", &key];
            is_resumed(&server.site(), &url, &flags, &relay);
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}
