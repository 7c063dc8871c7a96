//! Measures the index by itself, without a store: `bench/scores/search.py` calls it.
//!
//! `measure index FOLDER DOCUMENTS` adds a document for each line of JSON `{"title","text"}`, numbered from 1, beyond those the
//! index has: killed and called again it goes on. `measure ask FOLDER QUESTIONS` answers a question for each line.
#![expect(clippy::print_stdout, reason = "a command that shows figures")]

use gleaner_search::{Commit, Entry, Index, Passage, Question, SearchError};
use serde_json::{Value, json};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

const COMMIT_EVERY: i64 = 16_384;
const ANSWERS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder, file] = arguments.as_slice() else {
        return Err("usage: measure index|ask FOLDER FILE".into());
    };
    let lines = BufReader::new(File::open(file)?).lines();
    let index = Index::open(Path::new(folder))?;
    match what.as_str() {
        "index" => fill(&index, lines),
        "ask" => ask(&index, lines),
        _ => Err("usage: measure index|ask FOLDER FILE".into()),
    }
}

fn fill(index: &Index, lines: impl Iterator<Item = std::io::Result<String>>) -> Result<(), Box<dyn Error>> {
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
        let passages = text.split("\n\n").map(|text| Passage {
            text,
            is_heading: text.starts_with('#'),
            is_main: true,
        });
        writer.add(&Entry {
            version: position,
            project: 1,
            host: "a.test",
            url: &format!("http://a.test/{position}"),
            media_type: "text/html",
            title,
            passages: passages.collect(),
        })?;
        if position % COMMIT_EVERY == 0 {
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
        source: String::new(),
    }
}

fn word<'v>(document: &'v Value, name: &str) -> &'v str {
    document[name].as_str().unwrap_or_default()
}

fn ask(index: &Index, lines: impl Iterator<Item = std::io::Result<String>>) -> Result<(), Box<dyn Error>> {
    for line in lines {
        let began = Instant::now();
        let question = Question::parse(&line?)?;
        let hits = index.top::<SearchError>(&question, ANSWERS, None, |_| Ok(true))?;
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        let found: Vec<i64> = hits.iter().map(|hit| hit.version).collect();
        println!("{}", json!({ "ms": ms, "found": found }));
    }
    Ok(())
}
