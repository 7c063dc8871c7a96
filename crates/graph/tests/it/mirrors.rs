//! Planted mirrors beside hosts that only look alike.

use gleaner_graph::{HostSketch, MirrorOptions, mirrors};
use gleaner_testkit::links::mirrored_hosts;
use std::collections::HashSet;

#[test]
fn planted_mirrors_are_found_and_look_alikes_are_not() {
    let (mut planted, mut found_right, mut found_all) = (0, 0, 0);
    for seed in 1..=3 {
        let web = mirrored_hosts(50, 500, seed);
        let options = MirrorOptions::default();
        let sketches: Vec<HostSketch> = web
            .hosts
            .iter()
            .map(|pages| {
                let mut sketch = HostSketch::new(&options);
                for (path, text) in pages {
                    sketch.add(path, *text);
                }
                sketch
            })
            .collect();
        let truth: HashSet<(usize, usize)> = web.mirrors.iter().copied().collect();
        let found = mirrors(&sketches, &options);
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
    println!("mirrors: precision {precision:.3}, recall {recall:.3} ({planted} planted)");
    assert!(
        precision >= 0.98 && recall >= 0.95,
        "precision {precision:.3}, recall {recall:.3}"
    );
}
