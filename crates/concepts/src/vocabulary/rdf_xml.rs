//! SKOS as RDF/XML: the labels of everything that has an address.

use foldhash::HashMap;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Term, VocabularyError};

/// Elements within elements; more is no vocabulary.
const DEPTH_MAX: usize = 64;

pub(super) fn read(text: &str) -> Result<Vec<Term>, VocabularyError> {
    let mut labels = Labels::default();
    let mut reader = Reader::from_str(text);
    // What each open element is about, and the label it is.
    let mut open: Vec<(Option<String>, Option<Label>)> = Vec::new();
    loop {
        let line = text[..(reader.buffer_position() as usize).min(text.len())]
            .matches('\n')
            .count()
            + 1;
        let wrong = |what: String| VocabularyError::Format {
            format: "RDF/XML",
            line,
            what,
        };
        match reader.read_event().map_err(|error| wrong(error.to_string()))? {
            Event::Eof => break,
            Event::Start(start) => {
                if open.len() == DEPTH_MAX {
                    return Err(wrong("elements are nested too deeply".to_owned()));
                }
                let about = attribute(&start, &["about", "ID", "nodeID"])
                    .or_else(|| open.last().and_then(|(about, _)| about.clone()));
                let label = label_of(&start);
                open.push((about, label));
            }
            Event::End(_) => {
                if let Some((Some(about), Some(label))) = open.pop() {
                    labels.add(about, label.is_preferred, &label.text, label.language);
                }
            }
            Event::Text(piece) => {
                if let Some((_, Some(label))) = open.last_mut() {
                    label.text.push_str(&piece);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some((_, Some(label))) = open.last_mut() {
                    let name: &str = &reference;
                    let plain =
                        quick_xml::escape::unescape(&format!("&{name};")).map(std::borrow::Cow::into_owned);
                    label.text.push_str(&plain.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(labels.terms())
}

struct Label {
    is_preferred: bool,
    language: Option<String>,
    text: String,
}

fn label_of(start: &BytesStart<'_>) -> Option<Label> {
    let is_preferred = match start.local_name().as_ref() {
        "prefLabel" => true,
        "altLabel" | "hiddenLabel" => false,
        _ => return None,
    };
    Some(Label {
        is_preferred,
        language: attribute(start, &["lang"]),
        text: String::new(),
    })
}

/// The first of these attributes, whatever its prefix.
fn attribute(start: &BytesStart<'_>, names: &[&str]) -> Option<String> {
    let mut attributes = start.attributes().flatten();
    let found = attributes.find(|attribute| {
        names
            .iter()
            .any(|name| attribute.key.local_name().as_ref() == *name)
    })?;
    let value = found.value.into_owned();
    Some(quick_xml::escape::unescape(&value).map_or(value.clone(), std::borrow::Cow::into_owned))
}

/// Labels gathered by what they name, in the order of the file.
#[derive(Default)]
pub(super) struct Labels {
    terms: Vec<Term>,
    by_id: HashMap<String, usize>,
}

impl Labels {
    pub(super) fn add(&mut self, id: String, is_preferred: bool, name: &str, language: Option<String>) {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            return;
        }
        let at = *self.by_id.entry(id.clone()).or_insert_with(|| {
            self.terms.push(Term {
                id,
                ..Term::default()
            });
            self.terms.len() - 1
        });
        let term = &mut self.terms[at];
        let is_english = language
            .as_deref()
            .is_none_or(|language| language.starts_with("en"));
        if is_preferred && (term.name.is_empty() || is_english) {
            term.name.clone_from(&name);
        }
        term.names.push((name, language));
    }

    /// The terms; one without a preferred name is shown by its first.
    pub(super) fn terms(mut self) -> Vec<Term> {
        for term in &mut self.terms {
            if term.name.is_empty() {
                term.name = term
                    .names
                    .first()
                    .map(|(name, _)| name.clone())
                    .unwrap_or_default();
            }
        }
        self.terms
    }
}
