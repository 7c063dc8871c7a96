//! Snapshots as they come back from a disk: whole, cut, foreign, damaged.

use crate::{Chance, random_graph};
use gleaner_graph::{GraphBuilder, Names, Snapshot, SnapshotError};
use xxhash_rust::xxh3::xxh3_64;

fn snapshot(seed: u64) -> Snapshot {
    let graph = random_graph(seed);
    let urls: Vec<String> = (0..graph.nodes())
        .map(|n| format!("https://h{}.example.com/p/{n}", n % 5))
        .collect();
    let (names, _) = Names::sorted(&urls);
    Snapshot {
        about: format!("seed {seed}"),
        graph,
        names,
    }
}

#[test]
fn snapshots_come_back_as_they_were() {
    for seed in 0..200 {
        let whole = snapshot(seed);
        assert_eq!(Snapshot::from_bytes(&whole.to_bytes()), Ok(whole), "seed {seed}");
    }
    for nodes in [0, 1] {
        let (names, _) = Names::sorted(&vec!["a"; nodes]);
        let empty = Snapshot {
            about: String::new(),
            graph: GraphBuilder::new(nodes).finish(),
            names,
        };
        assert_eq!(Snapshot::from_bytes(&empty.to_bytes()), Ok(empty));
    }
}

#[test]
fn a_page_with_50_000_links_to_itself_is_one_page_without_links_to_others() {
    let mut builder = GraphBuilder::new(1);
    (0..50_000).for_each(|_| builder.link(0, 0));
    let (names, _) = Names::sorted(&["http://a.example/"]);
    let one = Snapshot {
        about: String::new(),
        graph: builder.finish(),
        names,
    };
    let again = Snapshot::from_bytes(&one.to_bytes()).expect("whole");
    assert_eq!(again.graph.links(), 0);
    assert_eq!(again.graph.self_links(), [(0, 50_000.0)]);
    let ranks = gleaner_graph::pagerank(&again.graph, &gleaner_graph::PageRankOptions::default());
    assert_eq!(ranks.scores, [1.0]);
}

#[test]
fn a_snapshot_cut_at_any_length_is_told_as_cut() {
    let bytes = snapshot(7).to_bytes();
    for length in 0..bytes.len() {
        let found = Snapshot::from_bytes(&bytes[..length]);
        assert!(
            matches!(found, Err(SnapshotError::Cut { .. })),
            "{length}: {found:?}"
        );
    }
}

#[test]
fn other_bytes_and_other_formats_are_told_as_such() {
    assert_eq!(
        Snapshot::from_bytes(b"SQLite format 3\0"),
        Err(SnapshotError::Foreign)
    );
    let mut bytes = snapshot(1).to_bytes();
    bytes[8] = 9;
    assert_eq!(
        Snapshot::from_bytes(&bytes),
        Err(SnapshotError::OtherFormat { found: 9, known: 1 })
    );
    let mut longer = snapshot(1).to_bytes();
    longer.push(0);
    assert!(matches!(
        Snapshot::from_bytes(&longer),
        Err(SnapshotError::Damaged { .. })
    ));
}

#[test]
fn any_damage_is_found_and_nothing_panics_behind_a_right_checksum() {
    let mut chance = Chance(99);
    for seed in 0..100 {
        let whole = snapshot(seed).to_bytes();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=chance.below(3) {
                let at = chance.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << chance.below(8);
            }
            if bytes == whole {
                continue;
            }
            assert!(Snapshot::from_bytes(&bytes).is_err(), "seed {seed}");
            // The same damage, signed anew: an answer of either kind, but an answer.
            bytes[..28].copy_from_slice(&whole[..28]);
            let sum = xxh3_64(&bytes[28..]);
            bytes[20..28].copy_from_slice(&sum.to_le_bytes());
            if let Ok(found) = Snapshot::from_bytes(&bytes) {
                let ranks = gleaner_graph::pagerank(&found.graph, &gleaner_graph::PageRankOptions::default());
                assert_eq!(ranks.scores.len(), found.names.iter().count());
            }
        }
    }
}
