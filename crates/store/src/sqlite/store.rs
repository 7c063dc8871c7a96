//! The contract on SQLite and a folder: every call is handed to the one thread that writes, and waits for its answer.
//!
//! Batches that wait while another is being committed are kept together, whoever's they are: a commit costs two syncs
//! whatever its size.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method named by itself has one lifetime, and the writer's views have any"
)]

use super::keep::RunBatch;
use super::writer::{RunWriter, Writer};
use crate::folder::recover::Recovered;
use crate::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept, Rekeyed};
use crate::lists::Lists;
use crate::runs::{Counts, Removed, RunKind, RunRef, RunRow, RunStatus, Runs, SiteRules};
use crate::settling::{
    Candidate, DatedDocument, FolderVisit, HostCounts, HostDocument, Move, Settling, TakenBack,
    UnlistedDocument,
};
use crate::sites::Sites;
use crate::store::Store;
use crate::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Naming, Others, Tracking};
use crate::work::{Ending, Load, Loaded, StoredRobots, Work};
use crate::{DataFolder, Reader, StoreError};
use async_trait::async_trait;
use gleaner_model::{
    DocumentId, HostId, Leg, Project, ProjectId, Reason, ResourceId, RunId, State, Timestamp, Url,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

type Answer<T> = oneshot::Sender<T>;

type KeepAnswer = Result<(Vec<Keep>, Kept), NotKept>;

enum Job {
    Keep(RunBatch, Answer<KeepAnswer>),
    Other(Box<dyn FnOnce(&mut Writer) + Send>),
}

/// The data folder of one machine. Cheap to clone: all clones are one store.
#[derive(Clone)]
pub struct SqliteStore(Arc<Shared>);

struct Shared {
    root: PathBuf,
    recovered: Recovered,
    /// Taken away when the last one goes: the writer then ends.
    jobs: Mutex<Option<Sender<Job>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Shared {
    /// The folder is free when this returns.
    fn drop(&mut self) {
        let of = |poisoned: PoisonError<_>| poisoned.into_inner();
        drop(self.jobs.lock().unwrap_or_else(of).take());
        if let Some(writer) = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _it_told_its_callers = writer.join();
        }
    }
}

impl SqliteStore {
    /// Opens the store of a folder, putting right what a kill left half-done.
    pub fn open(folder: DataFolder, worker: &str, software: &str) -> Result<SqliteStore, StoreError> {
        let root = folder.root().to_owned();
        let mut writer = Writer::open(folder, worker, software)?;
        let recovered = std::mem::take(&mut writer.recovered);
        let (jobs, waiting) = channel();
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || work(writer, &waiting))
            .map_err(|cause| StoreError::Folder {
                folder: root.clone(),
                cause,
            })?;
        Ok(SqliteStore(Arc::new(Shared {
            root,
            recovered,
            jobs: Mutex::new(Some(jobs)),
            writer: Mutex::new(Some(thread)),
        })))
    }

    /// What a kill had left behind.
    pub fn recovered(&self) -> Recovered {
        self.0.recovered.clone()
    }

    pub fn root(&self) -> &Path {
        &self.0.root
    }

    fn hand_in(&self, job: Job) {
        let jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jobs) = &*jobs {
            // Whoever waits for the answer is told when the writer is gone: its end of the answer is.
            let _the_writer_may_be_gone = jobs.send(job);
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = oneshot::channel();
        self.hand_in(Job::Other(Box::new(move |writer| {
            let _nobody_may_wait_any_more = tell.send(work(writer));
        })));
        told.await.unwrap_or(Err(StoreError::WriterGone))
    }

    async fn of<T: Send + 'static>(
        &self,
        of: RunRef,
        work: impl FnOnce(&mut RunWriter<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write(move |writer| writer.of(of, work)).await
    }
}

/// The writer's thread.
fn work(mut writer: Writer, jobs: &Receiver<Job>) {
    let mut next = None;
    while let Some(job) = next.take().or_else(|| jobs.recv().ok()) {
        match job {
            Job::Other(work) => work(&mut writer),
            Job::Keep(batch, answer) => {
                let (mut batches, mut answers) = (vec![batch], vec![answer]);
                loop {
                    match jobs.try_recv() {
                        // Two of one run would each decide about the other's links.
                        Ok(Job::Keep(batch, answer)) if batches.iter().all(|other| other.of != batch.of) => {
                            batches.push(batch);
                            answers.push(answer);
                        }
                        other => {
                            next = other.ok();
                            break;
                        }
                    }
                }
                keep(&mut writer, batches, answers);
            }
        }
    }
}

