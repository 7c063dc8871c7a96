//! Answers: what the index finds, joined with how things stand in the store now.

use crate::follow::Follower;
use crate::made::Maker;
use crate::{FollowProgress, Text, TextError};
use gleaner_model::{ProjectId, Reason, RunId, State, Timestamp, VersionId};
use gleaner_readers::Pool;
use gleaner_search::{Index, Marks, Question, RankedVersion, SearchError, Snippet, snippet};
use gleaner_store::Ledger;
use gleaner_store::ledger::VersionStanding;
use gleaner_words::Language;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Bytes of a snippet, about.
const SNIPPET_BYTES: usize = 240;

/// Of which time the answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// The newest versions of what is there.
    #[default]
    Now,
    /// What a project had at the end of a run.
    Run(RunId),
    /// What projects had at a time.
    Time(Timestamp),
    /// Every version there ever was.
    Ever,
}

/// What is wanted besides the words.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    pub projects: Vec<String>,
    pub hosts: Vec<String>,
    pub types: Vec<String>,
    pub languages: Vec<Language>,
    /// In upper case; empty: all but what is gone.
    pub states: Vec<String>,
    /// When the version was fetched.
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub when: When,
    pub limit: usize,
    pub cursor: Option<String>,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct SearchHit {
    pub version: VersionId,
    pub standing: VersionStanding,
    pub title: String,
    pub score: f32,
    pub snippet: Snippet,
    /// To go on behind this answer.
    pub cursor: String,
}

/// How many answers there are, by what they are.
#[derive(Debug, Clone, Default)]
pub struct Facets {
    pub all: u64,
    pub projects: BTreeMap<String, u64>,
    pub hosts: BTreeMap<String, u64>,
    pub types: BTreeMap<String, u64>,
    pub states: BTreeMap<String, u64>,
    pub languages: BTreeMap<String, u64>,
}

/// Answers questions about a data folder.
pub struct Finder<'a> {
    reader: &'a dyn Ledger,
    index: Index,
    maker: Maker<'a>,
}

impl<'a> Finder<'a> {
    /// Opens the index and brings it up to date. `false` where another process is at it, so that answers are of before.
    pub fn open(
        root: &'a Path,
        reader: &'a dyn Ledger,
        readers: &'a Pool,
        told: impl FnMut(FollowProgress),
    ) -> Result<(Finder<'a>, bool), TextError> {
        let follower = Follower::open(root, reader, readers)?;
        let is_level = match follower.follow(told) {
            Ok(()) => true,
            Err(TextError::Search(SearchError::InUse { .. })) => false,
            Err(error) => return Err(error),
        };
        let finder = Finder {
            reader,
            index: follower.into_index(),
            maker: Maker::open(reader, root, readers)?,
        };
        Ok((finder, is_level))
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many of the versions that were read say nothing, by reason.
    pub fn silent(&self) -> Result<BTreeMap<Reason, u64>, TextError> {
        self.maker.silent()
    }

    /// The words as a question, with what the index itself can choose by.
    pub(crate) fn question(&self, words: &str, wish: &SearchFilter) -> Result<Question, TextError> {
        let mut projects = Vec::new();
        for name in &wish.projects {
            let found = self.reader.find_project(name)?;
            let (id, _) = found.ok_or_else(|| TextError::NoProject { given: name.clone() })?;
            projects.push(id.0);
        }
        Ok(Question::parse(words)?
            .of_projects(&projects)
            .of_hosts(&wish.hosts)
            .of_types(&wish.types)
            .in_languages(&wish.languages))
    }

    /// The best answers.
    pub fn find(&mut self, words: &str, wish: &SearchFilter) -> Result<Vec<SearchHit>, TextError> {
        let question = self.question(words, wish)?;
        let after = match &wish.cursor {
            Some(text) => Some(
                text.parse::<RankedVersion>()
                    .map_err(|()| TextError::SearchCursor { given: text.clone() })?,
            ),
            None => None,
        };
        let choice = Choice::new(self.reader, wish)?;
        let hits = self
            .index
            .top::<TextError>(&question, wish.limit, after, |version| {
                Ok(choice.standing(VersionId(version))?.is_some())
            })?;
        let mut marks = Marks::new(&question, &self.index.languages()?);
        let mut answers = Vec::new();
        for hit in hits {
            let version = VersionId(hit.version);
            let Some(standing) = choice.standing(version)? else {
                continue;
            };
            let (title, snippet) = self.shown(&standing, version, &mut marks)?;
            answers.push(SearchHit {
                version,
                standing,
                title,
                score: hit.score,
                snippet,
                cursor: hit.place.to_string(),
            });
        }
        Ok(answers)
    }

    /// The title and the piece of a version that shows why it was found.
    pub(crate) fn shown(
        &mut self,
        standing: &VersionStanding,
        version: VersionId,
        marks: &mut Marks,
    ) -> Result<(String, Snippet), TextError> {
        let text = self.text(standing, version)?.unwrap_or_default();
        let main = text.main().map(|passage| passage.text.as_str());
        let mut piece = snippet(main, marks, SNIPPET_BYTES);
        if piece.marks.is_empty() {
            let all = text.passages.iter().map(|passage| passage.text.as_str());
            let other = snippet(all, marks, SNIPPET_BYTES);
            if !other.marks.is_empty() {
                piece = other;
            }
        }
        let title = Some(text.title).filter(|title| !title.is_empty());
        Ok((title.or(standing.title.clone()).unwrap_or_default(), piece))
    }

    /// What a version says; nothing where it says nothing or its bytes are gone.
    pub(crate) fn text(
        &mut self,
        standing: &VersionStanding,
        version: VersionId,
    ) -> Result<Option<Text>, TextError> {
        let Some(digest) = self.reader.version_digest(version)? else {
            return Ok(None);
        };
        self.maker.text(standing.document, version, &digest)
    }

    /// All answers, counted.
    pub fn facets(&mut self, words: &str, wish: &SearchFilter) -> Result<Facets, TextError> {
        let question = self.question(words, wish)?;
        let choice = Choice::new(self.reader, wish)?;
        let mut facets = Facets::default();
        let mut wanted = HashSet::new();
        for version in self.index.all(&question)? {
            let Some(standing) = choice.standing(VersionId(version))? else {
                continue;
            };
            wanted.insert(version);
            facets.all += 1;
            *facets.projects.entry(standing.project_name).or_default() += 1;
            *facets.hosts.entry(standing.host).or_default() += 1;
            *facets.types.entry(standing.media_type).or_default() += 1;
            *facets
                .states
                .entry(standing.state.map_or("", State::as_str).to_owned())
                .or_default() += 1;
        }
        for language in self.index.languages()? {
            let those = question.clone().in_languages(&[language]);
            let count = self
                .index
                .all(&those)?
                .iter()
                .filter(|one| wanted.contains(one))
                .count();
            if count > 0 {
                facets.languages.insert(language.code().to_owned(), count as u64);
            }
        }
        Ok(facets)
    }

    pub(crate) fn reader(&self) -> &'a dyn Ledger {
        self.reader
    }
}

