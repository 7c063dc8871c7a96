//! Which pages are on the topic: the judge beside S1's rule, on pages whose label is known.
//!
//! `topic CORPORA` prints figures as JSON lines, `topic CORPORA dump` what is seen of each page, for other methods. Pages are judged
//! by what was learned from pages of other hosts.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

use flate2::read::GzDecoder;
use gleaner_library::topic::{
    ExampleKind, Keywords, TopicExample, TopicExamples, TopicJudge, TopicPage, TopicReader,
};
use gleaner_model::{Content, Url};
use gleaner_parse::content;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a librarian would write for "Ebola / disease outbreak".
const KEYWORDS: [&str; 5] = ["ebola", "outbreak", "epidemic", "virus", "infectious disease"];
const FOLDS: u64 = 5;
/// Examples that are enough to begin with.
const FEW: usize = 20;

struct Sample {
    url: Url,
    content: Content,
    is_good: bool,
    page: TopicPage,
    fold: u64,
}

fn samples(folder: &Path, reader: &TopicReader) -> Vec<Sample> {
    let index: Value =
        serde_json::from_reader(File::open(folder.join("index.json")).expect("an index")).expect("JSON");
    let rows = index.as_array().expect("a list");
    let sample = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let url = Url::parse(text("url")).ok()?;
        let mut body = Vec::new();
        let packed = File::open(folder.join("html").join(text("file"))).ok()?;
        GzDecoder::new(packed).read_to_end(&mut body).ok()?;
        let headers = [("content-type".to_owned(), "text/html".to_owned())];
        let content = content::read_said(&url, &headers, &body).unwrap_or_default();
        let page = reader.read(&url, &content.title, &content);
        let host = url.host().trim_start_matches("www.");
        let fold = host.bytes().fold(7u64, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(byte))
        }) % FOLDS;
        Some(Sample {
            is_good: text("label") == "positive",
            url,
            content,
            page,
            fold,
        })
    };
    rows.iter().filter_map(sample).collect()
}

/// Learns from these; a page that nobody judged is one that was met.
fn learned<'a>(
    keywords: &Keywords,
    samples: impl Iterator<Item = &'a Sample>,
    good_most: usize,
    are_met: bool,
) -> TopicJudge {
    let mut examples = TopicExamples::default();
    let mut good = 0;
    for sample in samples {
        let kind = match (sample.is_good, are_met) {
            (true, _) => ExampleKind::Good,
            (false, true) => ExampleKind::Met,
            (false, false) => ExampleKind::Bad,
        };
        good += usize::from(sample.is_good);
        if sample.is_good && good > good_most {
            continue;
        }
        let example = TopicExample::new(&sample.url, kind, false, sample.page.clone());
        if kind == ExampleKind::Met {
            examples.meet(example, 0);
        } else {
            examples.add(example);
        }
    }
    TopicJudge::new(keywords, &examples)
}

fn told(set: &str, samples: &[Sample], says: impl Fn(&Sample) -> bool) {
    let count = |is_good: bool, said: bool| {
        samples
            .iter()
            .filter(|one| one.is_good == is_good && says(one) == said)
            .count() as f64
    };
    let (right, wrong, missed) = (count(true, true), count(false, true), count(true, false));
    let accuracy = (right + count(false, false)) / (samples.len() as f64).max(1.0);
    println!(
        "{}",
        json!({"set": set, "of": "f1", "value": 2.0 * right / (2.0 * right + wrong + missed).max(1.0)})
    );
    println!("{}", json!({"set": set, "of": "accuracy", "value": accuracy}));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder =
        Path::new(arguments.first().map_or("../shared/corpora", String::as_str)).join("focused-ebola");
    if !folder.is_dir() {
        return;
    }
    let keywords = Keywords::new(KEYWORDS);
    let reader = TopicReader::new(keywords.clone());
    let samples = samples(&folder, &reader);
    if arguments.get(1).is_some_and(|word| word == "dump") {
        for sample in &samples {
            let text = content::text(&sample.content);
            let title = &sample.content.title;
            println!(
                "{}",
                json!({"title": title, "text": text, "good": sample.is_good, "fold": sample.fold})
            );
        }
        return;
    }
    let crossed = |good_most: usize, are_met: bool| -> Vec<TopicJudge> {
        let others = |fold| samples.iter().filter(move |sample| sample.fold != fold);
        (0..FOLDS)
            .map(|fold| learned(&keywords, others(fold), good_most, are_met))
            .collect()
    };
    told("seed", &samples, |sample| reader.hits(&sample.page).seed_rule());
    let cold = TopicJudge::new(&keywords, &TopicExamples::default());
    told("no examples", &samples, |sample| cold.score(&sample.page) >= 0.5);
    for (name, judges) in [
        ("gleaner", crossed(usize::MAX, false)),
        ("20 examples", crossed(FEW, true)),
    ] {
        told(name, &samples, |sample| {
            judges[sample.fold as usize].score(&sample.page) >= 0.5
        });
    }
    let judge = learned(&keywords, samples.iter(), usize::MAX, false);
    let start = std::time::Instant::now();
    for sample in &samples {
        let page = reader.read(&sample.url, &sample.content.title, &sample.content);
        std::hint::black_box(judge.verdict(
            &page,
            &sample.url,
            &sample.content.title,
            &sample.content,
            &keywords,
        ));
    }
    let spent = start.elapsed().as_secs_f64() * 1e3 / (samples.len() as f64).max(1.0);
    println!("{}", json!({"set": "speed", "of": "ms", "value": spent}));
    if arguments.get(1).is_some_and(|word| word == "rows") {
        for sample in &samples {
            let verdict = judge.verdict(
                &sample.page,
                &sample.url,
                &sample.content.title,
                &sample.content,
                &keywords,
            );
            println!(
                "{}",
                json!({"url": sample.url.as_str(), "good": sample.is_good, "verdict": verdict})
            );
        }
    }
}
