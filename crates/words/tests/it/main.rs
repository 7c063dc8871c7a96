//! The room judged by data from elsewhere.

use flate2::read::GzDecoder;
use gleaner_words::{Language, Stems};
use std::fs::File;
use std::io::Read;

/// Snowball's own lists of words with their stems.
#[test]
fn f5_stems_are_those_of_snowball() {
    let Some(folder) = gleaner_fixtures::corpus("snowball") else {
        return;
    };
    for (name, code) in [
        ("dutch", "nl"),
        ("english", "en"),
        ("french", "fr"),
        ("german", "de"),
        ("italian", "it"),
        ("portuguese", "pt"),
        ("russian", "ru"),
        ("spanish", "es"),
        ("swedish", "sv"),
    ] {
        let mut list = String::new();
        let file = File::open(folder.join(format!("{name}.tsv.gz"))).expect("a list");
        GzDecoder::new(file).read_to_string(&mut list).expect("text");
        let stems = Stems::new(Language::parse(code).expect("a language"));
        let pairs: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once('\t')).collect();
        let wrong: Vec<_> = pairs
            .iter()
            .filter(|(word, stem)| stems.stem(word) != *stem)
            .collect();
        assert!(pairs.len() > 1000, "{name}");
        assert!(
            wrong.is_empty(),
            "{name}: {} of {} words: {:?}",
            wrong.len(),
            pairs.len(),
            &wrong[..wrong.len().min(5)]
        );
    }
}
