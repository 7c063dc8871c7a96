//! A focused crawl replayed: departments of universities, of which only a fifth may be read.
//!
//! `webkb CORPORA [SEEDS]` prints a JSON line for each university, class and order: the recall of reachable pages of the class. The
//! judge of pages was trained on the other universities. Everything else is what a run asks its guide.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

#[path = "webkb/orders.rs"]
mod orders;
#[path = "webkb/university.rs"]
mod university;

use gleaner_library::topic::{ExampleKind, Keywords, TopicExample, TopicExamples, TopicJudge, TopicReader};
use std::path::Path;
use university::University;

const CLASSES: [&str; 3] = ["course", "faculty", "project"];

/// A judge of one class that has not seen this university.
fn judge_for(reader: &TopicReader, universities: &[University], held_out: usize, class: &str) -> TopicJudge {
    let mut examples = TopicExamples::default();
    for (at, university) in universities.iter().enumerate() {
        if at == held_out {
            continue;
        }
        for page in &university.pages {
            let kind = if page.label == class {
                ExampleKind::Good
            } else {
                ExampleKind::Bad
            };
            let seen = reader.read(&page.url, &page.content.title, &page.content);
            examples.add(TopicExample::new(&page.url, kind, false, seen));
        }
    }
    TopicJudge::new(&Keywords::default(), &examples)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().map_or("../shared/corpora", String::as_str)).join("webkb");
    let seeds: u64 = arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(5);
    if !folder.is_dir() {
        return;
    }
    let universities = university::all(&folder);
    let reader = TopicReader::default();
    let jobs: Vec<(usize, &str)> = (0..universities.len())
        .filter(|at| universities[*at].start.is_some())
        .flat_map(|at| CLASSES.map(|class| (at, class)))
        .collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, class)) =
                    jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let judge = judge_for(&reader, &universities, *at, class);
                    println!(
                        "{}",
                        orders::beside_each_other(&universities[*at], class, &reader, &judge, seeds)
                    );
                }
            });
        }
    });
}
