//! The cookies of an open run: a run that goes on is the same visitor, and nobody else can be (I3).

use super::secrets::session_key;
use crate::output::Output;
use gleaner_model::RunId;
use gleaner_store::secrets::Sealer;
use gleaner_units::Http;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Seals the jar of one run on its way to the catalog.
pub(super) struct Session {
    /// What is sealed, so that one run's cannot take the place of another's.
    name: String,
    output: Output,
    /// Made when there are cookies; most runs have none.
    sealer: OnceLock<Option<Sealer>>,
}

impl Session {
    pub(super) fn of(run: RunId, output: Output) -> Session {
        Session {
            name: format!("cookies of run {run}"),
            output,
            sealer: OnceLock::new(),
        }
    }

    /// Takes the jar that an earlier part of the run left; false where it cannot be opened here.
    pub(super) fn restore(&self, sealed: &[u8], http: &Http) -> anyhow::Result<bool> {
        let opened = self.sealer().and_then(|sealer| sealer.open(&self.name, sealed));
        let Some(jar) = opened else {
            self.output
                .say("the cookies of this run cannot be opened with this key; it continues as a new visitor");
            return Ok(false);
        };
        http.import_cookies(&jar)?;
        Ok(true)
    }

    /// The jar, sealed, when it differs from the last one.
    pub(super) fn jar_when_changed(self, http: Arc<Http>) -> Box<dyn Fn() -> Option<Vec<u8>> + Send> {
        let last = Mutex::new(http.export_cookies());
        Box::new(move || {
            let now = http.export_cookies();
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if *last == now {
                return None;
            }
            last.clone_from(&now);
            self.sealer()?.seal(&self.name, &now).ok()
        })
    }

    fn sealer(&self) -> Option<&Sealer> {
        let made = self.sealer.get_or_init(|| {
            let sealer = session_key().and_then(|key| Ok(Sealer::new(key)?));
            let failed = |error: &anyhow::Error| {
                let text = format!(
                    "the cookies of this run are not stored, so it would be resumed as a new visitor: {error:#}"
                );
                self.output.say(&text);
            };
            sealer.inspect_err(failed).ok()
        });
        made.as_ref()
    }
}
