//! Which chunks came and which went between two runs: what a consumer has to embed, and what to forget.
//!
//! The cursor is the run up to which a consumer knows everything. Unfinished runs are not told of: what they found is not
//! final. Where chunks of before cannot be made again (the version left, another extractor, another length), the document is
//! told to be forgotten as a whole and told anew.

use super::{CUTTER, Chunk, cut};
use crate::TextError;
use crate::made::Maker;
use crate::read::EXTRACTOR;
use gleaner_model::{DocumentId, ProjectId, RunId, VersionId};
use gleaner_readers::Pool;
use gleaner_store::Ledger;
use gleaner_store::ledger::DocumentThen;
use gleaner_store::runs::RunStatus;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Up to where a consumer knows the chunks of a project, and how these were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub run: RunId,
    pub tokens: usize,
    maker: (u32, u32),
}

impl Cursor {
    fn new(run: RunId, tokens: usize) -> Cursor {
        Cursor {
            run,
            tokens,
            maker: (EXTRACTOR, CUTTER),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}-{}-{}",
            self.run, self.tokens, self.maker.0, self.maker.1
        )
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Cursor, ()> {
        let mut parts = text.trim().split('-');
        let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok()).ok_or(());
        let cursor = Cursor {
            run: RunId(next()?.into()),
            tokens: next()? as usize,
            maker: (next()?, next()?),
        };
        if parts.next().is_some() {
            Err(())
        } else {
            Ok(cursor)
        }
    }
}

/// One line of the feed.
#[derive(Debug, Clone)]
pub enum Line<'a> {
    /// This chunk came.
    Came {
        document: &'a DocumentThen,
        title: &'a str,
        chunk: &'a Chunk,
    },
    /// This chunk of a document went.
    Went {
        document: DocumentId,
        url: &'a str,
        id: &'a str,
    },
    /// All chunks of a document went; those that follow came.
    AllWent { document: DocumentId, url: &'a str },
    /// The end, and how to go on from it.
    End(Cursor),
}

/// Tells what came and went in a project since `cursor`; everything where there is none.
pub fn feed<E: From<TextError>>(
    root: &Path,
    reader: &dyn Ledger,
    readers: &Pool,
    project: &str,
    cursor: Option<&str>,
    tokens: usize,
    mut each: impl FnMut(Line<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let found = reader.find_project(project).map_err(TextError::from)?;
    let (id, _) = found.ok_or_else(|| TextError::NoProject {
        given: project.to_owned(),
    })?;
    let since = match cursor {
        Some(text) => Some(known(reader, id, text)?),
        None => None,
    };
    let until = last_finished(reader, id)?.ok_or_else(|| TextError::NoRun {
        project: project.to_owned(),
    })?;
    let mut maker = Maker::open(reader, root, readers)?;
    let before = match &since {
        Some(since) => reader.documents_then(id, since.run).map_err(TextError::from)?,
        None => Vec::new(),
    };
    let now = reader.documents_then(id, until).map_err(TextError::from)?;
    // Chunks made in another way have other names, all of them.
    let is_comparable = since.is_none_or(|since| since == Cursor::new(since.run, tokens));

    let still: HashSet<DocumentId> = now.iter().map(|document| document.document).collect();
    for gone in before
        .iter()
        .filter(|document| !still.contains(&document.document))
    {
        let document = gone.document;
        match chunks(reader, &mut maker, document, gone.version, tokens)?.filter(|_| is_comparable) {
            None => each(Line::AllWent {
                document,
                url: &gone.url,
            })?,
            Some((_, chunks)) => {
                for chunk in &chunks {
                    each(Line::Went {
                        document,
                        url: &gone.url,
                        id: &chunk.id,
                    })?;
                }
            }
        }
    }
    let before: HashMap<DocumentId, VersionId> = before
        .into_iter()
        .map(|document| (document.document, document.version))
        .collect();
    for document in &now {
        let known = before.get(&document.document);
        if is_comparable && known == Some(&document.version) {
            continue;
        }
        let came = chunks(reader, &mut maker, document.document, document.version, tokens)?;
        let (title, came) = came.unwrap_or_default();
        let mut had = HashSet::new();
        if let Some(known) = known {
            let old =
                chunks(reader, &mut maker, document.document, *known, tokens)?.filter(|_| is_comparable);
            match old {
                None => each(Line::AllWent {
                    document: document.document,
                    url: &document.url,
                })?,
                Some((_, old)) => had = old.into_iter().map(|chunk| chunk.id).collect(),
            }
        }
        let has: HashSet<&str> = came.iter().map(|chunk| chunk.id.as_str()).collect();
        let mut went: Vec<&String> = had.iter().filter(|id| !has.contains(id.as_str())).collect();
        went.sort_unstable();
        for id in went {
            each(Line::Went {
                document: document.document,
                url: &document.url,
                id,
            })?;
        }
        for chunk in came.iter().filter(|chunk| !had.contains(&chunk.id)) {
            each(Line::Came {
                document,
                title: &title,
                chunk,
            })?;
        }
    }
    each(Line::End(Cursor::new(until, tokens)))
}

/// A cursor that names a run of this project.
fn known(reader: &dyn Ledger, project: ProjectId, text: &str) -> Result<Cursor, TextError> {
    let wrong = || TextError::ChunkCursor {
        given: text.to_owned(),
    };
    let cursor: Cursor = text.parse().map_err(|()| wrong())?;
    let row = reader.run(cursor.run).map_err(|_| wrong())?;
    if row.project == project {
        Ok(cursor)
    } else {
        Err(wrong())
    }
}

pub(crate) fn last_finished(reader: &dyn Ledger, project: ProjectId) -> Result<Option<RunId>, TextError> {
    let rows = reader.runs()?;
    let finished = rows
        .iter()
        .filter(|row| row.project == project && row.status == RunStatus::Finished);
    Ok(finished.map(|row| row.id).max())
}

/// The title and chunks of a version; none where its bytes are gone.
fn chunks(
    reader: &dyn Ledger,
    maker: &mut Maker<'_>,
    document: DocumentId,
    version: VersionId,
    limit: usize,
) -> Result<Option<(String, Vec<Chunk>)>, TextError> {
    let Some(digest) = reader.version_digest(version)? else {
        return Ok(None);
    };
    let text = maker.text(document, version, &digest)?.unwrap_or_default();
    let chunks = cut(&text, limit);
    Ok(Some((text.title, chunks)))
}
