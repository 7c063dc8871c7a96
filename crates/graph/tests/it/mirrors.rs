//! Planted mirrors beside hosts that only look alike.

use crate::Chance;
use gleaner_graph::{HostSketch, MirrorOptions, TextSketch, mirrors};
use gleaner_testkit::links::{MirroredHosts, mirrored_hosts};
use std::collections::HashSet;

/// What a mirror changes on all of its pages, beside the tenth that changed, went and came.
#[derive(Debug, Clone, Copy)]
enum Drift {
    Nothing,
    /// A banner of its own.
    Banner,
    /// A tenth of the words of every page.
    Words,
}

/// The words of a page: a frame that all pages of the web have, and 80 to 330 words of its own, few of them frequent.
fn words_of(text: u64, drift: Drift, host: usize) -> Vec<String> {
    let mut chance = Chance(text);
    let count = 80 + chance.below(250);
    let mut words: Vec<String> = (0..20).map(|at| format!("frame{at}")).collect();
    for _ in 0..count {
        let bound = [30, 300, 3_000, 30_000][chance.below(4) as usize];
        words.push(format!("w{}", chance.below(bound)));
    }
    match drift {
        Drift::Nothing => {}
        Drift::Banner => words
            .splice(0..0, (0..12).map(|at| format!("banner{host}-{at}")))
            .for_each(drop),
        Drift::Words => {
            let mut chance = Chance(text ^ host as u64);
            for _ in 0..words.len() / 10 {
                let at = chance.below(words.len() as u64) as usize;
                words[at] = format!("edit{}", chance.below(1 << 40));
            }
        }
    }
    words
}

fn sketches(web: &MirroredHosts, drift: Drift, options: &MirrorOptions) -> Vec<HostSketch> {
    let copies: HashSet<usize> = web.mirrors.iter().map(|pair| pair.1).collect();
    let sketch = |(host, pages): (usize, &Vec<(String, u64)>)| {
        let mut sketch = HostSketch::new(options);
        for (path, _) in pages {
            sketch.add_path(path);
        }
        let own = if copies.contains(&host) {
            drift
        } else {
            Drift::Nothing
        };
        for (path, text) in pages {
            if !sketch.holds(path) {
                continue;
            }
            let words = words_of(*text, own, host);
            sketch.set_text(path, TextSketch::of_words(words.iter().map(String::as_str)));
        }
        sketch
    };
    web.hosts.iter().enumerate().map(sketch).collect()
}

#[test]
fn planted_mirrors_are_found_and_look_alikes_are_not() {
    for drift in [Drift::Nothing, Drift::Banner, Drift::Words] {
        let (mut planted, mut found_right, mut found_all) = (0, 0, 0);
        // The words of pages take time to make.
        let seeds = if matches!(drift, Drift::Nothing) {
            1..=3
        } else {
            4..=4
        };
        for seed in seeds {
            let web = mirrored_hosts(50, 500, seed);
            let options = MirrorOptions::default();
            let truth: HashSet<(usize, usize)> = web.mirrors.iter().copied().collect();
            let found = mirrors(&sketches(&web, drift, &options), &options);
            planted += truth.len();
            found_all += found.len();
            found_right += found
                .iter()
                .filter(|mirror| truth.contains(&mirror.hosts))
                .count();
        }
        let (precision, recall) = (
            found_right as f64 / found_all as f64,
            found_right as f64 / planted as f64,
        );
        println!("mirrors, {drift:?}: precision {precision:.3}, recall {recall:.3} ({planted} planted)");
        assert!(
            precision >= 0.98 && recall >= 0.95,
            "{drift:?}: precision {precision:.3}, recall {recall:.3}"
        );
    }
}
