//! What does a site say on many of its pages? A crawler knows, and its readers are not asked to read it on each of them.
//!
//! A text must stay the same for as long as its version does: chunks and diffs hang on it. So what is learned of a site is
//! learned once, from the pages that came first, and used for the pages that came after them and for no others
//! (docs/decisions/0017). Both never change, so a text is the same whenever it is made.

use crate::TextError;
use crate::read::EXTRACTOR;
use gleaner_history::side::open;
use gleaner_model::{Content, DocumentId, VersionId};
use gleaner_parse::content::{self, Repeats};
use gleaner_store::read::FirstPages;
use gleaner_store::{Reader, Texts};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A site is learned from so many pages.
const PAGES: usize = 20;
/// So many sites are held in memory.
const HELD_MAX: usize = 1000;

/// What is known of a site, and the last of the documents that it is known from.
type Known = (DocumentId, Arc<Repeats>);

#[derive(Default)]
struct Learned {
    first_pages: FirstPages,
    known: HashMap<i64, Known>,
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
    pub(crate) fn of(&self, reader: &Reader, document: DocumentId) -> Result<Arc<Repeats>, TextError> {
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
        reader: &Reader,
        host: i64,
        document: DocumentId,
    ) -> Result<Option<Known>, TextError> {
        if self.known.len() >= HELD_MAX {
            self.known.clear();
        }
        if let Some((last, hashes)) = texts.site(host, EXTRACTOR)? {
            let known = (last, Arc::new(from_bytes(&hashes)));
            self.known.insert(host, known.clone());
            return Ok(Some(known));
        }
        if !self.first_pages.reach(document) {
            reader.extend_first_pages(PAGES, &mut self.first_pages)?;
        }
        let pages = self.first_pages.of(host);
        let Some((last, _)) = pages.last().filter(|_| pages.len() == PAGES).copied() else {
            return Ok(None);
        };
        let contents: Vec<Content> = pages
            .iter()
            .filter_map(|(document, version)| read(reader, *document, *version))
            .collect();
        let repeats = Repeats::of(&contents);
        texts.put_site(host, EXTRACTOR, last, &to_bytes(&repeats))?;
        let known = (last, Arc::new(repeats));
        self.known.insert(host, known.clone());
        Ok(Some(known))
    }
}

/// What a page says; nothing where its bytes are gone or cannot be read.
fn read(reader: &Reader, document: DocumentId, version: VersionId) -> Option<Content> {
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
