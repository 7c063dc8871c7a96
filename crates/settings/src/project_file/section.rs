//! One table of the file, its keys asked for by name. What cannot be taken is noted with its place, and reading goes on:
//! a person gets all mistakes at once.

use super::Mistake;
use super::keys::{Kind, nearest, proposal};
use super::place::{Places, line_of};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place.
pub(crate) type At<T> = (T, Range<usize>);

/// What was found to be wrong, and where everything stands.
pub(crate) struct Notes {
    pub(crate) mistakes: Vec<Noted>,
    pub(crate) places: Places,
    /// Literal secrets: they are not shown again.
    pub(crate) secrets: Vec<Range<usize>>,
}

pub(crate) struct Noted {
    pub(crate) at: Range<usize>,
    pub(crate) what: String,
    pub(crate) help: String,
    pub(crate) is_absence: bool,
}

impl Notes {
    pub(crate) fn of(text: &str) -> Notes {
        Notes {
            mistakes: Vec::new(),
            places: Places {
                text: text.to_owned(),
                ..Places::default()
            },
            secrets: Vec::new(),
        }
    }

    pub(crate) fn wrong(&mut self, at: &Range<usize>, what: impl Into<String>, help: impl Into<String>) {
        self.mistakes.push(Noted {
            at: at.clone(),
            what: what.into(),
            help: help.into(),
            is_absence: false,
        });
    }

    /// Something is not there. Where the file could not be read as a whole, nobody can know.
    pub(crate) fn missing(&mut self, at: &Range<usize>, what: impl Into<String>, help: impl Into<String>) {
        self.wrong(at, what, help);
        if let Some(last) = self.mistakes.last_mut() {
            last.is_absence = true;
        }
    }

    /// The text without the secrets that it should not have.
    pub(crate) fn masked(&self) -> String {
        let text = &self.places.text;
        let mut masked = text.clone();
        for secret in &self.secrets {
            let star = |c: char| {
                if c == '\n' {
                    "\n".to_owned()
                } else {
                    "*".repeat(c.len_utf8())
                }
            };
            let stars: String = text[secret.clone()].chars().map(star).collect();
            masked.replace_range(secret.clone(), &stars);
        }
        masked
    }

    /// In the order of the file, secrets masked.
    pub(crate) fn into_mistakes(self) -> Vec<Mistake> {
        let masked = self.masked();
        let text = &self.places.text;
        let mut noted = self.mistakes;
        noted.sort_by_key(|one| (one.at.start, one.at.end));
        noted
            .into_iter()
            .map(|one| {
                let mut mistake = Mistake::new(text, &one.at, one.what, one.help);
                line_of(&masked, mistake.line).clone_into(&mut mistake.excerpt);
                mistake
            })
            .collect()
    }
}

pub(crate) struct Entry<'a> {
    pub(crate) key: &'a str,
    pub(crate) key_at: Range<usize>,
    pub(crate) value: &'a Spanned<DeValue<'a>>,
}

pub(crate) struct Section<'a> {
    kind: Kind,
    /// `step[1]`; empty for the file itself.
    pub(crate) path: String,
    /// The header, or the whole of an inline table.
    pub(crate) at: Range<usize>,
    /// In the order of the file.
    pub(crate) entries: Vec<Entry<'a>>,
}

