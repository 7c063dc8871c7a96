//! Who links to whom: the graph of what was collected, told, compared, exported and drawn (E4–E6, J3).

mod asked;
mod bad_input;
mod compared;
mod drawn;
mod edges;
mod exported;
mod peers;
mod told;

use crate::crawled::crawl_well;
use gleaner_testkit::program::Finished;
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite};
use std::path::PathBuf;
use std::process::Command;

/// A small site on a few hosts, crawled.
fn crawled(hosts: u64, pages: u64) -> (SynthSite, Gleaner) {
    let site = SynthSite::start(SynthOptions {
        hosts,
        min_kb: 1.0,
        max_kb: 3.0,
        ..SynthOptions::pages(pages)
    });
    let gleaner = Gleaner::new();
    let more = [
        "--name",
        "synth",
        "--allow-private",
        "--allow",
        "http://127\\.0\\.",
    ];
    crawl_well(&gleaner, site.seed_url(), &more);
    (site, gleaner)
}

fn graph(gleaner: &Gleaner, words: &[&str]) -> Finished {
    let mut all = vec!["graph"];
    all.extend(words);
    let finished = gleaner.run(&all);
    finished.expect_code(&[0]);
    finished
}

/// Where `tools/setup.sh` puts what it installs.
fn cache() -> PathBuf {
    std::env::var_os("GLEANER_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/gleaner"),
        PathBuf::from,
    )
}

/// Python with what `tools/setup.sh` installs for graphs; none where it is not there.
fn python(script: &str, arguments: &[&str]) -> Option<String> {
    let program = cache().join("venv/bin/python");
    let has_networkx = Command::new(&program)
        .args(["-c", "import networkx, scipy"])
        .output();
    if !has_networkx.is_ok_and(|output| output.status.success()) {
        gleaner_fixtures::skip("no networkx and scipy (tools/setup.sh installs them)");
        return None;
    }
    let output = Command::new(program)
        .arg("-c")
        .arg(script)
        .args(arguments)
        .output()
        .expect("python runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).expect("text"))
}
