//! How much of the words do we find? Against one reference tool a format (`formats`), and against pdftotext
//! (`pdf-robustness`). Word bags: F1 of lower-case words, as the corpora's own notes say.

use super::corpora;
use gleaner_readers::{Given, Limits, Pool};
use gleaner_testkit::program::find_binary;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// No document takes longer, on a machine that has nothing else to do.
const TIME: Duration = Duration::from_secs(10);
const WORDS_MIN: usize = 20;
const MEDIAN_MIN: f64 = 0.95;
const MEAN_MIN: f64 = 0.90;
const PDF_MEAN_MIN: f64 = 0.95;
const PDF_CHARS_MIN: usize = 200;
/// The reference tool prints every saved state of the outline and no text of shapes (docs/decisions/0013).
const WITHOUT_BAR: [&str; 1] = ["ppt"];

/// Keeps scores where `make test` shows them.
pub(super) fn keep(name: &str, lines: &[String]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("scores");
    std::fs::create_dir_all(&folder).expect("a folder for scores");
    std::fs::write(folder.join(format!("{name}.txt")), lines.join("\n") + "\n").expect("room for scores");
}

fn bag(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
    {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

fn f1(ours: &str, theirs: &str) -> f64 {
    let (ours, theirs) = (bag(ours), bag(theirs));
    let common: usize = ours
        .iter()
        .map(|(word, count)| theirs.get(word).map_or(0, |other| *count.min(other)))
        .sum();
    let all = ours.values().sum::<usize>() + theirs.values().sum::<usize>();
    if all == 0 {
        1.0
    } else {
        2.0 * common as f64 / all as f64
    }
}

fn median(scores: &[f64]) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

struct Sample {
    format: String,
    has_flag: bool,
    with_tools: f64,
    without: f64,
}

fn pool(uses_tools: bool) -> Pool {
    let limits = Limits {
        time: Duration::from_mins(1),
        tools: uses_tools,
        ..Limits::default()
    };
    Pool::new(find_binary().expect("the gleaner binary"), limits)
}

fn text(pool: &Pool, name: &str, bytes: &[u8], slowest: &mut Duration) -> String {
    let begun = Instant::now();
    let given = Given { media_type: "", name };
    let answer = pool.read(bytes, &given).expect("children can be had");
    *slowest = (*slowest).max(begun.elapsed());
    answer.map_or_else(
        |_| String::new(),
        |reading| gleaner_parse::documents::to_text(&reading),
    )
}

#[test]
fn g6_formats_keep_the_words_of_their_reference() {
    let Some(folder) = corpora("formats") else { return };
    let (with, without) = (pool(true), pool(false));
    let has_tools = gleaner_readers::Tools::find().has_ghostscript();
    let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).expect("the manifest");
    let mut samples = Vec::new();
    let mut slowest = Duration::ZERO;
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (file, format, words, flags) = (fields[0], fields[1], fields[7], fields[8]);
        let bytes = std::fs::read(folder.join(file)).expect("a file of the corpus");
        let ours = text(&with, file, &bytes, &mut slowest);
        if flags.contains("no-reference") || words.parse::<usize>().unwrap_or(0) < WORDS_MIN {
            continue;
        }
        let packed =
            std::fs::read(folder.join("expected").join(format!("{file}.txt.gz"))).expect("a reference");
        let mut theirs = Vec::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_end(&mut theirs)
            .expect("gzip");
        let theirs = String::from_utf8_lossy(&theirs);
        let format = format.trim_end_matches(".gz");
        let alone = match format {
            "ps" | "eps" => text(&without, file, &bytes, &mut slowest),
            _ => ours.clone(),
        };
        samples.push(Sample {
            format: format.to_owned(),
            has_flag: !flags.is_empty() && flags != "derived-gz",
            with_tools: f1(&ours, &theirs),
            without: f1(&alone, &theirs),
        });
    }
    let mut by_format: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    for sample in &samples {
        by_format.entry(&sample.format).or_default().push(sample);
    }
    let mut lines =
        vec!["formats: word F1 with one reference tool each; median over files without a flag".to_owned()];
    let mut below = Vec::new();
    for (format, samples) in &by_format {
        let clean: Vec<f64> = samples
            .iter()
            .filter(|one| !one.has_flag)
            .map(|one| one.with_tools)
            .collect();
        let all: Vec<f64> = samples.iter().map(|one| one.with_tools).collect();
        let alone: Vec<f64> = samples.iter().map(|one| one.without).collect();
        lines.push(format!(
            "  {format:5} {:3} files  median {:.3}  mean {:.3}  without outside tools {:.3}",
            samples.len(),
            median(&clean),
            mean(&all),
            mean(&alone)
        ));
        let needs_tool = matches!(*format, "ps" | "eps");
        if median(&clean) < MEDIAN_MIN && !WITHOUT_BAR.contains(format) && (has_tools || !needs_tool) {
            below.push(format!("{format} {:.3}", median(&clean)));
        }
    }
    let all: Vec<f64> = samples.iter().map(|one| one.with_tools).collect();
    lines.push(format!(
        "  all   {:3} files  mean {:.3}; slowest {:.1} s",
        all.len(),
        mean(&all),
        slowest.as_secs_f64()
    ));
    keep("formats", &lines);
    assert!(
        below.is_empty(),
        "below {MEDIAN_MIN}: {below:?}\n{}",
        lines.join("\n")
    );
    assert!(!has_tools || mean(&all) >= MEAN_MIN, "{}", lines.join("\n"));
}

#[test]
fn hc111_broken_pdfs_are_read_as_well_as_by_others() {
    let Some(folder) = corpora("pdf-robustness") else {
        return;
    };
    let pool = pool(true);
    let has_judge = Command::new("pdftotext").arg("-v").output().is_ok();
    let (mut scores, mut slowest, mut crashed) = (Vec::new(), Duration::ZERO, 0);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|end| end == "pdf"));
    for file in &files {
        let bytes = std::fs::read(file).expect("a file of the corpus");
        let name = file.display().to_string();
        let begun = Instant::now();
        let answer = pool
            .read(
                &bytes,
                &Given {
                    media_type: "",
                    name: &name,
                },
            )
            .expect("children can be had");
        slowest = slowest.max(begun.elapsed());
        if let Err(unread) = &answer {
            crashed += usize::from(unread.reason() == gleaner_model::Reason::DocumentCrashed);
        }
        if !has_judge {
            continue;
        }
        let theirs = Command::new("pdftotext")
            .arg(file)
            .arg("-")
            .output()
            .expect("pdftotext runs")
            .stdout;
        let theirs = String::from_utf8_lossy(&theirs);
        if theirs.chars().count() >= PDF_CHARS_MIN {
            let ours = answer.map_or_else(
                |_| String::new(),
                |reading| gleaner_parse::documents::to_text(&reading),
            );
            scores.push(f1(&ours, &theirs));
        }
    }
    let line = format!(
        "pdf-robustness: {} files, {} with text by pdftotext: mean word F1 {:.3}; {crashed} children broken; slowest {:.1} s",
        files.len(),
        scores.len(),
        mean(&scores),
        slowest.as_secs_f64()
    );
    keep("pdf-robustness", std::slice::from_ref(&line));
    assert!(scores.is_empty() || mean(&scores) >= PDF_MEAN_MIN, "{line}");
    assert!(slowest < TIME * 3, "{line}");
}
