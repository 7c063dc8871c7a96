//! Records that a list brought along, until somebody asks for them.
//!
//! A list of a repository holds the records themselves, so most need no question of their own. What finds no room here is
//! asked for by itself.

use super::page::Record;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Bytes of records in memory, of all repositories together.
const BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Held(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    /// By repository and identifier.
    records: HashMap<(String, String), Record>,
    bytes: usize,
}

impl Held {
    /// A repository is listed anew: what is held of it may be old.
    pub(super) fn begin(&self, base: &str) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = &mut *inside;
        let bytes = &mut inside.bytes;
        inside.records.retain(|(of, _), record| {
            let stays = of != base;
            if !stays {
                *bytes -= record.xml.len();
            }
            stays
        });
    }

    pub(super) fn hold(&self, base: &str, record: Record) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inside.bytes + record.xml.len() > BYTES_MAX {
            return;
        }
        inside.bytes += record.xml.len();
        let key = (base.to_owned(), record.identifier.clone());
        if let Some(before) = inside.records.insert(key, record) {
            inside.bytes -= before.xml.len();
        }
    }

    /// Once: whoever asks again asks the server.
    pub(super) fn take(&self, base: &str, identifier: &str) -> Option<Record> {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = inside.records.remove(&(base.to_owned(), identifier.to_owned()));
        if let Some(record) = &found {
            inside.bytes -= record.xml.len();
        }
        found
    }
}
