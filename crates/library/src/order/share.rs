//! No site takes a whole batch.

use std::collections::HashMap;

/// How many of a batch each site has.
#[derive(Debug, Clone)]
pub struct BatchShare {
    most: usize,
    taken: HashMap<String, usize>,
}

impl BatchShare {
    /// Of a batch of this size a site gets at most 30 %, and at least one.
    pub fn new(batch: usize) -> BatchShare {
        BatchShare::with_share(batch, 0.3)
    }

    pub fn with_share(batch: usize, share: f64) -> BatchShare {
        BatchShare {
            most: ((batch as f64 * share) as usize).max(1),
            taken: HashMap::new(),
        }
    }

    /// Takes a place for the site, where it may have one more.
    pub fn takes(&mut self, site: &str) -> bool {
        let taken = self.taken.entry(site.to_owned()).or_default();
        let is_free = *taken < self.most;
        *taken += usize::from(is_free);
        is_free
    }
}
