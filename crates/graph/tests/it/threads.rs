//! The same graph gives the same numbers, bit for bit, whatever the number of threads.

use crate::Chance;
use gleaner_graph::{
    CommunityOptions, GraphBuilder, HitsOptions, PageRankOptions, Weighting, communities, hits, pagerank,
};

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut chance = Chance(1);
    let mut builder = GraphBuilder::new(20_000);
    for _ in 0..100_000 {
        let (from, to) = (chance.below(20_000) as u32, chance.below(20_000) as u32);
        builder.weighted_link(from, to / 2, 0.1 + chance.below(100) as f64 / 7.0);
    }
    let graph = builder.finish();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let options = PageRankOptions {
                weighting: Weighting::Used,
                ..PageRankOptions::default()
            };
            let ranks = pagerank(&graph, &options);
            let found = hits(&graph, &HitsOptions::default());
            let groups = communities(&graph, &CommunityOptions::default());
            let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
            (
                ranks.rounds,
                bits(&ranks.scores),
                bits(&found.hubs),
                bits(&found.authorities),
                groups.of,
            )
        })
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        assert!(with(threads) == one, "{threads} threads");
    }
}
