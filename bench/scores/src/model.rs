//! How the model of the main text is made from pages with gold texts: words that say something, types of pages, trees.
//!
//! What is learned of a page must not come from that page: the weights of its words leave it out, and its type is guessed
//! by trees that have not seen it. Otherwise the last trees would trust the first ones too much.

use crate::boost::{self, Settings, Table};
use crate::corpora::{self, Gold, Sample};
use crate::gold;
use gleaner_parse::content::training::{
    DecisionTree, KINDS, Lexicon, Model, PAGE_WIDTH, Topic, TrainingPage, USE_OF_KIND, USES, WIDE, WIDTH,
    Weights, likely, sums,
};
use std::collections::{BTreeMap, BTreeSet};

/// A page ready for training.
pub(crate) struct Ready<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) page: TrainingPage,
    pub(crate) labels: Vec<Option<f32>>,
    pub(crate) lengths: Vec<f32>,
    numbers: Vec<f32>,
    host: String,
    /// For every word the share of main text where it stands.
    words: BTreeMap<(Topic, String), f32>,
}

impl<'a> Ready<'a> {
    pub(crate) fn of(sample: &'a Sample) -> Ready<'a> {
        let page = TrainingPage::read(&sample.address(), &corpora::headers(), &sample.body)
            .expect("the sets hold HTML");
        let texts: Vec<&str> = page.texts().collect();
        let labels = gold::labels(&texts, &sample.gold);
        let lengths = page.lengths();
        let mut words = BTreeMap::new();
        if matches!(sample.gold, Gold::Text(_)) {
            for (word, blocks) in page.words() {
                let main: f32 = blocks
                    .iter()
                    .map(|at| labels[*at].unwrap_or(0.0) * lengths[*at])
                    .sum();
                let all: f32 = blocks.iter().map(|at| lengths[*at]).sum();
                if all > 0.0 {
                    words.insert(word, main / all);
                }
            }
        }
        Ready {
            sample,
            numbers: page.numbers(),
            host: sample.host(),
            page,
            labels,
            lengths,
            words,
        }
    }
}

#[derive(Default, Clone)]
struct Seen<'a> {
    all: Tally,
    /// On pages of each use.
    uses: [Tally; USES],
    hosts: BTreeSet<&'a str>,
}

/// On how many pages a word stands, and how much of what it stands over is main text.
#[derive(Default, Clone, Copy)]
struct Tally {
    main: f32,
    pages: f32,
}

impl Tally {
    fn add(&mut self, share: f32, pages: f32) {
        self.main += share;
        self.pages += pages;
    }

    /// The share of main text, drawn towards `base` by so many pages.
    fn share(self, base: f32, doubt: f32) -> f32 {
        (self.main + doubt * base) / (self.pages + doubt)
    }
}

impl Seen<'_> {
    fn add(&mut self, page: &Ready<'_>, share: f32, pages: f32) {
        self.all.add(share, pages);
        if let Some(at) = page.used() {
            self.uses[at].add(share, pages);
        }
    }

    fn weights(&self) -> Weights {
        let odds = |share: f32| rounded((share / (1.0 - share)).ln());
        let all = self.all.share(BASE, DOUBT);
        Weights {
            all: odds(all),
            uses: self.uses.map(|tally| odds(tally.share(all, DOUBT_OF_USE))),
        }
    }
}

/// A word counts from so many hosts on.
const HOSTS_MIN: usize = 5;
/// So many pages without a word's own evidence stand against it.
const DOUBT: f32 = 3.0;
const BASE: f32 = 0.5;

/// As much for what it says on pages of one use.
const DOUBT_OF_USE: f32 = 4.0;

