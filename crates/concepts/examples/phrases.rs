//! Makes the table of weights for key phrases, and the phrases that `bench/scores/sets/keyphrases.py` judges.
//!
//! ```text
//!  phrases CORPORA            the phrases of each document, by the table that comes with the program
//!  phrases CORPORA --cross    also by tables that have not seen the document (`crossed`)
//!  phrases CORPORA --write    makes the table anew
//! ```
//! Reads `CORPORA/keyphrases/*.jsonl.zst` (`{"id","text","keys"}` a line) and prints `{"set","id","phrases","crossed"}`. A table
//! that has not seen a document was made from other documents of all sets: every eighth is left out in turn.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use gleaner_concepts::phrases::{Background, Example, Features, PhraseModel, described};
use gleaner_concepts::{Analyser, words_of};
use serde_json::{Value, json};

/// Sets are of different sizes: each counts about alike.
const DOCUMENTS_WANTED: usize = 1_000;
const ROUNDS: u32 = 5;
/// Parts of the data for crossed figures.
const PARTS: usize = 8;
/// Phrases of a document that are shown: some more than are judged.
const SHOWN: usize = 15;

struct Document {
    id: Value,
    /// As written, with their stems and what describes them.
    candidates: Vec<(String, String, Features)>,
    /// The same without a background, as for a document that is read alone.
    by_itself: Vec<(String, String, Features)>,
    keys: BTreeSet<String>,
}

struct Set {
    name: String,
    documents: Vec<Document>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpora, rest @ ..] = arguments.as_slice() else {
        bail!("usage: phrases CORPORA [--cross | --write]");
    };
    let sets = read_sets(&Path::new(corpora).join("keyphrases"))?;
    match rest.first().map(String::as_str) {
        None => print(&sets, &[]),
        Some("--cross") => print(&sets, &crossed(&sets)),
        Some("--write") => {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/phrases/weights.tsv");
            std::fs::write(&file, learn(&sets, |_| true).write())?;
            println!("written: src/phrases/weights.tsv");
        }
        Some(other) => bail!("not known: {other}"),
    }
    Ok(())
}

/// A table for each part that has seen all other parts.
fn crossed(sets: &[Set]) -> Vec<PhraseModel> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..PARTS)
            .map(|part| scope.spawn(move || learn(sets, |at| at % PARTS != part)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker ends without a panic"))
            .collect()
    })
}

fn print(sets: &[Set], crossed: &[PhraseModel]) {
    for set in sets {
        for (at, document) in set.documents.iter().enumerate() {
            let mut row = json!({"set": set.name, "id": document.id, "phrases": best(PhraseModel::built_in(), document)});
            if let Some(model) = crossed.get(at % PARTS) {
                row["crossed"] = json!(best(model, document));
            }
            println!("{row}");
        }
    }
}

fn learn(sets: &[Set], used: impl Fn(usize) -> bool) -> PhraseModel {
    let mut examples = Vec::new();
    for set in sets {
        let times = (DOCUMENTS_WANTED / set.documents.len()).clamp(1, 8) as u32;
        for (at, document) in set.documents.iter().enumerate().filter(|(at, _)| used(*at)) {
            // Every fourth document is learned from as if it stood alone.
            let candidates = if at % 16 < 4 {
                &document.by_itself
            } else {
                &document.candidates
            };
            let candidates = candidates
                .iter()
                .map(|(_, stems, features)| (features.clone(), document.keys.contains(stems)))
                .collect();
            examples.push(Example { candidates, times });
        }
    }
    PhraseModel::learn(&examples, ROUNDS)
}

fn best<'d>(model: &PhraseModel, document: &'d Document) -> Vec<&'d str> {
    let mut scored: Vec<(f64, &str, &str)> = document
        .candidates
        .iter()
        .map(|(text, stems, features)| (model.score(features), stems.as_str(), text.as_str()))
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    scored.into_iter().take(SHOWN).map(|(_, _, text)| text).collect()
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
        let rows: Vec<Value> = lines
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        let text = |row: &Value| row["text"].as_str().unwrap_or_default().to_owned();
        let mut background = Background::default();
        for row in &rows {
            background.add(&text(row), language);
        }
        let describe = |text: &str, background: Option<&Background>| -> Vec<(String, String, Features)> {
            described(text, language, background)
                .into_iter()
                .map(|(traits, features)| (traits.text, traits.stems, features))
                .collect()
        };
        let documents = rows
            .iter()
            .map(|row| Document {
                id: row["id"].clone(),
                candidates: describe(&text(row), Some(&background)),
                by_itself: describe(&text(row), None),
                keys: keys(row, language),
            })
            .collect();
        sets.push(Set {
            name: name.to_owned(),
            documents,
        });
    }
    Ok(sets)
}

/// The phrases that somebody chose, by their stems.
fn keys(row: &Value, language: &Analyser) -> BTreeSet<String> {
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
    let given = row["keys"].as_array().into_iter().flatten();
    given
        .filter_map(|key| key.as_str())
        .map(stems)
        .filter(|key| !key.is_empty())
        .collect()
}
