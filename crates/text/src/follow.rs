//! The index follows the store: the changes of finished runs in their order, and what open runs have kept so far.
//!
//! ```text
//!  changes of finished runs, behind the position ──► versions that it has not ──┐
//!  versions of runs that are still open ────────────► versions that it has not ──┴─► texts, on all processors ──► index
//!                                                                                                                 │
//!        ▲                     every few thousand versions: one commit {documents, position} ◄────────────────────┘
//! ```
//! The position is part of the commit, so a kill at any time leaves an index that goes on from where it was. What finished runs
//! found is final and has an order, whoever wrote it: nothing of it is missed. What open runs kept is taken ahead, so that it
//! is found at once, and is known when its run has finished. Versions that left (retention, or what a run took back) are found by
//! counting: of what came before its last look the index never lacks any, so equal counts are equal sets.

use crate::TextError;
use crate::made::{Maker, Wanted};
use crate::read::{EXTRACTOR, Text};
use gleaner_model::{RunId, VersionId};
use gleaner_readers::Pool;
use gleaner_search::{Commit, FORMAT, Index, IndexEntry, IndexPassage, SearchError, Writer};
use gleaner_store::ledger::{FollowPosition, VersionFacts};
use gleaner_store::{Ledger, folder, ledger};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Versions that are read at a time.
const BATCH: usize = 256;
/// Changes, or numbers of versions, that are looked through at a time: of an unchanged site few have a version.
const CHANGES: usize = 4096;
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
        let is_complete = behind == 0 && before == self.index.count();
        Ok(is_complete && self.reader.changes_after(read_to(&commit), 1)?.is_empty())
    }

    /// Brings the index up to date. An error where another process is doing just that.
    pub fn follow(&self, told: impl FnMut(FollowProgress)) -> Result<(), TextError> {
        if self.is_level()? {
            return Ok(());
        }
        let mut writer = self.index.writer()?;
        self.index.reload()?; // Whoever wrote before may have come further.
        let commit = match self.index.commit()?.filter(|commit| self.fits(commit)) {
            Some(commit) => commit,
            None => self.begin_anew(&mut writer)?,
        };
        let mut maker = Maker::open(self.reader, self.root, self.readers)?;
        if self.tries_again {
            maker = maker.trying_again();
        }
        self.drop_departed(&mut writer, &mut maker, &commit)?;
        let known: HashSet<i64> = self.index.versions()?.into_iter().collect();
        let (_, all) = self.reader.count_versions(VersionId(0))?;
        let mut filling = Filling {
            reader: self.reader,
            maker,
            writer,
            commit,
            all: all.saturating_sub(known.len() as u64),
            known,
            done: 0,
            since_commit: (0, Instant::now()),
            commit_versions: COMMIT_VERSIONS_MIN,
            told,
        };
        self.take_finished(&mut filling)?;
        self.take_open(&mut filling)?;
        filling.finish()?;
        self.index.reload()?;
        Ok(())
    }

    /// What finished runs kept, in the order of their changes.
    fn take_finished(&self, filling: &mut Filling<'_, impl FnMut(FollowProgress)>) -> Result<(), TextError> {
        loop {
            let changes = self.reader.changes_after(read_to(&filling.commit), CHANGES)?;
            let Some(last) = changes.last() else { return Ok(()) };
            let kept = changes.iter().filter_map(|change| change.version);
            filling.take(kept.map(|version| version.0).collect())?;
            filling.commit.changes = last.position.to_string();
            filling.is_made_from(last.run)?;
        }
    }

    /// What is there besides: versions of runs that are still open.
    fn take_open(&self, filling: &mut Filling<'_, impl FnMut(FollowProgress)>) -> Result<(), TextError> {
        let there = self.reader.version_numbers(VersionId(i64::MAX))?;
        let Some(last) = there.last().copied() else {
            return Ok(());
        };
        filling.take(there)?;
        filling.commit.position = last;
        Ok(())
    }

    /// Whether the position of a commit means something in this store: the same extractor, and a history that has the run in
    /// which it was made. An older catalog that was put back has not, or gave its number to another run.
    fn fits(&self, commit: &Commit) -> bool {
        let Some((EXTRACTOR, run)) = made_from(commit) else {
            return false;
        };
        source(self.reader, run).is_ok_and(|source| source == commit.source)
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
        let there = self.reader.version_numbers(VersionId(i64::MAX))?;
        let departed: HashSet<i64> = self
            .index
            .versions()?
            .into_iter()
            .filter(|version| there.binary_search(version).is_err())
            .collect();
        if departed.is_empty() {
            return Ok(()); // A kill came behind a commit and before the last look.
        }
        writer.remove(departed)?;
        writer.commit(commit)?;
        writer.tidy()?;
        maker.retain(&there)?;
        self.index.reload()?;
        Ok(())
    }
}

