//! What does a site say on many of its pages? A crawler knows, and its readers are not asked to read it on each of them.
//!
//! A text must stay the same for as long as its version does: chunks and diffs hang on it. So what is learned of a site is
//! learned once, from the pages that came first, and used for the pages that came after them and for no others
//! (docs/decisions/0017). Both never change, so a text is the same whenever it is made.

use crate::TextError;
use crate::read::EXTRACTOR;
use gleaner_history::side::open;
use gleaner_model::{Content, DocumentId, HostId, ResourceId, VersionId};
use gleaner_parse::content::{self, Repeats};
use gleaner_store::{Ledger, Texts};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A site is learned from so many pages.
const PAGES: usize = 20;
/// Documents that are looked at in one go.
const DOCUMENTS: usize = 4096;
/// So many sites are held in memory.
const HELD_MAX: usize = 1000;

/// What is known of a site, and the last of the documents that it is known from.
type Known = (DocumentId, Arc<Repeats>);

#[derive(Default)]
struct Learned {
    first_pages: FirstPages,
    known: HashMap<HostId, Known>,
}

/// The first pages of each host, as far as documents had come. They never change, so what is learned from them stays.
struct FirstPages {
    by_host: HashMap<HostId, Vec<(DocumentId, VersionId)>>,
    resources: HashSet<ResourceId>,
    /// The last document that was looked at.
    seen: DocumentId,
}

impl Default for FirstPages {
    fn default() -> FirstPages {
        FirstPages {
            by_host: HashMap::new(),
            resources: HashSet::new(),
            seen: DocumentId(0),
        }
    }
}

impl FirstPages {
    /// Looks at the documents that have come since: the first pages of every host. A page that two projects have is one; what
    /// was no HTML when it came is none.
    fn extend(&mut self, ledger: &dyn Ledger) -> Result<(), TextError> {
        loop {
            let documents = ledger.first_versions(self.seen, DOCUMENTS)?;
            let Some(last) = documents.last() else {
                return Ok(());
            };
            self.seen = last.document;
            for one in &documents {
                let pages = self.by_host.entry(one.host).or_default();
                if pages.len() >= PAGES || self.resources.contains(&one.resource) {
                    continue;
                }
                if let Some((version, media_type)) = &one.version
                    && matches!(media_type.as_str(), "text/html" | "application/xhtml+xml")
                {
                    pages.push((one.document, *version));
                    self.resources.insert(one.resource);
                }
            }
        }
    }
}

/// Sites, learned when somebody asks. Several threads may.
pub(crate) struct Sites {
    texts: Mutex<(Texts, Learned)>,
}

impl Sites {
    pub(crate) fn new(texts: Texts) -> Sites {
        Sites {
            texts: Mutex::new((texts, Learned::default())),
        }
    }

    /// What the site of a document says on many pages, as far as that counts for it.
    pub(crate) fn of(&self, reader: &dyn Ledger, document: DocumentId) -> Result<Arc<Repeats>, TextError> {
        let Some(host) = reader.host_of(document)? else {
            return Ok(Arc::default());
        };
        let mut held = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let (texts, learned) = &mut *held;
        let known = match learned.known.get(&host) {
            Some(known) => Some(known.clone()),
            None => learned.learn(texts, reader, host, document)?,
        };
        Ok(known
            .filter(|(last, _)| document > *last)
            .map(|(_, repeats)| repeats)
            .unwrap_or_default())
    }
}

impl Learned {
    /// Nothing where too few of its pages have come.
    fn learn(
        &mut self,
        texts: &Texts,
        reader: &dyn Ledger,
        host: HostId,
        document: DocumentId,
    ) -> Result<Option<Known>, TextError> {
        if self.known.len() >= HELD_MAX {
            self.known.clear();
        }
        if let Some((last, hashes)) = texts.site(host.0, EXTRACTOR)? {
            let known = (last, Arc::new(from_bytes(&hashes)));
            self.known.insert(host, known.clone());
            return Ok(Some(known));
        }
        if self.first_pages.seen < document {
            self.first_pages.extend(reader)?;
        }
        let pages = self.first_pages.by_host.get(&host).map_or(&[][..], Vec::as_slice);
        let Some((last, _)) = pages.last().filter(|_| pages.len() == PAGES).copied() else {
            return Ok(None);
        };
        let contents: Vec<Content> = pages
            .iter()
            .filter_map(|(document, version)| read(reader, *document, *version))
            .collect();
        let repeats = Repeats::of(&contents);
        texts.put_site(host.0, EXTRACTOR, last, &to_bytes(&repeats))?;
        let known = (last, Arc::new(repeats));
        self.known.insert(host, known.clone());
        Ok(Some(known))
    }
}

/// What a page says; nothing where its bytes are gone or cannot be read.
fn read(reader: &dyn Ledger, document: DocumentId, version: VersionId) -> Option<Content> {
    let opened = open(reader.content(document, Some(version)).ok()?).ok()?;
    let read = || content::read_said(&opened.url, &opened.headers, &opened.body);
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

fn to_bytes(repeats: &Repeats) -> Vec<u8> {
    let mut hashes: Vec<u64> = repeats.hashes().collect();
    hashes.sort_unstable();
    hashes.into_iter().flat_map(u64::to_le_bytes).collect()
}

fn from_bytes(bytes: &[u8]) -> Repeats {
    let (hashes, _) = bytes.as_chunks::<8>();
    Repeats::from_hashes(hashes.iter().map(|hash| u64::from_le_bytes(*hash)))
}
