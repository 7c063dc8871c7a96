//! Noise and edits put into real pages: are edits seen, is noise silent? (B6)
//!
//! Prints the scores of the seeds' methods, of hand-made filters and of visible text beside ours. `GLEANER_SOAK=1` runs the whole set instead of a sample.

use gleaner_fixtures::{corpus, keep_scores};
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Learned, Side, template_of, visible_digest};
use gleaner_model::{Content, Url};
use gleaner_testkit::mutate::{Edit, PageNoise, edits, noise};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One page of the corpus: its source, and the text that people say matters on it.
struct Base {
    html: String,
    matters: String,
}

fn bases() -> Vec<Base> {
    let Some(folder) = corpus("wcxb") else {
        return Vec::new();
    };
    let mut names: Vec<_> = std::fs::read_dir(folder.join("html"))
        .expect("pages")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    names.sort();
    names
        .into_iter()
        .filter_map(|path| {
            let html = String::from_utf8(crate::unpacked(&path)).ok()?;
            let id = path.file_name()?.to_str()?.split('.').next()?;
            let truth = std::fs::read_to_string(folder.join(format!("ground-truth/{id}.json"))).ok()?;
            let truth: serde_json::Value = serde_json::from_str(&truth).ok()?;
            let matters = truth["ground_truth"]["main_content"].as_str()?.to_owned();
            Some(Base { html, matters })
        })
        .collect()
}

fn content(html: &str) -> Content {
    let url = Url::parse("http://site.test/section/page.html").expect("an address");
    gleaner_parse::content::of_html(html, &url)
}

fn side(html: &str) -> Side {
    let mut digest = [0; 32];
    digest[..16].copy_from_slice(&xxhash_of(html));
    Side::new(content(html), digest)
}

fn xxhash_of(html: &str) -> [u8; 16] {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut out = [0; 16];
    for (at, part) in out.chunks_mut(8).enumerate() {
        let mut hasher = DefaultHasher::new();
        (at, html).hash(&mut hasher);
        part.copy_from_slice(&hasher.finish().to_le_bytes());
    }
    out
}

/// What others do, in the order in which they are counted.
const BASELINES: [&str; 4] = [
    "size (seed S0)",
    "bytes (seed S2)",
    "regex filters",
    "visible text",
];

/// Filters as people write them by hand: scripts, comments, tags, then dates, times, long tokens and every number out.
struct Filters(Vec<regex::Regex>);

impl Filters {
    fn new() -> Filters {
        let patterns = [
            r"(?is)<script.*?</script>|<style.*?</style>|<!--.*?-->",
            r"(?s)<[^>]*>",
            r"(?i)\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b",
            r"(?i)\b[0-9a-f]{8,}\b|\b[0-9a-z_-]{20,}\b",
            r"\d+",
            r"\s+",
        ];
        Filters(
            patterns
                .iter()
                .map(|pattern| regex::Regex::new(pattern).expect("a pattern"))
                .collect(),
        )
    }

    fn left_of(&self, html: &str) -> String {
        self.0.iter().fold(html.to_owned(), |text, filter| {
            filter.replace_all(&text, " ").into_owned()
        })
    }
}

#[derive(Default)]
struct Count {
    right: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn merge(&mut self, other: &Count) {
        self.right += other.right;
        self.all += other.all;
    }

    fn percent(&self) -> f64 {
        100.0 * self.right as f64 / self.all.max(1) as f64
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{} ({:.2} %)", self.right, self.all, self.percent())
    }
}

/// What two learning fetches teach about a page with this noise.
fn learned(base: &str, noise: &PageNoise, before: &Content) -> Learned {
    let mut learned = Learned::default();
    let template = template_of(before, "/section/*");
    let (first, second) = (content(&noise.render(base, 2)), content(&noise.render(base, 3)));
    learned.observe_pair(&template, before, &first);
    learned.observe_pair(&template, &first, &second);
    learned
}

fn known(learned: &Learned, before: &Content) -> Arc<gleaner_judge::equality::LearnedTemplate> {
    let template = template_of(before, "/section/*");
    Arc::new(learned.known(&template).cloned().unwrap_or_default())
}

