//! Too little is allowed: one sentence, exit code 3, and the run goes on once there is more.

use crate::crash::{Left, assert_archive, assert_sound, crawl_args, site, undisturbed};
use gleaner_testkit::program::{Finished, Running};
use gleaner_testkit::{Gleaner, HostileServer, SynthSite};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_mins(2);

/// Runs a command under a limit of its shell.
fn run_limited(gleaner: &Gleaner, args: &[&str], limit: &str) -> Finished {
    let inner = gleaner.command(args);
    let mut command = Command::new("bash");
    let script = format!("ulimit {limit}; exec \"$@\"");
    command.args(["-c", &script, "bash"]).arg(inner.get_program());
    command
        .args(inner.get_args())
        .envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Running::start(command).unwrap().wait(PATIENCE)
}

/// It ended by itself, with a sentence that names what helps.
fn expect_sentence(ended: &Finished, words: &str, limit: &str) {
    assert_eq!(ended.code(), Some(3), "{limit}: {ended}");
    assert!(ended.stderr.contains(words), "{limit}: {ended}");
    assert!(!ended.stderr.contains("panicked"), "{limit}: {ended}");
}

fn crawl_limited(site: &SynthSite, limit: &str, words: &str) {
    let undisturbed = undisturbed(site);
    let gleaner = Gleaner::new();
    let args = crawl_args(site);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    expect_sentence(&run_limited(&gleaner, &args, limit), words, limit);
    let again = run_limited(&gleaner, &["resume"], limit);
    expect_sentence(&again, words, limit);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, limit);
    Left::of(&gleaner).assert_same(&undisturbed, limit);
    assert_archive(&gleaner.data(), limit);
}

#[test]
fn case05_few_open_files() {
    crawl_limited(&site(60, 0.0), "-n 16", "open files");
}

#[test]
fn case05_files_may_not_grow() {
    // In blocks of 1,024 bytes.
    for limit in ["-f 700", "-f 1500"] {
        crawl_limited(&site(400, 0.0), limit, "ulimit -f");
    }
}

#[test]
fn case05_a_large_file_may_not_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 5_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let large: Vec<u8> = (0..6 * 1024 * 1024).map(|_| noise()).collect();
    std::fs::write(folder.path().join("large.bin"), &large).unwrap();
    std::fs::write(folder.path().join("small.txt"), "small").unwrap();
    let source = folder.path().display().to_string();
    let gleaner = Gleaner::new();
    let crawl = ["crawl", &source, "--types", "all"];
    expect_sentence(
        &run_limited(&gleaner, &crawl, "-f 4000"),
        "File too large",
        "-f 4000",
    );
    gleaner.run(&["resume"]).expect_code(&[0]);
    let url = format!("file://{source}/large.bin");
    let cat = gleaner.command(&["cat", &url]).output().unwrap();
    assert!(cat.stdout == large);
    assert_sound(&gleaner, "a large file");
}

#[test]
fn case05_little_memory() {
    crawl_limited(&site(60, 0.0), "-v 200000", "too little memory");
}

/// Enough to begin with, and not enough for what comes: whatever gives way first, it says so and loses nothing.
#[test]
fn case05_memory_that_runs_out() {
    let server = HostileServer::start();
    let large = "<p>words and words".repeat(3_000_000);
    server
        .route(
            "/",
            gleaner_testkit::hostile::page("<a href=/large>l</a> <a href=/small>s</a>"),
        )
        .route("/large", gleaner_testkit::hostile::page(&large))
        .route("/small", gleaner_testkit::hostile::page("small"));
    let start = server.url("/");
    let gleaner = Gleaner::new();
    let ended = run_limited(&gleaner, &["crawl", &start, "--delay", "0"], "-v 300000");
    match ended.code() {
        // Only the large page was too much, if anything was.
        Some(0) => gleaner.run(&["track", "--delay", "0"]).expect_code(&[0]),
        Some(3) if ended.stderr.contains("memory") => gleaner.run(&["resume"]).expect_code(&[0]),
        _ => panic!("{ended}"),
    };
    gleaner.run(&["verify"]).expect_code(&[0]);
    let kept = gleaner.sqlite_number("SELECT count(*) FROM documents");
    assert_eq!(kept, 3);
}
