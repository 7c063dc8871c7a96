//! What is true of the site, and what was asked of it? The control port: counters, truth, epochs.

use std::io::Write;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::counters::Stats;
use super::request::read_req;
use super::server::App;
use super::site::{Change, HUB_CHUNK};

fn cpu_seconds() -> f64 {
    // utime + stime in clock ticks (100 Hz on Linux)
    let s = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let f: Vec<&str> = s.rsplit(") ").next().unwrap_or("").split(' ').collect();
    let g = |i: usize| f.get(i).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    (g(11) + g(12)) / 100.0
}

fn stats_json(app: &App) -> String {
    let st = app.st.borrow();
    let span = match (st.first, st.last) {
        (Some(a), Some(b)) => (b - a).as_secs_f64(),
        _ => 0.0,
    };
    let e = app.epoch.get();
    format!(
        "{{\"requests\":{},\"pages_200\":{},\"distinct_pages\":{},\"duplicate_pages\":{},\"hubs_200\":{},\"not_modified\":{},\"redirects\":{},\"not_found\":{},\"robots\":{},\"sitemaps\":{},\"private_hits\":{},\"session_requests\":{},\"session_distinct\":{},\"assets\":{},\"head\":{},\"bytes_out\":{},\"connections\":{},\"max_open\":{},\"max_inflight\":{},\"max_host_inflight\":{},\"hosts_seen\":{},\"span_s\":{:.3},\"server_cpu_s\":{:.2},\"epoch\":{},\"pages\":{},\"hosts\":{},\"session_pages\":{},\"latency_ms\":{}}}",
        st.requests,
        st.pages_200,
        st.distinct,
        st.pages_200 - st.distinct,
        st.hubs_200,
        st.not_modified,
        st.redirects,
        st.not_found,
        st.robots,
        st.sitemaps,
        st.private_hits,
        st.session_requests,
        st.session_distinct,
        st.assets,
        st.head,
        st.bytes_out,
        st.connections,
        st.max_open,
        st.max_inflight,
        st.max_host_inflight,
        st.hosts_distinct,
        span,
        cpu_seconds(),
        e,
        app.site.cfg.pages,
        app.site.cfg.hosts,
        app.site.cfg.session_pages,
        app.latency.get()
    )
}

fn change_name(c: Change) -> (&'static str, &'static str) {
    match c {
        Change::New => ("NEW", ""),
        Change::UpdMinor => ("UPD", "minor"),
        Change::UpdMajor => ("UPD", "major"),
        Change::Same => ("SAM", ""),
        Change::Missing => ("MIS", ""),
        Change::Absent => ("", ""),
    }
}

pub(super) async fn serve_admin(mut s: TcpStream, app: &App) -> std::io::Result<()> {
    let mut buf = Vec::new();
    let Some(q) = read_req(&mut s, &mut buf).await else {
        return Ok(());
    };
    let (path, query) = q.target.split_once('?').unwrap_or((&q.target, ""));
    let arg = |k: &str| {
        query
            .split('&')
            .find_map(|kv| kv.strip_prefix(k)?.strip_prefix('='))
    };
    let num = |k: &str, d: f64| arg(k).and_then(|x| x.parse::<f64>().ok()).unwrap_or(d);
    let site = &app.site;
    let mut out =
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n".to_vec();
    match path {
        "/stats" => out.extend_from_slice(stats_json(app).as_bytes()),
        "/reset" => {
            let mut st = app.st.borrow_mut();
            let open = st.open;
            *st = Stats {
                open,
                max_open: open,
                ..Stats::default()
            };
            out.extend_from_slice(b"{}");
        }
        "/set" => {
            app.epoch.set(num("epoch", app.epoch.get() as f64) as u64);
            app.latency.set(num("latency_ms", app.latency.get()));
            app.jitter.set(num("jitter_ms", app.jitter.get()));
            out.extend_from_slice(stats_json(app).as_bytes());
        }
        // Every live page URL at the current epoch, in id order or shuffled by a fixed stride.
        "/urls" => {
            let e = app.epoch.get();
            let n = site.total_ids(e);
            let (off, lim) = (
                num("offset", 0.0) as u64,
                num("limit", f64::MAX).min(n as f64) as u64,
            );
            for id in off..(off + lim).min(n) {
                if site.alive(id, e) {
                    let _ = writeln!(out, "{}", site.url(id));
                }
                if out.len() > 256 * 1024 {
                    s.write_all(&out).await?;
                    out.clear();
                }
            }
        }
        // Ground truth of changes between two epochs, as TSV: status, detail, topic, url.
        "/truth" => {
            let to = num("to", app.epoch.get() as f64) as u64;
            let from = num("from", to.saturating_sub(1) as f64) as u64;
            let summary = arg("summary").is_some();
            let mut count = [0u64; 4];
            let mut emit = |out: &mut Vec<u8>, st: &str, detail: &str, topic: i64, url: String| {
                count[match st {
                    "NEW" => 0,
                    "UPD" => 1,
                    "SAM" => 2,
                    _ => 3,
                }] += 1;
                if !summary {
                    let _ = writeln!(out, "{st}\t{detail}\t{topic}\t{url}");
                }
            };
            for id in 0..site.total_ids(to.max(from)) {
                let (st, detail) = change_name(site.change(id, from, to));
                if !st.is_empty() {
                    let d = if site.noisy(id) { "noisy" } else { detail };
                    emit(&mut out, st, d, site.topic(id) as i64, site.url(id));
                }
                if out.len() > 256 * 1024 {
                    s.write_all(&out).await?;
                    out.clear();
                }
            }
            for h in 0..site.cfg.hosts {
                let base = format!("http://{}", site.host_name(h));
                let grew = (from + 1..=to).any(|e| site.born_on(e, h).next().is_some());
                emit(
                    &mut out,
                    if grew { "UPD" } else { "SAM" },
                    "hub",
                    -1,
                    format!("{base}/whatsnew.html"),
                );
                for e in 1..=to {
                    let n = site.born_on(e, h).count() as u64;
                    for k in 0..n.div_ceil(HUB_CHUNK) {
                        emit(
                            &mut out,
                            if e > from { "NEW" } else { "SAM" },
                            "hub",
                            -1,
                            format!("{base}/whatsnew-e{e}-{k}.html"),
                        );
                    }
                }
            }
            if summary {
                let _ = write!(
                    out,
                    "{{\"from\":{from},\"to\":{to},\"NEW\":{},\"UPD\":{},\"SAM\":{},\"MIS\":{}}}",
                    count[0], count[1], count[2], count[3]
                );
            }
        }
        // Main text of one page: /text?id=N
        "/text" => {
            let id = num("id", 0.0) as u64;
            out.extend_from_slice(site.plain_text(id, app.epoch.get()).as_bytes());
        }
        _ => out = b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
    }
    s.write_all(&out).await?;
    s.shutdown().await
}