fn shows(diff: &Diff, words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().collect();
    diff.shown().any(|hunk| {
        let sides = [&hunk.before, &hunk.after];
        sides.into_iter().flatten().any(|part| {
            let text = format!("{} {}", part.text, part.links.join(" "));
            words.iter().all(|word| text.contains(word))
        })
    })
}

/// What the pairs came to.
#[derive(Default)]
struct Score {
    /// Edits of text that the page shows without a click.
    edits_shown: Count,
    edits_seen: Count,
    in_place: Count,
    noise_raw: Count,
    noise_learned: Count,
    /// The methods of [`BASELINES`]: each on noise and on edits.
    baselines: [[Count; 2]; BASELINES.len()],
    by_edit: BTreeMap<String, Count>,
    by_noise: BTreeMap<String, Count>,
    times: Vec<Duration>,
}

impl Score {
    fn merge(&mut self, other: Score) {
        self.edits_shown.merge(&other.edits_shown);
        self.edits_seen.merge(&other.edits_seen);
        self.in_place.merge(&other.in_place);
        self.noise_raw.merge(&other.noise_raw);
        self.noise_learned.merge(&other.noise_learned);
        for (mine, theirs) in self
            .baselines
            .iter_mut()
            .flatten()
            .zip(other.baselines.iter().flatten())
        {
            mine.merge(theirs);
        }
        for (kind, count) in other.by_edit {
            self.by_edit.entry(kind).or_default().merge(&count);
        }
        for (kind, count) in other.by_noise {
            self.by_noise.entry(kind).or_default().merge(&count);
        }
        self.times.extend(other.times);
    }

    /// Every second pair has an edit beside its noise.
    fn pair(&mut self, base: &Base, pair: usize, seed: u64, chain: &Chain, filters: &Filters) {
        let noise = PageNoise::of(seed);
        let edit = (pair % 2 == 1).then(|| {
            let kinds = edits::KINDS
                .iter()
                .cycle()
                .skip(seed as usize % edits::KINDS.len())
                .take(edits::KINDS.len());
            kinds
                .into_iter()
                .find_map(|kind| Edit::make(&base.html, &base.matters, *kind, seed))
        });
        // A page whose text that matters is nowhere found in its source cannot be edited.
        let edit = match edit {
            Some(None) => return,
            Some(made) => made,
            None => None,
        };
        // Text in closed tabs and panels (`hidden`, `display: none`) is not shown, so nobody can see its edits. They are
        // counted, so that a reader who hides too much is found out.
        if let Some(edit) = &edit {
            let (plain, edited) = (content(&base.html), content(&edit.html));
            let shown = |content: &Content| -> Vec<(String, Vec<String>)> {
                content
                    .blocks
                    .iter()
                    .map(|block| (block.text.clone(), block.links.clone()))
                    .collect()
            };
            let is_shown = shown(&plain) != shown(&edited);
            self.edits_shown.add(is_shown);
            if !is_shown {
                return;
            }
        }
        let before_html = noise.render(&base.html, 1);
        let now_html = noise.render(edit.as_ref().map_or(base.html.as_str(), |edit| &edit.html), 4);
        let (before, now) = (side(&before_html), side(&now_html));
        if edit.is_none() {
            self.noise_raw.add(chain.judge(&before, &now).is_same());
        }
        let now = now.with_known(known(
            &learned(&base.html, &noise, before.content()),
            before.content(),
        ));
        let start = Instant::now();
        let verdict = chain.judge(&before, &now);
        self.times.push(start.elapsed());
        let changed = [
            before_html.len() != now_html.len(),
            before_html != now_html,
            filters.left_of(&before_html) != filters.left_of(&now_html),
            visible_digest(before.content()) != visible_digest(now.content()),
        ];
        for (count, changed) in self.baselines.iter_mut().zip(changed) {
            count[usize::from(edit.is_some())].add(changed == edit.is_some());
        }
        let diff = || Diff::between(before.content(), now.content()).fold(&verdict.ignored);
        let is_shown = std::env::var_os("GLEANER_SHOW").is_some();
        if let Some(edit) = edit {
            let is_seen = !verdict.is_same();
            self.edits_seen.add(is_seen);
            self.by_edit
                .entry(format!("{:?}", edit.kind))
                .or_default()
                .add(is_seen);
            let is_in_place = shows(&diff(), &edit.shown);
            self.in_place.add(is_in_place);
            if is_shown && (!is_seen || !is_in_place) {
                eprintln!(
                    "missed {:?} pair {pair} seen {is_seen}: {} {:?}",
                    edit.kind, edit.shown, noise.kinds
                );
                eprintln!("{:.1500}", diff().words());
            }
        } else {
            self.noise_learned.add(verdict.is_same());
            for kind in &noise.kinds {
                self.by_noise
                    .entry(format!("{kind:?}"))
                    .or_default()
                    .add(verdict.is_same());
            }
            if is_shown && !verdict.is_same() {
                eprintln!(
                    "loud pair {pair} {:?}: {:?}\n{:.1500}",
                    noise.kinds,
                    verdict.outcome,
                    diff().words()
                );
            }
        }
    }

