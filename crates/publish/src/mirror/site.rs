//! From an address on a page to the file that has its document: by redirects, by moves, without session ids.

use super::Request;
use gleaner_judge::identity::Rules;
use gleaner_model::{Url, UrlKey, defaults};
use gleaner_run::identity::Identities;
use gleaner_store::read::DocumentThen;
use gleaner_store::{Reader, StoreError};
use std::collections::HashMap;

pub(super) struct Site<'p> {
    paths: HashMap<UrlKey, &'p str>,
    detours: HashMap<UrlKey, UrlKey>,
    identities: Identities,
}

impl<'p> Site<'p> {
    /// `paths` are those of the documents, in their order.
    pub(super) fn of(
        reader: &Reader,
        request: &Request<'_>,
        documents: &[DocumentThen],
        paths: &'p [String],
    ) -> Result<Site<'p>, StoreError> {
        let identities = Identities::default();
        for stored in reader.all_site_rules(request.project)? {
            if let Ok(rules) = serde_json::from_str::<Rules>(&stored.rules) {
                identities.remember_stored(&stored.site, rules, true);
            }
        }
        let keys = documents.iter().map(|document| document.key);
        Ok(Site {
            paths: keys.zip(paths.iter().map(String::as_str)).collect(),
            detours: reader.detours_then(request.project, request.run)?,
            identities,
        })
    }

    /// The path of the file that shows what lies at this address.
    pub(super) fn path_of(&self, url: &Url) -> Option<&'p str> {
        let mut key = match self.identities.identify(url) {
            Some((_, key)) => key,
            None => url.key(),
        };
        for _ in 0..=defaults::REDIRECTS_MAX {
            if let Some(path) = self.paths.get(&key) {
                return Some(path);
            }
            key = *self.detours.get(&key)?;
        }
        None
    }
}
