//! The filter of a library: a document in, a verdict with its reasons out (G3, G5).
//!
//! The same filter judges documents of runs, documents that a person adds, and stored ones after a new model.

use crate::CollectError;
use crate::teach::Lessons;
use gleaner_library::accept::{
    AcceptVerdict, Acceptance, DocumentFacts, TopicOpinion, decide, document_type, genres_of,
};
use gleaner_library::genre::{self, Genre, GenreVerdict, Judge, Seen, Subject, rules};
use gleaner_library::topic::{Keywords, TopicJudge, TopicPage, TopicReader};
use gleaner_model::library::{DocumentFilterKind, LibrarySettings};
use gleaner_model::{Block, Content, Url};
use gleaner_parse::documents::{Reading, Unread};
use gleaner_readers::{Appraises, Given, MetDocument, Pool};
use gleaner_store::libraries::LibraryVerdict;
use std::sync::Arc;

/// Of a long document so much tells its language.
const LANGUAGE_BYTES: usize = 20_000;

/// Judges documents of one library.
pub struct Filter {
    settings: Arc<LibrarySettings>,
    genres: Vec<Genre>,
    genre: Judge<'static>,
    lessons: Arc<Lessons>,
    keywords: Keywords,
    reader: TopicReader,
    topic: TopicJudge,
}

/// A document that is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct GivenDocument<'a> {
    pub url: &'a Url,
    pub media_type: &'a str,
    pub bytes: u64,
}

/// What the filter says of a document.
#[derive(Debug, Clone)]
pub struct FilteredDocument {
    pub verdict: LibraryVerdict,
    pub genre: Option<String>,
    pub score: f64,
    pub topic: f64,
    pub reasons: Vec<String>,
    pub is_by_person: bool,
    pub title: Option<String>,
    pub language: Option<String>,
    /// What can be learned from it; none where it could not be read.
    pub seen: Option<Box<(Seen, TopicPage)>>,
}

impl FilteredDocument {
    /// As a number for those who look for more of its kind.
    pub fn worth(&self) -> f32 {
        match self.verdict {
            LibraryVerdict::Accepted => 1.0,
            LibraryVerdict::Uncertain => 0.5,
            LibraryVerdict::Rejected => 0.0,
        }
    }
}

/// The topic of a library as its file and its lessons tell it.
pub fn topic_of(settings: &LibrarySettings, lessons: &Lessons) -> (Keywords, TopicReader, TopicJudge) {
    let keywords = Keywords::new(settings.topic.iter().map(String::as_str));
    let judge = TopicJudge::new(&keywords, &lessons.examples);
    (keywords.clone(), TopicReader::new(keywords), judge)
}

impl Filter {
    pub fn new(settings: Arc<LibrarySettings>, lessons: Arc<Lessons>) -> Filter {
        let (keywords, reader, topic) = topic_of(&settings, &lessons);
        Filter {
            genres: genres_of(&settings.accept),
            genre: Judge::new(genre::model(), &lessons.overrules),
            settings,
            lessons,
            keywords,
            reader,
            topic,
        }
    }

    /// Whether it is a document for this library at all: pages are not, unless the file says so.
    pub fn is_document(&self, media_type: &str, url: &Url) -> bool {
        match document_type(media_type, url.path()) {
            None => false,
            Some(page @ ("html" | "xml")) => self.settings.accept.types.iter().any(|one| one == page),
            Some(_) => true,
        }
    }

    /// Reads it and judges it. `Err` where nobody can read documents at all.
    pub fn judge(
        &self,
        given: &GivenDocument<'_>,
        body: &[u8],
        readers: &Pool,
    ) -> Result<FilteredDocument, CollectError> {
        let how = Given {
            media_type: given.media_type,
            name: given.url.path(),
        };
        let answer = readers.read(body, &how)?;
        Ok(self.judge_reading(given, answer.as_ref()))
    }

    /// The same for a document that was read already.
    pub fn judge_reading(
        &self,
        given: &GivenDocument<'_>,
        read: Result<&Reading, &Unread>,
    ) -> FilteredDocument {
        let mut found = match read {
            Ok(reading) => self.judge_text(given, reading),
            Err(unread) => FilteredDocument {
                verdict: LibraryVerdict::Rejected,
                genre: None,
                score: 0.0,
                topic: 0.0,
                reasons: vec![unread.to_string()],
                is_by_person: false,
                title: None,
                language: None,
                seen: None,
            },
        };
        // The last word about a document is a person's, whatever it says by now; what the filter would say is told beside it.
        if let Some(overrule) = self.lessons.overrules.of(given.url.as_str()) {
            let said = found.verdict;
            found.verdict = if overrule.accept {
                LibraryVerdict::Accepted
            } else {
                LibraryVerdict::Rejected
            };
            if let Some(genre) = overrule.genre {
                found.genre = Some(genre.as_str().to_owned());
            }
            found.is_by_person = true;
            let mut reasons = vec!["a person decided so".to_owned()];
            if said != found.verdict {
                reasons.push(format!("the filter says {}", said.as_str()));
            }
            reasons.extend(std::mem::take(&mut found.reasons).into_iter().take(1));
            found.reasons = reasons;
        }
        found
    }

