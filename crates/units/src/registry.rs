//! Which unit speaks for which scheme? The one place where a protocol is made known.

use crate::{Answer, Ask, UnitError, unit::Unit};
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
