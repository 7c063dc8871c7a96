//! Which concepts do a project's documents share, and what is one of them about? (F4)
//!
//! Brings texts and the room `concepts` together. The table is made from the documents as they stand now, so it needs no state
//! of its own: what changed since the last time is in it, and nothing else.

use crate::chunks::last_finished;
use crate::made::{Maker, Wanted};
use crate::{Text, TextError};
use gleaner_concepts::collection::{Collection, ReadText};
use gleaner_concepts::phrases::{Background, Phrase, phrases_of};
use gleaner_concepts::vocabulary::{Tag, Vocabulary};
use gleaner_model::DocumentId;
use gleaner_readers::Pool;
use gleaner_store::Ledger;
use gleaner_store::ledger::DocumentThen;
use gleaner_words::{Analyser, language_of};
use std::path::Path;

/// Documents that tell how common words are; more do not change it.
const BACKGROUND_MAX: usize = 2_000;

/// Documents that are read at a time.
const BATCH: usize = 512;

/// The documents of a project as they stand now, with their texts.
pub struct ProjectTexts<'a> {
    reader: &'a dyn Ledger,
    maker: Maker<'a>,
    /// In the order of their numbers.
    documents: Vec<DocumentThen>,
}

impl<'a> ProjectTexts<'a> {
    pub fn open(
        root: &Path,
        reader: &'a dyn Ledger,
        readers: &'a Pool,
        project: &str,
    ) -> Result<ProjectTexts<'a>, TextError> {
        let (id, _) = reader
            .find_project(project)?
            .ok_or_else(|| TextError::NoProject {
                given: project.to_owned(),
            })?;
        let run = last_finished(reader, id)?.ok_or_else(|| TextError::NoRun {
            project: project.to_owned(),
        })?;
        Ok(ProjectTexts {
            reader,
            maker: Maker::open(reader, root, readers)?,
            documents: reader.documents_then(id, run)?,
        })
    }

    pub fn documents(&self) -> &[DocumentThen] {
        &self.documents
    }

    /// The main text of a document, its paragraphs parted by empty lines; nothing where it has none.
    pub fn text(&mut self, at: usize) -> Result<Option<String>, TextError> {
        let one = &self.documents[at];
        let Some(digest) = self.reader.version_digest(one.version)? else {
            return Ok(None);
        };
        let text = self.maker.text(one.document, one.version, &digest)?;
        Ok(text.as_ref().and_then(main_text))
    }

    /// All documents as a collection whose keys are their places in [`ProjectTexts::documents`].
    pub fn collection(&mut self, mut each: impl FnMut(usize, usize)) -> Result<Collection, TextError> {
        let mut collection = Collection::default();
        let count = self.documents.len();
        for from in (0..count).step_by(BATCH) {
            let to = (from + BATCH).min(count);
            let read = self.each_text(from..to, |text| Some(ReadText::of(&main_text(&text?)?, None)))?;
            for (at, reading) in (from..to).zip(read) {
                if let Some(reading) = reading {
                    collection.insert(at as u64, &reading);
                }
            }
            each(to, count);
        }
        Ok(collection)
    }

    /// What is made of the texts of some documents, on all processors.
    fn each_text<R: Send>(
        &mut self,
        places: std::ops::Range<usize>,
        take: impl Fn(Option<Text>) -> R + Sync,
    ) -> Result<Vec<R>, TextError> {
        let mut wanted = Vec::with_capacity(places.len());
        for one in &self.documents[places] {
            let digest = self.reader.version_digest(one.version)?;
            wanted.push(digest.map(|digest| Wanted {
                document: one.document,
                version: one.version,
                digest,
            }));
        }
        self.maker.texts(&wanted, take)
    }

    /// Where a document stands in the list.
    pub fn find(&self, document: DocumentId) -> Option<usize> {
        self.documents.iter().position(|one| one.document == document)
    }

    /// The key phrases of a document, told from what its neighbours say too.
    pub fn phrases(&mut self, at: usize, most: usize) -> Result<Vec<Phrase>, TextError> {
        let Some(text) = self.text(at)? else {
            return Ok(Vec::new());
        };
        let analyser = Analyser::of(language_of(&text, None));
        let mut background = Background::default();
        let count = self.documents.len().min(BACKGROUND_MAX);
        for from in (0..count).step_by(BATCH) {
            for text in self.each_text(from..(from + BATCH).min(count), |text| main_text(&text?))? {
                background.add(&text.unwrap_or_default(), analyser);
            }
        }
        Ok(phrases_of(&text, analyser, Some(&background), most))
    }

    /// The terms of a vocabulary that a document names, and its text.
    pub fn tags<'v>(
        &mut self,
        at: usize,
        vocabulary: &'v Vocabulary,
    ) -> Result<(Vec<Tag<'v>>, String), TextError> {
        let text = self.text(at)?.unwrap_or_default();
        let analyser = Analyser::of(language_of(&text, None));
        Ok((vocabulary.tagger(analyser).tags(&text), text))
    }
}

/// The paragraphs of the main text, parted by empty lines; nothing where there are none.
pub(crate) fn main_text(text: &Text) -> Option<String> {
    let paragraphs: Vec<&str> = text.main().map(|passage| passage.text.as_str()).collect();
    Some(paragraphs.join("\n\n")).filter(|text| !text.is_empty())
}