    fn tell(&mut self) {
        self.times.sort_unstable();
        let p95 = self.times[self.times.len() * 95 / 100];
        let mut lines = vec![
            "equality: noise and edits put into real pages (bars: edits seen 99 %, noise SAM 95 % after two learning fetches)".to_owned(),
        ];
        for (name, count) in BASELINES.iter().zip(&self.baselines) {
            lines.push(format!(
                "{name:<34} noise SAM {}  edits seen {}",
                count[0], count[1]
            ));
        }
        lines.push(format!(
            "{:<34} noise SAM {}  edits seen {}",
            "gleaner", self.noise_learned, self.edits_seen
        ));
        lines.push(format!("  noise SAM, nothing learned yet   {}", self.noise_raw));
        lines.push(format!("  edit shown in the right block    {}", self.in_place));
        lines.push(format!("  edits of text that is shown      {}", self.edits_shown));
        lines.push(format!(
            "  judging a pair, p95              {:.2} ms",
            p95.as_secs_f64() * 1e3
        ));
        keep_scores("mutations", &lines);
        for (kind, count) in &self.by_edit {
            lines.push(format!("  edits {kind:<14} {count}"));
        }
        for (kind, count) in &self.by_noise {
            lines.push(format!("  noise {kind:<14} {count}"));
        }
        eprintln!("{}", lines.join("\n"));
    }
}

#[test]
fn soak_b6_edits_are_seen_and_noise_is_not() {
    let bases = bases();
    if bases.is_empty() {
        return;
    }
    let wanted = if std::env::var_os("GLEANER_SOAK").is_some() {
        20_000
    } else {
        700
    };
    let first_seed: u64 = std::env::var("GLEANER_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(11);
    let (chain, filters) = (Chain::default(), Filters::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut score = Score::default();
    std::thread::scope(|scope| {
        let (bases, chain, filters) = (&bases, &chain, &filters);
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let mut score = Score::default();
                    for pair in (thread..wanted).step_by(threads) {
                        // Noise and edit of a page in turn, then the next page.
                        let base = &bases[pair / 2 % bases.len()];
                        let seed = first_seed
                            .wrapping_mul(1_000_003)
                            .wrapping_add(pair as u64 * 7_919);
                        score.pair(base, pair, seed, chain, filters);
                    }
                    score
                })
            })
            .collect();
        for worker in workers {
            score.merge(worker.join().expect("a worker's score"));
        }
    });
    score.tell();
    assert!(
        score.edits_shown.percent() >= 97.0,
        "edits of hidden text: {}",
        score.edits_shown
    );
    assert!(
        score.edits_seen.percent() >= 99.0,
        "edits seen: {}",
        score.edits_seen
    );
    assert!(
        score.noise_learned.percent() >= 95.0,
        "noise silent: {}",
        score.noise_learned
    );
    assert!(
        score.in_place.percent() >= 99.0,
        "edits in their place: {}",
        score.in_place
    );
}

#[test]
fn every_noise_changes_the_bytes() {
    let bases = bases();
    let Some(base) = bases.first() else {
        return;
    };
    for kind in noise::KINDS {
        let pages: Vec<String> = (0..8)
            .map(|fetch| PageNoise::only(kind, 5).render(&base.html, fetch))
            .collect();
        assert!(pages.windows(2).any(|two| two[0] != two[1]), "{kind:?}");
        assert_eq!(
            pages[3],
            PageNoise::only(kind, 5).render(&base.html, 3),
            "{kind:?} repeats"
        );
    }
}
