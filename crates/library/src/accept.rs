//! Is a document one that a library keeps? What kind it is, what it speaks of and what the library's file asks for, put together
//! (G3, G5).
//!
//! A document is accepted when all agree, and waits for a person when what decides is near its threshold. Size, type and language
//! reject only where the file says so. What a person decided stands above all of it.

use crate::genre::{Genre, GenreVerdict};
use gleaner_model::library::AcceptSettings;

const REASONS: usize = 3;

/// What is known of a document besides its genre and its topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DocumentFacts<'a> {
    /// As in [`gleaner_model::library::DOCUMENT_TYPES`]; none where it is none of these.
    pub document_type: Option<&'a str>,
    pub bytes: u64,
    /// Two letters; none where nobody can say.
    pub language: Option<&'a str>,
}

/// How much a document speaks of the topic; none where the library has no topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicOpinion {
    /// 0 to 1.
    pub score: f64,
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    Accepted,
    Rejected,
    Uncertain,
}

/// The verdict with its strongest reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptVerdict {
    pub acceptance: Acceptance,
    pub genre: Option<Genre>,
    /// Of the genre.
    pub score: f64,
    pub topic: f64,
    pub reasons: Vec<String>,
}

/// The genres that a library keeps.
pub fn genres_of(settings: &AcceptSettings) -> Vec<Genre> {
    if settings.genres.is_empty() {
        return Genre::ALL
            .into_iter()
            .filter(|genre| genre.is_accepted())
            .collect();
    }
    settings
        .genres
        .iter()
        .filter_map(|name| Genre::parse(name))
        .collect()
}

/// `verdict` is none where no kind could be told, as S1's rules say of most. `wanted` is how likely its genre is one that the
/// library keeps.
pub fn decide(
    settings: &AcceptSettings,
    facts: &DocumentFacts<'_>,
    verdict: Option<&GenreVerdict>,
    wanted: f64,
    topic: Option<&TopicOpinion>,
) -> AcceptVerdict {
    let on_topic = topic.map_or(1.0, |topic| topic.score);
    let of = |acceptance, reasons: Vec<String>| AcceptVerdict {
        acceptance,
        genre: verdict.map(|verdict| verdict.genre),
        score: wanted,
        topic: on_topic,
        reasons: reasons.into_iter().take(REASONS).collect(),
    };
    if let Some(reason) = refusal(settings, facts) {
        return of(Acceptance::Rejected, vec![reason]);
    }
    let is_kind = wanted >= settings.score;
    let is_topic = on_topic >= settings.topic;
    let is_near = |score: f64, threshold: f64| (score - threshold).abs() < settings.uncertain;
    let (near_kind, near_topic) = (is_near(wanted, settings.score), is_near(on_topic, settings.topic));
    // A clear no to one question is a no, however the other stands.
    let is_no = (!is_kind && !near_kind) || (!is_topic && !near_topic);
    let kind_reasons = || {
        let said = verdict.map(|verdict| verdict.reasons.clone());
        said.unwrap_or_else(|| vec!["it is of no kind that the library keeps".to_owned()])
    };
    let topic_reasons = || topic.map(|topic| topic.reasons.clone()).unwrap_or_default();
    if is_no {
        let reasons = if is_kind || near_kind {
            topic_reasons()
        } else {
            kind_reasons()
        };
        return of(Acceptance::Rejected, reasons);
    }
    if near_kind || near_topic {
        let which = match (near_kind, near_topic) {
            (true, true) => "its kind and its topic are",
            (true, false) => "its kind is",
            _ => "its topic is",
        };
        let mut reasons = vec![format!("{which} near the threshold")];
        reasons.extend(kind_reasons().into_iter().take(1));
        reasons.extend(topic_reasons().into_iter().take(1));
        return of(Acceptance::Uncertain, reasons);
    }
    // The strongest of the kind, then of the topic, then what is left.
    let (mut kind, mut of_topic) = (kind_reasons().into_iter(), topic_reasons().into_iter());
    let first = kind.next().into_iter().chain(of_topic.next());
    let reasons = first.chain(kind).chain(of_topic).collect();
    of(Acceptance::Accepted, reasons)
}

/// What the file says by itself, whatever the document says.
fn refusal(settings: &AcceptSettings, facts: &DocumentFacts<'_>) -> Option<String> {
    match facts.document_type {
        None => return Some("it is of no type that libraries keep".to_owned()),
        Some(one) if !settings.types.iter().any(|wanted| wanted == one) => {
            return Some(format!("the library takes no {one}"));
        }
        Some(_) => {}
    }
    if facts.bytes < settings.min_bytes {
        return Some(format!("it is smaller than min_size: {} bytes", facts.bytes));
    }
    if facts.bytes > settings.max_bytes {
        return Some(format!("it is larger than max_size: {} bytes", facts.bytes));
    }
    let language = facts.language.filter(|_| !settings.languages.is_empty())?;
    let is_taken = settings.languages.iter().any(|wanted| wanted == language);
    (!is_taken).then(|| format!("its language is {language}"))
}

