//! The words of an element's id and classes, and which of them say something.

use super::super::shape::is_hash_like;
use super::super::tree::Tree;

/// Whether one of the words of the element's id or classes is in the (sorted) list.
pub(super) fn has_word(tree: &Tree, at: u32, words: &[&str]) -> bool {
    let node = tree.node(at);
    [node.id, node.text]
        .iter()
        .any(|span| words_of(tree.str(*span)).any(|word| is_in(word, words)))
}

fn is_in(word: &str, words: &[&str]) -> bool {
    let mut lower = [0u8; 16];
    let Some(lower) = lower.get_mut(..word.len()) else {
        return false;
    };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    words.iter().any(|known| known.as_bytes() == &*lower)
}

/// `article-body mainContent2` → article, body, main, Content. Names are cut at what is no letter and where case rises;
/// names that a machine made have no words (`jXK9ad` says nothing of advertisements).
pub(super) fn words_of(name: &str) -> impl Iterator<Item = &str> {
    let parts = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !is_hash_like(part));
    let letters = parts.flat_map(|part| part.split(|c: char| !c.is_ascii_alphabetic()));
    letters.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let bytes = rest.as_bytes();
            let cut = (1..bytes.len())
                .find(|i| bytes[*i].is_ascii_uppercase() && bytes[i - 1].is_ascii_lowercase())
                .unwrap_or(bytes.len());
            let (word, after) = rest.split_at(cut);
            rest = after;
            Some(word)
        })
    })
}
