//! The index follows the store: versions in their order, from where it was.
//!
//! ```text
//!  position of the last commit ──► the next versions ──► their texts, on all processors ──► index, texts
//!                 ▲                                                                          │
//!                 └────────── every few thousand versions: one commit {documents, position} ◄┘
//! ```
//! The position is part of the commit, so a kill at any time leaves an index that is right up to its position. Versions that
//! left (retention) are found by counting: the index only ever has what the store had, so equal counts are equal sets.

use crate::TextError;
use crate::made::{Maker, Wanted};
use crate::read::{EXTRACTOR, Text};
use gleaner_model::{RunId, VersionId};
use gleaner_readers::Pool;
use gleaner_search::{Commit, FORMAT, Index, IndexEntry, IndexPassage, SearchError, Writer};
use gleaner_store::ledger::VersionFacts;
use gleaner_store::{Ledger, folder, ledger};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Versions that are read at a time.
const BATCH: usize = 256;
/// After how many versions or how long a commit is made. Each waits for twice as many as the one before: many small commits
/// cost merges, and little work is lost at any time.
const COMMIT_VERSIONS_MIN: usize = BATCH;
const COMMIT_VERSIONS_MAX: usize = 16_384;
const COMMIT_TIME: Duration = Duration::from_secs(20);

/// How far it is, told after every batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowProgress {
    pub done: u64,
    pub all: u64,
}

/// Keeps an index in step with its store.
pub struct Follower<'a> {
    root: &'a Path,
    reader: &'a dyn Ledger,
    readers: &'a Pool,
    index: Index,
    /// What could not be read before and may be readable now is tried again.
    tries_again: bool,
}

/// Where the index of a data folder lies.
pub fn index_folder(root: &Path) -> PathBuf {
    folder::derived(root).join(format!("index-{FORMAT}"))
}

impl<'a> Follower<'a> {
    /// Opens the index of a data folder. One that cannot be used is thrown away: it can be made again.
    pub fn open(
        root: &'a Path,
        reader: &'a dyn Ledger,
        readers: &'a Pool,
    ) -> Result<Follower<'a>, TextError> {
        folder::make_derived(root)?;
        let folder = index_folder(root);
        let index = match Index::open(&folder) {
            Err(SearchError::Index { .. }) if Index::exists(&folder) => {
                remove(&folder)?;
                Index::open(&folder)?
            }
            other => other?,
        };
        Ok(Follower {
            root,
            reader,
            readers,
            index,
            tries_again: false,
        })
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub fn into_index(self) -> Index {
        self.index
    }

    /// Whether the index has everything that the store has, and nothing else.
    pub fn is_level(&self) -> Result<bool, TextError> {
        let Some(commit) = self.index.commit()?.filter(|commit| self.fits(commit)) else {
            return Ok(self.reader.count_versions(VersionId(0))?.1 == 0);
        };
        let (before, behind) = self.reader.count_versions(VersionId(commit.position))?;
        Ok(behind == 0 && before == self.index.count())
    }

    /// Brings the index up to date. An error where another process is doing just that.
    pub fn follow(&self, mut told: impl FnMut(FollowProgress)) -> Result<(), TextError> {
        if self.is_level()? {
            return Ok(());
        }
        let mut writer = self.index.writer()?;
        self.index.reload()?; // Whoever wrote before may have come further.
        let mut commit = match self.index.commit()?.filter(|commit| self.fits(commit)) {
            Some(commit) => commit,
            None => self.begin_anew(&mut writer)?,
        };
        let mut maker = Maker::open(self.reader, self.root, self.readers)?;
        if self.tries_again {
            maker = maker.trying_again();
        }
        self.drop_departed(&mut writer, &mut maker, &commit)?;

        let (_, all) = self.reader.count_versions(VersionId(commit.position))?;
        let mut done = 0;
        let mut since_commit = (0, Instant::now());
        let mut commit_versions = COMMIT_VERSIONS_MIN;
        loop {
            let batch = self.reader.versions_behind(VersionId(commit.position), BATCH)?;
            let Some(last) = batch.last() else { break };
            let texts = texts(&batch, &mut maker)?;
            for (facts, text) in batch.iter().zip(&texts) {
                writer.add(&entry(facts, text.as_ref()))?;
            }
            commit.position = last.version.0;
            commit.source = self.source(last.run)?;
            done += batch.len() as u64;
            since_commit.0 += batch.len();
            told(FollowProgress {
                done,
                all: all.max(done),
            });
            if since_commit.0 >= commit_versions || since_commit.1.elapsed() >= COMMIT_TIME {
                writer.commit(&commit)?;
                since_commit = (0, Instant::now());
                commit_versions = (commit_versions * 2).min(COMMIT_VERSIONS_MAX);
            }
        }
        writer.commit(&commit)?;
        writer.finish()?;
        self.index.reload()?;
        Ok(())
    }

