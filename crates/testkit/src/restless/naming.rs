//! What are elements called in this answer? A site has a manner; some names stay, some are made anew each time.

use crate::mutate::Dice;

/// The manner of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// `teaser`.
    Plain,
    /// `teaser variant-b`: a test of variants marks some elements.
    Variants,
    /// As before, but those who are not tested have no mark.
    Treatment,
    /// `Teaser_teaser__x7Ks2`, made anew by each server or build.
    Modules,
    /// `teaser kzrea`: a made-up word beside the name.
    Salted,
}

/// Names for one answer.
#[derive(Debug, Clone)]
pub(super) struct Naming {
    manner: Manner,
    /// Whether some elements have hexadecimal ids, in percent.
    ids: u64,
    id_length: usize,
    /// The variant of this answer.
    variant: &'static str,
    site: u64,
    now: Dice,
}

const VARIANTS: [&[&str]; 3] = [
    &["variant-a", "variant-b", "variant-c"],
    &["exp-control", "exp-blue", "exp-green"],
    &["ab-one", "ab-two"],
];
const MANNERS: [Manner; 5] = [
    Manner::Plain,
    Manner::Variants,
    Manner::Treatment,
    Manner::Modules,
    Manner::Salted,
];

impl Naming {
    /// `site` decides on the manner, `now` on the names of this answer.
    pub(super) fn new(site: u64, mut now: Dice) -> Naming {
        let mut dice = Dice::new(site ^ 0x6e61_6d65);
        let manner = *dice.pick(&MANNERS);
        let variants = *dice.pick(&VARIANTS);
        Naming {
            manner,
            ids: *dice.pick(&[0, 0, 30, 60]),
            id_length: *dice.pick(&[4, 6, 8, 12]),
            variant: variants[now.below(variants.len())],
            site,
            now,
        }
    }

    /// The attributes of an element that its author calls `name`.
    pub(super) fn of(&mut self, name: &str) -> String {
        // Whether an element is marked is the site's choice and holds for every answer.
        let hash = name.bytes().fold(self.site, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut fixed = Dice::new(hash);
        let is_marked = fixed.chance(50);
        let class = match self.manner {
            Manner::Variants if is_marked => format!("{name} {}", self.variant),
            Manner::Treatment if is_marked && !self.variant.ends_with(['a', 'e', 'l']) => {
                format!("{} {name}", self.variant)
            }
            Manner::Plain | Manner::Variants | Manner::Treatment => name.to_owned(),
            Manner::Modules => {
                let mut title = name.to_owned();
                title[..1].make_ascii_uppercase();
                format!("{title}_{name}__{}", self.hash(5))
            }
            Manner::Salted => format!("{name} {}", self.now.word(5)),
        };
        let id = if fixed.chance(self.ids) {
            format!(" id=\"{}\"", self.now.hex(self.id_length))
        } else {
            String::new()
        };
        format!("{id} class=\"{class}\"")
    }

    fn hash(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        (0..length).map(|_| char::from(*self.now.pick(LETTERS))).collect()
    }

    /// The wrapper that a test of variants puts around everything, in some answers.
    pub(super) fn wrapper(&mut self) -> Option<String> {
        match self.manner {
            Manner::Variants => Some(format!("<div class=\"{}\">", self.variant)),
            Manner::Treatment if self.now.chance(50) => Some("<div>".to_owned()),
            _ => None,
        }
    }
}
