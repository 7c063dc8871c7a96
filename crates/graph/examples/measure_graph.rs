//! The room by itself on a list of links, for `bench/graph.py`.
//!
//! `measure_graph PAIRS NODES THREADS STEP…` reads pairs of 32-bit numbers and prints one line a step: `step seconds cpu_seconds figure`.
//! Steps: `build`, `pagerank` (the figure is its rounds), `strong`, `weak`, `snapshot` (bits a link forward, then a line for backward),
//! `read`. `build` always comes first.

use gleaner_graph::{
    Graph, GraphBuilder, Names, PageRankOptions, Snapshot, pagerank, strong_components, weak_components,
};
use std::io::Write as _;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, nodes, threads, steps @ ..] = words.as_slice() else {
        eprintln!("usage: measure_graph PAIRS NODES THREADS STEP…");
        std::process::exit(2);
    };
    let number = |word: &str| word.parse::<usize>().unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(number(threads))
        .build();
    let pool = pool.map_err(std::io::Error::other)?;
    let graph = {
        let gathered = gathered(file, number(nodes))?;
        timed("build", || (gathered.finish(), 0.0))?
    };
    for step in steps {
        pool.install(|| run(step, &graph))?;
    }
    timed("peak_mb", || ((), peak_mb()))?;
    Ok(())
}

fn gathered(file: &str, nodes: usize) -> std::io::Result<GraphBuilder> {
    use std::io::Read as _;
    let mut input = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(file)?);
    let links = std::fs::metadata(file)?.len() / 8;
    let mut builder = GraphBuilder::with_capacity(nodes, links as usize);
    let mut pair = [0u8; 8];
    while input.read_exact(&mut pair).is_ok() {
        let half = |at: usize| u32::from_le_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]);
        builder.link(half(0), half(4));
    }
    Ok(builder)
}

fn run(step: &str, graph: &Graph) -> std::io::Result<()> {
    match step {
        "pagerank" => {
            timed(step, || {
                let ranks = pagerank(graph, &PageRankOptions::default());
                let rounds = f64::from(ranks.rounds);
                (ranks, rounds)
            })?;
        }
        "strong" | "weak" => {
            let find = if step == "strong" {
                strong_components
            } else {
                weak_components
            };
            timed(step, || {
                let found = find(graph);
                let count = found.count() as f64;
                (found, count)
            })?;
        }
        "snapshot" => {
            let names: Vec<String> = (0..graph.nodes()).map(|node| format!("{node:08}")).collect();
            let snapshot = Snapshot {
                about: String::new(),
                graph: graph.clone(),
                names: Names::sorted(&names).0,
            };
            let links = graph.links() as f64;
            let (bytes, sizes) = timed(step, || {
                let made = snapshot.to_sized_bytes();
                let bits = made.1.forward_bytes as f64 * 8.0 / links;
                (made, bits)
            })?;
            timed("backward", || ((), sizes.backward_bytes as f64 * 8.0 / links))?;
            timed("weights", || ((), sizes.weights_bytes as f64 * 8.0 / links))?;
            let again = timed("read", || (Snapshot::from_bytes(&bytes), bytes.len() as f64))?;
            assert!(
                again.is_ok_and(|again| again.graph == *graph),
                "the snapshot comes back"
            );
        }
        _ => {}
    }
    Ok(())
}

/// Runs a step and prints its line.
fn timed<T>(step: &str, work: impl FnOnce() -> (T, f64)) -> std::io::Result<T> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (value, figure) = work();
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu;
    writeln!(std::io::stdout(), "{step} {seconds:.4} {cpu:.4} {figure:.6}")?;
    Ok(value)
}

/// What all threads of this process have computed, by the kernel's clock of hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let ticks = after_name.split_ascii_whitespace().skip(11).take(2);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory this process had.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
