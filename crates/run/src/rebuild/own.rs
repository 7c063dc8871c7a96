//! Our own archive without its rebuilding: the records stay where they are, and rows are made for them.

use super::runs::{Guess, Observed, ToldRun, numbers};
use super::told::{Told, keep_of};
use super::{Means, RebuildError, Rebuilt};
use gleaner_history::compare::Judging;
use gleaner_history::reconsider::{Effect, reconsider};
use gleaner_model::{Project, RunId, Timestamp, Url};
use gleaner_store::folder::writer::ArchiveFile;
use gleaner_store::runs::RunKind;
use gleaner_store::sqlite::{Lying, Rebuilding, own_archives};
use gleaner_store::warc::read_record;
use gleaner_store::warc::survey::{Captured, CapturedAs, Surveyed, survey};
use gleaner_store::{DataFolder, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a run ends that was made from records.
pub(super) const NOTE: &str = "made from the archive: answers that were not kept are not counted";

/// Makes the rebuilding of a folder from its archive. `progress` hears how many captures are done, and of how many.
pub fn rebuild(
    root: &Path,
    means: Means<'_>,
    now: Timestamp,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Rebuilt, RebuildError> {
    let catalog = gleaner_store::folder::catalog(root);
    if catalog.exists() {
        return Err(StoreError::CatalogThere { path: catalog }.into());
    }
    let files = own_archives(root);
    if files.is_empty() {
        return Err(RebuildError::NoArchive(root.to_owned()));
    }
    let folder = DataFolder::open(root)?;
    let surveyed = survey(&files)?;
    let mut rebuilt = Rebuilt {
        damaged: surveyed
            .damages
            .iter()
            .map(|(_, damaged)| damaged.clone())
            .collect(),
        ..Rebuilt::default()
    };
    let plan = Plan::of(&surveyed, &files);
    if surveyed.captures.is_empty() {
        return Err(RebuildError::Nothing {
            path: root.to_owned(),
            damaged: rebuilt.damaged.len(),
        });
    }
    let mut rebuilding = open(folder, &files, &surveyed, means)?;
    let mut last: BTreeMap<RunId, Timestamp> = BTreeMap::new();
    let all = surveyed.captures.len() as u64;
    for (nth, capture) in surveyed.captures.iter().enumerate() {
        progress(nth as u64, all);
        let run = plan.runs[nth];
        let (project, kind, started_at) = plan.told(run, capture.at);
        rebuilding.restore_run(project, run, kind, started_at)?;
        last.insert(run, capture.at);
        if adopt(&mut rebuilding, capture, &files, means, &mut rebuilt)? {
            rebuilt.captures += 1;
        }
    }
    for (run, at) in &last {
        rebuilding.end_restored(*run, *at, NOTE)?;
    }
    rebuilt.runs = last.len() as u64;
    rebuilt.projects = plan.names();
    rebuilding.finish()?;
    if plan.is_guessed {
        // Nobody told which changes count.
        let judging = Judging::parse(&plan.observed.equality)?;
        reconsider(root, &plan.observed.name, &judging, Effect::Write, now)?;
    }
    progress(all, all);
    Ok(rebuilt)
}

fn open(
    folder: DataFolder,
    files: &[PathBuf],
    surveyed: &Surveyed,
    means: Means<'_>,
) -> Result<Rebuilding, StoreError> {
    let rows: Vec<ArchiveFile> = (1..)
        .zip(files.iter().zip(&surveyed.lengths))
        .map(|(id, (path, length))| ArchiveFile {
            id,
            name: path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            committed_bytes: *length,
            is_sealed: true,
        })
        .collect();
    let damages: Vec<(i64, u64)> = surveyed
        .damages
        .iter()
        .map(|(file, damaged)| (*file as i64 + 1, damaged.offset))
        .collect();
    Rebuilding::begin(
        folder,
        &rows,
        &damages,
        surveyed.last_commit,
        "rebuild",
        means.software,
    )
}

/// Whose run each capture belongs to.
struct Plan {
    /// In the order of the captures.
    runs: Vec<RunId>,
    told: BTreeMap<RunId, ToldRun>,
    /// The project of runs that say nothing of theirs.
    observed: Project,
    is_guessed: bool,
    /// When each run that tells nothing began.
    began: BTreeMap<RunId, Timestamp>,
    first_guessed: Option<RunId>,
}

impl Plan {
    fn of(surveyed: &Surveyed, files: &[PathBuf]) -> Plan {
        let told: BTreeMap<RunId, ToldRun> = surveyed
            .runs
            .iter()
            .filter_map(|(run, fields)| Some((RunId(*run), ToldRun::of(fields)?)))
            .collect();
        let named = |capture: &Captured| -> Option<RunId> {
            let run = RunId(capture.facts.get("run")?.parse().ok()?);
            told.contains_key(&run).then_some(run)
        };
        let (mut guess, mut observed) = (Guess::default(), Observed::new());
        let guessed: Vec<Option<u32>> = surveyed
            .captures
            .iter()
            .map(|capture| {
                if named(capture).is_some() {
                    return None;
                }
                let url = Url::parse(&capture.url).ok();
                if let Some(url) =
                    url.filter(|_| !told.values().any(|run| run.project.seeds.contains(&capture.url)))
                {
                    observed.note(&url, &media_type_of(capture, files));
                }
                Some(guess.run_of(&capture.url, capture.digest, capture.at))
            })
            .collect();
        let count = guessed.iter().flatten().max().map_or(0, |last| last + 1);
        let numbers = numbers(count, told.keys().next().map(|run| run.0));
        let runs: Vec<RunId> = (surveyed.captures.iter().zip(&guessed))
            .map(|(capture, guessed)| match (named(capture), guessed) {
                (Some(run), _) => run,
                (None, Some(place)) => numbers[*place as usize],
                (None, None) => RunId(1),
            })
            .collect();
        let mut began = BTreeMap::new();
        for (capture, run) in surveyed.captures.iter().zip(&runs) {
            began.entry(*run).or_insert(capture.at);
        }
        // What was before our runs told their names was most likely of the only project there is.
        let projects: Vec<&ToldRun> = told.values().collect();
        let only = projects
            .first()
            .filter(|first| projects.iter().all(|one| one.project.name == first.project.name));
        Plan {
            observed: match only {
                Some(only) => only.project.clone(),
                None => observed.project(None),
            },
            first_guessed: guessed.iter().position(Option::is_some).map(|place| runs[place]),
            is_guessed: count > 0,
            runs,
            told,
            began,
        }
    }

    fn told(&self, run: RunId, at: Timestamp) -> (&Project, RunKind, Timestamp) {
        let began = self.began.get(&run).copied().unwrap_or(at);
        match self.told.get(&run) {
            Some(told) => (&told.project, told.kind, told.started_at.unwrap_or(began)),
            None if Some(run) == self.first_guessed => (&self.observed, RunKind::Crawl, began),
            None => (&self.observed, RunKind::Track, began),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.told.values().map(|run| run.project.name.clone()).collect();
        if self.is_guessed {
            names.push(self.observed.name.clone());
        }
        names.sort();
        names.dedup();
        names
    }
}

/// What the head calls it; enough to know what a project took.
fn media_type_of(capture: &Captured, files: &[PathBuf]) -> String {
    let Ok(record) = read_record(&files[capture.file], capture.offset) else {
        return String::new();
    };
    let (head, _) = record.http();
    let headers = gleaner_history::side::headers(head);
    let announced = headers.iter().find(|(name, _)| name == "content-type");
    let announced = announced.map_or("text/html", |(_, value)| value.as_str());
    announced
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase()
}

/// False: nothing could be kept of it.
fn adopt(
    rebuilding: &mut Rebuilding,
    capture: &Captured,
    files: &[PathBuf],
    means: Means<'_>,
    rebuilt: &mut Rebuilt,
) -> Result<bool, RebuildError> {
    let known_as = capture.facts.get("resource").unwrap_or(&capture.url);
    let Ok(url) = Url::parse(known_as) else {
        rebuilt.skipped += 1;
        return Ok(false);
    };
    let record = read_record(&files[capture.file], capture.offset)?;
    let (head, own) = record.http();
    let payload = match capture.kind {
        CapturedAs::Revisit => rebuilding.stored_payload(&capture.digest)?,
        _ => Some(own.to_vec()),
    };
    let Some(body) = payload else {
        rebuilt.without_content += 1;
        return Ok(false);
    };
    let mut told = Told {
        url: &url,
        asked: (*known_as != capture.url).then(|| capture.url.clone()),
        at: capture.at,
        head,
        body: &body,
        digest: capture.digest,
        facts: &capture.facts,
        earlier: None,
    };
    let Some(rows) = rebuilding.take_up(&url, &told.entry(), capture.at)? else {
        return Ok(false);
    };
    told.earlier = rebuilding.earlier(&url)?;
    let keep = keep_of(&told, rows, means.readers);
    let lying = Lying {
        archive: capture.file as i64 + 1,
        offset: capture.offset,
        digest: capture.digest,
        size: body.len() as u64,
        has_payload: capture.kind != CapturedAs::Revisit,
    };
    Ok(rebuilding.adopt(&keep, &lying)?)
}