/// Which versions are wanted, by what only the store knows.
struct Choice<'a> {
    reader: &'a dyn Ledger,
    wish: &'a SearchFilter,
    /// What there was at the time that is asked about; none: it is about now, or about all times.
    then: Option<HashSet<i64>>,
}

impl<'a> Choice<'a> {
    fn new(reader: &'a dyn Ledger, wish: &'a SearchFilter) -> Result<Choice<'a>, TextError> {
        let mut runs: Vec<(ProjectId, RunId)> = Vec::new();
        match wish.when {
            When::Now | When::Ever => {}
            When::Run(run) => {
                let row = reader.run(run).map_err(|_| TextError::NoRunOf {
                    given: run.to_string(),
                })?;
                runs.push((row.project, run));
            }
            When::Time(time) => {
                let mut last: BTreeMap<ProjectId, RunId> = BTreeMap::new();
                for row in reader.runs()? {
                    let is_before = row.ended_at.unwrap_or(row.started_at) <= time;
                    if is_before {
                        let newest = last.entry(row.project).or_insert(row.id);
                        *newest = row.id.max(*newest);
                    }
                }
                runs.extend(last);
            }
        }
        let mut then = None;
        if matches!(wish.when, When::Run(_) | When::Time(_)) {
            let mut versions = HashSet::new();
            for (project, run) in runs {
                versions.extend(
                    reader
                        .documents_then(project, run)?
                        .iter()
                        .map(|one| one.version.0),
                );
            }
            then = Some(versions);
        }
        Ok(Choice { reader, wish, then })
    }

    /// How a version stands, if it is wanted.
    fn standing(&self, version: VersionId) -> Result<Option<VersionStanding>, TextError> {
        if self.then.as_ref().is_some_and(|then| !then.contains(&version.0)) {
            return Ok(None);
        }
        let Some(standing) = self.reader.standing(version)? else {
            return Ok(None);
        };
        let wish = self.wish;
        let is_of_now = wish.when != When::Now || standing.is_newest;
        let is_named = !wish.projects.is_empty();
        let is_in_use = is_named || !standing.is_archived;
        let is_state = if wish.states.is_empty() {
            wish.when != When::Now || !standing.is_absent
        } else {
            standing
                .state
                .is_some_and(|state| wish.states.iter().any(|wanted| wanted == state.as_str()))
        };
        let is_in_time = wish.since.is_none_or(|since| standing.fetched_at >= since)
            && wish.until.is_none_or(|until| standing.fetched_at <= until);
        Ok((is_of_now && is_in_use && is_state && is_in_time).then_some(standing))
    }
}
