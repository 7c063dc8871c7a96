//! The contract on SQLite and a folder: every call is handed to the one thread that writes, and waits for its answer.
//! One file for each trait of the contract.
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
use crate::keep::{Keep, Kept, NotKept};
use crate::runs::RunRef;
use crate::store::Store;
use crate::{DataFolder, Ledger, StoreError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

mod followers;
mod leases;
mod libraries;
mod lists;
mod runs;
mod settling;
mod sites;
mod tracking;
mod work;

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
    worker: String,
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
            worker: worker.to_owned(),
            recovered,
            jobs: Mutex::new(Some(jobs)),
            writer: Mutex::new(Some(thread)),
        })))
    }

    /// What a kill had left behind.
    pub fn recovered(&self) -> Recovered {
        self.0.recovered.clone()
    }

    /// Who writes here, as the catalog names it.
    pub fn worker(&self) -> &str {
        &self.0.worker
    }

    pub fn root(&self) -> &Path {
        &self.0.root
    }

    fn hand_in(&self, job: Job) {
        let jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jobs) = &*jobs {
            // If the writer has ended, the job is dropped with its end of the answer's channel, and who waits for the
            // answer sees that.
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

impl Store for SqliteStore {
    fn reader(&self) -> Result<Box<dyn Ledger>, StoreError> {
        super::read::open(self.root())
    }
}
