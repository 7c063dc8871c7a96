//! Edits anywhere on a page, without regard to what matters on it: a word in any text, an item of any list, a picture.
//!
//! Whoever uses them asks afterwards in which block the edit came out, and so gets edits of exactly the places an extractor
//! does not take for the text.

use super::dice::Dice;
use super::places::{Places, attributes, replaced};

/// What is done to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anywhere {
    /// Another word in a text.
    Word,
    /// Another number in a text.
    Number,
    /// Another text in an item of a list or a table.
    Item,
    ItemIn,
    ItemOut,
    /// Another picture.
    Source,
    /// Other words for a picture.
    Alt,
}

impl Anywhere {
    pub const ALL: [Anywhere; 7] = [
        Anywhere::Word,
        Anywhere::Number,
        Anywhere::Item,
        Anywhere::ItemIn,
        Anywhere::ItemOut,
        Anywhere::Source,
        Anywhere::Alt,
    ];

    /// The page with one such edit; `None` where it has no place for it.
    pub fn edit(self, html: &str, seed: u64) -> Option<String> {
        let places = Places::of(html);
        let mut dice = Dice::new(seed);
        match self {
            Anywhere::Word => in_text(html, &places, &mut dice, false),
            Anywhere::Number => in_text(html, &places, &mut dice, true),
            Anywhere::Item | Anywhere::ItemIn | Anywhere::ItemOut => self.item(html, &places, &mut dice),
            Anywhere::Source => in_picture(html, &places, &mut dice, "src"),
            Anywhere::Alt => in_picture(html, &places, &mut dice, "alt"),
        }
    }

    fn item(self, html: &str, places: &Places, dice: &mut Dice) -> Option<String> {
        let mut items = places.elements("li");
        items.extend(places.elements("tr"));
        items.extend(places.elements("dd"));
        let has_words = |&(from, to): &(usize, usize)| {
            let inside = places.tags[from].span.end..places.tags[to].span.start;
            let mut texts = places
                .texts
                .iter()
                .filter(|text| inside.contains(&text.span.start));
            texts.any(|text| {
                html[text.span.clone()]
                    .chars()
                    .filter(|c| c.is_alphabetic())
                    .count()
                    > 2
            })
        };
        items.retain(has_words);
        if items.is_empty() {
            return None;
        }
        let &(from, to) = dice.pick(&items);
        let whole = places.tags[from].span.start..places.tags[to].span.end;
        let inside = places.tags[from].span.end..places.tags[to].span.start;
        let words = dice.sentence(3);
        Some(match self {
            Anywhere::ItemOut => replaced(html, vec![(whole, String::new())]),
            Anywhere::ItemIn => {
                let made = renamed(html, places, &inside, &words)?;
                let name = &places.tags[from].name;
                let open = &html[places.tags[from].span.clone()];
                replaced(
                    html,
                    vec![(whole.end..whole.end, format!("{open}{made}</{name}>"))],
                )
            }
            _ => {
                let made = renamed(html, places, &inside, &words)?;
                replaced(html, vec![(inside, made)])
            }
        })
    }
}

/// The inside of an item with other words in its first text.
fn renamed(html: &str, places: &Places, inside: &std::ops::Range<usize>, words: &str) -> Option<String> {
    let text = places.texts.iter().find(|text| {
        inside.contains(&text.span.start) && html[text.span.clone()].chars().any(char::is_alphabetic)
    })?;
    Some(format!(
        "{}{words}{}",
        &html[inside.start..text.span.start],
        &html[text.span.end..inside.end]
    ))
}

fn in_text(html: &str, places: &Places, dice: &mut Dice, is_number: bool) -> Option<String> {
    let is_wanted = |word: &str| {
        if is_number {
            word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 6
        } else {
            word.len() > 2 && word.chars().all(char::is_alphabetic)
        }
    };
    let mut found = Vec::new();
    for text in &places.texts {
        if text.span.start < places.body_from || text.span.end > places.body_to {
            continue;
        }
        let shown = &html[text.span.clone()];
        for word in shown.split_whitespace().filter(|word| is_wanted(word)) {
            let from = text.span.start + (word.as_ptr() as usize - shown.as_ptr() as usize);
            found.push(from..from + word.len());
        }
    }
    if found.is_empty() {
        return None;
    }
    let span = dice.pick(&found).clone();
    let other = if is_number {
        let number: u64 = html[span.clone()].parse().ok()?;
        (number + 1 + dice.below(6) as u64).to_string()
    } else {
        dice.word(7)
    };
    Some(replaced(html, vec![(span, other)]))
}

fn in_picture(html: &str, places: &Places, dice: &mut Dice, name: &str) -> Option<String> {
    let mut spans = Vec::new();
    for tag in places.tags.iter().filter(|tag| tag.name == "img" && !tag.is_end) {
        let attributes = attributes(html, tag);
        let value = |wanted: &str| {
            let found = attributes
                .iter()
                .find(|(name, value, _)| name == wanted && !value.is_empty());
            found.map(|(_, value, _)| value.clone())
        };
        let Some(source) = value("src").filter(|source| !html[source.clone()].starts_with("data:")) else {
            continue;
        };
        match name {
            "src" => spans.push(source),
            _ => spans.extend(value("alt")),
        }
    }
    if spans.is_empty() {
        return None;
    }
    let span = dice.pick(&spans).clone();
    let other = match name {
        "src" => format!("/pictures/{}.png", dice.word(8)),
        _ => dice.sentence(3),
    };
    Some(replaced(html, vec![(span, other)]))
}
