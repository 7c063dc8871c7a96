//! The equalities, one file each. A new one is its file, and its name in the two lists below.

mod exact;
mod ignore;
pub(super) mod learned;
pub(super) mod main_text;
mod near;
mod normalised;
pub(super) mod region;
mod visible;

use super::chain::ChainError;
use super::{Equality, EqualityOptions};

/// How an equality is made from a chain's text.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// The keys it takes.
    pub(super) options: &'static [&'static str],
    pub(super) make: fn(&EqualityOptions) -> Result<Box<dyn Equality>, ChainError>,
}

const ENTRIES: &[Entry] = &[
    exact::ENTRY,
    normalised::ENTRY,
    visible::ENTRY,
    main_text::ENTRY,
    region::ENTRY,
    near::ENTRY,
    ignore::ENTRY,
    learned::ENTRY,
];

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

pub(super) fn names() -> String {
    ENTRIES
        .iter()
        .map(|entry| entry.name)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b6_an_equality_is_one_file() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/equality/kinds");
        let files = std::fs::read_dir(folder)
            .expect("the folder of the equalities")
            .count();
        // All but this file.
        assert_eq!(files - 1, ENTRIES.len());
    }

    #[test]
    fn each_is_found_by_its_name() {
        let options = EqualityOptions {
            pairs: vec![("select".to_owned(), "p".to_owned())],
        };
        let none = EqualityOptions::default();
        for entry in ENTRIES {
            let is_taken = entry.options.contains(&"select");
            let made = (entry.make)(if is_taken { &options } else { &none });
            assert_eq!(made.expect("made").name(), entry.name);
        }
    }
}
