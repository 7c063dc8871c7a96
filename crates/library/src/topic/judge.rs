//! The judge itself: learned from examples, on the keywords' word where there are none.

use super::examples::{ExampleKind, TopicExamples};
use super::keywords::Keywords;
use super::learn::{self, Lesson, Line};
use super::seen::{BUCKETS, Place, SeenWord, TopicPage, each, hash, mixed};
use gleaner_model::{Content, Url};
use serde::Serialize;
use std::collections::HashMap;

/// With fewer examples of a kind the keywords judge alone.
const LEARN_MIN: usize = 3;
/// So many good examples count as much as the keywords.
const KEYWORDS_WEIGH: f32 = 5.0;
const OVERRULE_WEIGHS: f32 = 5.0;
/// A page that was met may be on the topic after all.
const MET_WEIGHS: f32 = 0.5;
const COST_INSIDE: f32 = 4.0;
const COST_OUTSIDE: f32 = 0.1;
/// From this precision on a verdict is sure.
const SURE: f64 = 0.9;
const REASONS: usize = 3;
/// What an address and an anchor are worth that show one of the keywords, and that show none, where nothing was learned.
const KEYWORD_SHOWN: f32 = 2.5;
const NOTHING_SHOWN: f32 = -3.0;

/// Judges pages by topic. Cheap to make again: nothing is kept that the examples do not hold.
#[derive(Debug, Clone)]
pub struct TopicJudge {
    /// What each keyword counts.
    weights: Vec<f32>,
    inside: Option<Inside>,
    outside: Line,
    /// How much the keywords count beside what was learned.
    trust: f32,
    /// A score from which on nine of ten are right.
    sure_from: f32,
}

#[derive(Debug, Clone)]
struct Inside {
    rarity: Vec<f32>,
    line: Line,
}

/// What the judge says of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicVerdict {
    /// How likely it is on the topic, 0 to 1.
    pub score: f32,
    pub is_on_topic: bool,
    /// Of pages with such a score, nine of ten are on the topic.
    pub is_sure: bool,
    /// The strongest first, in plain words.
    pub reasons: Vec<String>,
}

impl TopicJudge {
    /// Learns from all examples: the same ones give the same judge.
    pub fn new(keywords: &Keywords, examples: &TopicExamples) -> TopicJudge {
        let weights = keyword_weights(keywords, examples);
        let (good, bad) = (
            examples.count(ExampleKind::Good),
            examples.count(ExampleKind::Bad),
        );
        let is_learned = good >= LEARN_MIN && bad + examples.count(ExampleKind::Met) >= LEARN_MIN;
        if !is_learned {
            let outside = cold_outside(keywords, &weights);
            return TopicJudge {
                weights,
                inside: None,
                outside,
                trust: 1.0,
                sure_from: 0.8,
            };
        }
        let rarity = rarity(examples);
        let mut lessons: Vec<Lesson> = examples
            .all()
            .map(|example| Lesson {
                values: direction(&example.page, &rarity),
                is_good: example.kind == ExampleKind::Good,
                weight: match (example.kind, example.is_overrule) {
                    (_, true) => OVERRULE_WEIGHS,
                    (ExampleKind::Met, _) => MET_WEIGHS,
                    _ => 1.0,
                },
                group: example.group,
            })
            .collect();
        let (line, crossed) = learn::line(&lessons, COST_INSIDE);
        let sure_from = sure_from(&lessons, &crossed);
        for (lesson, example) in lessons.iter_mut().zip(examples.all()) {
            lesson.values = example.page.outside.iter().map(|number| (*number, 1.0)).collect();
        }
        let (outside, _) = learn::line(&lessons, COST_OUTSIDE);
        let trust = if keywords.is_empty() {
            0.0
        } else {
            KEYWORDS_WEIGH / (KEYWORDS_WEIGH + good as f32)
        };
        TopicJudge {
            weights,
            inside: Some(Inside { rarity, line }),
            outside,
            trust,
            sure_from,
        }
    }

    /// The logarithm of the odds that the page is on the topic.
    fn odds(&self, page: &TopicPage) -> f32 {
        let by_keywords = || {
            page.hits
                .odds(|place| self.weights.get(place).copied().unwrap_or(0.0))
        };
        match &self.inside {
            None => by_keywords(),
            Some(inside) => {
                let learned = inside.line.odds(direction(page, &inside.rarity).into_iter());
                let keywords = if self.trust > 0.0 { by_keywords() } else { 0.0 };
                learned * (1.0 - self.trust) + keywords * self.trust
            }
        }
    }

    /// How likely the page is on the topic, 0 to 1.
    pub fn score(&self, page: &TopicPage) -> f32 {
        logistic(self.odds(page))
    }

    /// What a link promises by its anchor and its address ([`super::TopicReader::link`]): the logarithm of the odds.
    pub fn promise(&self, link: &[u32]) -> f32 {
        self.outside.odds(link.iter().map(|number| (*number, 1.0)))
    }

    pub fn verdict(
        &self,
        page: &TopicPage,
        url: &Url,
        title: &str,
        content: &Content,
        keywords: &Keywords,
    ) -> TopicVerdict {
        let score = self.score(page);
        TopicVerdict {
            score,
            is_on_topic: score >= 0.5,
            is_sure: score >= self.sure_from,
            reasons: self.reasons(page, url, title, content, keywords, score >= 0.5),
        }
    }

