use proptest::prelude::*;

use crate::collection::Collection;
use crate::table::{Concept, ConceptOptions, ConceptTable};

fn collection(texts: &[&str]) -> Collection {
    let mut collection = Collection::default();
    for (key, text) in texts.iter().enumerate() {
        collection.add(key as u64, text, None);
    }
    collection
}

fn options() -> ConceptOptions {
    ConceptOptions {
        words_max: 4,
        windows_min: 2,
        documents_min: 2,
        ..ConceptOptions::default()
    }
}

fn row<'a>(table: &'a ConceptTable, tokens: &[&str]) -> Option<&'a Concept> {
    table.rows.iter().find(|row| row.tokens == tokens)
}

#[test]
fn words_that_stand_together_are_a_concept_whatever_their_order() {
    let table = collection(&[
        "The neural network learns quickly from the examples that people give to it every day.",
        "A network that is neural was trained here, and nobody knew how long it would take.",
        "Some other text about gardens, in which nothing of the kind is said at all by anyone.",
    ])
    .table(&options());

    let concept = row(&table, &["network", "neural"]).expect("a pair in two documents");
    assert_eq!((concept.frequency, concept.documents, concept.count), (2, 2, 2));
    assert_eq!(concept.orders.len(), 2);
    assert_eq!(concept.original, "network neural");
    assert_eq!((concept.first_document, concept.first_position), (0, 4));
    assert_eq!(concept.distance, "neural ".len() as u32);
    assert_eq!(concept.passages.len(), 2);
    assert!(concept.maximal && concept.npmi > 0.0);
    assert!(!row(&table, &["neural"]).expect("its part").maximal);
    assert_eq!(row(&table, &["garden"]), None);
}

#[test]
fn words_far_apart_are_no_concept() {
    let between = "that was said about it and then again and again by all of them who were there ".repeat(2);
    let text = format!("The crawler {between} archive was written in English.");
    let table = collection(&[&text, &text]).table(&options());
    assert!(row(&table, &["crawler"]).is_some());
    assert_eq!(row(&table, &["archiv", "crawler"]), None);
}

#[test]
fn a_window_counts_once_however_often_the_words_stand_in_it() {
    let text =
        "The solar panel stands beside the solar panel and behind that solar panel there is a solar panel.";
    let table = collection(&[text, text]).table(&options());
    assert_eq!(row(&table, &["panel", "solar"]).expect("a pair").frequency, 2);
}

#[test]
fn languages_have_concepts_of_their_own() {
    let english = "The bus brought snow to the valley, and the people of the village stayed in their houses.";
    let german =
        "Der Bus brachte Schnee in das Tal, und die Leute des Dorfes blieben in ihren Häusern und warteten.";
    let table = collection(&[english, english, german, german]).table(&options());
    let buses: Vec<_> = table
        .rows
        .iter()
        .filter(|row| row.tokens == ["bus"])
        .map(|row| (row.language, row.frequency))
        .collect();
    assert_eq!(buses, [("de", 2), ("en", 2)]);
}

#[test]
fn shares_give_the_same_numbers() {
    let texts: Vec<String> = (0..40).map(|number| text(number, 30)).collect();
    let mut collection = Collection::default();
    for (key, text) in texts.iter().enumerate() {
        collection.add(key as u64, text, Some("en"));
    }
    let options = ConceptOptions {
        documents_floor: 100,
        ..options()
    };
    let documents: Vec<_> = collection
        .documents
        .iter()
        .map(|(key, one)| (*key, one))
        .collect();
    let mut mine = super::Mine::new(&collection, &documents, &options, "en");
    mine.choose_words();
    let whole = mine.count_share(2, 0, 1).expect("fits");
    let shares: Vec<_> = (0..4)
        .map(|share| mine.count_share(2, share, 4).expect("fits"))
        .collect();
    assert!(!whole.is_empty() && shares.iter().all(|share| share.len() < whole.len()));
    assert_eq!(
        shares.iter().map(std::collections::HashMap::len).sum::<usize>(),
        whole.len()
    );
    for (name, counted) in shares.iter().flatten() {
        assert_eq!(whole[name].windows, counted.windows);
    }
}

#[test]
fn where_there_are_too_many_the_rarest_go_all_alike() {
    let mut names = vec![(1, 5), (2, 3), (3, 3), (4, 9), (5, 2)];
    assert_eq!(super::cut_rare(&mut names.clone(), 2, 5), 2);
    assert_eq!(super::cut_rare(&mut names, 2, 3), 4);
    assert_eq!(names, [(1, 5), (4, 9)]);
}

/// A text of common words, chosen by a number.
fn text(seed: u64, words: usize) -> String {
    const WORDS: [&str; 14] = [
        "river", "mountain", "crawler", "archive", "library", "garden", "winter", "the", "of", "engine",
        "network", "paper. ", "data\n\n", "concept",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::from("This is what the people say about that: ");
    for _ in 0..words {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
        text.push(' ');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The law of closure: what is part of a concept is a concept, and at least as frequent.
    #[test]
    fn no_part_of_a_concept_is_rarer(seeds in proptest::collection::vec(any::<u64>(), 2..12), span in 2_u32..30) {
        let mut collection = Collection::default();
        for (key, seed) in seeds.iter().enumerate() {
            collection.add(key as u64, &text(*seed, 80), Some("en"));
        }
        let table = collection.table(&ConceptOptions { words_max: 5, windows_min: 2, documents_min: 1, span_max: span, ..ConceptOptions::default() });
        for whole in table.rows.iter().filter(|row| row.count > 1) {
            for leave in 0..whole.count {
                let mut part = whole.tokens.clone();
                part.remove(leave);
                let part = table.rows.iter().find(|row| row.tokens == part && row.language == whole.language);
                let part = part.expect("a part of a concept is one");
                prop_assert!(part.frequency >= whole.frequency && part.documents >= whole.documents && !part.maximal);
            }
        }
    }

    /// Documents added and removed in any order give the table that those which are left give from scratch.
    #[test]
    fn adding_and_removing_is_as_starting_anew(steps in proptest::collection::vec((0_u64..8, any::<u64>(), any::<bool>()), 1..30)) {
        let mut changed = Collection::default();
        let mut left = std::collections::BTreeMap::new();
        for (key, seed, add) in steps {
            if add {
                changed.add(key, &text(seed, 60), Some("en"));
                left.insert(key, seed);
            } else {
                changed.remove(key);
                left.remove(&key);
            }
        }
        let mut fresh = Collection::default();
        for (key, seed) in left.iter().rev() {
            fresh.add(*key, &text(*seed, 60), Some("en"));
        }
        prop_assert_eq!(changed.table(&options()), fresh.table(&options()));
    }
}
