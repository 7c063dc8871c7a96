//! What only all rows together can say: how strong each bond is, which concepts are parts of others, and the topics.

use crate::table::{Concept, ConceptTopic};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// Pairs that stand together so much more often than by chance join their topics.
const BOND_NPMI: f64 = 0.3;
/// Words that name a topic.
const TOPIC_WORDS: usize = 5;

/// Says what only all rows together can say: how strong each bond is, and which concepts are parts of others.
pub(super) fn weigh(rows: &mut [Concept], windows: f64) {
    let single: HashMap<String, f64> = rows
        .iter()
        .filter(|row| row.count == 1)
        .map(|row| (row.tokens[0].clone(), f64::from(row.frequency) / windows))
        .collect();
    let mut parts: HashSet<Vec<String>> = HashSet::new();
    for row in rows.iter_mut().filter(|row| row.count > 1) {
        let together = f64::from(row.frequency) / windows;
        let chance: f64 = row.tokens.iter().filter_map(|token| single.get(token)).product();
        // Windows that all hold the set leave nothing to compare with.
        row.npmi = if together < 1.0 {
            (together / chance).ln() / -together.ln()
        } else {
            0.0
        };
        for leave in 0..row.tokens.len() {
            let mut part = row.tokens.clone();
            part.remove(leave);
            parts.insert(part);
        }
    }
    for row in rows {
        row.maximal = !parts.contains(&row.tokens);
    }
}

/// Joins words by strong pairs, and gives every concept the topic of its words.
pub(super) fn topics(rows: &mut [Concept], language: &'static str) -> Vec<ConceptTopic> {
    let mut words: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].count == 1).collect();
    words.sort_by(|left, right| {
        rows[*right]
            .frequency
            .cmp(&rows[*left].frequency)
            .then_with(|| rows[*left].tokens.cmp(&rows[*right].tokens))
    });
    let number: HashMap<&str, usize> = words
        .iter()
        .enumerate()
        .map(|(number, row)| (rows[*row].tokens[0].as_str(), number))
        .collect();
    let mut parent: Vec<usize> = (0..words.len()).collect();
    for pair in rows.iter().filter(|row| row.count == 2 && row.npmi >= BOND_NPMI) {
        let (Some(left), Some(right)) = (
            number.get(pair.tokens[0].as_str()),
            number.get(pair.tokens[1].as_str()),
        ) else {
            continue;
        };
        let (left, right) = (root(&mut parent, *left), root(&mut parent, *right));
        // The more frequent word, which has the smaller number, names the topic.
        parent[left.max(right)] = left.min(right);
    }
    let roots: Vec<usize> = (0..words.len()).map(|word| root(&mut parent, word)).collect();
    let mut topic_of_root: HashMap<usize, usize> = HashMap::new();
    let mut topics: Vec<ConceptTopic> = Vec::new();
    for (word, root) in roots.iter().enumerate().filter(|(word, root)| word != *root) {
        let topic = *topic_of_root.entry(*root).or_insert_with(|| {
            topics.push(ConceptTopic {
                words: vec![rows[words[*root]].original.clone()],
                size: 1,
                language,
            });
            topics.len() - 1
        });
        topics[topic].size += 1;
        if topics[topic].words.len() < TOPIC_WORDS {
            topics[topic].words.push(rows[words[word]].original.clone());
        }
    }
    let of_token: HashMap<String, usize> = number
        .iter()
        .filter_map(|(token, word)| Some(((*token).to_owned(), *topic_of_root.get(&roots[*word])?)))
        .collect();
    for row in rows {
        let mut of_words = row.tokens.iter().map(|token| of_token.get(token).copied());
        let first = of_words.next().flatten();
        row.topic = if of_words.all(|topic| topic == first) {
            first
        } else {
            None
        };
    }
    topics
}

fn root(parent: &mut [usize], mut word: usize) -> usize {
    while parent[word] != word {
        parent[word] = parent[parent[word]];
        word = parent[word];
    }
    word
}
