//! What the main text is measured with, and what its model is made with.
//!
//! ```text
//!  gleaner-scores measure CORPORA      the checked-in model, by the way that every page goes
//!  gleaner-scores cross CORPORA        models that have not seen the host of the page they are measured on; with `rows`, page by
//!                                      page with the blocks of each; with a number, folds cut by another salt
//!  gleaner-scores judge CORPORA        texts of others, from the input: {"set","id","text"} a line
//!  gleaner-scores train CORPORA FILE   makes the model
//!  gleaner-scores dump CORPORA         what is taken from each page, in the form that `judge` reads
//!  gleaner-scores fields CORPORA       title, authors and day of each page; with `rows`, page by page
//!  gleaner-scores genre CORPORA        the genre of documents: S1's rules, models that have not seen the owner, the checked-in one;
//!                                      with `rows`, also each that was taken for another; `checked-in`: that one alone
//!  gleaner-scores genre-train CORPORA FILE  makes the model of genres
//!  gleaner-scores genre-dump CORPORA   what is seen of each document
//!  gleaner-scores copies CORPORA       pairs of texts that are copies, formats, versions or others, among 10,000 other texts;
//!                                      with `rows`, pair by pair
//!  gleaner-scores records CORPORA      what a catalogue would say of the files that the input names, one a line
//!  gleaner-scores judge-fields CORPORA those of others, from the input: {"set","id","title","author","date"} a line
//! ```
//! Figures are JSON lines `{"set","of","value"}`; `of` is `all`, a type of page, or what was measured.
#![allow(clippy::print_stdout, reason = "a command that shows figures")]

mod boost;
mod copies;
mod corpora;
mod fields;
mod figures;
mod genre;
mod gold;
mod model;
mod records;

use anyhow::{Context, Result, bail};
use corpora::{Gold, Sample};
use fields::{FieldFigures, Fields};
use figures::Figures;
use gleaner_parse::content::training::{KINDS, Model};
use gleaner_parse::content::{self, Selectors};
use model::{Ready, fold};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of the data for crossed figures.
const FOLDS: u64 = 6;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, folder, rest @ ..] = arguments.as_slice() else {
        bail!("usage: gleaner-scores measure|cross|judge|train|dump|fields|judge-fields CORPORA [FILE]");
    };
    match (command.as_str(), rest) {
        ("genre", rest @ ([] | [_])) => {
            let word = rest.first().map_or("", String::as_str);
            return genre::measure(Path::new(folder), word != "checked-in", word == "rows");
        }
        ("copies", rest @ ([] | [_])) => {
            return copies::measure(Path::new(folder), rest.first().is_some_and(|word| word == "rows"));
        }
        ("records", []) => return records::tell(),
        ("genre-dump", []) => return genre::dump(Path::new(folder)),
        ("genre-train", [file]) => return genre::train_to(Path::new(folder), Path::new(file)),
        _ => {}
    }
    let samples = corpora::load(Path::new(folder))?;
    match (command.as_str(), rest) {
        ("measure", []) => measure(&samples),
        ("cross", rest @ ([] | [_])) => {
            let word = rest.first().map_or("", String::as_str);
            cross(&samples, word == "rows", word.parse().unwrap_or(0));
            Ok(())
        }
        ("judge", []) => judge(&samples),
        ("fields", rest @ ([] | [_])) => {
            fields(&samples, rest.first().is_some_and(|word| word == "rows"));
            Ok(())
        }
        ("judge-fields", []) => judge_fields(&samples),
        ("dump", []) => {
            for sample in &samples {
                println!(
                    "{}",
                    json!({"set": sample.set, "id": sample.id, "text": main_text(sample)})
                );
            }
            Ok(())
        }
        ("train", [file]) => {
            let pages = ready(&samples);
            let all: Vec<&Ready<'_>> = pages.iter().collect();
            std::fs::write(file, model::train(&all).write())
                .with_context(|| format!("cannot be written: {file}"))
        }
        _ => bail!("not a command, or with too many words: {command}"),
    }
}

fn main_text(sample: &Sample) -> String {
    let page = content::read_said(&sample.address(), &corpora::headers(), &sample.body);
    page.map(|page| content::main_text(&page)).unwrap_or_default()
}

fn measure(samples: &[Sample]) -> Result<()> {
    let start = cpu_seconds();
    let texts: Vec<String> = samples.iter().map(main_text).collect();
    let spent = cpu_seconds() - start;
    let mut ours = Figures::default();
    let mut seed = Figures::default();
    let paragraphs = Selectors::check(&["p"], &[]).context("a plain selector")?;
    for (sample, text) in samples.iter().zip(&texts) {
        ours.add(sample, text);
        let cut = content::read_region(&sample.address(), &corpora::headers(), &sample.body, &paragraphs);
        seed.add(
            sample,
            &cut.map(|cut| content::text(&cut.content)).unwrap_or_default(),
        );
    }
    ours.print("");
    seed.print("seed ");
    print("speed", "speed", samples.len() as f64 / spent);
    Ok(())
}

