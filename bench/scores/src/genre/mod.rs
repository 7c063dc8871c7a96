//! What the genre of documents is measured with, and what its model is made with.

mod train;
mod weights;

use crate::model::fold;
use anyhow::{Context, Result};
use gleaner_library::genre::training::{GENRES, GenreModel, Judge};
use gleaner_library::genre::{Genre, Overrules, Seen, Subject};
use gleaner_parse::documents::{Given, Reading};
use gleaner_readers::{Pool, ReaderLimits};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use train::Ready;

/// Parts of the data for crossed figures.
const FOLDS: u64 = 5;

/// A document of the set.
pub(crate) struct Labelled {
    pub(crate) file: String,
    pub(crate) genre: Genre,
    /// Documents with the same key are of one owner.
    pub(crate) key: String,
    pub(crate) seen: Result<Seen, String>,
    /// What S1's rules look at.
    pub(crate) text: String,
    pub(crate) bytes: u64,
    pub(crate) reading: Option<Reading>,
}

pub(crate) fn load(corpora: &Path) -> Result<Vec<Labelled>> {
    let folder = corpora.join("genre");
    let manifest = folder.join("manifest.tsv");
    let list = std::fs::read_to_string(&manifest)
        .with_context(|| format!("cannot be read: {}", manifest.display()))?;
    let mut lines = list.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| {
        let at = head.iter().position(|known| *known == name);
        at.with_context(|| format!("the manifest has no column of this name: {name}"))
    };
    let (file, class, key) = (column("file")?, column("class")?, column("split_key")?);
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let mended = mended();
    let gleaner = std::env::current_exe()?.with_file_name("gleaner");
    let limits = ReaderLimits {
        time: Duration::from_mins(5),
        cpu: Duration::from_mins(1),
        ..ReaderLimits::default()
    };
    let pool = Pool::new(gleaner, limits);
    let read = crate::on_all(&rows, |row| -> Result<Labelled> {
        let name = row.get(file).context("a row without a file")?;
        let genre = row.get(class).and_then(|class| Genre::parse(class));
        let bytes = std::fs::read(folder.join(name))?;
        let base = name.rsplit('/').next().unwrap_or(name);
        let given = Given {
            media_type: "",
            name: base,
        };
        let mut text = String::new();
        let mut whole = None;
        let seen = match pool.read(&bytes, &given)? {
            Ok(reading) => {
                text = gleaner_parse::documents::to_text(&reading);
                let seen = Seen::of(&Subject {
                    reading: &reading,
                    name: Some(base),
                    size_bytes: Some(bytes.len() as u64),
                });
                whole = Some(reading);
                Ok(seen)
            }
            Err(unread) => Err(unread.to_string()),
        };
        Ok(Labelled {
            file: (*name).to_owned(),
            genre: (mended.get(name).copied().or(genre))
                .with_context(|| format!("a genre that is not known: {name}"))?,
            key: (*row.get(key).unwrap_or(name)).to_owned(),
            seen,
            text,
            bytes: bytes.len() as u64,
            reading: whole,
        })
    });
    read.into_iter().collect()
}

/// Labels that are wrong, with the right ones.
fn mended() -> BTreeMap<&'static str, Genre> {
    let lines = include_str!("../../genre-labels.tsv").lines();
    let rows = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter_map(|row| Some((*row.first()?, Genre::parse(row.get(1)?)?)))
        .collect()
}

fn ready(documents: &[Labelled]) -> Vec<Ready> {
    documents
        .iter()
        .filter_map(|document| {
            let seen = document.seen.as_ref().ok()?;
            Some(Ready {
                key: document.key.clone(),
                genre: document.genre as usize,
                nameless: seen.without(true, false),
                named: seen.clone(),
            })
        })
        .collect()
}

/// The model from all documents.
pub(crate) fn train_to(corpora: &Path, file: &Path) -> Result<()> {
    let documents = load(corpora)?;
    let ready = ready(&documents);
    let all: Vec<&Ready> = ready.iter().collect();
    std::fs::write(file, train::train(&all).write())
        .with_context(|| format!("cannot be written: {}", file.display()))
}

/// What is known of a document when it is judged.
const VIEWS: [(&str, bool, bool); 3] = [
    ("text", true, true),
    ("nameless", true, false),
    ("all", false, false),
];