/// What an index up to a run is made from.
fn source(reader: &dyn Ledger, run: RunId) -> Result<String, TextError> {
    let began = reader.run_began(run)?.unwrap_or_default();
    Ok(format!("{EXTRACTOR} {run} {}", began.0))
}

/// The run that stands in a commit's source, and the extractor.
fn made_from(commit: &Commit) -> Option<(u32, RunId)> {
    let mut words = commit.source.split(' ');
    let extractor = words.next()?.parse().ok()?;
    let run = words.next()?.parse().ok()?;
    Some((extractor, RunId(run)))
}

/// Behind which change a commit goes on.
fn read_to(commit: &Commit) -> FollowPosition {
    commit.changes.parse().unwrap_or_default()
}

/// An index that is being brought up to date.
struct Filling<'a, T> {
    reader: &'a dyn Ledger,
    maker: Maker<'a>,
    writer: Writer,
    commit: Commit,
    /// The versions that it has.
    known: HashSet<i64>,
    done: u64,
    all: u64,
    since_commit: (usize, Instant),
    commit_versions: usize,
    told: T,
}

impl<T: FnMut(FollowProgress)> Filling<'_, T> {
    /// Puts versions in that it has not; those that left meanwhile are none.
    fn take(&mut self, mut versions: Vec<i64>) -> Result<(), TextError> {
        versions.retain(|version| !self.known.contains(version));
        versions.sort_unstable();
        let mut rest = versions.as_slice();
        while let Some(first) = rest.first() {
            // Versions of a run mostly lie side by side: then a page has no others.
            let page = self
                .reader
                .versions_behind(VersionId(first - 1), BATCH.min(rest.len()))?;
            let Some(last) = page.last().map(|facts| facts.version.0) else {
                return Ok(());
            };
            let batch: Vec<VersionFacts> = page
                .into_iter()
                .filter(|facts| rest.binary_search(&facts.version.0).is_ok())
                .collect();
            rest = &rest[rest.partition_point(|version| *version <= last)..];
            self.add(&batch)?;
        }
        Ok(())
    }

    fn add(&mut self, batch: &[VersionFacts]) -> Result<(), TextError> {
        let texts = texts(batch, &mut self.maker)?;
        for (facts, text) in batch.iter().zip(&texts) {
            self.writer.add(&entry(facts, text.as_ref()))?;
            self.known.insert(facts.version.0);
            self.is_made_from(facts.run)?;
        }
        self.done += batch.len() as u64;
        self.since_commit.0 += batch.len();
        (self.told)(FollowProgress {
            done: self.done,
            all: self.all.max(self.done),
        });
        let (versions, began) = self.since_commit;
        if versions >= self.commit_versions || began.elapsed() >= COMMIT_TIME {
            self.writer.commit(&self.commit)?;
            self.since_commit = (0, Instant::now());
            self.commit_versions = (self.commit_versions * 2).min(COMMIT_VERSIONS_MAX);
        }
        Ok(())
    }

    /// The newest run that it has something of: a catalog without it is not the one that it follows.
    fn is_made_from(&mut self, run: RunId) -> Result<(), TextError> {
        if made_from(&self.commit).is_none_or(|(_, newest)| newest < run) {
            self.commit.source = source(self.reader, run)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), TextError> {
        self.writer.commit(&self.commit)?;
        self.writer.finish()?;
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
