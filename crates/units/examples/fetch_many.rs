//! How many pages does a second of CPU fetch? `fetch_many FILE [CONNECTIONS]` asks for each URL of the file once.
//!
//! Prints pages, bytes, wall seconds, CPU seconds (user and system, from the process's own account) and pages per
//! CPU second; to be set beside `fetchloop --urls` of the benchmark folder on the same list.

use gleaner_model::Url;
use gleaner_units::{Answer, Ask, Http, HttpSettings, NetSettings, Unit};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: fetch_many FILE [CONNECTIONS]")?;
    let connections: usize = arguments.next().map_or(Ok(64), |text| text.parse())?;
    let urls: Arc<Vec<Url>> = Arc::new(
        std::fs::read_to_string(file)?
            .lines()
            .map(Url::parse)
            .collect::<Result<_, _>>()?,
    );
    let http = Arc::new(Http::new(HttpSettings {
        net: NetSettings {
            allow_private: true,
            ..NetSettings::default()
        },
        ..HttpSettings::default()
    })?);
    let (next, pages, bytes, other) =
        <(Arc<AtomicUsize>, Arc<AtomicU64>, Arc<AtomicU64>, Arc<AtomicU64>)>::default();

    let cpu_before = cpu_seconds()?;
    let start = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..connections {
        let (urls, http, next) = (Arc::clone(&urls), Arc::clone(&http), Arc::clone(&next));
        let (pages, bytes, other) = (Arc::clone(&pages), Arc::clone(&bytes), Arc::clone(&other));
        workers.spawn(async move {
            while let Some(url) = urls.get(next.fetch_add(1, Ordering::Relaxed)) {
                match http.fetch(&Ask::of(url.clone())).await {
                    Ok(Answer::Here(exchange)) => {
                        pages.fetch_add(1, Ordering::Relaxed);
                        bytes.fetch_add(exchange.body.len(), Ordering::Relaxed);
                    }
                    _ => drop(other.fetch_add(1, Ordering::Relaxed)),
                }
            }
        });
    }
    while workers.join_next().await.is_some() {}
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);
    let pages = pages.load(Ordering::Relaxed);
    writeln!(
        std::io::stdout(),
        "pages {pages} other {} bytes {} wall_s {wall:.2} cpu_s {cpu:.2} pages_per_cpu_s {:.0}",
        other.load(Ordering::Relaxed),
        bytes.load(Ordering::Relaxed),
        pages as f64 / cpu,
    )?;
    Ok(())
}

/// User and system time so far, in hundredths of a second as Linux counts them.
fn cpu_seconds() -> std::io::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let ticks = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / 100.0)
}