    /// What an index up to a version of this run is made from.
    fn source(&self, run: RunId) -> Result<String, TextError> {
        let began = self.reader.run_began(run)?.unwrap_or_default();
        Ok(format!("{EXTRACTOR} {run} {}", began.0))
    }

    /// Whether the position of a commit means something in this store: the same extractor, and a history that has the run in
    /// which it was made. An older catalog that was put back has not, or gave its number to another run.
    fn fits(&self, commit: &Commit) -> bool {
        let mut words = commit.source.split(' ');
        let extractor = words.next().and_then(|word| word.parse().ok());
        let run = words.next().and_then(|word| word.parse().ok()).map(RunId);
        let (Some(EXTRACTOR), Some(run)) = (extractor, run) else {
            return false;
        };
        self.source(run).is_ok_and(|source| source == commit.source)
    }

    fn begin_anew(&self, writer: &mut Writer) -> Result<Commit, TextError> {
        let all = self.index.versions()?;
        if !all.is_empty() {
            writer.remove(all.into_iter().collect())?;
            writer.commit(&Commit::default())?;
            self.index.reload()?;
        }
        Ok(Commit::default())
    }

    fn drop_departed(
        &self,
        writer: &mut Writer,
        maker: &mut Maker<'_>,
        commit: &Commit,
    ) -> Result<(), TextError> {
        let (before, _) = self.reader.count_versions(VersionId(commit.position))?;
        if before == self.index.count() {
            return Ok(());
        }
        let there = self.reader.version_numbers(VersionId(commit.position))?;
        let departed: HashSet<i64> = self
            .index
            .versions()?
            .into_iter()
            .filter(|version| there.binary_search(version).is_err())
            .collect();
        writer.remove(departed)?;
        writer.commit(commit)?;
        writer.tidy()?;
        maker.retain(&there)?;
        self.index.reload()?;
        Ok(())
    }
}

/// The texts of some versions; none for those whose bytes are gone.
fn texts(batch: &[VersionFacts], maker: &mut Maker<'_>) -> Result<Vec<Option<Text>>, TextError> {
    let wanted: Vec<Option<Wanted>> = batch
        .iter()
        .map(|facts| {
            Some(Wanted {
                document: facts.document,
                version: facts.version,
                digest: facts.digest,
            })
        })
        .collect();
    maker.texts(&wanted, |text| text)
}

fn entry<'t>(facts: &'t VersionFacts, text: Option<&'t Text>) -> IndexEntry<'t> {
    let passages = text.map(|text| text.passages.iter()).into_iter().flatten();
    let said = text
        .map(|text| text.title.as_str())
        .filter(|title| !title.is_empty());
    IndexEntry {
        version: facts.version.0,
        project: facts.project.0,
        host: &facts.host,
        url: &facts.url,
        media_type: &facts.media_type,
        title: said.or(facts.title.as_deref()).unwrap_or(""),
        passages: passages
            .map(|passage| IndexPassage {
                text: &passage.text,
                is_heading: passage.level > 0,
                is_main: passage.is_main,
            })
            .collect(),
    }
}

/// Makes the index of a data folder anew. The texts stay: they are right whatever happened to the index. Documents whose
/// reader was missing or failed are read again.
pub fn rebuild(
    root: &Path,
    reader: &dyn Ledger,
    readers: &Pool,
    told: impl FnMut(FollowProgress),
) -> Result<(), TextError> {
    let folder = index_folder(root);
    if folder.exists() {
        // Nobody writes while it goes: an open one would write on into nothing.
        if let Ok(index) = Index::open(&folder) {
            index.writer()?.finish()?;
        }
        remove(&folder)?;
    }
    let mut follower = Follower::open(root, reader, readers)?;
    follower.tries_again = true;
    follower.follow(told)
}

/// Takes out what is derived from versions that left, where there is any. For whoever drops versions.
pub fn forget_departed(root: &Path, readers: &Pool) -> Result<(), TextError> {
    if !folder::derived(root).exists() {
        return Ok(());
    }
    let reader = ledger::open(root)?;
    Maker::open(&*reader, root, readers)?.retain(&reader.version_numbers(VersionId(i64::MAX))?)?;
    if Index::exists(&index_folder(root)) {
        match Follower::open(root, &*reader, readers)?.follow(|_| {}) {
            // Whoever has it comes after the departure, or the next one finds it.
            Ok(()) | Err(TextError::Search(SearchError::InUse { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), TextError> {
    std::fs::remove_dir_all(folder).map_err(|cause| {
        TextError::Search(SearchError::Folder {
            folder: folder.to_owned(),
            cause,
        })
    })
}
