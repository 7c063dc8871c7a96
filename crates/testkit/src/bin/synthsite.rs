//! The synthetic site as a program: serves until it is ended. See the usage text for its options.

use std::io::Write;

use gleaner_testkit::synth::args::{Args, die};
use gleaner_testkit::synth::{SentValidators, SynthOptions, serve_until};

const USAGE: &str = "synthsite [options]
  --pages N          original pages (20000)        --hosts H        virtual hosts (1)
  --port P           crawl port (8600)             --admin-port P   control port (8601)
  --names SUFFIX     hosts are h<i>.SUFFIX (use the server as an HTTP proxy, or a
                     resolver override) instead of 127.0.x.y addresses
  --seed S           (1)                           --latency-ms T   per response (0)
  --jitter-ms T      added, uniform (0)            --gzip           honour Accept-Encoding
  --epoch E          start epoch (0)               --upd PCT --new PCT --del PCT per epoch (10/2/1)
  --noise PCT        pages with per-request noise and no validators (0)
  --validators all|mix|none (all)                  --crawl-delay S  in robots.txt (none)
  --redirects PCT (2) --missing PCT (5) --private PCT (5)
  --session-pages K  size of each session-id area (0 = off)
  --assets           add css/js/img links          --min-kb --max-kb page size (10/60)";

fn main() {
    let mut a = Args::parse(&["gzip", "assets", "help"]);
    if a.flag("help") {
        say(USAGE);
        return;
    }
    let options = SynthOptions {
        pages: a.get("pages", 20_000),
        hosts: a.get("hosts", 1),
        port: a.get("port", 8600),
        admin_port: a.get("admin-port", 8601),
        suffix: a.get("names", String::new()),
        seed: a.get("seed", 1),
        upd_pct: a.get("upd", 10.0),
        new_pct: a.get("new", 2.0),
        del_pct: a.get("del", 1.0),
        noise_pct: a.get("noise", 0.0),
        redirect_pct: a.get("redirects", 2.0),
        missing_pct: a.get("missing", 5.0),
        private_pct: a.get("private", 5.0),
        session_pages: a.get("session-pages", 0),
        assets: a.flag("assets"),
        gzip: a.flag("gzip"),
        validators: match a.get("validators", "all".to_string()).as_str() {
            "all" => SentValidators::All,
            "mix" => SentValidators::Mix,
            "none" => SentValidators::None,
            other => die(&format!("bad --validators {other}")),
        },
        crawl_delay: a.get("crawl-delay", 0.0),
        min_kb: a.get("min-kb", 10.0),
        max_kb: a.get("max-kb", 60.0),
        latency_ms: a.get("latency-ms", 0.0),
        jitter_ms: a.get("jitter-ms", 0.0),
        epoch: a.get("epoch", 0),
    };
    a.finish();
    // Kept alive and never used: this program ends by a signal.
    let (_stop, stopped) = tokio::sync::oneshot::channel();
    let served = serve_until(options, stopped, |ready| {
        say(&format!(
            "ready seed={} admin=http://{}/",
            ready.seed_url, ready.admin
        ));
    });
    if let Err(error) = served {
        die::<()>(&format!("{error:#}"));
    }
}

/// Standard output is what this program has to say; one that is gone does not matter.
fn say(text: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
