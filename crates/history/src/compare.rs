//! What changed between two stored versions, and does it count for the project?
//!
//! In: a document and two of its versions. Out: a [`Comparison`]: the diff with everything folded that the project's
//! equality overlooks, or, where there is no text to compare, whether the bytes agree. Reads only.

use crate::error::CompareError;
use crate::noise::LearnedSites;
use crate::side::{Lens, Opened, SeenVersion, open};
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Verdict};
use gleaner_model::{DocumentId, Project, ProjectId, VersionId};
use gleaner_store::{Digest, Ledger};
use std::collections::HashMap;
use std::sync::Arc;

/// How two versions stand to each other.
#[derive(Debug)]
pub enum Comparison {
    Text {
        /// What does not count is marked as ignored.
        diff: Box<Diff>,
        verdict: Verdict,
        /// What the equality has to say about its own settings, such as a selector that matched nothing (HC086).
        remarks: Vec<String>,
    },
    /// At least one of them has no text.
    Bytes { is_same: bool },
}

/// A chain ready for use.
#[derive(Debug)]
pub struct Judging {
    pub chain: Chain,
    pub lens: Lens,
}

impl Judging {
    /// A chain as flags and project files write it; empty is the default.
    pub fn parse(text: &str) -> Result<Judging, CompareError> {
        let chain = Chain::parse(if text.trim().is_empty() {
            Chain::DEFAULT
        } else {
            text
        })?;
        let lens = Lens::of(&chain)?;
        Ok(Judging { chain, lens })
    }

    pub fn of(project: &Project) -> Result<Judging, CompareError> {
        Judging::parse(&project.equality)
    }

    /// Both versions under the chain. What was learned must have been given to `now`.
    pub fn compare(&self, before: &SeenVersion, now: &SeenVersion) -> Comparison {
        if !before.has_text || !now.has_text {
            return Comparison::Bytes {
                is_same: before.side.bytes() == now.side.bytes(),
            };
        }
        let whole =
            (before.whole.is_some() || now.whole.is_some()).then(|| (before.content(), now.content()));
        let (diff, verdict) = Diff::judged(&self.chain, &before.side, &now.side, whole);
        let mut remarks = verdict.remarks.clone();
        for selector in &now.matched_nothing {
            remarks.push(if before.matched_nothing.contains(selector) {
                format!("the selector matches nothing in either version: {selector}")
            } else {
                format!("the selector matches nothing any more: {selector}")
            });
        }
        for selector in before
            .matched_nothing
            .iter()
            .filter(|one| !now.matched_nothing.contains(one))
        {
            remarks.push(format!(
                "the selector matched nothing in the version before: {selector}"
            ));
        }
        Comparison::Text {
            diff: Box::new(diff),
            verdict,
            remarks,
        }
    }
}

/// Compares stored versions, each project under its own equality.
pub struct Comparer<'a> {
    reader: &'a dyn Ledger,
    projects: HashMap<ProjectId, Arc<Judging>>,
    sites: LearnedSites,
}

impl<'a> Comparer<'a> {
    pub fn new(reader: &'a dyn Ledger) -> Comparer<'a> {
        Comparer {
            reader,
            projects: HashMap::new(),
            sites: LearnedSites::default(),
        }
    }

    /// The equality of a project as it is now.
    pub fn judging(&mut self, project: ProjectId) -> Result<Arc<Judging>, CompareError> {
        if let Some(judging) = self.projects.get(&project) {
            return Ok(Arc::clone(judging));
        }
        let judging = Arc::new(Judging::of(&self.reader.project(project)?)?);
        self.projects.insert(project, Arc::clone(&judging));
        Ok(judging)
    }

    /// A stored version as a chain sees it, with what was learned about its template.
    pub fn sight(
        &mut self,
        project: ProjectId,
        judging: &Judging,
        document: DocumentId,
        version: VersionId,
    ) -> Result<SeenVersion, CompareError> {
        let mut opened = opened(self.reader, document, Some(version))?;
        let digest = Digest::of(&opened.body);
        self.sites.clean(self.reader, project, &mut opened)?;
        let mut sight = judging
            .lens
            .side(&opened.url, &opened.headers, &opened.body, digest);
        if judging.chain.learns() {
            let known = self
                .sites
                .noise(self.reader, project, &opened.url, sight.content())?;
            sight.side = sight.side.with_known(known);
        }
        Ok(sight)
    }

    pub fn compare(
        &mut self,
        document: DocumentId,
        before: VersionId,
        now: VersionId,
    ) -> Result<Comparison, CompareError> {
        let (project, _) = self.reader.document(document)?;
        let judging = self.judging(project)?;
        let before = self.sight(project, &judging, document, before)?;
        let now = self.sight(project, &judging, document, now)?;
        Ok(judging.compare(&before, &now))
    }
}

/// A stored version with its content encodings off; the newest where none is named.
pub fn opened(
    reader: &dyn Ledger,
    document: DocumentId,
    version: Option<VersionId>,
) -> Result<Opened, CompareError> {
    let stored = reader.content(document, version)?;
    let url = stored.url.clone();
    open(stored).map_err(|reason| CompareError::Packed { reason, url })
}
