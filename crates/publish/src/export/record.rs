//! What is known about a document: numbers, title, what its `meta` elements say, keywords, pictures, media, links, tables, a
//! summary (F2). The same record becomes the five-star file and the JSON beside it.

use super::gather::{Gatherer, Said, SaidText};
use super::summary::summary;
use crate::ExportError;
use crate::time::iso;
use gleaner_concepts::phrases::{Phrase, phrases_of};
use gleaner_concepts::{Analyser, language_of};
use gleaner_model::Reason;
use gleaner_parse::content::metadata::{
    self, MetaPair, PageImage, PageLink, PageMedium, PageMetadata, PageTable,
};
use gleaner_parse::documents;
use gleaner_store::ledger::Holding;
use serde::Serialize;
use std::collections::HashSet;

/// Key phrases behind the keywords that the document gives itself.
const PHRASES: usize = 10;
/// Keywords in all.
const KEYWORDS_MAX: usize = 100;

#[derive(Debug, Clone, Serialize, Default)]
pub(super) struct Record {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) document: i64,
    pub(super) version: i64,
    pub(super) run: i64,
    #[serde(rename = "type")]
    pub(super) media_type: String,
    pub(super) fetched_at: String,
    /// The file that has the text.
    pub(super) text_file: Option<String>,
    /// Why there is none.
    pub(super) reason: Option<&'static str>,
    /// The run that found the document gone.
    pub(super) gone_run: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) authors: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<String>,
    pub(super) meta: Vec<MetaPair>,
    pub(super) keywords: Vec<String>,
    pub(super) images: Vec<PageImage>,
    pub(super) multimedia: Vec<PageMedium>,
    pub(super) links: Vec<PageLink>,
    pub(super) tables: Vec<PageTable>,
    /// The description that the document gives of itself, else its best sentences.
    pub(super) summary: Vec<String>,
}

impl Record {
    /// All that a document says about itself, and its text.
    pub(super) fn gather(
        gatherer: &mut Gatherer<'_>,
        holding: &Holding,
    ) -> Result<(Record, Said<SaidText>), ExportError> {
        let whole = gatherer.whole(holding)?;
        let said = match &whole {
            Ok(text) => gatherer.part_of(text),
            Err(reason) => Err(*reason),
        };
        let mut record = Record {
            url: holding.url.clone(),
            title: super::jsonl::title(holding, &said).unwrap_or_default().to_owned(),
            document: holding.document.0,
            version: holding.version.0,
            run: holding.run.0,
            media_type: holding.media_type.clone(),
            fetched_at: iso(holding.fetched_at),
            reason: said.as_ref().err().map(|reason: &Reason| reason.code()),
            gone_run: holding.gone_run.map(|run| run.0),
            ..Record::default()
        };
        let about = whole.as_ref().ok().and_then(|text| text.about.as_deref());
        if let Some(about) = about {
            record.add_document(about.clone());
        } else if let Ok(opened) = gatherer.opened(holding)?
            && let Some(page) = metadata::read(&opened.url, &opened.headers, &opened.body)
        {
            record.add_page(page);
        }
        if let Ok(said) = &said {
            record.add_text(&said.text);
        }
        Ok((record, said))
    }

    fn add_page(&mut self, page: PageMetadata) {
        if let Some(title) = page.title {
            self.title = title;
        }
        self.language = page.language;
        self.authors = page.authors;
        self.published = page.published;
        self.modified = page.modified;
        self.meta = page.meta;
        self.keywords = page.keywords;
        self.images = page.images;
        self.multimedia = page.media;
        self.links = page.links;
        self.tables = page.tables;
        self.summary = page.description.into_iter().collect();
    }

    /// PDF, office documents, books: what they say about themselves, as if it stood in `meta` elements.
    fn add_document(&mut self, about: documents::Metadata) {
        let pair = |name: &str, content: String| MetaPair {
            name: name.to_owned(),
            content,
        };
        let authors = about.authors.iter().map(|author| pair("author", author.clone()));
        self.meta.extend(authors);
        let rest = [
            ("created", about.created.clone()),
            ("modified", about.modified.clone()),
            ("language", about.language.clone()),
            ("pages", about.pages.map(|pages| pages.to_string())),
            ("description", about.description.clone()),
        ];
        for (name, content) in rest {
            self.meta.extend(content.map(|content| pair(name, content)));
        }
        if !about.title.is_empty() {
            self.title = about.title;
        }
        self.authors = about.authors;
        self.published = about.created;
        self.modified = about.modified;
        self.language = about.language;
        self.keywords = about.keywords;
        self.summary = about.description.into_iter().collect();
    }

    /// Key phrases behind the document's own keywords, and a summary where it gives none. Only the document itself is asked,
    /// not its neighbours: else every new one would change the files of all others.
    fn add_text(&mut self, text: &str) {
        let analyser = Analyser::of(language_of(text, self.language.as_deref()));
        let phrases: Vec<Phrase> = phrases_of(text, analyser, None, PHRASES);
        self.keywords
            .extend(phrases.iter().map(|phrase| phrase.text.clone()));
        let mut seen = HashSet::new();
        self.keywords.retain(|word| seen.insert(word.to_lowercase()));
        self.keywords.truncate(KEYWORDS_MAX);
        if self.summary.is_empty() {
            self.summary = summary(text, &phrases);
        }
    }
}
