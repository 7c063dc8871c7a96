//! Forms and the login of a project file: which form, what goes into it, how to see that it worked.

use super::keys::Kind;
use super::section::{At, Notes, Section, integer, name_of};
use super::words::{sounds_secret, value, web_address};
use gleaner_model::steps::{Check, Filling, Login, Value, WhichForm};
use toml::Spanned;
use toml::de::DeValue;

pub(super) fn filling(section: &Section<'_>, notes: &mut Notes) -> Filling {
    Filling {
        form: which(section, notes).unwrap_or(WhichForm::Fitting),
        fields: pairs(section, "fields", notes),
        extra: pairs(section, "extra", notes),
        button: section.words("button", notes).map(|(button, _)| button),
    }
}

fn which(section: &Section<'_>, notes: &mut Notes) -> Option<WhichForm> {
    const FORMS: &str = "write form = \"fitting\" for the one that has the fields, or form = { action = \"…\" }, \
                         { name = \"…\" }, { id = \"…\" }, { selector = \"…\" } or { number = 1 }";
    let entry = section.entry("form")?;
    let at = entry.value.span();
    match entry.value.get_ref() {
        DeValue::String(text) if text == "fitting" => Some(WhichForm::Fitting),
        DeValue::String(text) => {
            notes.wrong(&at, format!("`form` cannot be \"{text}\""), FORMS);
            None
        }
        DeValue::Table(table) => {
            let section = Section::new(Kind::Form, &section.way("form"), table, at.clone(), notes);
            let keys = Kind::Form.keys();
            let given: Vec<&str> = keys.iter().copied().filter(|key| section.has(key)).collect();
            let [key] = given.as_slice() else {
                let is_only_misspelt = given.is_empty() && !section.entries.is_empty();
                if !is_only_misspelt {
                    notes.wrong(&at, "a form is chosen in one way only", FORMS);
                }
                return None;
            };
            if *key == "number" {
                let number = section.number("number", 1, 10_000, notes)?;
                return Some(WhichForm::Number(number as usize));
            }
            let (text, _) = section.words(key, notes)?;
            Some(match *key {
                "action" => WhichForm::Action(text),
                "name" => WhichForm::Name(text),
                "id" => WhichForm::Id(text),
                _ => WhichForm::Selector(text),
            })
        }
        other => {
            notes.wrong(
                &at,
                format!("`form` must be a text or {{ … }}; this is {}", name_of(other)),
                FORMS,
            );
            None
        }
    }
}

/// Names with values, several for one name where a list is given.
fn pairs(section: &Section<'_>, key: &str, notes: &mut Notes) -> Vec<(String, Value)> {
    let Some(fields) = section.section(key, Kind::Fields, notes) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for entry in &fields.entries {
        let name = entry.key;
        for text in field_texts(name, entry.value, notes) {
            // A text that says of itself that it is one is meant.
            let is_secret =
                sounds_secret(name) && !text.0.starts_with("text:") && !entry.value.get_ref().is_bool();
            if let Some(value) = value(name, &text, is_secret, notes) {
                pairs.push((name.to_owned(), value));
            }
        }
    }
    pairs
}

pub(super) fn field_texts(name: &str, value: &Spanned<DeValue<'_>>, notes: &mut Notes) -> Vec<At<String>> {
    let at = value.span();
    if let Some(text) = plain_text(value.get_ref()) {
        return vec![(text, at)];
    }
    let list = match value.get_ref().as_array() {
        Some(list) if !list.is_empty() => list,
        _ => {
            notes.wrong(
                &at,
                format!(
                    "`{name}` must be a text or a list of texts; this is {}",
                    name_of(value.get_ref())
                ),
                format!("write {name} = \"…\""),
            );
            return Vec::new();
        }
    };
    let mut texts = Vec::new();
    for item in list {
        match plain_text(item.get_ref()) {
            Some(text) => texts.push((text, item.span())),
            None => notes.wrong(
                &item.span(),
                format!(
                    "`{name}` must be a list of texts; this is {}",
                    name_of(item.get_ref())
                ),
                "write each in quotes",
            ),
        }
    }
    texts
}

fn plain_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(yes) => Some(yes.to_string()),
        DeValue::Integer(_) => integer(value).map(|number| number.to_string()),
        _ => None,
    }
}

pub(super) fn login(file: &Section<'_>, notes: &mut Notes) -> Option<Login> {
    let section = file.section("login", Kind::Login, notes)?;
    let url = section.text("url", notes);
    if !section.means("url") {
        notes.missing(
            &section.at,
            "the login does not say on which page its form is",
            "add url = \"https://…\"",
        );
    }
    let url = url.and_then(|(text, at)| web_address(&text, &at, notes));
    let filling = filling(&section, notes);
    if !section.means("fields") && !section.means("extra") {
        notes.missing(
            &section.at,
            "the login fills in nothing",
            "add fields = { user = \"…\", password = \"env:PASSWORD\" } with the names of the form",
        );
    }
    let must_have = checks(&section, "must_have", notes);
    let must_not_have = checks(&section, "must_not_have", notes);
    if !section.means("must_have") && !section.means("must_not_have") {
        notes.missing(
            &section.at,
            "nothing tells whether the login worked",
            "add must_have = \"text:Log out\" or a selector of something that only logged-in visitors see, or must_not_have",
        );
    }
    Some(Login {
        url: url.unwrap_or_default(),
        filling,
        must_have,
        must_not_have,
    })
}

fn checks(section: &Section<'_>, key: &str, notes: &mut Notes) -> Vec<Check> {
    let Some(texts) = section.texts(key, notes) else {
        return Vec::new();
    };
    if texts.is_empty()
        && let Some(at) = section.key_at(key)
    {
        notes.wrong(
            &at,
            format!("`{key}` is empty"),
            "fill it in or leave the line out",
        );
    }
    let mut checks = Vec::new();
    for (text, at) in texts {
        let check = Check::from(text.as_str());
        let (Check::Text(words) | Check::Selector(words)) = &check;
        if words.trim().is_empty() {
            notes.wrong(
                &at,
                format!("`{key}` does not say what to look for"),
                "write a CSS selector, or text: and the words, such as \"text:Log out\"",
            );
        } else {
            checks.push(check);
        }
    }
    checks
}
