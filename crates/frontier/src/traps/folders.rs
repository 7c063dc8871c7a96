//! Folders that hold themselves, on servers that list what they have (HC094).
//!
//! Names that repeat are nothing odd in trees of files (`node_modules`), and equal folders beside each other are copies.
//! But a folder that looks like the one it lies in, which looks like the one above, and so on, is a loop of links or is
//! made up as we go. Each folder hands on to those in it how it looks and how many above it look the same.

use gleaner_model::{Reason, Url};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Folders in a row that look alike: no honest tree has as many. A tree of two-letter names (`00` to `ff`) has two or three.
const GENERATIONS_MAX: u32 = 8;
/// So many are enough where the same look was met this often.
const GENERATIONS_SUSPECT: u32 = 3;
const ALIKE_MAX: u64 = 1000;
/// No file lies deeper: Linux ends at 4,096 bytes.
const FOLDERS_DEEP_MAX: usize = 128;

/// How a folder looks, and how many of those above it, in a row, look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lineage {
    pub look: u64,
    pub generations: u32,
}

impl Lineage {
    /// Of a folder below `above`, if that is known, with these names in it, in any order.
    pub fn of<'n>(above: Option<Lineage>, names: impl Iterator<Item = &'n str>) -> Lineage {
        let look = names.fold(0u64, |sum, name| {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            sum.wrapping_add(hasher.finish())
        });
        let generations = match above {
            Some(above) if above.look == look => above.generations + 1,
            _ => 0,
        };
        Lineage { look, generations }
    }

    pub fn write(self) -> String {
        format!("{:x}:{}", self.look, self.generations)
    }

    pub fn parse(text: &str) -> Option<Lineage> {
        let (look, generations) = text.split_once(':')?;
        Some(Lineage {
            look: u64::from_str_radix(look, 16).ok()?,
            generations: generations.parse().ok()?,
        })
    }

    /// Why the folders in the folder `url` are left out, if they are; so many folders of this run look like it.
    pub fn refuses(self, url: &Url, alike: u64) -> Option<Reason> {
        let is_suspect = self.generations >= GENERATIONS_SUSPECT && alike >= ALIKE_MAX;
        if self.generations >= GENERATIONS_MAX || is_suspect {
            return Some(Reason::TrapRepeating);
        }
        let depth = url.path().split('/').filter(|name| !name.is_empty()).count();
        (depth >= FOLDERS_DEEP_MAX).then_some(Reason::TrapDepth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Url {
        Url::parse(&format!("http://a.test{path}")).expect("a URL")
    }

    /// How many levels of a tree are listed in which every folder holds the same names.
    fn levels(names: &[&str], alike_per_level: u64) -> u32 {
        let (mut above, mut level, mut alike) = (None, 0, 0);
        loop {
            let lineage = Lineage::of(above, names.iter().copied());
            alike += alike_per_level;
            level += 1;
            if lineage.refuses(&at("/"), alike).is_some() {
                return level;
            }
            above = Lineage::parse(&lineage.write());
            assert_eq!(above, Some(lineage));
        }
    }

    #[test]
    fn case23_a_folder_that_holds_itself_ends() {
        assert_eq!(levels(&["d/"], 1), 9);
        assert_eq!(levels(&["a/", "b/", "read.me"], 400), 4);
    }

    #[test]
    fn case23_honest_trees_are_walked() {
        let shards: Vec<String> = (0..256).map(|n| format!("{n:02x}/")).collect();
        let mut above = None;
        for level in 0..3 {
            let lineage = Lineage::of(above, shards.iter().map(String::as_str));
            assert_eq!(lineage.refuses(&at("/"), 100_000), None, "level {level}");
            above = Some(lineage);
        }
        // Nested packages: the name repeats, the folders differ.
        let mut above = None;
        for level in 0..40 {
            let name = format!("package-{level}/");
            for names in [vec!["node_modules/", "readme"], vec![name.as_str()]] {
                let lineage = Lineage::of(above, names.into_iter());
                assert_eq!(lineage.refuses(&at("/"), 50_000), None);
                above = Some(lineage);
            }
        }
    }

    #[test]
    fn case23_depth_without_end_ends() {
        let lineage = Lineage::default();
        assert_eq!(lineage.refuses(&at(&"/x".repeat(127)), 1), None);
        assert_eq!(
            lineage.refuses(&at(&"/x".repeat(128)), 1),
            Some(Reason::TrapDepth)
        );
    }
}