/// Keeps batches together. Where that fails they are kept one by one: what is wrong with one is not the others' business.
fn keep(writer: &mut Writer, mut batches: Vec<RunBatch>, answers: Vec<Answer<KeepAnswer>>) {
    let kept = writer.keep(&mut batches);
    let mut told = batches.into_iter().zip(answers);
    match kept {
        Ok(kept) => {
            for ((batch, answer), kept) in told.zip(kept) {
                let _nobody_may_wait_any_more = answer.send(Ok((batch.pages, kept)));
            }
        }
        Err(error) => {
            if told.len() > 1 && !writer.is_in_doubt {
                return told.for_each(|(batch, answer)| keep(writer, vec![batch], vec![answer]));
            }
            if let Some((RunBatch { pages: batch, .. }, answer)) = told.next() {
                let _nobody_may_wait_any_more = answer.send(Err(NotKept { batch, error }));
            }
            for (RunBatch { pages: batch, .. }, answer) in told {
                let error = StoreError::WriterGone;
                let _nobody_may_wait_any_more = answer.send(Err(NotKept { batch, error }));
            }
        }
    }
}

#[async_trait]
impl Runs for SqliteStore {
    async fn project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.write(move |writer| writer.catalog.project(&project, now))
            .await
    }

    async fn find_project(&self, name: String) -> Result<Option<(ProjectId, Project)>, StoreError> {
        self.write(move |writer| writer.catalog.find_project(&name)).await
    }

    async fn add_project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.write(move |writer| writer.catalog.add_project(&project, now))
            .await
    }

    async fn rename_project(&self, name: String, new: String) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.rename_project(&name, &new))
            .await
    }

    async fn remove_project(&self, project: ProjectId, now: Timestamp) -> Result<Removed, StoreError> {
        self.write(move |writer| writer.catalog.remove_project(project, now))
            .await
    }

    async fn start_run(
        &self,
        id: ProjectId,
        project: Project,
        kind: RunKind,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        self.write(move |writer| writer.catalog.start_run(id, &project, kind, now))
            .await
    }

    async fn unfinished_run(&self, project: Option<ProjectId>) -> Result<Option<RunId>, StoreError> {
        self.write(move |writer| writer.catalog.unfinished_run(project))
            .await
    }

    async fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        self.write(move |writer| writer.catalog.run_settings(run)).await
    }

    async fn set_run_settings(&self, run: RunId, project: Project) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.set_run_settings(run, &project))
            .await
    }

    async fn set_running(&self, run: RunId) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.set_running(run)).await
    }

    async fn end_run(
        &self,
        run: RunId,
        status: RunStatus,
        now: Timestamp,
        note: Option<String>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.forget_run(run);
            writer.catalog.end_run(run, status, now, note.as_deref())
        })
        .await
    }

    async fn fail_run(&self, run: RunId, now: Timestamp, why: String) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.forget_run(run);
            writer.catalog.fail_run(run, now, &why)
        })
        .await
    }

    async fn run_row(&self, run: RunId) -> Result<RunRow, StoreError> {
        self.write(move |writer| writer.catalog.run_row(run)).await
    }

    async fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        self.write(move |writer| writer.catalog.counts(run)).await
    }

    async fn cookies(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.cookies(run)).await
    }

    async fn tidy(&self) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.tidy()).await
    }
}

#[async_trait]
impl Work for SqliteStore {
    async fn enqueue_starts(
        &self,
        of: RunRef,
        starts: Vec<(Url, Enqueue)>,
        now: Timestamp,
    ) -> Result<Kept, StoreError> {
        self.of(of, move |run| run.enqueue_starts(&starts, now)).await
    }

    async fn load(&self, of: RunRef, load: Load, with_known: bool) -> Result<Loaded, StoreError> {
        self.write(move |writer| writer.catalog.load(of.run, of.project, &load, with_known))
            .await
    }

    async fn hosts_waiting(&self, of: RunRef) -> Result<Vec<HostId>, StoreError> {
        self.write(move |writer| writer.catalog.hosts_waiting(of.run))
            .await
    }

    async fn documents_by_host(&self, of: RunRef) -> Result<Vec<(HostId, u64)>, StoreError> {
        self.write(move |writer| writer.catalog.documents_by_host(of.run))
            .await
    }

    async fn meet(&self, of: RunRef, batch: Vec<Keep>) -> Result<(Vec<Keep>, Vec<Found>), StoreError> {
        let mut batch = batch;
        self.of(of, move |run| {
            let met = run.meet(&mut batch)?;
            Ok((batch, met))
        })
        .await
    }

