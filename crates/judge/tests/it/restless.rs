//! Many kinds of noise at once: silent after two tracks, and edits beside them are seen (B6).
//!
//! Learns as a run does: a page that differs is looked at again as [`wants_look`] says, two looks teach, and what is still
//! different then is a new version. `GLEANER_SOAK=1` judges more sites.

use gleaner_fixtures::keep_scores;
use gleaner_judge::equality::learn::wants_look;
use gleaner_judge::equality::{Chain, Difference, EqualityOutcome, Learned, Side, template_of};
use gleaner_model::{Content, Url};
use gleaner_testkit::restless::{ArticleEdit, ArticleEditKind, RestlessPage};
use std::collections::BTreeMap;
use std::sync::Arc;

const PATH_SHAPE: &str = "/story/*";

fn content(html: &str) -> Content {
    let url = Url::parse("http://site.test/story/1.html").expect("an address");
    gleaner_parse::content::of_html(html, &url)
}

/// A page as the store has it.
struct Followed {
    page: RestlessPage,
    base: Content,
}

/// A site with what was learned about it, and how often it was asked.
struct Site {
    learned: Learned,
    pages: Vec<Followed>,
    fetches: u64,
    chain: Chain,
}

impl Site {
    fn crawl(seed: u64, pages: u64) -> Site {
        let mut site = Site {
            learned: Learned::default(),
            pages: Vec::new(),
            fetches: 0,
            chain: Chain::default(),
        };
        for number in 0..pages {
            let page = RestlessPage::of(seed, number);
            let base = content(&page.html(site.fetch(), None));
            site.pages.push(Followed { page, base });
        }
        site
    }

    fn fetch(&mut self) -> u64 {
        self.fetches += 1;
        self.fetches
    }

    /// Tracks one page; true if it is the same, and if not what was shown.
    fn track(&mut self, at: usize, edit: Option<&ArticleEdit>) -> (bool, String) {
        let mut last: Option<Content> = None;
        let mut looks = 0;
        loop {
            let fetch = self.fetch();
            let now = content(&self.pages[at].page.html(fetch, edit));
            looks += 1;
            let template = template_of(&now, PATH_SHAPE);
            let differed = last.as_ref().is_some_and(|last| {
                self.learned.observe_pair(&template, last, &now);
                last.blocks != now.blocks || last.title != now.title
            });
            let known = self.learned.known(&template).cloned().unwrap_or_default();
            let pairs = known.pairs();
            let before = Side::new(self.pages[at].base.clone(), [1; 32]);
            let side = Side::new(now.clone(), [2; 32]).with_known(Arc::new(known));
            let verdict = self.chain.judge(&before, &side);
            let is_same = verdict.is_same();
            if !is_same && wants_look(looks, differed, pairs) {
                last = Some(now);
                continue;
            }
            self.learned.observe_visit(&template, before.content(), &now);
            let why = match &verdict.outcome {
                EqualityOutcome::Same => String::new(),
                EqualityOutcome::Different { why } => {
                    let mut shown = vec![why.clone()];
                    for difference in &verdict.differences {
                        let Difference::Block(change) = difference else {
                            shown.push("title".to_owned());
                            continue;
                        };
                        let sides = [
                            change.before.map(|at| &before.content().blocks[at]),
                            change.after.map(|at| &now.blocks[at]),
                        ];
                        for block in sides.into_iter().flatten() {
                            shown.push(format!("{:?} {} {:.70}", change.kind, block.path, block.text));
                        }
                    }
                    shown.join("\n  ")
                }
            };
            if !is_same {
                self.pages[at].base = now;
            }
            return (is_same, why);
        }
    }
}

#[derive(Default)]
struct Score {
    silent: [usize; 2],
    seen: [usize; 2],
    by_edit: BTreeMap<ArticleEditKind, [usize; 2]>,
}

fn add(count: &mut [usize; 2], is_right: bool) {
    count[0] += usize::from(is_right);
    count[1] += 1;
}

fn percent(count: [usize; 2]) -> f64 {
    100.0 * count[0] as f64 / count[1].max(1) as f64
}

#[test]
fn case19_all_kinds_of_noise_at_once_are_silent_and_edits_beside_them_are_seen() {
    let is_long = std::env::var_os("GLEANER_SOAK").is_some();
    let first: u64 = std::env::var("GLEANER_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_009); // The rules were made with the sites of 1 to 4.
    let sites = if is_long { 2_000 } else { 60 };
    let is_shown = std::env::var_os("GLEANER_SHOW").is_some();
    let mut score = Score::default();
    for seed in (0..sites).map(|n| first.wrapping_mul(1_000_003) + n * 7_919) {
        let pages = 1 + seed % 3;
        let mut site = Site::crawl(seed, pages);
        for _ in 0..2 {
            for at in 0..pages as usize {
                site.track(at, None);
            }
        }
        for at in 0..pages as usize {
            let (is_same, why) = site.track(at, None);
            add(&mut score.silent, is_same);
            if is_shown && !is_same {
                eprintln!(
                    "loud: site {seed} page {at} of {pages}, {:?}: {why}",
                    site.pages[at].page.widgets()
                );
            }
            let kinds = ArticleEditKind::ALL;
            for turn in 0..2 {
                let kind = kinds[(seed as usize + at * 5 + turn * 6) % kinds.len()];
                if kind == ArticleEditKind::Image {
                    continue;
                }
                let edit = ArticleEdit::make(&site.pages[at].page, kind, seed ^ turn as u64);
                let base = site.pages[at].base.clone();
                let (is_same, _) = site.track(at, Some(&edit));
                add(&mut score.seen, !is_same);
                add(score.by_edit.entry(kind).or_default(), !is_same);
                if is_shown && is_same {
                    eprintln!(
                        "missed: site {seed} page {at}, {kind:?}, {:?}",
                        site.pages[at].page.widgets()
                    );
                }
                site.pages[at].base = base;
            }
        }
    }
    let lines = [
        "restless: 6 to 12 kinds of noise at once, two tracks to learn (bars: noise SAM 95 %, edits seen 99 %)".to_owned(),
        format!(
            "noise SAM {}/{} ({:.2} %)  edits seen {}/{} ({:.2} %)",
            score.silent[0],
            score.silent[1],
            percent(score.silent),
            score.seen[0],
            score.seen[1],
            percent(score.seen)
        ),
    ];
    keep_scores("restless", &lines);
    eprintln!("{}", lines.join("\n"));
    for (kind, count) in &score.by_edit {
        eprintln!("  edits {kind:?} {}/{}", count[0], count[1]);
    }
    assert!(percent(score.silent) >= 95.0, "noise silent: {:?}", score.silent);
    assert!(percent(score.seen) >= 99.0, "edits seen: {:?}", score.seen);
}
