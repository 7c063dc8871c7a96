//! From an address on a page to the file that has its document: by redirects, by moves, without session ids.

use super::MirrorRequest;
use gleaner_judge::identity::{UrlRules, identify};
use gleaner_judge::site::site_of;
use gleaner_model::{Url, UrlKey, defaults};
use gleaner_store::ledger::DocumentThen;
use gleaner_store::{Ledger, StoreError};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Addresses that are named at the end; a calendar without end has any number.
const MISSING_MAX: usize = 100_000;

pub(super) struct Site<'p> {
    paths: HashMap<UrlKey, &'p str>,
    /// The hosts of the documents, with their ports.
    hosts: HashSet<String>,
    /// What links of the site itself lead to and the copy has not.
    missing: RefCell<BTreeSet<String>>,
    detours: HashMap<UrlKey, UrlKey>,
    /// By site: which parts of its addresses are volatile.
    rules: HashMap<String, UrlRules>,
}

impl<'p> Site<'p> {
    /// `paths` are those of the documents, in their order.
    pub(super) fn of(
        reader: &dyn Ledger,
        request: &MirrorRequest<'_>,
        documents: &[DocumentThen],
        paths: &'p [String],
    ) -> Result<Site<'p>, StoreError> {
        let stored = reader.all_site_rules(request.project)?;
        let rules = stored
            .into_iter()
            .filter_map(|stored| Some((stored.site, serde_json::from_str(&stored.rules).ok()?)));
        let keys = documents.iter().map(|document| document.key);
        let urls = documents
            .iter()
            .filter_map(|document| Url::parse(&document.url).ok());
        Ok(Site {
            hosts: urls.map(|url| url.authority()).collect(),
            missing: RefCell::default(),
            paths: keys.zip(paths.iter().map(String::as_str)).collect(),
            detours: reader.detours_then(request.project, request.run)?,
            rules: rules.collect(),
        })
    }

    /// A document is not in the copy after all: its links lead to where it came from.
    pub(super) fn leave_out(&mut self, document: &DocumentThen) {
        self.paths.remove(&document.key);
    }

    /// What links of the site itself lead to and the copy has not, as far as [`Site::link`] was asked for it.
    pub(super) fn take_missing(&self) -> Vec<String> {
        self.missing.take().into_iter().collect()
    }

    /// As [`Site::path_of`], for a link of a page that is copied.
    pub(super) fn link(&self, url: &Url) -> Option<&'p str> {
        let path = self.path_of(url);
        let mut missing = self.missing.borrow_mut();
        if path.is_none() && missing.len() < MISSING_MAX && self.hosts.contains(&url.authority()) {
            missing.insert(url.to_string());
        }
        path
    }

    /// The path of the file that shows what lies at this address.
    pub(super) fn path_of(&self, url: &Url) -> Option<&'p str> {
        let rules = self.rules.get(&site_of(url));
        let identity = rules.and_then(|rules| identify(rules, url));
        let mut key = identity.map_or_else(|| url.key(), |(_, key)| key);
        for _ in 0..=defaults::REDIRECTS_MAX {
            if let Some(path) = self.paths.get(&key) {
                return Some(path);
            }
            key = *self.detours.get(&key)?;
        }
        None
    }
}
