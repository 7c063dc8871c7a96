//! Which concepts do a project's documents share, and what is one of them about? (F4)
//!
//! Brings texts and the room `concepts` together. The table is made from the documents as they stand now, so it needs no state
//! of its own: what changed since the last time is in it, and nothing else.

use crate::TextError;
use crate::chunks::last_finished;
use crate::made::Maker;
use gleaner_concepts::collection::Collection;
use gleaner_concepts::phrases::{Background, Phrase, phrases_of};
use gleaner_concepts::vocabulary::{Tag, Vocabulary};
use gleaner_concepts::{Analyser, language_of};
use gleaner_model::DocumentId;
use gleaner_store::Reader;
use gleaner_store::read::DocumentThen;
use std::path::Path;

/// Documents that tell how common words are; more do not change it.
const BACKGROUND_MAX: usize = 2_000;

/// The documents of a project as they stand now, with their texts.
pub struct ProjectTexts<'a> {
    reader: &'a Reader,
    maker: Maker<'a>,
    /// In the order of their numbers.
    documents: Vec<DocumentThen>,
}

impl<'a> ProjectTexts<'a> {
    pub fn open(root: &Path, reader: &'a Reader, project: &str) -> Result<ProjectTexts<'a>, TextError> {
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
            maker: Maker::open(reader, root)?,
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
        let paragraphs = |text: crate::Text| {
            text.main()
                .map(|passage| passage.text.clone())
                .collect::<Vec<_>>()
                .join("\n\n")
        };
        Ok(text.map(paragraphs).filter(|text| !text.is_empty()))
    }

    /// All documents as a collection whose keys are their places in [`ProjectTexts::documents`].
    pub fn collection(&mut self, mut each: impl FnMut(usize, usize)) -> Result<Collection, TextError> {
        let mut collection = Collection::default();
        for at in 0..self.documents.len() {
            each(at, self.documents.len());
            if let Some(text) = self.text(at)? {
                collection.add(at as u64, &text, None);
            }
        }
        Ok(collection)
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
        for other in 0..self.documents.len().min(BACKGROUND_MAX) {
            if let Some(text) = self.text(other)? {
                background.add(&text, analyser);
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