/// Figures of S1's rules, of the checked-in model, and of models that have not seen the owner of what they judge.
pub(crate) fn measure(corpora: &Path, is_crossed: bool, prints_rows: bool) -> Result<()> {
    let documents = load(corpora)?;
    let ready = ready(&documents);
    let parts: Vec<u64> = if is_crossed {
        (0..FOLDS).collect()
    } else {
        Vec::new()
    };
    let models: Vec<GenreModel> = parts
        .iter()
        .map(|part| {
            let others: Vec<&Ready> = ready
                .iter()
                .filter(|one| fold(&one.key, 0, FOLDS) != *part)
                .collect();
            train::train(&others)
        })
        .collect();
    let nothing = Overrules::default();
    let judges: Vec<Judge<'_>> = models.iter().map(|model| Judge::new(model, &nothing)).collect();
    let checked_in = Judge::new(gleaner_library::genre::model(), &nothing);
    let mut seed = Tally::default();
    for document in &documents {
        let name = document.file.rsplit('/').next();
        let genre = gleaner_library::genre::rules::judge(&document.text, name, Some(document.bytes));
        seed.add(document.genre, genre, genre.is_some());
    }
    seed.print("seed");
    for (view, without_name, without_looks) in VIEWS {
        let (mut crossed, mut inside) = (Tally::default(), Tally::default());
        for document in &documents {
            let Ok(seen) = &document.seen else {
                crossed.add(document.genre, None, false);
                inside.add(document.genre, None, false);
                continue;
            };
            let seen = seen.without(without_name, without_looks);
            let fold = fold(&document.key, 0, FOLDS) as usize;
            let known = checked_in.judge(&seen, None);
            inside.add(document.genre, Some(known.genre), known.accept);
            let verdict = judges.get(fold).map_or(known, |judge| judge.judge(&seen, None));
            crossed.add(document.genre, Some(verdict.genre), verdict.accept);
            if prints_rows && verdict.genre != document.genre {
                let told = json!({"view": view, "file": document.file, "key": document.key, "is": document.genre, "said": verdict});
                println!("{told}");
            }
        }
        if is_crossed {
            crossed.print(&format!("crossed {view}"));
        }
        inside.print(&format!("checked-in {view}"));
    }
    speed(&documents, &checked_in);
    Ok(())
}

/// Milliseconds a document, from its text to the verdict.
fn speed(documents: &[Labelled], judge: &Judge<'_>) {
    let mut slowest = 0.0f64;
    let mut all = 0.0f64;
    for document in documents {
        let Some(reading) = &document.reading else {
            continue;
        };
        let subject = Subject {
            reading,
            name: Some(&document.file),
            size_bytes: Some(document.bytes),
        };
        let from = crate::cpu_seconds();
        let verdict = judge.judge(&Seen::of(&subject), None);
        let spent = (crate::cpu_seconds() - from) * 1000.0;
        std::hint::black_box(verdict);
        slowest = slowest.max(spent);
        all += spent;
    }
    crate::print("speed", "mean ms", all / documents.len().max(1) as f64);
    crate::print("speed", "slowest ms", slowest);
}

/// Counts of what is and what was said.
#[derive(Default)]
struct Tally {
    documents: usize,
    right_accept: usize,
    /// Of each genre: how many there are, how many were said, how many of these rightly.
    genres: [[usize; 3]; GENRES],
}

impl Tally {
    fn add(&mut self, is: Genre, said: Option<Genre>, accept: bool) {
        self.documents += 1;
        self.right_accept += usize::from(is.is_accepted() == accept);
        self.genres[is as usize][0] += 1;
        if let Some(said) = said {
            self.genres[said as usize][1] += 1;
            self.genres[is as usize][2] += usize::from(said == is);
        }
    }

    fn print(&self, set: &str) {
        crate::print(
            set,
            "accept",
            self.right_accept as f64 / self.documents.max(1) as f64,
        );
        let f1 = |[is, said, right]: &[usize; 3]| 2.0 * *right as f64 / (is + said).max(1) as f64;
        let there: Vec<&[usize; 3]> = self.genres.iter().filter(|counts| counts[0] > 0).collect();
        let sum: f64 = there.iter().map(|counts| f1(counts)).sum();
        crate::print(set, "macro-f1", sum / there.len().max(1) as f64);
        for (genre, counts) in Genre::ALL.iter().zip(&self.genres) {
            crate::print(set, genre.as_str(), f1(counts));
        }
    }
}

/// Everything that is seen of each document, for a look at it with other programs.
pub(crate) fn dump(corpora: &Path) -> Result<()> {
    for one in load(corpora)? {
        let (numbers, names, words) = match &one.seen {
            Ok(seen) => (seen.numbers().to_vec(), seen.columns(), seen.words().to_vec()),
            Err(_) => Default::default(),
        };
        println!(
            "{}",
            json!({
                "file": one.file, "genre": one.genre, "key": one.key, "fold": fold(&one.key, 0, FOLDS), "numbers": numbers, "names": names, "words": words,
                "unread": one.seen.as_ref().err(), "text": one.text.chars().take(20_000).collect::<String>(),
            })
        );
    }
    Ok(())
}