impl<'a> Section<'a> {
    pub(crate) fn new(
        kind: Kind,
        path: &str,
        table: &'a DeTable<'a>,
        at: Range<usize>,
        notes: &mut Notes,
    ) -> Section<'a> {
        let mut entries: Vec<Entry<'a>> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref(),
                key_at: key.span(),
                value,
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_at.start);
        let section = Section {
            kind,
            path: path.to_owned(),
            at,
            entries,
        };
        for entry in &section.entries {
            let path = section.way(entry.key);
            notes.places.keys.insert(path.clone(), entry.key_at.clone());
            notes.places.values.insert(path, entry.value.span());
            if !kind.keys().is_empty() && !kind.keys().contains(&entry.key) {
                let what = match kind {
                    kind if kind.is_file() => format!("unknown key `{}`", entry.key),
                    kind => format!("unknown key `{}` in {}", entry.key, kind.title()),
                };
                notes.wrong(&entry.key_at, what, proposal(kind, entry.key));
            }
        }
        section
    }

    /// The way to one of its keys.
    pub(crate) fn way(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn key_at(&self, key: &str) -> Option<Range<usize>> {
        self.entry(key).map(|entry| entry.key_at.clone())
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// It is there, or was meant by a key that is not known: who is told so need not be told that it is missing.
    pub(crate) fn means(&self, key: &str) -> bool {
        let meant = format!("did you mean `{key}`?");
        let means = |entry: &Entry<'_>| {
            !self.kind.keys().contains(&entry.key) && proposal(self.kind, entry.key) == meant
        };
        self.has(key) || self.entries.iter().any(means)
    }

    fn value(&self, key: &str) -> Option<(&'a DeValue<'a>, Range<usize>)> {
        let entry = self.entry(key)?;
        Some((entry.value.get_ref(), entry.value.span()))
    }

    pub(crate) fn text(&self, key: &str, notes: &mut Notes) -> Option<At<String>> {
        let (value, at) = self.value(key)?;
        let Some(text) = value.as_str() else {
            notes.wrong(
                &at,
                format!("`{key}` must be a text; this is {}", name_of(value)),
                format!("write {key} = \"…\""),
            );
            return None;
        };
        Some((text.to_owned(), at))
    }

    /// One text that says something.
    pub(crate) fn words(&self, key: &str, notes: &mut Notes) -> Option<At<String>> {
        let (text, at) = self.text(key, notes)?;
        if text.trim().is_empty() {
            notes.wrong(
                &at,
                format!("`{key}` is empty"),
                "fill it in or leave the line out",
            );
            return None;
        }
        Some((text, at))
    }

    /// One text, or a list of them.
    pub(crate) fn texts(&self, key: &str, notes: &mut Notes) -> Option<Vec<At<String>>> {
        let (value, at) = self.value(key)?;
        let Some(list) = value.as_array() else {
            if value.is_str() {
                return self.text(key, notes).map(|one| vec![one]);
            }
            notes.wrong(
                &at,
                format!(
                    "`{key}` must be a text or a list of texts; this is {}",
                    name_of(value)
                ),
                format!("write {key} = [\"…\", \"…\"]"),
            );
            return None;
        };
        let way = self.way(key);
        let mut found = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let at = item.span();
            notes.places.values.insert(format!("{way}[{index}]"), at.clone());
            match item.get_ref().as_str() {
                Some(text) => found.push((text.to_owned(), at)),
                None => notes.wrong(
                    &at,
                    format!(
                        "`{key}` must be a list of texts; this is {}",
                        name_of(item.get_ref())
                    ),
                    "write each in quotes",
                ),
            }
        }
        Some(found)
    }

    pub(crate) fn number(&self, key: &str, least: u64, most: u64, notes: &mut Notes) -> Option<u64> {
        let (value, at) = self.value(key)?;
        let Some(number) = integer(value) else {
            let help = match value.as_str() {
                Some(text) if text.trim().parse::<u64>().is_ok() => {
                    format!("leave the quotes out: {key} = {}", text.trim())
                }
                _ => format!("write a whole number, such as {key} = {}", least.max(3)),
            };
            let what = format!("`{key}` must be a whole number; this is {}", name_of(value));
            notes.wrong(&at, what, help);
            return None;
        };
        let fitting = u64::try_from(number)
            .ok()
            .filter(|number| (least..=most).contains(number));
        if fitting.is_none() {
            let help = if number < i128::from(least) {
                format!("write {least} or more")
            } else {
                format!("write {most} or less")
            };
            notes.wrong(&at, format!("`{key}` cannot be {number}"), help);
        }
        fitting
    }

    pub(crate) fn yes_or_no(&self, key: &str, notes: &mut Notes) -> Option<bool> {
        let (value, at) = self.value(key)?;
        let yes = value.as_bool();
        if yes.is_none() {
            let help = match value.as_str().map(str::to_lowercase).as_deref() {
                Some("yes" | "on" | "true") => format!("write {key} = true"),
                Some("no" | "off" | "false") => format!("write {key} = false"),
                _ => format!("write {key} = true or {key} = false"),
            };
            let what = format!("`{key}` must be true or false; this is {}", name_of(value));
            notes.wrong(&at, what, help);
        }
        yes
    }

    /// A size or a time: a text with its unit, or a number where `reader` takes one without.
    pub(crate) fn measured(
        &self,
        key: &str,
        reader: fn(&str) -> Result<u64, String>,
        notes: &mut Notes,
    ) -> Option<u64> {
        let (value, at) = self.value(key)?;
        let text = match (value.as_str(), integer(value)) {
            (Some(text), _) => text.to_owned(),
            (None, Some(number)) => number.to_string(),
            (None, None) => {
                let what = format!("`{key}` must be a text with a unit; this is {}", name_of(value));
                notes.wrong(&at, what, reader("").err().unwrap_or_default());
                return None;
            }
        };
        match reader(&text) {
            Ok(number) => Some(number),
            Err(help) => {
                notes.wrong(&at, format!("`{key}` cannot be read: {text}"), help);
                None
            }
        }
    }

    /// A number with or without a fraction.
    pub(crate) fn fraction(&self, key: &str, least: f64, most: f64, notes: &mut Notes) -> Option<f64> {
        let (value, at) = self.value(key)?;
        let float = value.as_float().and_then(|float| float.as_str().parse().ok());
        let Some(number) = float.or(integer(value).map(|whole| whole as f64)) else {
            let what = format!("`{key}` is a number, and this is {}", name_of(value));
            notes.wrong(&at, what, format!("write a number, such as {key} = {most}"));
            return None;
        };
        if !(least..=most).contains(&number) {
            let help = format!("write a number from {least} to {most}");
            notes.wrong(&at, format!("`{key}` cannot be {number}"), help);
            return None;
        }
        Some(number)
    }

    /// One of a few words.
    pub(crate) fn one_of<T: Copy>(&self, key: &str, words: &[(&str, T)], notes: &mut Notes) -> Option<T> {
        let (text, at) = self.text(key, notes)?;
        one_of(key, &text, &at, words, notes)
    }

    pub(crate) fn section(&self, key: &str, kind: Kind, notes: &mut Notes) -> Option<Section<'a>> {
        let entry = self.entry(key)?;
        let (value, at) = (entry.value.get_ref(), entry.value.span());
        if let Some(table) = value.as_table() {
            return Some(Section::new(kind, &self.way(key), table, at, notes));
        }
        let is_tables = value
            .as_array()
            .is_some_and(|list| list.iter().any(|one| one.get_ref().is_table()));
        if is_tables {
            let what = format!("there can be only one [{key}], and there are several");
            notes.wrong(
                &entry.key_at,
                what,
                format!("write [{key}] with one bracket, once"),
            );
        } else {
            let (what, help) = match kind {
                Kind::Fields => (
                    format!("`{key}` must be names with values; this is {}", name_of(value)),
                    format!("write {key} = {{ name = \"value\" }}"),
                ),
                _ => (
                    format!("`{key}` must be a section; this is {}", name_of(value)),
                    format!("write [{key}] on a line by itself, and its settings below"),
                ),
            };
            notes.wrong(&at, what, help);
        }
        None
    }

    pub(crate) fn sections(&self, key: &str, kind: Kind, notes: &mut Notes) -> Vec<Section<'a>> {
        let Some(entry) = self.entry(key) else {
            return Vec::new();
        };
        let (value, at) = (entry.value.get_ref(), entry.value.span());
        let title = kind.title();
        let Some(list) = value.as_array() else {
            let (what, help) = if value.is_table() {
                (
                    format!("{title} can occur several times, so it needs two brackets"),
                    format!("write {title}"),
                )
            } else {
                (
                    format!("`{key}` must be a section; this is {}", name_of(value)),
                    format!("write {title} on a line by itself, and its settings below"),
                )
            };
            notes.wrong(&entry.key_at, what, help);
            // What stands in it is looked at all the same.
            let table = value.as_table();
            let path = format!("{}[0]", self.way(key));
            return table
                .map(|table| Section::new(kind, &path, table, at, notes))
                .into_iter()
                .collect();
        };
        let mut sections = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let path = format!("{}[{index}]", self.way(key));
            notes.places.values.insert(path.clone(), item.span());
            match item.get_ref().as_table() {
                Some(table) => sections.push(Section::new(kind, &path, table, item.span(), notes)),
                None => notes.wrong(
                    &item.span(),
                    format!("{title} must be a section; this is {}", name_of(item.get_ref())),
                    format!("write {title} on a line by itself, and its settings below"),
                ),
            }
        }
        sections
    }
}

pub(crate) fn one_of<T: Copy>(
    key: &str,
    text: &str,
    at: &Range<usize>,
    words: &[(&str, T)],
    notes: &mut Notes,
) -> Option<T> {
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
        return Some(*value);
    }
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let known = all.join(", ");
    let help = match nearest(text, all.iter().copied()) {
        Some(word) => format!("did you mean \"{word}\"? (one of {known})"),
        None => format!("one of {known}"),
    };
    notes.wrong(at, format!("`{key}` cannot be \"{text}\""), help);
    None
}

/// A whole number of any size that TOML can write.
pub(crate) fn integer(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

pub(crate) fn name_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(list) if list.is_empty() => "an empty list",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}
