//! For tests: a writer that works for one run after the other.

use super::keep::RunBatch;
use super::writer::Writer;
use crate::keep::{Enqueue, Found, Keep, KeepWith, Kept, Refused};
use crate::runs::RunRef;
use crate::{DataFolder, StoreError};
use gleaner_model::{ProjectId, RunId, Timestamp, Url};
use std::ops::{Deref, DerefMut};
use std::path::Path;

pub(crate) struct OneRun {
    writer: Writer,
    pub(crate) of: RunRef,
}

impl OneRun {
    pub(crate) fn open(root: &Path) -> Result<OneRun, StoreError> {
        let writer = Writer::open(DataFolder::open(root)?, "test", "gleaner/test")?;
        let of = RunRef {
            project: ProjectId(0),
            run: RunId(0),
        };
        Ok(OneRun { writer, of })
    }

    pub(crate) fn work_on(&mut self, project: ProjectId, run: RunId) {
        self.of = RunRef { project, run };
    }

    pub(crate) fn enqueue_seeds(&mut self, seeds: &[Url], now: Timestamp) -> Result<Kept, StoreError> {
        let starts: Vec<(Url, Enqueue)> = seeds
            .iter()
            .map(|seed| (seed.clone(), Enqueue::page(0, 0)))
            .collect();
        self.writer.of(self.of, |run| run.enqueue_starts(&starts, now))
    }

    pub(crate) fn keep(
        &mut self,
        pages: Vec<Keep>,
        refused: Refused,
    ) -> Result<Kept, (StoreError, Vec<Keep>)> {
        let of = self.of;
        let with = KeepWith {
            refused,
            ..KeepWith::default()
        };
        let mut batches = [RunBatch { of, pages, with }];
        match self.writer.keep(&mut batches) {
            Ok(mut kept) => Ok(kept.remove(0)),
            Err(error) => {
                let [batch] = batches;
                Err((error, batch.pages))
            }
        }
    }

    pub(crate) fn meet(&mut self, pages: &mut [Keep]) -> Result<Vec<Found>, StoreError> {
        self.writer.of(self.of, |run| run.meet(pages))
    }
}

impl Deref for OneRun {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.writer
    }
}

impl DerefMut for OneRun {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.writer
    }
}