    /// The three strongest reasons for or against.
    fn reasons(
        &self,
        page: &TopicPage,
        url: &Url,
        title: &str,
        content: &Content,
        keywords: &Keywords,
        is_for: bool,
    ) -> Vec<String> {
        let side = if is_for { 1.0 } else { -1.0 };
        let mut found: Vec<(f32, String)> = Vec::new();
        if let Some(inside) = &self.inside {
            let values: HashMap<u32, f32> = direction(page, &inside.rarity).into_iter().collect();
            let mut told: HashMap<u32, (f32, String)> = HashMap::new();
            each(url, title, content, &mut |seen: SeenWord<'_>| {
                let Some(value) = values.get(&seen.number) else {
                    return;
                };
                let strength = side * value * inside.line.weights[seen.number as usize] * (1.0 - self.trust);
                if strength > 0.0 && seen.place.is_told() {
                    told.entry(seen.number).or_insert_with(|| (strength, seen.told()));
                }
            });
            found.extend(told.into_values());
        }
        if self.trust > 0.0 {
            let odds = page
                .hits
                .odds(|place| self.weights.get(place).copied().unwrap_or(0.0))
                * self.trust
                * side;
            let names = page
                .hits
                .different
                .iter()
                .filter_map(|place| keywords.words().get(*place));
            let names: Vec<String> = names.take(REASONS).map(|word| format!("“{word}”")).collect();
            if odds > 0.0 && !keywords.is_empty() {
                found.push((
                    odds,
                    match names.len() {
                        0 => "it has none of the topic's words".to_owned(),
                        1 => format!("of the topic's words it has {}", names[0]),
                        _ => format!("it has the topic's words {}", names.join(", ")),
                    },
                ));
            }
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        if found.is_empty() {
            found.push((0.0, "nothing in it speaks for either".to_owned()));
        }
        found.into_iter().take(REASONS).map(|(_, said)| said).collect()
    }
}

impl Place {
    fn is_told(self) -> bool {
        !matches!(self, Place::AddressForm | Place::TitleForm)
    }
}

impl SeenWord<'_> {
    fn told(&self) -> String {
        let words = match self.before {
            Some(before) => format!("“{before} {}”", self.word),
            None => format!("“{}”", self.word),
        };
        match self.place {
            Place::Title | Place::TitlePair => format!("its title has {words}"),
            Place::Heading => format!("a heading has {words}"),
            Place::Address => format!("its address has {words}"),
            _ => format!("its text has {words}"),
        }
    }
}

pub(crate) fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// A keyword that many pages have that are not on the topic says little.
fn keyword_weights(keywords: &Keywords, examples: &TopicExamples) -> Vec<f32> {
    let other = |kind| kind != ExampleKind::Good;
    let all = examples.all().filter(|one| other(one.kind)).count() as f32;
    let weight = |place: usize| {
        let with = examples
            .all()
            .filter(|one| other(one.kind) && one.page.hits.different.contains(&place));
        if all < 10.0 {
            1.0
        } else {
            ((1.0 + all) / (1.0 + with.count() as f32)).ln() / (1.0 + all).ln()
        }
    };
    (0..keywords.words().len()).map(weight).collect()
}

/// Where nothing was learned: a link that shows one of the topic's words leads to the topic.
fn cold_outside(keywords: &Keywords, weights: &[f32]) -> Line {
    let mut line = Line {
        weights: vec![0.0; BUCKETS],
        offset: NOTHING_SHOWN,
    };
    for (keyword, weight) in keywords.words().iter().zip(weights) {
        gleaner_words::words(keyword, |word| {
            let hash = hash(word.text.to_lowercase().bytes());
            for place in [Place::Title, Place::Address] {
                line.weights[mixed(hash ^ ((place as u64) << 56), BUCKETS) as usize] = KEYWORD_SHOWN * weight;
            }
        });
    }
    line
}

/// How rare each word is among the examples; nothing for those that only one has, where there are enough to say.
fn rarity(examples: &TopicExamples) -> Vec<f32> {
    let mut with = vec![0u32; BUCKETS];
    let mut all = 0u32;
    for example in examples.all() {
        all += 1;
        for (number, _) in &example.page.inside {
            with[*number as usize] += 1;
        }
    }
    let least = if all >= 20 { 2 } else { 1 };
    let rarity = |with: u32| {
        if with < least {
            0.0
        } else {
            1.0 + ((1.0 + all as f32) / (1.0 + with as f32)).ln()
        }
    };
    with.into_iter().map(rarity).collect()
}

/// Rare words count more, the tenth time less than the first; the length is one.
fn direction(page: &TopicPage, rarity: &[f32]) -> Vec<(u32, f32)> {
    let mut values: Vec<(u32, f32)> = page
        .inside
        .iter()
        .filter(|(number, _)| rarity[*number as usize] > 0.0)
        .map(|(number, count)| (*number, (1.0 + f32::from(*count).ln()) * rarity[*number as usize]))
        .collect();
    let length = values.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    for (_, value) in &mut values {
        *value /= length.max(1e-6);
    }
    values
}

/// The least score from which on nine of ten are right, as judged by lines that have not seen them.
fn sure_from(lessons: &[Lesson], crossed: &[f32]) -> f32 {
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    order.sort_by(|one, other| crossed[*other].total_cmp(&crossed[*one]));
    let (mut good, mut all, mut from) = (0u64, 0u64, 0.95f32);
    for at in order {
        all += 1;
        good += u64::from(lessons[at].is_good);
        if good as f64 >= SURE * all as f64 {
            from = logistic(crossed[at]);
        }
    }
    from.max(0.5)
}
