//! Makes the table of weights for key phrases, and says how good it is.
//!
//! `cargo run --release -p gleaner-concepts --example train_phrases -- CORPORA [--write]`
//!
//! Learns from `CORPORA/keyphrases/*.jsonl.zst` (`{"text", "keys"}` a line). Figures are F1 of the ten best phrases, by stems,
//! averaged over documents: across validated in four parts, with each set left out, and in the sample.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use gleaner_concepts::phrases::{Background, Example, Features, Model, described};
use gleaner_concepts::{Analyser, words_of};

/// Sets are of different sizes: each counts about alike.
const DOCUMENTS_WANTED: usize = 1_000;
const ROUNDS: u32 = 5;

struct Document {
    candidates: Vec<(String, Features)>,
    /// The same without a background, as for a document that is read alone.
    by_itself: Vec<(String, Features)>,
    keys: BTreeSet<String>,
}

struct Set {
    name: String,
    documents: Vec<Document>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let corpora = arguments.first().context("give the folder of the corpora")?;
    let sets = read_sets(&Path::new(corpora).join("keyphrases"))?;
    for set in &sets {
        let parts: Vec<f64> = (0..4)
            .flat_map(|part| {
                let model = learn(&sets, |_, at| at % 4 != part);
                let tested = set
                    .documents
                    .iter()
                    .enumerate()
                    .filter(move |(at, _)| at % 4 == part);
                tested
                    .filter_map(move |(_, document)| f1(&model, document))
                    .collect::<Vec<_>>()
            })
            .collect();
        let without = learn(&sets, |name, _| name != set.name);
        let whole = learn(&sets, |_, _| true);
        let all = |model: &Model| {
            mean(
                &set.documents
                    .iter()
                    .filter_map(|document| f1(model, document))
                    .collect::<Vec<_>>(),
            )
        };
        println!(
            "keyphrases/{}\tF1@10\tcross-validated {:.3}\tset left out {:.3}\tin the sample {:.3}",
            set.name,
            mean(&parts),
            all(&without),
            all(&whole)
        );
    }
    if arguments.iter().any(|argument| argument == "--write") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/phrases/weights.tsv");
        std::fs::write(&file, learn(&sets, |_, _| true).write())?;
        println!("written: src/phrases/weights.tsv");
    }
    Ok(())
}

fn learn(sets: &[Set], used: impl Fn(&str, usize) -> bool) -> Model {
    let mut examples = Vec::new();
    for set in sets {
        let times = (DOCUMENTS_WANTED / set.documents.len()).clamp(1, 8) as u32;
        for (at, document) in set
            .documents
            .iter()
            .enumerate()
            .filter(|(at, _)| used(&set.name, *at))
        {
            // Every fourth document is learned from as if it stood alone.
            let candidates = if at % 16 < 4 {
                &document.by_itself
            } else {
                &document.candidates
            };
            let candidates = candidates
                .iter()
                .map(|(stems, features)| (features.clone(), document.keys.contains(stems)))
                .collect();
            examples.push(Example { candidates, times });
        }
    }
    Model::learn(&examples, ROUNDS)
}

/// F1 of the ten best; nothing for a document without keys.
fn f1(model: &Model, document: &Document) -> Option<f64> {
    if document.keys.is_empty() {
        return None;
    }
    let mut scored: Vec<(f64, &str)> = document
        .candidates
        .iter()
        .map(|(stems, features)| (model.score(features), stems.as_str()))
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    scored.truncate(10);
    let right = scored
        .iter()
        .filter(|(_, stems)| document.keys.contains(*stems))
        .count() as f64;
    if right == 0.0 {
        return Some(0.0);
    }
    let (precision, recall) = (right / scored.len() as f64, right / document.keys.len() as f64);
    Some(2.0 * precision * recall / (precision + recall))
}

fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

fn read_sets(folder: &Path) -> Result<Vec<Set>> {
    let language = Analyser::of("en");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut sets = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".jsonl.zst") else {
            continue;
        };
        let lines = String::from_utf8(zstd::decode_all(std::fs::File::open(file.path())?)?)?;
        let rows: Vec<serde_json::Value> = lines
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        let text = |row: &serde_json::Value| row["text"].as_str().unwrap_or_default().to_owned();
        let mut background = Background::default();
        for row in &rows {
            background.add(&text(row), language);
        }
        let stems = |phrase: &str| {
            let words = words_of(phrase, language).into_iter();
            let stems = words.map(|word| {
                if word.counts {
                    word.stem
                } else {
                    language.stem(&word.stem)
                }
            });
            stems.collect::<Vec<_>>().join(" ")
        };
        let describe = |text: &str, background: Option<&Background>| -> Vec<(String, Features)> {
            described(text, language, background)
                .into_iter()
                .map(|(traits, features)| (traits.stems, features))
                .collect()
        };
        let documents = rows
            .iter()
            .map(|row| {
                let keys = row["keys"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|key| key.as_str());
                Document {
                    candidates: describe(&text(row), Some(&background)),
                    by_itself: describe(&text(row), None),
                    keys: keys.map(stems).filter(|key| !key.is_empty()).collect(),
                }
            })
            .collect();
        sets.push(Set {
            name: name.to_owned(),
            documents,
        });
    }
    Ok(sets)
}
