//! Edits: what an author changes, each small enough to be missed.
//!
//! An edit is made only in text that matters (the caller knows which), and only where the text stands once on the page,
//! so that it is certain to be seen by a reader.

use super::dice::Dice;
use super::places::{Places, Text, attributes, replaced};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditKind {
    Word,
    Number,
    Date,
    Sentence,
    Row,
    ParagraphIn,
    ParagraphOut,
    Heading,
    LinkTarget,
    ListOrder,
}

pub const KINDS: [EditKind; 10] = [
    EditKind::Word,
    EditKind::Number,
    EditKind::Date,
    EditKind::Sentence,
    EditKind::Row,
    EditKind::ParagraphIn,
    EditKind::ParagraphOut,
    EditKind::Heading,
    EditKind::LinkTarget,
    EditKind::ListOrder,
];

/// A page with one edit.
#[derive(Debug, Clone)]
pub struct Edit {
    pub kind: EditKind,
    pub html: String,
    /// Words that the hunk which shows the edit must hold, in its text or its link targets.
    pub shown: String,
}

impl Edit {
    /// Makes an edit of this kind; `None` where the page has no place for it. `matters` is the page's main text.
    pub fn make(html: &str, matters: &str, kind: EditKind, seed: u64) -> Option<Edit> {
        let places = Places::of(html);
        let mut editor = Editor {
            html,
            matters: folded(matters),
            places: &places,
            dice: Dice::new(seed),
        };
        let (html, shown) = match kind {
            EditKind::Word => editor.word(),
            EditKind::Number => editor.number(),
            EditKind::Date => editor.date(),
            EditKind::Sentence => editor.sentence(),
            EditKind::Row => editor.row(),
            EditKind::ParagraphIn => editor.paragraph_in(),
            EditKind::ParagraphOut => editor.paragraph_out(),
            EditKind::Heading => editor.heading(),
            EditKind::LinkTarget => editor.link_target(),
            EditKind::ListOrder => editor.list_order(),
        }?;
        Some(Edit { kind, html, shown })
    }
}

type Made = Option<(String, String)>;