    fn judge_text(&self, given: &GivenDocument<'_>, reading: &Reading) -> FilteredDocument {
        let name = given.url.path().rsplit('/').next().unwrap_or_default();
        let seen = Seen::of(&Subject {
            reading,
            name: Some(name),
            size_bytes: Some(given.bytes),
        });
        let content = content_of(reading);
        let language = language_of(reading);
        let page = self.reader.read(given.url, &content.title, &content);
        let topic = (!self.keywords.is_empty() || self.lessons.has_examples()).then(|| {
            let said = self
                .topic
                .verdict(&page, given.url, &content.title, &content, &self.keywords);
            TopicOpinion {
                score: f64::from(said.score),
                reasons: said.reasons,
            }
        });
        let facts = DocumentFacts {
            document_type: document_type(given.media_type, given.url.path()),
            bytes: given.bytes,
            language: language.as_deref(),
        };
        let (kind, wanted) = self.kind(given, reading, &seen, name);
        let decided = decide(
            &self.settings.accept,
            &facts,
            kind.as_ref(),
            wanted,
            topic.as_ref(),
        );
        let AcceptVerdict {
            acceptance,
            genre,
            score,
            topic,
            reasons,
        } = decided;
        FilteredDocument {
            verdict: match acceptance {
                Acceptance::Accepted => LibraryVerdict::Accepted,
                Acceptance::Rejected => LibraryVerdict::Rejected,
                Acceptance::Uncertain => LibraryVerdict::Uncertain,
            },
            genre: genre.map(|genre| genre.as_str().to_owned()),
            score,
            topic,
            reasons,
            is_by_person: false,
            title: (!content.title.is_empty()).then_some(content.title),
            language,
            seen: Some(Box::new((seen, page))),
        }
    }

    /// What kind it is, and how likely that is one to keep.
    fn kind(
        &self,
        given: &GivenDocument<'_>,
        reading: &Reading,
        seen: &Seen,
        name: &str,
    ) -> (Option<GenreVerdict>, f64) {
        if self.settings.accept.filter == DocumentFilterKind::S1 {
            let text: Vec<&str> = reading.pieces.iter().map(|piece| piece.text.as_str()).collect();
            let genre = rules::judge(&text.join("\n"), Some(name), Some(given.bytes));
            let is_wanted = genre.is_some_and(|genre| self.genres.contains(&genre));
            let verdict = genre.map(|genre| GenreVerdict {
                genre,
                accept: is_wanted,
                score: f32::from(u8::from(is_wanted)),
                reasons: vec!["S1's rules say so".to_owned()],
                is_uncertain: false,
            });
            return (verdict, f64::from(u8::from(is_wanted)));
        }
        let verdict = self.genre.judge(seen, None);
        let is_usual = self.settings.accept.genres.is_empty();
        let wanted = if is_usual {
            f64::from(verdict.score)
        } else {
            let shares = self.genre.shares(seen);
            let of = |genre: &Genre| f64::from(shares[*genre as usize]);
            self.genres.iter().map(of).sum()
        };
        (Some(verdict), wanted)
    }
}

/// The filter as a run asks it, while documents come.
pub struct LiveFilter {
    pub filter: Filter,
    pub readers: Arc<Pool>,
}

impl Appraises for LiveFilter {
    fn appraise(&self, document: &MetDocument<'_>) -> Option<f32> {
        if !self.filter.is_document(document.media_type, document.url) {
            return None;
        }
        let given = GivenDocument {
            url: document.url,
            media_type: document.media_type,
            bytes: document.body.len() as u64,
        };
        let verdict = match document.reading {
            Some(reading) => self.filter.judge_reading(&given, reading),
            None => self.filter.judge(&given, document.body, &self.readers).ok()?,
        };
        Some(verdict.worth())
    }
}

/// A document as the topic's judge reads it: all of it is main text.
pub fn content_of(reading: &Reading) -> Content {
    let blocks: Vec<Block> = reading
        .pieces
        .iter()
        .filter(|piece| !piece.text.is_empty())
        .map(|piece| Block {
            path: String::new(),
            kind: piece.kind,
            text: piece.text.clone(),
            is_main: true,
            is_frame: false,
            links: Vec::new(),
            images: Vec::new(),
        })
        .collect();
    let heading = blocks
        .iter()
        .find(|block| block.kind == gleaner_model::BlockKind::Heading);
    let title = match &reading.metadata.title {
        title if title.trim().is_empty() => heading.map_or_else(String::new, |block| block.text.clone()),
        title => title.clone(),
    };
    Content {
        title,
        blocks,
        ..Content::default()
    }
}

fn language_of(reading: &Reading) -> Option<String> {
    let mut text = String::new();
    for piece in &reading.pieces {
        if text.len() > LANGUAGE_BYTES {
            break;
        }
        text.push_str(&piece.text);
        text.push('\n');
    }
    let declared = reading.metadata.language.as_deref();
    let language = gleaner_words::language_of(&text, declared);
    (!language.is_empty()).then(|| language.to_owned())
}