fn cross(samples: &[Sample], prints_rows: bool, salt: u64) {
    let pages = ready(samples);
    let parts: Vec<u64> = (0..FOLDS).collect();
    let models = on_all(&parts, |part| {
        let seen: Vec<&Ready<'_>> = pages
            .iter()
            .filter(|page| fold(page.host(), salt, FOLDS) != *part)
            .collect();
        model::train(&seen)
    });
    let mut figures = Figures::default();
    let (mut right, mut known) = (0.0, 0.0);
    for page in &pages {
        let model = &models[fold(page.host(), salt, FOLDS) as usize];
        if let Some(kind) = page.sample.kind.as_deref().filter(|_| page.sample.set == "wcxb") {
            known += 1.0;
            right += f64::from(u8::from(KINDS[model::kind(model, page)] == kind));
        }
        let is_taken = page.page.taken(model);
        if prints_rows {
            println!("{}", row(model, page, &is_taken));
        }
        // Where nothing is visible no model is asked: the page is what it says of itself.
        let text = if is_taken.is_empty() {
            main_text(page.sample)
        } else {
            page.page.text(&is_taken)
        };
        figures.add(page.sample, &text);
    }
    if !prints_rows {
        figures.print("");
        print("wcxb", "types", right / f64::max(known, 1.0));
    }
}

/// One page whole, for looking at what went wrong.
fn row(model: &Model, page: &Ready<'_>, is_taken: &[bool]) -> Value {
    let kinds = model::kinds_of(model, page);
    let likely = page.page.likely(model, &kinds);
    let is_gold: Vec<bool> = page
        .labels
        .iter()
        .map(|label| label.is_some_and(|label| label > 0.5))
        .collect();
    let all = vec![true; likely.len()];
    let f1 = |is_taken: &[bool]| match &page.sample.gold {
        Gold::Text(gold) => {
            let counts = gold::word_counts(gold, &joined(page, is_taken));
            json!([counts.f1(), counts.precision(), counts.recall()])
        }
        Gold::Pieces { with, without } => json!(gold::pieces(&joined(page, is_taken), with, without)),
    };
    let blocks: Vec<Value> = page
        .page
        .texts()
        .enumerate()
        .map(|(at, text)| {
            json!([
                page.labels[at],
                likely[at],
                is_taken[at],
                text,
                page.page.path(at)
            ])
        })
        .collect();
    json!({
        "set": page.sample.set, "id": page.sample.id, "url": page.sample.url, "kind": page.sample.kind,
        "guess": KINDS[model::kind(model, page)], "kinds": kinds,
        "ours": f1(is_taken), "best": f1(&is_gold), "all": f1(&all),
        "blocks": blocks,
    })
}

fn judge(samples: &[Sample]) -> Result<()> {
    let by_id: HashMap<(&str, &str), &Sample> = samples
        .iter()
        .map(|one| ((one.set, one.id.as_str()), one))
        .collect();
    let mut figures = Figures::default();
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?).context("a line of the input is no JSON")?;
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        if let Some(seconds) = row["seconds"].as_f64() {
            print("speed", "speed", row["pages"].as_f64().unwrap_or(0.0) / seconds);
        } else if let Some(sample) = by_id.get(&(text("set"), text("id"))) {
            figures.add(sample, text("text"));
        }
    }
    figures.print("");
    Ok(())
}

fn fields(samples: &[Sample], prints_rows: bool) {
    let mut figures = FieldFigures::default();
    let found = on_all(samples, Fields::ours);
    for (sample, found) in samples.iter().zip(&found) {
        if prints_rows {
            println!("{}", fields::row(sample, found));
        }
        figures.add(sample, found);
    }
    if !prints_rows {
        figures.print();
    }
}

fn judge_fields(samples: &[Sample]) -> Result<()> {
    let mut found: HashMap<(String, String), Fields> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?).context("a line of the input is no JSON")?;
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        found.insert((text("set"), text("id")), Fields::theirs(&row));
    }
    let nothing = Fields::default();
    let mut figures = FieldFigures::default();
    for sample in samples {
        let key = (sample.set.to_owned(), sample.id.clone());
        figures.add(sample, found.get(&key).unwrap_or(&nothing));
    }
    figures.print();
    Ok(())
}

fn ready(samples: &[Sample]) -> Vec<Ready<'_>> {
    on_all(samples, Ready::of)
}

fn joined(page: &Ready<'_>, is_taken: &[bool]) -> String {
    let texts = page.page.texts().zip(is_taken).filter(|(_, is_taken)| **is_taken);
    texts.fold(String::new(), |out, (text, _)| out + text + "\n")
}

fn print(set: &str, of: &str, value: f64) {
    println!("{}", json!({"set": set, "of": of, "value": value}));
}

/// What this process has computed so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text
        .split(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(0.0);
    nanoseconds / 1e9
}

/// On all processors, results in order.
fn on_all<'a, T: Sync, R: Send>(items: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            done.push((at, work(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker ends without a panic"))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
