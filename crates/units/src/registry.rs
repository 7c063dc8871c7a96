//! Which unit speaks for which scheme? The one place where a protocol is made known.

use crate::{Answer, Ask, Listed, TakeEntry, UnitError, unit::Unit};
use gleaner_model::Url;
use std::sync::Arc;

/// The units of a run, found by the scheme of the URL.
#[derive(Default, Clone)]
pub struct Units {
    units: Vec<Arc<dyn Unit>>,
}

impl Units {
    #[must_use]
    pub fn with(mut self, unit: Arc<dyn Unit>) -> Units {
        self.units.push(unit);
        self
    }

    pub fn of_scheme(&self, scheme: &str) -> Option<&Arc<dyn Unit>> {
        self.units.iter().find(|unit| unit.schemes().contains(&scheme))
    }

    /// Whether what lies below `url` is known by listing.
    pub fn lists(&self, url: &Url) -> bool {
        self.of_scheme(url.scheme()).is_some_and(|unit| unit.lists())
    }

    /// Lists a folder.
    pub async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<Listed, UnitError> {
        match self.of_scheme(ask.url.scheme()) {
            Some(unit) => unit.list(ask, take).await,
            None => Err(UnitError::Scheme {
                scheme: ask.url.scheme().to_owned(),
            }),
        }
    }

    /// Asks the unit that speaks the scheme of `ask.url`.
    pub async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        match self.of_scheme(ask.url.scheme()) {
            Some(unit) => unit.fetch(ask).await,
            None => Err(UnitError::Scheme {
                scheme: ask.url.scheme().to_owned(),
            }),
        }
    }
}