    async fn keep(&self, of: RunRef, batch: Vec<Keep>, with: KeepWith) -> KeepAnswer {
        let (tell, told) = oneshot::channel();
        let pages = batch;
        self.hand_in(Job::Keep(RunBatch { of, pages, with }, tell));
        told.await.unwrap_or_else(|_| {
            Err(NotKept {
                batch: Vec::new(),
                error: StoreError::WriterGone,
            })
        })
    }

    async fn give_up(
        &self,
        of: RunRef,
        host: Option<HostId>,
        why: Ending,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.give_up(host, &why, now)).await
    }

    async fn robots(&self, host: HostId) -> Result<Option<StoredRobots>, StoreError> {
        self.write(move |writer| writer.catalog.robots(host)).await
    }

    async fn keep_robots(
        &self,
        of: RunRef,
        host: HostId,
        robots: StoredRobots,
        sitemaps: Vec<(Url, Enqueue)>,
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        self.of(of, move |run| {
            run.keep_robots(host, &robots, &sitemaps, awaits_lists)
        })
        .await
    }

    async fn redirects_of(&self, seeds: Vec<Url>) -> Result<Vec<Url>, StoreError> {
        self.write(move |writer| writer.catalog.redirects_of(&seeds))
            .await
    }

    async fn keep_cuts(&self, of: RunRef, cuts: Vec<Cut>) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_cuts(&cuts)).await
    }

    async fn hold_hosts(&self, held: Vec<(HostId, Timestamp)>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.hold_hosts(&held)).await
    }

    async fn hosts_held(&self, now: Timestamp) -> Result<Vec<(String, Timestamp)>, StoreError> {
        self.write(move |writer| writer.catalog.hosts_held(now)).await
    }
}

#[async_trait]
impl Sites for SqliteStore {
    async fn site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        self.write(move |writer| writer.catalog.site_rules(project)).await
    }

    async fn addresses_of_domain(
        &self,
        domain: String,
        after: Option<ResourceId>,
    ) -> Result<Vec<(ResourceId, String)>, StoreError> {
        self.write(move |writer| writer.catalog.addresses_of_domain(&domain, after))
            .await
    }

    async fn keep_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        now: Timestamp,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| writer.keep_rules(project, &site, &rules, now, &keys))
            .await
    }

    async fn set_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        is_pinned: bool,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| writer.set_rules(project, &site, &rules, is_pinned, &keys))
            .await
    }

    async fn noises(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        self.write(move |writer| writer.catalog.noises(project)).await
    }

    async fn keep_noises(&self, project: ProjectId, noises: Vec<(String, String)>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.keep_noises(project, &noises))
            .await
    }

    async fn traps(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.traps(run)).await
    }

    async fn traps_before(&self, of: RunRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.traps_before(of.project, of.run))
            .await
    }

    async fn keep_traps(&self, run: RunId, saved: Vec<u8>, cuts: Vec<Cut>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.keep_traps(run, &saved, &cuts))
            .await
    }
}

#[async_trait]
impl Tracking for SqliteStore {
    async fn known_documents(
        &self,
        project: ProjectId,
        after: Option<DocumentId>,
    ) -> Result<Vec<KnownDocument>, StoreError> {
        self.write(move |writer| writer.catalog.known_documents(project, after))
            .await
    }

    async fn begin_documents(
        &self,
        of: RunRef,
        documents: Vec<(KnownDocument, Beginning)>,
        legs: Vec<Leg>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.begin_documents(&documents, &legs, now))
            .await
    }

    async fn documents_count(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.write(move |writer| writer.catalog.documents_count(project))
            .await
    }

    async fn has_documents(&self, project: ProjectId) -> Result<bool, StoreError> {
        self.write(move |writer| writer.catalog.has_documents(project))
            .await
    }

    async fn link_pages(
        &self,
        project: ProjectId,
        sources: Vec<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        self.write(move |writer| writer.catalog.link_pages(project, &sources))
            .await
    }

    async fn link_pages_after(
        &self,
        project: ProjectId,
        after: Option<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        self.write(move |writer| writer.catalog.link_pages_after(project, after))
            .await
    }

    async fn known_links(
        &self,
        of: RunRef,
        wanted: Vec<(ResourceId, Naming)>,
    ) -> Result<Vec<KnownLink>, StoreError> {
        self.of(of, move |run| run.known_links(&wanted)).await
    }

    async fn begin_links(&self, of: RunRef, links: Vec<KnownLink>) -> Result<(), StoreError> {
        self.of(of, move |run| run.begin_links(&links)).await
    }

    async fn rest_links(&self, of: RunRef, links: Vec<KnownLink>, now: Timestamp) -> Result<(), StoreError> {
        self.of(of, move |run| run.rest_links(&links, now)).await
    }

    async fn others_of_last_run(&self, of: RunRef) -> Result<Others, StoreError> {
        self.of(of, move |run| run.others_of_last_run()).await
    }

    async fn last_settings(&self, of: RunRef) -> Result<Option<Project>, StoreError> {
        self.of(of, move |run| run.last_settings()).await
    }
}

