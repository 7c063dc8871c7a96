//! Measures the index by itself, without a store: `bench/scores/sets/search.py` calls it.
//!
//! ```text
//!  measure index FOLDER DOCUMENTS [N]   adds a document for each line of JSON {"title","text"}, numbered from 1, beyond those
//!                                       the index has, a commit every N: killed and called again it goes on
//!  measure read FOLDER DOCUMENTS        only reads the lines
//!  measure ask FOLDER QUESTIONS         answers a question for each line
//!  measure versions FOLDER FILE         the documents that the index has, in order
//! ```
#![expect(clippy::print_stdout, reason = "a command that shows figures")]

use gleaner_search::{Commit, Index, IndexEntry, IndexPassage, Question, SearchError};
use serde_json::{Value, json};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

const COMMIT_EVERY: i64 = 16_384;
const ANSWERS: usize = 10;
const USAGE: &str = "usage: measure index|read|ask|versions FOLDER FILE [N]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder, file, rest @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let lines = BufReader::new(File::open(file)?).lines();
    let every = rest.first().map_or(Ok(COMMIT_EVERY), |number| number.parse())?;
    if what == "read" {
        return read(lines);
    }
    let index = Index::open(Path::new(folder))?;
    match what.as_str() {
        "index" => fill(&index, lines, every),
        "ask" => ask(&index, lines),
        "versions" => versions(&index),
        _ => Err(USAGE.into()),
    }
}

fn read(lines: impl Iterator<Item = std::io::Result<String>>) -> Result<(), Box<dyn Error>> {
    let mut bytes = 0;
    for line in lines {
        let document: Value = serde_json::from_str(&line?)?;
        bytes += word(&document, "title").len() + word(&document, "text").len();
    }
    println!("{}", json!({ "text_bytes": bytes }));
    Ok(())
}

fn versions(index: &Index) -> Result<(), Box<dyn Error>> {
    let mut found = index.versions()?;
    found.sort_unstable();
    println!("{}", json!({ "found": found }));
    Ok(())
}

fn fill(
    index: &Index,
    lines: impl Iterator<Item = std::io::Result<String>>,
    every: i64,
) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let mut commit = index.commit()?.unwrap_or_default();
    let mut writer = index.writer()?;
    let (mut bytes, mut position) = (0, 0);
    for line in lines {
        let document: Value = serde_json::from_str(&line?)?;
        position += 1;
        let (title, text) = (word(&document, "title"), word(&document, "text"));
        bytes += title.len() + text.len();
        if position <= commit.position {
            continue;
        }
        let passages = text.split("\n\n").map(|text| IndexPassage {
            text,
            is_heading: text.starts_with('#'),
            is_main: true,
        });
        writer.add(&IndexEntry {
            version: position,
            project: 1,
            host: "a.test",
            url: &format!("http://a.test/{position}"),
            media_type: "text/html",
            title,
            passages: passages.collect(),
        })?;
        if position % every == 0 {
            commit = at(position);
            writer.commit(&commit)?;
        }
    }
    writer.commit(&at(position))?;
    writer.finish()?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "documents": position, "text_bytes": bytes, "seconds": seconds })
    );
    Ok(())
}

fn at(position: i64) -> Commit {
    Commit {
        position,
        ..Commit::default()
    }
}

fn word<'v>(document: &'v Value, name: &str) -> &'v str {
    document[name].as_str().unwrap_or_default()
}

fn ask(index: &Index, lines: impl Iterator<Item = std::io::Result<String>>) -> Result<(), Box<dyn Error>> {
    for line in lines {
        let (began, cpu_began) = (Instant::now(), cpu_ms());
        let question = Question::parse(&line?)?;
        let hits = index.top::<SearchError>(&question, ANSWERS, None, |_| Ok(true))?;
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        let found: Vec<i64> = hits.iter().map(|hit| hit.version).collect();
        println!(
            "{}",
            json!({ "ms": ms, "cpu_ms": cpu_ms() - cpu_began, "found": found })
        );
    }
    Ok(())
}

/// What this thread has computed so far.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e6
}
