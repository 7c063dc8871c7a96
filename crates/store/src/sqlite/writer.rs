//! The one who writes: catalog and archive together, on one thread, for all runs of the process.
//!
//! What belongs to one run ([`RunWriter`]) is a view that lives as long as one call.

use super::catalog::Catalog;
use super::compact::put_right;
use super::keep::adopt;
use super::keep::links::OpenLists;
use super::leases::HostLeases;
use super::seen::{Hosts, Seen};
use crate::folder::recover::Recovered;
use crate::folder::writer::{ArchiveFile, ArchiveWriter};
use crate::runs::RunRef;
use crate::warc::Packer;
use crate::{DataFolder, StoreError};
use gleaner_model::{ProjectId, RunId, defaults};
use std::collections::HashMap;
use tracing::warn;

pub(crate) struct Writer {
    pub(crate) catalog: Catalog,
    pub(super) archive: ArchiveWriter,
    pub(super) packer: Packer,
    pub(super) hosts: Hosts,
    pub(super) runs: HashMap<RunRef, OfRun>,
    pub(super) worker: i64,
    pub(super) commit: u64,
    /// The last commit failed in a way that does not tell whether it happened.
    pub(super) is_in_doubt: bool,
    pub(super) folder: DataFolder,
    pub(crate) recovered: Recovered,
}

/// What is remembered of a run while it works.
#[derive(Default)]
pub(super) struct OfRun {
    pub(super) seen: Seen,
    pub(super) open_lists: OpenLists,
    pub(super) leases: HostLeases,
    /// What lists say of pages is noted.
    pub(super) notes_dates: bool,
}

/// The writer at work for one run.
pub(crate) struct RunWriter<'w> {
    pub(super) catalog: &'w Catalog,
    pub(super) seen: &'w mut Seen,
    pub(super) hosts: &'w mut Hosts,
    pub(super) open_lists: &'w mut OpenLists,
    pub(super) leases: &'w mut HostLeases,
    pub(super) notes_dates: &'w mut bool,
    pub(super) worker: i64,
    pub(super) run: RunId,
    pub(super) project: ProjectId,
    /// What is remembered of rows is right no more: rows went, or their keys changed.
    is_stale: bool,
}

impl RunWriter<'_> {
    /// A rolled-back transaction took rows with it that are still remembered.
    pub(super) fn forget_rows(&mut self) {
        self.is_stale = true;
    }
}

impl Writer {
    /// Opens the store, putting right what a kill left half-done. An archive whose catalog is not there is left alone: a new
    /// one would know nothing of it.
    pub(crate) fn open(folder: DataFolder, worker_name: &str, software: &str) -> Result<Writer, StoreError> {
        if !folder.catalog().exists() && !adopt::own_archives(folder.root()).is_empty() {
            return Err(StoreError::CatalogGone {
                folder: folder.root().to_owned(),
            });
        }
        let catalog = Catalog::open(&folder.catalog())?;
        let commit = catalog.last_commit()?;
        let recovered = put_right(&catalog, &folder.archive())?;
        if recovered.bytes_cut > 0 || recovered.files_removed > 0 {
            warn!(
                bytes = recovered.bytes_cut,
                files = recovered.files_removed,
                "what a kill left behind was removed"
            );
        }
        let unsealed = catalog.unsealed_archives()?.pop();
        if let Some(file) = &unsealed {
            let path = folder.archive().join(&file.name);
            let found = std::fs::metadata(&path).map_or(0, |meta| meta.len());
            if found < file.committed_bytes {
                return Err(StoreError::ArchiveShort {
                    path,
                    expected: file.committed_bytes,
                    found,
                });
            }
        }
        let next_id = catalog
            .db
            .query_row("SELECT coalesce(max(id), 0) + 1 FROM archives", [], |row| {
                row.get::<_, i64>(0)
            })?;
        let mut writer = Writer::on(catalog, folder, unsealed, next_id, commit, worker_name, software)?;
        writer.recovered = recovered;
        Ok(writer)
    }

    /// On a catalog that is open: the archive goes on with `unsealed`, or with a file of this number.
    pub(super) fn on(
        catalog: Catalog,
        folder: DataFolder,
        unsealed: Option<ArchiveFile>,
        next_id: i64,
        commit: u64,
        worker_name: &str,
        software: &str,
    ) -> Result<Writer, StoreError> {
        let archive = ArchiveWriter::new(
            &folder.archive(),
            software,
            defaults::ARCHIVE_FILE_BYTES_MAX,
            unsealed,
            next_id,
        )?;
        let worker = catalog.worker(worker_name)?;
        Ok(Writer {
            catalog,
            archive,
            packer: Packer::default(),
            hosts: Hosts::default(),
            runs: HashMap::new(),
            worker,
            commit,
            is_in_doubt: false,
            folder,
            recovered: Recovered::default(),
        })
    }

    /// Works for one run.
    pub(crate) fn of<T>(
        &mut self,
        of: RunRef,
        work: impl FnOnce(&mut RunWriter<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let OfRun {
            seen,
            open_lists,
            leases,
            notes_dates,
        } = self.runs.entry(of).or_default();
        let mut view = RunWriter {
            catalog: &self.catalog,
            seen,
            hosts: &mut self.hosts,
            open_lists,
            leases,
            notes_dates,
            worker: self.worker,
            run: of.run,
            project: of.project,
            is_stale: false,
        };
        let done = work(&mut view);
        if view.is_stale {
            self.forget_rows();
        }
        done
    }

    /// What is remembered of rows is looked up anew.
    pub(super) fn forget_rows(&mut self) {
        self.hosts.forget_all();
        for run in self.runs.values_mut() {
            run.seen.forget_all();
        }
    }

    /// A run that is over needs no memory.
    pub(crate) fn forget_run(&mut self, run: RunId) {
        self.runs.retain(|of, _| of.run != run);
    }
}
