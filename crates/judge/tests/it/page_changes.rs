//! Two successive versions of real built pages, told apart by people's rules: is content seen, are rebuilds silent? (B6)
//!
//! `GLEANER_SHOW=REPOSITORY` prints what went wrong on the pages of a repository. To judge a change of the rules fairly,
//! look at the pages of some repositories and at the figures only of the others.

use gleaner_fixtures::{corpus, keep_scores};
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Side};
use gleaner_model::Url;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// The corpus is packed with a window larger than decoders take by themselves.
const WINDOW_LOG: u32 = 27;

#[derive(serde::Deserialize)]
struct Pair {
    id: u32,
    repo: String,
    path: String,
    label: String,
    body_links_changed: bool,
    a: String,
    b: String,
}

fn pairs(folder: &Path) -> Vec<Pair> {
    let file = std::fs::File::open(folder.join("pairs.jsonl.zst")).expect("the pairs");
    let mut decoder = zstd::Decoder::new(file).expect("zstd");
    decoder.window_log_max(WINDOW_LOG).expect("a window");
    let mut text = String::new();
    decoder.read_to_string(&mut text).expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect()
}

#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.right, self.all)
    }
}

/// What is counted, in the order of the columns.
#[derive(Default, Clone, Copy)]
struct Score {
    content: Count,
    noise: Count,
    /// Rebuilds that moved link targets too: counted apart, as the corpus asks.
    noise_with_links: Count,
}

fn judged(chain: &Chain, pair: &Pair) -> (bool, String) {
    let url = Url::parse(&format!("http://site.test/{}", pair.path))
        .unwrap_or_else(|_| Url::parse("http://site.test/").expect("an address"));
    let side = |html: &str, digest| Side::new(gleaner_parse::content::of_html(html, &url), digest);
    let (before, now) = (side(&pair.a, [0; 32]), side(&pair.b, [1; 32]));
    let (diff, verdict) = Diff::judged(chain, &before, &now, None);
    let mut shown = String::new();
    if let Some((old, new)) = diff.title.as_ref().filter(|_| diff.title_ignored.is_none()) {
        let _never_fails = writeln!(shown, "    title: {old} → {new}");
    }
    for hunk in diff.shown().take(8) {
        let text = |part: &Option<gleaner_judge::diff::DiffPart>| {
            part.as_ref()
                .map(|part| part.text.chars().take(160).collect::<String>())
        };
        let _never_fails = writeln!(
            shown,
            "    {:?} main={} {}\n      - {:?}\n      + {:?}",
            hunk.kind,
            hunk.is_main,
            hunk.path,
            text(&hunk.before),
            text(&hunk.after)
        );
    }
    (verdict.is_same(), shown)
}

#[test]
fn case18_rebuilds_are_silent_and_content_changes_are_seen() {
    let Some(folder) = corpus("page-changes-2") else {
        return;
    };
    let chain = Chain::default();
    let shown = std::env::var("GLEANER_SHOW").ok();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut all = Score::default();
    for pair in pairs(&folder) {
        if pair.label == "unsure" {
            continue;
        }
        let (is_same, differences) = judged(&chain, &pair);
        let is_right = is_same == (pair.label == "noise");
        let of_repo = scores.entry(pair.repo.clone()).or_default();
        for score in [of_repo, &mut all] {
            match (pair.label.as_str(), pair.body_links_changed) {
                ("content", _) => score.content.add(is_right),
                (_, true) => score.noise_with_links.add(is_right),
                _ => score.noise.add(is_right),
            }
        }
        if !is_right && shown.as_ref().is_some_and(|name| pair.repo.contains(name)) {
            eprintln!(
                "{} {} {} links={}\n{differences}",
                pair.label, pair.id, pair.path, pair.body_links_changed
            );
        }
    }
    let mut lines = vec![
        "page-changes-2: built pages before and after (bars: content seen 227/227, noise SAM 140/147)"
            .to_owned(),
    ];
    let every = [("all".to_owned(), all)];
    for (repo, score) in scores
        .iter()
        .map(|(repo, score)| (repo.clone(), *score))
        .chain(every)
    {
        lines.push(format!(
            "{repo:<26} content seen {:<9} noise SAM {:<9} noise with other links SAM {}",
            score.content.to_string(),
            score.noise.to_string(),
            score.noise_with_links
        ));
    }
    keep_scores("page-changes-2", &lines);
    eprintln!("{}", lines.join("\n"));
    assert_eq!(all.content.right, all.content.all, "content changes unseen");
    assert!(all.noise.right >= 140, "rebuilds told as changes: {}", all.noise);
}
