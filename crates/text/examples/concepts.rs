//! Measures concepts by themselves, without a store: `bench/scores/sets/concepts.py` calls it.
//!
//! ```text
//!  concepts pages CORPORA N    N real pages: all text, what stands in <p>, and the main text, each to its concepts
//!  concepts texts CORPORA N    N texts that go from phrase to phrase as those of the corpus `topics` do
//! ```
//! Prints JSON lines. `closed` says whether the law of closure holds for every row, `navigation` which share of the concepts
//! stems from what WCXB says is no part of a page's main text.
#![expect(clippy::print_stdout, reason = "a command that shows figures")]

use flate2::read::GzDecoder;
use gleaner_concepts::collection::{Collection, ReadText};
use gleaner_concepts::table::{ConceptOptions, ConceptTable};
use gleaner_model::Url;
use gleaner_parse::content::{self, Selectors};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, corpora, count] = arguments.as_slice() else {
        return Err("usage: concepts pages|texts CORPORA N".into());
    };
    let (corpora, count) = (Path::new(corpora), count.parse()?);
    match what.as_str() {
        "pages" => pages(corpora, count),
        "texts" => texts(corpora, count),
        _ => Err("usage: concepts pages|texts CORPORA N".into()),
    }
}

/// A real page, and what is no part of its main text where somebody said so.
struct Page {
    body: Vec<u8>,
    main: String,
    without: Vec<String>,
}

fn pages(corpora: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let pages = read_pages(corpora, count)?;
    let url = Url::parse("http://a.test/")?;
    let headers = [("content-type".to_owned(), "text/html".to_owned())];
    let paragraphs = Selectors::check(&["p"], &[]).map_err(|_| "a plain selector")?;
    let all = |page: &Page| content::read(&url, &headers, &page.body).map(|page| content::text(&page));
    let main = |page: &Page| content::read(&url, &headers, &page.body).map(|page| content::main_text(&page));
    let of_paragraphs = |page: &Page| {
        let cut = content::read_region(&url, &headers, &page.body, &paragraphs);
        cut.map(|cut| content::text(&cut.content))
    };
    measure("all text", &pages, all);
    measure("paragraphs", &pages, of_paragraphs);
    measure("main text", &pages, main);
    Ok(())
}

fn measure(name: &str, pages: &[Page], text: impl Fn(&Page) -> Option<String> + Sync) {
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let read = on_all(pages, |page| {
        let text = text(page).unwrap_or_default();
        (ReadText::of(&text, None), text)
    });
    let mut collection = Collection::default();
    for (at, (reading, _)) in read.iter().enumerate() {
        collection.insert(at as u64, reading);
    }
    let options = ConceptOptions {
        passages_max: usize::MAX,
        ..ConceptOptions::default()
    };
    let table = collection.table(&options);
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let bytes: usize = read.iter().map(|(_, text)| text.len()).sum();
    let tokens: usize = read.iter().map(|(_, text)| text.split_whitespace().count()).sum();
    let texts: Vec<&str> = read.iter().map(|(_, text)| text.as_str()).collect();
    println!(
        "{}",
        json!({"of": name, "pages": pages.len(), "tokens": tokens, "bytes": bytes, "seconds": seconds, "cpu_seconds": cpu,
            "concepts": table.rows.len(), "closed": is_closed(&table), "navigation": navigation(&table, pages, &texts)})
    );
}

/// The share of concepts of several words of which at least half of the passages stand in what is no main text.
fn navigation(table: &ConceptTable, pages: &[Page], texts: &[&str]) -> f64 {
    let (mut all, mut bad) = (0.0, 0.0);
    for row in table.rows.iter().filter(|row| row.count > 1) {
        let labelled = row
            .passages
            .iter()
            .filter(|one| !pages[one.document as usize].main.is_empty());
        let is_bad = |page: &Page, passage: &str| {
            let passage = folded(passage);
            !page.main.contains(&passage) && page.without.iter().any(|snippet| snippet.contains(&passage))
        };
        let found: Vec<bool> = labelled
            .map(|one| {
                let at = one.document as usize;
                let (start, end) = (one.start as usize, one.end as usize);
                let passage: String = texts[at].chars().skip(start).take(end - start).collect();
                is_bad(&pages[at], &passage)
            })
            .collect();
        if !found.is_empty() {
            all += 1.0;
            let count = found.iter().filter(|is_bad| **is_bad).count();
            bad += f64::from(u8::from(2 * count >= found.len()));
        }
    }
    bad / f64::max(all, 1.0)
}

fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn is_closed(table: &ConceptTable) -> bool {
    let counts: HashMap<(&str, &[String]), (u32, u32)> = table
        .rows
        .iter()
        .map(|row| {
            (
                (row.language, row.tokens.as_slice()),
                (row.frequency, row.documents),
            )
        })
        .collect();
    let has_parts = |row: &gleaner_concepts::table::Concept| {
        (0..row.count).all(|leave| {
            let mut part = row.tokens.clone();
            part.remove(leave);
            let found = counts.get(&(row.language, part.as_slice()));
            found.is_some_and(|(frequency, documents)| {
                *frequency >= row.frequency && *documents >= row.documents
            })
        })
    };
    table.rows.iter().filter(|row| row.count > 1).all(has_parts)
}

fn read_pages(corpora: &Path, count: usize) -> Result<Vec<Page>, Box<dyn Error>> {
    let mut pages = Vec::new();
    for set in ["wcxb", "aeb", "trafilatura-eval"] {
        let Ok(entries) = fs::read_dir(corpora.join(set).join("html")) else {
            continue;
        };
        let mut files: Vec<PathBuf> = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        files.sort();
        for file in files {
            if pages.len() == count {
                return Ok(pages);
            }
            let mut body = Vec::new();
            GzDecoder::new(File::open(&file)?).read_to_end(&mut body)?;
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let gold = corpora
                .join(set)
                .join("ground-truth")
                .join(name.replace(".html.gz", ".json"));
            let gold: Value = match fs::read(gold) {
                Ok(bytes) => serde_json::from_slice(&bytes)?,
                Err(_) => Value::Null,
            };
            let gold = &gold["ground_truth"];
            let without = gold["without"].as_array().into_iter().flatten();
            pages.push(Page {
                body,
                main: folded(gold["main_content"].as_str().unwrap_or_default()),
                without: without.filter_map(|one| one.as_str()).map(folded).collect(),
            });
        }
    }
    Ok(pages)
}

fn texts(corpora: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let walk = Walk::read(corpora)?;
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let mut collection = Collection::default();
    let numbers: Vec<u64> = (0..count as u64).collect();
    let mut bytes = 0;
    for some in numbers.chunks(512) {
        for (number, (reading, length)) in some.iter().zip(on_all(some, |number| {
            let text = walk.text(*number);
            (ReadText::of(&text, None), text.len())
        })) {
            bytes += length;
            collection.insert(*number, &reading);
        }
    }
    let table = collection.table(&ConceptOptions::default());
    println!(
        "{}",
        json!({"documents": count, "bytes": bytes, "seconds": began.elapsed().as_secs_f64(), "cpu_seconds": cpu_seconds() - cpu,
            "megabytes": memory_mb(), "concepts": table.rows.len(), "windows_min": table.windows_min, "closed": is_closed(&table)})
    );
    Ok(())
}

/// Texts of the corpus as words, and where each word stands: a walk follows a text and now and then goes on where the same word
/// stands in another, so that what it says is new and its words still stand as words do.
struct Walk {
    /// By the numbers of `names`: the words of all texts take little room beside what is measured.
    words: Vec<u32>,
    names: Vec<String>,
    places: Vec<Vec<u32>>,
}

impl Walk {
    fn read(corpora: &Path) -> Result<Walk, Box<dyn Error>> {
        let mut walk = Walk {
            words: Vec::new(),
            names: Vec::new(),
            places: Vec::new(),
        };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut files: Vec<PathBuf> = fs::read_dir(corpora.join("topics"))?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        files.sort();
        for file in files
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "zst"))
        {
            let lines = String::from_utf8(zstd::decode_all(File::open(file)?)?)?;
            for line in lines.lines() {
                let document: Value = serde_json::from_str(line)?;
                for word in document["text"].as_str().unwrap_or_default().split_whitespace() {
                    let next = walk.names.len() as u32;
                    let number = *numbers.entry(word.to_owned()).or_insert(next);
                    if number == next {
                        walk.names.push(word.to_owned());
                        walk.places.push(Vec::new());
                    }
                    walk.places[number as usize].push(walk.words.len() as u32);
                    walk.words.push(number);
                }
            }
        }
        Ok(walk)
    }

    fn text(&self, number: u64) -> String {
        let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize
        };
        let mut text = String::new();
        let mut at = next() % self.words.len();
        for word in 0..200 + next() % 400 {
            let here = self.words[at] as usize;
            text.push_str(&self.names[here]);
            text.push_str(if word % 60 == 59 { "\n\n" } else { " " });
            if next() % 4 == 0 {
                let places = &self.places[here];
                at = places[next() % places.len()] as usize;
            }
            at = (at + 1) % self.words.len();
        }
        text
    }
}

/// On all processors, results in order.
fn on_all<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let ended = workers.into_iter().map(ScopedJoinHandle::join);
        ended
            .flat_map(|done| done.expect("a worker ends without a panic"))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What all threads of this process have computed so far.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|one| one.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory that this process has had, in megabytes.
fn memory_mb() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