#[async_trait]
impl Lists for SqliteStore {
    async fn note_dates(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, |run| {
            run.note_dates();
            Ok(())
        })
        .await
    }

    async fn open_list(&self, of: RunRef, host: HostId) -> Result<Option<ResourceId>, StoreError> {
        self.of(of, move |run| run.open_list(host)).await
    }

    async fn round(&self, of: RunRef) -> Result<i64, StoreError> {
        self.of(of, move |run| run.round()).await
    }

    async fn dated_documents(
        &self,
        of: RunRef,
        host: HostId,
        after: Option<DatedDocument>,
    ) -> Result<Vec<DatedDocument>, StoreError> {
        self.of(of, move |run| run.dated_documents(host, after.as_ref()))
            .await
    }

    async fn settle_unasked(
        &self,
        of: RunRef,
        host: HostId,
        documents: Vec<DatedDocument>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.settle_unasked(host, &documents, now))
            .await
    }

    async fn trusted_lists(&self) -> Result<HashSet<HostId>, StoreError> {
        self.write(move |writer| writer.catalog.trusted_lists()).await
    }

    async fn weigh_lists(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, move |run| run.weigh_lists()).await
    }
}

#[async_trait]
impl Settling for SqliteStore {
    async fn candidates(
        &self,
        of: RunRef,
        state: State,
        reason: Option<Reason>,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.of(of, move |run| run.candidates(state, reason)).await
    }

    async fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.end_of_redirects(from))
            .await
    }

    async fn found_at(
        &self,
        of: RunRef,
        resource: ResourceId,
    ) -> Result<Option<(Candidate, State)>, StoreError> {
        self.of(of, move |run| run.found_at(resource)).await
    }

    async fn keep_move(&self, of: RunRef, moved: Move) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_move(&moved)).await
    }

    async fn keep_same_elsewhere(
        &self,
        of: RunRef,
        old: DocumentId,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_same_elsewhere(old, &detail))
            .await
    }

    async fn resources_of(&self, urls: Vec<Url>) -> Result<Vec<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.resources_of(&urls)).await
    }

    async fn seal(&self, of: RunRef, notes: Vec<String>, now: Timestamp) -> Result<(), StoreError> {
        self.of(of, move |run| run.seal(&notes, now)).await
    }

    async fn doubt_rules(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, move |run| run.doubt_rules()).await
    }

    async fn mark_orphans(
        &self,
        of: RunRef,
        seeds: Vec<ResourceId>,
        steps: usize,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.mark_orphans(&seeds, steps)).await
    }

    async fn counts_by_host(&self, of: RunRef) -> Result<Vec<HostCounts>, StoreError> {
        self.of(of, move |run| run.counts_by_host()).await
    }

    async fn host_documents(&self, of: RunRef, host: HostId) -> Result<Vec<HostDocument>, StoreError> {
        self.of(of, move |run| run.host_documents(host)).await
    }

    async fn take_back(
        &self,
        of: RunRef,
        versions: Vec<TakenBack>,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.take_back(&versions, &detail)).await
    }

    async fn withhold(
        &self,
        of: RunRef,
        documents: Vec<(DocumentId, ResourceId)>,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.withhold(&documents, &detail)).await
    }

    async fn first_found_on(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.first_found_on(resource))
            .await
    }

    async fn drop_new(&self, of: RunRef, found: Vec<Candidate>) -> Result<(), StoreError> {
        self.of(of, move |run| run.drop_new(&found)).await
    }

    async fn unlisted(
        &self,
        of: RunRef,
        schemes: Vec<&'static str>,
    ) -> Result<Vec<UnlistedDocument>, StoreError> {
        self.of(of, move |run| run.unlisted(&schemes)).await
    }

    async fn folder_visit(&self, of: RunRef, folder: Url) -> Result<Option<FolderVisit>, StoreError> {
        self.of(of, move |run| run.folder_visit(&folder)).await
    }

    async fn folder_at(&self, root: Url) -> Result<Option<String>, StoreError> {
        self.write(move |writer| writer.catalog.folder_at(&root)).await
    }

    async fn names_files(&self, of: RunRef, folder: String) -> Result<bool, StoreError> {
        self.of(of, move |run| run.names_files(&folder)).await
    }

    async fn keep_unlisted(
        &self,
        of: RunRef,
        judged: Vec<(UnlistedDocument, State, Reason)>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_unlisted(&judged, now)).await
    }
}

impl Store for SqliteStore {
    fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(self.root())
    }
}