/// The name of a document's type, by what the server said and by the path of its address.
pub fn document_type(media_type: &str, path: &str) -> Option<&'static str> {
    let of_type = match media_type {
        "application/pdf" | "application/x-pdf" => Some("pdf"),
        "application/postscript" => Some("ps"),
        "application/msword" => Some("doc"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Some("docx"),
        "application/vnd.ms-powerpoint" => Some("ppt"),
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => Some("pptx"),
        "application/vnd.oasis.opendocument.text" => Some("odt"),
        "application/rtf" | "text/rtf" => Some("rtf"),
        "application/x-tex" | "text/x-tex" | "application/x-latex" => Some("tex"),
        "text/markdown" => Some("md"),
        "application/epub+zip" => Some("epub"),
        "text/html" | "application/xhtml+xml" => Some("html"),
        _ => None,
    };
    if of_type.is_some() {
        return of_type;
    }
    let path = path.to_ascii_lowercase();
    let path = path.strip_suffix(".gz").unwrap_or(&path);
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "pdf" => Some("pdf"),
        "ps" | "eps" => Some("ps"),
        "doc" => Some("doc"),
        "docx" => Some("docx"),
        "ppt" => Some("ppt"),
        "pptx" => Some("pptx"),
        "odt" => Some("odt"),
        "rtf" => Some("rtf"),
        "tex" | "latex" => Some("tex"),
        "md" | "markdown" => Some("md"),
        "epub" => Some("epub"),
        _ => match media_type {
            "text/plain" => Some("txt"),
            "application/xml" | "text/xml" => Some("xml"),
            "" if ending == "txt" => Some("txt"),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict() -> GenreVerdict {
        GenreVerdict {
            genre: Genre::Paper,
            accept: true,
            score: 0.9,
            reasons: vec!["it has an abstract".to_owned()],
            is_uncertain: false,
        }
    }

    fn facts() -> DocumentFacts<'static> {
        DocumentFacts {
            document_type: Some("pdf"),
            bytes: 100_000,
            language: Some("en"),
        }
    }

    fn said(settings: &AcceptSettings, wanted: f64, topic: f64) -> (Acceptance, String) {
        let topic = TopicOpinion {
            score: topic,
            reasons: vec!["its title has “crawler”".to_owned()],
        };
        let verdict = decide(settings, &facts(), Some(&verdict()), wanted, Some(&topic));
        (verdict.acceptance, verdict.reasons.join("; "))
    }

    #[test]
    fn g5_kind_and_topic_have_to_agree() {
        let settings = AcceptSettings::default();
        assert_eq!(said(&settings, 0.9, 0.9).0, Acceptance::Accepted);
        assert_eq!(said(&settings, 0.2, 0.9).0, Acceptance::Rejected);
        assert_eq!(said(&settings, 0.9, 0.2).0, Acceptance::Rejected);
        assert_eq!(said(&settings, 0.9, 0.55).0, Acceptance::Uncertain);
        assert_eq!(said(&settings, 0.1, 0.55).0, Acceptance::Rejected, "a clear no");
        let reasons = said(&settings, 0.9, 0.9).1;
        assert_eq!(reasons, "it has an abstract; its title has “crawler”");
    }

    #[test]
    fn g5_the_file_rejects_with_its_reason() {
        let settings = AcceptSettings {
            min_bytes: 200_000,
            ..AcceptSettings::default()
        };
        assert_eq!(
            said(&settings, 1.0, 1.0).1,
            "it is smaller than min_size: 100000 bytes"
        );
        let settings = AcceptSettings {
            languages: vec!["de".to_owned()],
            ..AcceptSettings::default()
        };
        assert_eq!(said(&settings, 1.0, 1.0).1, "its language is en");
        let settings = AcceptSettings {
            types: vec!["ps".to_owned()],
            ..AcceptSettings::default()
        };
        assert_eq!(said(&settings, 1.0, 1.0).1, "the library takes no pdf");
    }

    #[test]
    fn g4_types_are_told_by_the_server_or_the_name() {
        for (media_type, path, wanted) in [
            ("application/pdf", "/a", Some("pdf")),
            ("application/octet-stream", "/a.PS.gz", Some("ps")),
            ("text/plain", "/a.tex", Some("tex")),
            ("text/plain", "/a", Some("txt")),
            ("text/html", "/a.pdf", Some("html")),
            ("image/png", "/a.png", None),
        ] {
            assert_eq!(document_type(media_type, path), wanted, "{media_type} {path}");
        }
    }
}