pub(crate) struct Words<'a> {
    seen: BTreeMap<&'a (Topic, String), Seen<'a>>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(pages: &[&'a Ready<'a>]) -> Words<'a> {
        let mut seen: BTreeMap<&(Topic, String), Seen<'_>> = BTreeMap::new();
        for page in pages {
            for (word, share) in &page.words {
                let seen = seen.entry(word).or_default();
                seen.add(page, *share, 1.0);
                seen.hosts.insert(&page.host);
            }
        }
        seen.retain(|_, seen| seen.hosts.len() >= HOSTS_MIN);
        Words { seen }
    }

    /// For pages that were not looked at.
    pub(crate) fn lexicon(&self) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for (word, seen) in &self.seen {
            lexicon.insert(word.0, &word.1, seen.weights());
        }
        lexicon
    }

    /// For one of the pages that were looked at, without what it said itself.
    fn without(&self, page: &Ready<'_>) -> Lexicon {
        let mut lexicon = self.lexicon();
        for (word, share) in &page.words {
            if let Some(seen) = self.seen.get(word) {
                let is_known = seen.hosts.len() > HOSTS_MIN;
                let value = if is_known {
                    let mut others = Seen {
                        hosts: BTreeSet::new(),
                        ..*seen
                    };
                    others.add(page, -share, -1.0);
                    others.weights()
                } else {
                    Weights::default()
                };
                lexicon.insert(word.0, &word.1, value);
            }
        }
        lexicon
    }
}

fn rounded(weight: f32) -> f32 {
    (weight * 100.0).round() / 100.0
}

