//! The synthetic topical web as a program: serves until it is ended, or walks it in simple orders and says what these find.

use std::io::Write;
use std::path::{Path, PathBuf};

use gleaner_testkit::synth::args::{Args, die};
use gleaner_testkit::topical::{TopicOptions, TopicSpec, good_sites, serve_topics_until, walk_orders};

const USAGE: &str = "topicweb [serve|walk] --spec FILE [options]
  serve              serves the web (without a word as well)
  walk               says what simple orders find with the budget of the spec
  --spec FILE        sizes, mix and budgets; bench/topicweb.json
  --corpora FOLDER   topics and documents (../shared/corpora)
  --seed S           (the first of the spec)       --topic NAME     (chosen by the seed)
  --port P           of the sites (8700)           --admin-port P   the truth (8701)
  --search-port P    the search service (8702)     --names SUFFIX   hosts are s<i>.SUFFIX
                     instead of 127.0.x.y addresses; use the server as an HTTP proxy";

fn main() {
    let mut args = Args::parse(&["help"]);
    if args.flag("help") {
        say(USAGE);
        return;
    }
    let path: PathBuf = args.get("spec", PathBuf::new());
    if path.as_os_str().is_empty() {
        die::<()>("--spec is missing; see --help");
    }
    let spec = TopicSpec::read(Path::new(&path)).unwrap_or_else(|error| die(&format!("{error:#}")));
    let topic = args.get("topic", String::new());
    let options = TopicOptions {
        seed: args.get("seed", spec.seeds[0]),
        topic: (!topic.is_empty()).then_some(topic),
        corpora: args.get("corpora", PathBuf::from("../shared/corpora")),
        port: args.get("port", 8700),
        admin_port: args.get("admin-port", 8701),
        search_port: args.get("search-port", 8702),
        suffix: args.get("names", String::new()),
        spec,
    };
    let word = args.rest.first().map_or("serve", String::as_str).to_owned();
    args.finish();
    let done = match word.as_str() {
        "serve" => serve(options),
        "walk" => walk(&options),
        other => die(&format!("unknown word: {other}; see --help")),
    };
    if let Err(error) = done {
        die::<()>(&format!("{error:#}"));
    }
}

fn serve(options: TopicOptions) -> anyhow::Result<()> {
    // Kept alive and never used: this program ends by a signal.
    let (_stop, stopped) = tokio::sync::oneshot::channel();
    serve_topics_until(options, stopped, |ready| {
        say(&format!(
            "ready admin=http://{}/ search=http://{}/search",
            ready.admin, ready.search
        ));
    })
}

fn walk(options: &TopicOptions) -> anyhow::Result<()> {
    let sites = good_sites(options)?;
    for walked in walk_orders(options)? {
        say(&format!(
            "seed {} {:14} {:5} good works of {} in {} fetches: {:.2} per 100; {} sites asked, {sites} good ones",
            options.seed,
            walked.order,
            walked.good,
            walked.of,
            walked.fetches,
            walked.good as f64 * 100.0 / walked.fetches.max(1) as f64,
            walked.sites
        ));
    }
    Ok(())
}

/// Standard output is what this program has to say; one that is gone does not matter.
fn say(text: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}
