//! What does a document say, or why nothing? Many documents at a time, on all processors.

use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use gleaner_history::side::{Opened, open};
use gleaner_model::{BlockKind, Reason};
use gleaner_parse::content::{self, Part};
use gleaner_parse::documents::to_markdown;
use gleaner_store::StoreError;
use gleaner_store::ledger::Holding;
use gleaner_text::{Maker, Text, given, is_page, is_page_part};
use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Documents that are read at a time.
const BATCH: usize = 256;

/// Which part of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextPart {
    /// Without menus, footers and the like.
    #[default]
    Main,
    /// All that is visible.
    All,
    /// Paragraphs and nothing else.
    Paragraphs,
}

impl TextPart {
    pub(super) fn name(self) -> &'static str {
        match self {
            TextPart::Main => "main",
            TextPart::All => "all",
            TextPart::Paragraphs => "paragraphs",
        }
    }

    /// A block a line.
    fn of(self, text: &Text) -> String {
        let is_paragraph = |kind: BlockKind| kind == BlockKind::Paragraph;
        match self {
            TextPart::Main => lines(text.main().map(|passage| passage.text.as_str())),
            TextPart::All => lines(text.passages.iter().map(|passage| passage.text.as_str())),
            TextPart::Paragraphs => lines(
                text.passages
                    .iter()
                    .filter(|passage| is_paragraph(passage.kind))
                    .map(|passage| passage.text.as_str()),
            ),
        }
    }
}

fn lines<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut out = String::new();
    for text in texts.filter(|text| !text.is_empty()) {
        out.push_str(text);
        out.push('\n');
    }
    out
}

/// What a document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidText {
    /// Its title as the text has it; may be empty.
    pub(super) title: String,
    /// The part that is asked for.
    pub(super) text: String,
}

/// Gives what documents say.
pub(super) struct Gatherer<'a> {
    sources: Sources<'a>,
    maker: Maker<'a>,
    part: TextPart,
}

/// What one document says, or why nothing.
pub(super) type Said<T> = Result<T, Reason>;

impl<'a> Gatherer<'a> {
    fn open(sources: Sources<'a>, request: &ExportRequest<'_>) -> Result<Gatherer<'a>, ExportError> {
        Ok(Gatherer {
            sources,
            maker: Maker::open(sources.reader, request.data, sources.readers)?,
            part: request.part,
        })
    }

    /// The text that is asked for.
    pub(super) fn text(&mut self, holding: &Holding) -> Result<Said<SaidText>, ExportError> {
        Ok(self.whole(holding)?.and_then(|text| self.part_of(&text)))
    }

    /// The part that is asked for of a text.
    pub(super) fn part_of(&self, text: &Text) -> Said<SaidText> {
        let part = self.part.of(text);
        if part.is_empty() {
            return Err(Reason::DocumentNoText);
        }
        Ok(SaidText {
            title: text.title.clone(),
            text: part,
        })
    }

    /// All that is known of the text.
    pub(super) fn whole(&mut self, holding: &Holding) -> Result<Said<Text>, ExportError> {
        if holding.is_lost {
            return Ok(Err(Reason::Lost));
        }
        let said = self
            .maker
            .said(holding.document, holding.version, &holding.digest);
        Ok(said?)
    }

    /// The bytes, with their content encodings off.
    pub(super) fn opened(&self, holding: &Holding) -> Result<Said<Opened>, ExportError> {
        match self
            .sources
            .reader
            .content(holding.document, Some(holding.version))
        {
            Ok(stored) => Ok(open(stored)),
            Err(error) if error.is_of_one_version() || matches!(error, StoreError::NotFound { .. }) => {
                Ok(Err(Reason::Lost))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The document as Markdown.
    pub(super) fn markdown(&mut self, holding: &Holding) -> Result<Said<String>, ExportError> {
        let opened = match self.opened(holding)? {
            Ok(opened) => opened,
            Err(reason) => return Ok(Err(reason)),
        };
        if is_page_part(given(&opened).media_type) {
            return Ok(Err(Reason::DocumentNoText));
        }
        let part = match self.part {
            TextPart::Main => Part::Main,
            TextPart::All | TextPart::Paragraphs => Part::Whole,
        };
        let markdown = match is_page(&opened) {
            Ok(true) => content::read_markdown(&opened.url, &opened.headers, &opened.body, part)
                .ok_or(Reason::DocumentUnknown),
            Ok(false) => {
                let answer = self.sources.readers.read(&opened.body, &given(&opened))?;
                answer
                    .map(|reading| to_markdown(&reading))
                    .map_err(|unread| unread.reason())
            }
            Err(unread) => Err(unread.reason()),
        };
        Ok(markdown.and_then(|text| {
            if text.trim().is_empty() {
                Err(Reason::DocumentNoText)
            } else {
                Ok(text)
            }
        }))
    }
}

/// Hands on the text of each document, counts it and tells how many are done, and of how many.
pub(super) fn each_text(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    holdings: &[Holding],
    progress: &mut dyn FnMut(u64, u64),
    mut take: impl FnMut(&Holding, &Said<SaidText>) -> Result<(), ExportError>,
) -> Result<Exported, ExportError> {
    let mut done = Exported::default();
    let make = |gatherer: &mut Gatherer<'_>, at: usize| gatherer.text(&holdings[at]);
    each_made(sources, request, holdings.len(), make, |at, said| {
        done.note(&holdings[at], said.as_ref().err());
        take(&holdings[at], &said)?;
        progress(at as u64 + 1, holdings.len() as u64);
        Ok(())
    })?;
    Ok(done)
}

/// Makes something of each of so many documents on all processors, and hands it on in their order.
pub(super) fn each_made<T: Send>(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    count: usize,
    make: impl Fn(&mut Gatherer<'_>, usize) -> Result<T, ExportError> + Sync,
    mut take: impl FnMut(usize, T) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    // Once before the others: two that make the file of the texts at the same time would be in each other's way.
    drop(Gatherer::open(sources, request)?);
    let opener = sources.reader.opener();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let all: Vec<usize> = (0..count).collect();
    for batch in all.chunks(BATCH) {
        let threads = processors.min(batch.len());
        let share = |one: usize| -> Result<Vec<T>, ExportError> {
            // Each has a connection of its own to the catalog and to the texts.
            let reader = opener.ledger()?;
            let own = Sources {
                reader: &*reader,
                readers: sources.readers,
            };
            let mut gatherer = Gatherer::open(own, request)?;
            let mine = batch.iter().skip(one).step_by(threads);
            mine.map(|&at| make(&mut gatherer, at)).collect()
        };
        let made: Vec<Result<Vec<T>, ExportError>> = std::thread::scope(|scope| {
            let share = &share;
            let workers: Vec<_> = (0..threads).map(|one| scope.spawn(move || share(one))).collect();
            workers
                .into_iter()
                .map(ScopedJoinHandle::join)
                .map(|joined| joined.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        let mut shares = Vec::with_capacity(threads);
        for share in made {
            shares.push(share?.into_iter());
        }
        for (nth, &at) in batch.iter().enumerate() {
            let next = shares[nth % threads].next();
            take(at, next.expect("each share has its documents"))?;
        }
    }
    Ok(())
}