/// Trees for each type of page.
pub(crate) fn kinds(pages: &[&Ready<'_>]) -> Vec<Vec<DecisionTree>> {
    let known: Vec<&&Ready<'_>> = pages.iter().filter(|page| page.sample.kind.is_some()).collect();
    let rows: Vec<f32> = known
        .iter()
        .flat_map(|page| page.numbers.iter().copied())
        .collect();
    // The second set of articles would drown the other types.
    let weights: Vec<f32> = known
        .iter()
        .map(|page| if page.sample.set == "wcxb" { 1.0 } else { 0.4 })
        .collect();
    let groups: Vec<u32> = (0..known.len() as u32).collect();
    let settings = Settings {
        rounds: 50,
        leaves_max: 6,
        rate: 0.1,
        leaf_weight_min: 1.0,
        ridge: 1.0,
        columns: 0.4,
        groups: 0.8,
        seed: 7,
    };
    KINDS
        .iter()
        .map(|kind| {
            let yes: Vec<f32> = known
                .iter()
                .map(|page| f32::from(u8::from(page.sample.kind.as_deref() == Some(kind))))
                .collect();
            let table = Table {
                width: PAGE_WIDTH,
                rows: &rows,
                yes: &yes,
                weights: &weights,
                groups: &groups,
            };
            boost::grow(&table, &settings)
        })
        .collect()
}

fn settings(is_second: bool) -> Settings {
    Settings {
        rounds: if is_second { 200 } else { 100 },
        leaves_max: 16,
        rate: if is_second { 0.05 } else { 0.08 },
        leaf_weight_min: 60.0,
        ridge: 20.0,
        columns: 0.2,
        groups: 0.7,
        seed: 11,
    }
}

/// A long block counts more than a short one, but not by its full length.
const LENGTH_POWER: f32 = 0.6;
/// Of a page of which a few pieces are known, in percent of one that is known whole.
const PIECES_WEIGHT: f32 = 20.0;

/// The rows of a page that count, what they are and how much each counts.
struct Lesson {
    rows: Vec<f32>,
    width: usize,
    yes: Vec<f32>,
    weights: Vec<f32>,
    groups: Vec<u32>,
}

impl Lesson {
    fn new(width: usize) -> Lesson {
        Lesson {
            rows: Vec::new(),
            width,
            yes: Vec::new(),
            weights: Vec::new(),
            groups: Vec::new(),
        }
    }

    fn add(&mut self, page: &Ready<'_>, number: usize, rows: &[f32]) {
        let is_known: Vec<usize> = (0..page.labels.len())
            .filter(|at| page.labels[*at].is_some())
            .collect();
        let mass = |at: usize| page.lengths[at].max(1.0).powf(LENGTH_POWER);
        let all: f32 = is_known.iter().map(|at| mass(*at)).sum();
        // Each page counts the same; one of which a few pieces are known counts less.
        let share = match page.sample.gold {
            Gold::Text(_) => 100.0,
            Gold::Pieces { .. } => PIECES_WEIGHT,
        };
        for at in is_known {
            self.rows
                .extend_from_slice(&rows[at * self.width..(at + 1) * self.width]);
            self.yes.push(page.labels[at].unwrap_or(0.0));
            self.weights.push(share * mass(at) / all.max(1.0));
            self.groups.push(number as u32);
        }
    }

    fn trees(&self, settings: &Settings) -> Vec<DecisionTree> {
        let table = Table {
            width: self.width,
            rows: &self.rows,
            yes: &self.yes,
            weights: &self.weights,
            groups: &self.groups,
        };
        boost::grow(&table, settings)
    }
}

pub(crate) fn train(pages: &[&Ready<'_>]) -> Model {
    const PARTS: u64 = 4;
    let words = Words::of(pages);
    let guesses = guesses(pages);
    let rows: Vec<Vec<f32>> = pages
        .iter()
        .zip(&guesses)
        .map(|(page, guess)| page.page.rows(&words.without(page), guess))
        .collect();
    let first = |part: Option<u64>| {
        let mut lesson = Lesson::new(WIDTH);
        for (number, (page, rows)) in pages.iter().zip(&rows).enumerate() {
            if Some(fold(&page.host, 2, PARTS)) != part {
                lesson.add(page, number, rows);
            }
        }
        lesson.trees(&settings(false))
    };
    let mut lesson = Lesson::new(WIDE);
    for part in 0..PARTS {
        let trees = first(Some(part));
        for (number, (page, rows)) in pages.iter().zip(&rows).enumerate() {
            if fold(&page.host, 2, PARTS) == part {
                let likely = each(&trees, rows, WIDTH);
                lesson.add(page, number, &page.page.wide_rows(rows, &likely));
            }
        }
    }
    Model {
        lexicon: words.lexicon(),
        kinds: kinds(pages),
        first: first(None),
        second: lesson.trees(&settings(true)),
    }
}

fn each(trees: &[DecisionTree], rows: &[f32], width: usize) -> Vec<f32> {
    sums(trees, rows, width).into_iter().map(likely).collect()
}

/// The type of each page, guessed by trees that have not seen its host.
pub(crate) fn guesses(pages: &[&Ready<'_>]) -> Vec<Vec<f32>> {
    const PARTS: u64 = 4;
    let mut guesses = vec![Vec::new(); pages.len()];
    for part in 0..PARTS {
        let others: Vec<&Ready<'_>> = pages
            .iter()
            .filter(|page| fold(&page.host, 1, PARTS) != part)
            .copied()
            .collect();
        let trees = Model {
            kinds: kinds(&others),
            ..Model::default()
        };
        for (page, guessed) in pages.iter().zip(&mut guesses) {
            if fold(&page.host, 1, PARTS) == part {
                *guessed = trees.guess(&page.numbers);
            }
        }
    }
    guesses
}

/// Which part of the data a host belongs to.
pub(crate) fn fold(host: &str, salt: u64, parts: u64) -> u64 {
    let hash = host.bytes().fold(0xcbf2_9ce4_8422_2325 ^ salt, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    boost::Dice(hash).next() % parts
}

/// How likely a page is of each type.
pub(crate) fn kinds_of(model: &Model, page: &Ready<'_>) -> Vec<f32> {
    model.guess(&page.numbers)
}

/// The likeliest type of a page.
pub(crate) fn kind(model: &Model, page: &Ready<'_>) -> usize {
    let kinds = kinds_of(model, page);
    (0..kinds.len())
        .max_by(|a, b| kinds[*a].total_cmp(&kinds[*b]))
        .unwrap_or(0)
}

impl Ready<'_> {
    /// What its type of page is read for, where its type is known.
    fn used(&self) -> Option<usize> {
        let kind = self.sample.kind.as_deref()?;
        KINDS
            .iter()
            .position(|known| *known == kind)
            .map(|at| USE_OF_KIND[at])
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}