struct Editor<'a> {
    html: &'a str,
    matters: String,
    places: &'a Places,
    dice: Dice,
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'a> Editor<'a> {
    fn text(&self, text: &Text) -> &'a str {
        &self.html[text.span.clone()]
    }

    /// Texts of at least so many words that matter and stand once on the page.
    fn texts(&self, words_min: usize) -> Vec<&'a Text>
    where
        Self: 'a,
    {
        let places: &'a Places = self.places;
        places
            .texts
            .iter()
            .filter(|text| text.span.start >= places.body_from && text.span.end <= places.body_to)
            .filter(|text| {
                let shown = folded(self.text(text));
                shown.split(' ').count() >= words_min
                    && !shown.contains(['&', '<'])
                    && self.matters.contains(&shown)
                    && self.html.matches(self.text(text).trim()).count() == 1
            })
            .collect()
    }

    fn change(&self, text: &Text, new: String) -> String {
        replaced(self.html, vec![(text.span.clone(), new)])
    }

    fn word(&mut self) -> Made {
        let texts = self.texts(5);
        let text = *nonempty(&texts).map(|texts| self.dice.pick(texts))?;
        let old = self.text(text);
        let words: Vec<&str> = old
            .split_whitespace()
            .filter(|word| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
            .collect();
        let word = *nonempty(&words).map(|words| self.dice.pick(words))?;
        let new_word = self.dice.word(word.len());
        let at = word_place(old, word)?;
        let new = format!("{}{new_word}{}", &old[..at], &old[at + word.len()..]);
        (new_word != word).then(|| (self.change(text, new), new_word))
    }

    fn number(&mut self) -> Made {
        let texts: Vec<&Text> = self
            .texts(3)
            .into_iter()
            .filter(|text| self.text(text).bytes().any(|b| b.is_ascii_digit()))
            .collect();
        let text = *nonempty(&texts).map(|texts| self.dice.pick(texts))?;
        let old = self.text(text);
        let digits: Vec<usize> = old
            .bytes()
            .enumerate()
            .filter(|(_, b)| b.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let at = *self.dice.pick(&digits);
        let digit = old.as_bytes()[at] - b'0';
        let other = (digit + 1 + self.dice.below(8) as u8) % 10;
        let new = format!("{}{other}{}", &old[..at], &old[at + 1..]);
        let shown = new
            .split_whitespace()
            .find(|word| !old.contains(word))
            .unwrap_or(&new)
            .to_owned();
        Some((self.change(text, new), shown))
    }

    fn date(&mut self) -> Made {
        let has_year = |text: &str| {
            text.split(|c: char| !c.is_ascii_digit())
                .find(|part| part.len() == 4 && (part.starts_with("20") || part.starts_with("19")))
                .map(str::to_owned)
        };
        let texts: Vec<&Text> = self
            .texts(2)
            .into_iter()
            .filter(|text| has_year(self.text(text)).is_some())
            .collect();
        let text = *nonempty(&texts).map(|texts| self.dice.pick(texts))?;
        let old = self.text(text);
        let year = has_year(old)?;
        let other = (year.parse::<u32>().ok()? + 1 + self.dice.below(7) as u32).to_string();
        Some((self.change(text, old.replacen(&year, &other, 1)), other))
    }

    fn sentence(&mut self) -> Made {
        let texts: Vec<&Text> = self
            .texts(8)
            .into_iter()
            .filter(|text| self.text(text).contains(". "))
            .collect();
        let text = *nonempty(&texts).map(|texts| self.dice.pick(texts))?;
        let old = self.text(text);
        let at = old.find(". ")? + 2;
        let words = 4 + self.dice.below(10);
        let sentence = self.dice.sentence(words);
        Some((
            self.change(text, format!("{}{sentence} {}", &old[..at], &old[at..])),
            sentence,
        ))
    }

    /// The visible text of an element, if it matters and holds no odd things.
    fn inner(&self, element: (usize, usize)) -> Option<(String, std::ops::Range<usize>)> {
        let (start, end) = element;
        let span = self.places.tags[start].span.end..self.places.tags[end].span.start;
        let odd = [
            "script", "style", "svg", "noscript", "template", "button", "select",
        ];
        if self.places.tags[start..end]
            .iter()
            .any(|tag| odd.contains(&tag.name.as_str()))
        {
            return None;
        }
        let texts = self
            .places
            .texts
            .iter()
            .filter(|text| text.after >= start && text.after < end);
        let shown = folded(&texts.map(|text| self.text(text)).collect::<Vec<_>>().join(""));
        let known = shown.split(' ').count() >= 3 && !shown.contains('&') && self.matters.contains(&shown);
        known.then_some((shown, span))
    }

    fn known(&self, name: &str) -> Vec<(usize, usize)> {
        self.places
            .elements(name)
            .into_iter()
            .filter(|&element| self.inner(element).is_some())
            .collect()
    }

    fn row(&mut self) -> Made {
        let rows: Vec<(usize, usize)> = self
            .places
            .elements("tr")
            .into_iter()
            .filter(|&(start, end)| {
                let cells = self
                    .places
                    .texts
                    .iter()
                    .filter(|text| text.after >= start && text.after < end);
                let full: Vec<String> = cells
                    .map(|text| folded(self.text(text)))
                    .filter(|text| !text.is_empty())
                    .collect();
                full.len() >= 2
                    && full
                        .iter()
                        .all(|cell| !cell.contains('&') && self.matters.contains(cell.as_str()))
            })
            .collect();
        let (_, end) = *nonempty(&rows).map(|rows| self.dice.pick(rows))?;
        let at = self.places.tags[end].span.end;
        let (name, value) = (self.dice.word(7), self.dice.below(900) + 100);
        let row = format!("<tr><td>{name}</td><td>{value}</td></tr>");
        Some((replaced(self.html, vec![(at..at, row)]), name))
    }

    fn paragraph_in(&mut self) -> Made {
        let paragraphs = self.known("p");
        let (_, end) = *nonempty(&paragraphs).map(|all| self.dice.pick(all))?;
        let at = self.places.tags[end].span.end;
        let words = 8 + self.dice.below(20);
        let sentence = self.dice.sentence(words);
        Some((
            replaced(self.html, vec![(at..at, format!("<p>{sentence}</p>"))]),
            sentence,
        ))
    }

    fn paragraph_out(&mut self) -> Made {
        let paragraphs: Vec<(usize, usize)> = self
            .known("p")
            .into_iter()
            .filter(|&element| {
                self.inner(element).is_some_and(|(shown, span)| {
                    shown.len() >= 40 && self.html.matches(self.html[span].trim()).count() == 1
                })
            })
            .collect();
        let element = *nonempty(&paragraphs).map(|all| self.dice.pick(all))?;
        let (shown, _) = self.inner(element)?;
        let span = self.places.tags[element.0].span.start..self.places.tags[element.1].span.end;
        Some((replaced(self.html, vec![(span, String::new())]), shown))
    }

    fn heading(&mut self) -> Made {
        let headings: Vec<(usize, usize)> = ["h1", "h2", "h3"]
            .iter()
            .flat_map(|name| self.known(name))
            .filter(|&(start, end)| end == start + 1)
            .collect();
        let element = *nonempty(&headings).map(|all| self.dice.pick(all))?;
        let (_, span) = self.inner(element)?;
        let word = self.dice.word(6);
        Some((
            replaced(self.html, vec![(span.end..span.end, format!(" {word}"))]),
            word,
        ))
    }

    fn link_target(&mut self) -> Made {
        let paragraphs = self.known("p");
        let mut targets = Vec::new();
        for (start, end) in paragraphs {
            for tag in self.places.tags[start..end]
                .iter()
                .filter(|tag| tag.name == "a" && !tag.is_end)
            {
                let found = attributes(self.html, tag)
                    .into_iter()
                    .find(|(name, _, _)| name == "href");
                let usable = |value: &str| {
                    value.len() > 1 && !value.starts_with(['#', '{']) && !value.contains("script:")
                };
                targets.extend(
                    found
                        .map(|(_, value, _)| value)
                        .filter(|value| usable(&self.html[value.clone()])),
                );
            }
        }
        let value = nonempty(&targets).map(|all| self.dice.pick(all))?.clone();
        let word = self.dice.word(6);
        let old = &self.html[value.clone()];
        let end = old.find(['?', '#']).unwrap_or(old.len());
        let new = format!("{}-{word}{}", &old[..end], &old[end..]);
        Some((replaced(self.html, vec![(value, new)]), word))
    }

    /// For each tag, whether it stands inside an element for getting about.
    fn in_menus(&self) -> Vec<bool> {
        let mut open = 0i32;
        let mut inside = Vec::with_capacity(self.places.tags.len());
        for tag in &self.places.tags {
            if matches!(tag.name.as_str(), "nav" | "header" | "footer" | "aside") {
                open += if tag.is_end { -1 } else { 1 };
            }
            inside.push(open > 0);
        }
        inside
    }

    /// Swaps two neighbouring items.
    fn list_order(&mut self) -> Made {
        // The order of a menu matters to nobody.
        let in_menus = self.in_menus();
        let items: Vec<(usize, usize)> = self
            .known("li")
            .into_iter()
            .filter(|item| !in_menus[item.0])
            .collect();
        let pairs: Vec<[(usize, usize); 2]> = items
            .windows(2)
            .filter(|two| {
                let between = self.places.tags[two[0].1].span.end..self.places.tags[two[1].0].span.start;
                self.html[between].trim().is_empty()
            })
            .map(|two| [two[0], two[1]])
            .filter(|two| {
                self.inner(two[0]).map(|(shown, _)| shown) != self.inner(two[1]).map(|(shown, _)| shown)
            })
            .collect();
        let [first, second] = *nonempty(&pairs).map(|all| self.dice.pick(all))?;
        let span = |element: (usize, usize)| {
            self.places.tags[element.0].span.start..self.places.tags[element.1].span.end
        };
        let (one, other) = (span(first), span(second));
        let parts = vec![
            (one.clone(), self.html[other.clone()].to_owned()),
            (other, self.html[one].to_owned()),
        ];
        // Either of the two may be the one that is said to have moved.
        Some((replaced(self.html, parts), String::new()))
    }
}

fn nonempty<T>(all: &[T]) -> Option<&[T]> {
    (!all.is_empty()).then_some(all)
}

/// The place of a word that stands between blanks or ends.
fn word_place(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let after = text[at + word.len()..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace);
        before && after
    })
}
