//! Is new content the same as what we have? The chain of the project, with what was learned about the site's noise.
//!
//! In: a page whose bytes differ from the stored ones. Out: same or different with the reason, or the wish to look once
//! more: what differs between two looks seconds apart is noise, and nothing but a second look can tell (B6, HC088).
//! First looks wait in memory while their page is back in the frontier; a kill forgets them, which costs one more look.

mod looks;

use self::looks::{Look, Looks};
use crate::wall::Probes;
use gleaner_history::compare::{Comparison, Judging};
use gleaner_history::side::{SeenVersion, headers, ignored_json};
use gleaner_judge::equality::learn::{PAGES_ENOUGH, may_be_of_the_site, wants_look};
use gleaner_judge::equality::{EqualityOutcome, Ladder, Learned, LearnedTemplate, Template, template_of};
use gleaner_judge::site::{path_shape, site_of};
use gleaner_judge::wall::{ReplacedPage, Replacement, Signs, is_replaced, judge_replaced, stays};
use gleaner_model::{Content, Reason, ResourceId, Url, VersionId, defaults};
use gleaner_parse::content;
use gleaner_parse::{DecodeLimits, decode, encodings};
use gleaner_store::keep::Compared;
use gleaner_store::ledger::StoredBody;
use gleaner_store::{Digest, Ledger, Store, StoreError};
use gleaner_units::{Body, Exchange, SpoolFile};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Looks at a page that differs only in what may be the site's frame, beside the last: each gives other pages time to show
/// the same.
const FRAME_LOOKS: u32 = 2;

/// What all comparisons of a run share.
pub struct Comparing {
    judging: Judging,
    noises: Mutex<Noises>,
    looks: Mutex<Looks>,
    pub(crate) probes: Probes,
    store: Arc<dyn Store>,
    /// A person said that what is gone or empty really is.
    is_confirmed: bool,
    /// The project has so few documents that they cannot tell what their frame is: what changes on them counts.
    is_small: bool,
}

#[derive(Default)]
struct Noises {
    by_site: HashMap<String, Learned>,
    /// Sites whose memory is not written down yet.
    changed: Vec<String>,
}

/// Header fields with their names in lower case, as `parse` wants them.
pub type Fields = Vec<(String, String)>;

/// The header fields of an answer.
pub fn fields_of(exchange: &Exchange) -> Fields {
    let headers = exchange.headers.iter();
    headers
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// A body with its content encodings taken off; `None` where it cannot be unpacked or is too large for a tree, which takes
/// many times the memory of its page.
pub fn decoded(fields: &Fields, body: &Body) -> Option<Vec<u8>> {
    let encodings = encodings(fields).ok()?;
    let bytes_max = defaults::COMPARE_BYTES_MAX;
    if encodings.is_empty() && body.len() > bytes_max as u64 {
        return None;
    }
    if let (Body::Memory(bytes), true) = (body, encodings.is_empty()) {
        return Some(bytes.to_vec());
    }
    let reader = body.reader().ok()?;
    let mut out = Vec::new();
    let limits = DecodeLimits::default();
    let decoded = decode(reader, body.len(), &encodings, &limits, &mut out, bytes_max).ok()?;
    (!decoded.cut).then_some(out)
}

/// A page without a body has no text to compare, but what is said of its host wants to know that it is empty.
fn nothing_left(fresh: &Fresh<'_>) -> ComparisonResult {
    let empty = Ladder::of(&Content::default(), fresh.digest.0);
    ComparisonResult::Different {
        compared: Compared {
            base: Some(fresh.base),
            ladder: Some(empty.encode()),
            ..Compared::default()
        },
        why: "nothing is left".to_owned(),
    }
}

fn body_of(stored: StoredBody) -> Body {
    match stored {
        StoredBody::Memory(bytes) => Body::Memory(bytes.into()),
        StoredBody::File { file, len } => Body::Spool(SpoolFile { file, len }),
    }
}

/// Takes proven session ids out of the body of a page.
pub type Clean<'a> = dyn Fn(&Url, &Fields, Vec<u8>) -> Vec<u8> + 'a;

/// What a comparison found.
pub enum ComparisonResult {
    Same {
        compared: Compared,
        remarks: String,
    },
    Different {
        compared: Compared,
        why: String,
    },
    /// Only another look can tell.
    LookAgain,
    /// Something came, but not the content; with the digests of what came.
    Unclear(Reason, String, Option<Vec<u8>>),
    /// The site's way of saying that the page is gone.
    Gone(Reason, String),
}

/// The page to be compared.
pub struct Fresh<'a> {
    pub resource: ResourceId,
    pub url: &'a Url,
    /// What was asked for: it may carry the session's id, which the page may show.
    pub asked: &'a Url,
    pub fields: &'a Fields,
    pub body: &'a Body,
    pub digest: Digest,
    pub base: VersionId,
    /// The digests of what the last run saw in place of the page.
    pub instead: Option<&'a [u8]>,
}

impl Comparing {
    pub fn new(
        judging: Judging,
        noises: Vec<(String, String)>,
        store: Arc<dyn Store>,
        is_confirmed: bool,
        documents: u64,
    ) -> Comparing {
        let by_site = noises
            .into_iter()
            // A memory that cannot be read is made anew.
            .filter_map(|(site, json)| Some((site, serde_json::from_str(&json).ok()?)))
            .collect();
        Comparing {
            judging,
            noises: Mutex::new(Noises {
                by_site,
                changed: Vec::new(),
            }),
            looks: Mutex::default(),
            probes: Probes::default(),
            store,
            is_confirmed,
            is_small: documents < PAGES_ENOUGH as u64,
        }
    }

    /// What was learned since the last call, site by site, for the store.
    pub fn take_changed(&self) -> Vec<(String, String)> {
        let mut noises = lock(&self.noises);
        let mut sites = std::mem::take(&mut noises.changed);
        sites.sort_unstable();
        sites.dedup();
        sites
            .into_iter()
            .filter_map(|site| {
                let json = serde_json::to_string(noises.by_site.get(&site)?).ok()?;
                Some((site, json))
            })
            .collect()
    }

    /// Whether a page that came empty is believed to be so at once.
    pub fn believes_empty(&self) -> bool {
        self.is_confirmed
    }

    /// Compares a page with the version `fresh.base`. `clean` takes proven session ids out of a body.
    pub fn compare(
        &self,
        fresh: &Fresh<'_>,
        reader: &mut Option<Box<dyn Ledger>>,
        clean: &Clean<'_>,
    ) -> Result<ComparisonResult, StoreError> {
        let different = |why: &str| ComparisonResult::Different {
            compared: Compared {
                base: Some(fresh.base),
                ..Compared::default()
            },
            why: why.to_owned(),
        };
        let stored = match self.reader(reader)?.stored(fresh.base) {
            Ok(Some(stored)) => stored,
            // Known to be lost, so this is the only version there is.
            Ok(None) => return Ok(different("bytes differ (those of the version before were lost)")),
            Err(error) if error.is_of_one_version() => {
                return Ok(ComparisonResult::Unclear(
                    Reason::VersionDamaged,
                    error.to_string(),
                    None,
                ));
            }
            Err(error) => return Err(error),
        };
        let read = |asked: &Url, fields: &Fields, body: &Body| {
            let bytes = decoded(fields, body)?;
            let digest = Digest::of(&bytes);
            let bytes = clean(asked, fields, bytes);
            let sight = self.judging.lens.side(fresh.url, fields, &bytes, digest);
            sight.has_text.then(|| (sight, Signs::of(&bytes)))
        };
        let old_fields = headers(&stored.head);
        let old_body = body_of(stored.body);
        let old_asked = stored.asked.and_then(|asked| Url::parse(&asked).ok());
        let before = read(old_asked.as_ref().unwrap_or(fresh.url), &old_fields, &old_body);
        let now = before
            .as_ref()
            .and_then(|_| read(fresh.asked, fresh.fields, fresh.body));
        let (Some((before, old_signs)), Some((now, signs))) = (before, now) else {
            if fresh.body.is_empty() {
                return Ok(nothing_left(fresh));
            }
            let old = (&old_fields, &old_body, stored.digest);
            return Ok(self
                .compare_long(fresh, old)
                .unwrap_or_else(|| different("bytes differ")));
        };
        let last = fresh.instead.and_then(|stored| Ladder::decode(stored).ok());
        let stays = last.is_some_and(|last| stays(&last, &now.ladder()));
        let has_text =
            |sight: &SeenVersion| sight.content().blocks.iter().any(|block| !block.text.is_empty());
        let unclear = |reason: Reason, detail: &str| {
            let shown = now.ladder().encode();
            ComparisonResult::Unclear(reason, detail.to_owned(), Some(shown))
        };
        let is_believed = stays || self.is_confirmed;
        if fresh.url.is_web() && has_text(&before) && !has_text(&now) && !is_believed {
            return Ok(unclear(Reason::BecameEmpty, "no visible text"));
        }
        if fresh.url.is_web()
            && before.content().blocks != now.content().blocks
            && is_replaced(before.content(), now.content())
        {
            let page = ReplacedPage {
                url: fresh.url,
                before: before.content(),
                now: now.content(),
                old_signs,
                signs,
                stays,
                is_confirmed: self.is_confirmed,
            };
            let title = &now.content().title;
            match self.judge_replaced(&page) {
                Replacement::Content => {}
                Replacement::AskTheHost => return Ok(ComparisonResult::LookAgain),
                Replacement::Wall(reason) => return Ok(unclear(reason, title)),
                Replacement::Gone => {
                    let detail = format!("the same as for an address that cannot exist: {title}");
                    return Ok(ComparisonResult::Gone(Reason::Soft404, detail));
                }
            }
        }
        Ok(self.judge(fresh, &before, now, stored.ladder.as_deref()))
    }

    /// Pages of which at least one is too long for blocks: by their words and where their links lead. None where that
    /// cannot be told, and the bytes decide.
    fn compare_long(&self, fresh: &Fresh<'_>, old: (&Fields, &Body, Digest)) -> Option<ComparisonResult> {
        let read = |fields: &Fields, body: &Body, digest: Digest| {
            let raw = body.reader().ok()?;
            let lens = &self.judging.lens;
            let sight = lens.long_side(fresh.url, fields, raw, body.len(), digest);
            sight.ok().flatten()
        };
        let before = read(old.0, old.1, old.2)?;
        let now = read(fresh.fields, fresh.body, fresh.digest)?;
        let is_same = self.is_same(&before, &now);
        let compared = Compared {
            base: Some(fresh.base),
            is_same,
            ..Compared::default()
        };
        Some(if is_same {
            ComparisonResult::Same {
                compared,
                remarks: String::new(),
            }
        } else {
            ComparisonResult::Different {
                compared,
                why: "words or links differ (too large to be compared block by block)".to_owned(),
            }
        })
    }

    /// What came in place of the page; the host is asked only where the page alone does not tell.
    fn judge_replaced(&self, page: &ReplacedPage<'_>) -> Replacement {
        match judge_replaced(page, None) {
            Replacement::AskTheHost => match self.probes.get(page.url) {
                Some(probe) => judge_replaced(page, Some(&probe)),
                None => Replacement::AskTheHost,
            },
            told => told,
        }
    }

    /// Whether a page that was never seen before is only the site's way of saying that there is none.
    pub fn is_nowhere(&self, fresh: &Fresh<'_>) -> Option<ComparisonResult> {
        let bytes = decoded(fresh.fields, fresh.body)?;
        let now = content::read(fresh.url, fresh.fields, &bytes)?;
        let Some(probe) = self.probes.get(fresh.url) else {
            return Some(ComparisonResult::LookAgain);
        };
        probe
            .is_nowhere_from_the_start(fresh.url, &now)
            .then_some(ComparisonResult::Gone(Reason::Soft404, now.title))
    }

    fn judge(
        &self,
        fresh: &Fresh<'_>,
        before: &SeenVersion,
        mut now: SeenVersion,
        base_ladder: Option<&[u8]>,
    ) -> ComparisonResult {
        let site = site_of(fresh.url);
        let template = template_of(now.content(), &path_shape(fresh.url));
        // A file is no page made anew for each reader.
        let learns = self.judging.chain.learns() && fresh.url.is_web();
        let look = lock(&self.looks).take(fresh.resource);
        let looked = look.as_ref().map_or(0, |look| look.count);
        let differed = match &look {
            Some(look) if learns => self.learn(&site, &template, &look.content, now.content()),
            _ => false,
        };
        if learns {
            self.note_alike(&site, fresh.resource, before.content(), now.content());
        }
        let known = self.known(&site, &template);
        let pairs = known.pairs();
        if learns && looked == 0 && !known.knows_the_site() {
            // Too few pages were seen to say what the frame is: same as far as can be guessed is not sure to be the same.
            now.side = now.side.with_known(Arc::new(known.clone().with_the_site()));
            let is_sure = self.judging.chain.judge(&before.side, &now.side).is_same();
            if !is_sure && self.wait(fresh.resource, now.content(), 1) {
                return ComparisonResult::LookAgain;
            }
        }
        let known = if self.is_small {
            known.with_the_site()
        } else {
            known
        };
        let known = if learns { known } else { known.with_all_editions() };
        now.side = now.side.with_known(Arc::new(known));
        let Comparison::Text { verdict, remarks, .. } = self.judging.compare(before, &now) else {
            return ComparisonResult::LookAgain; // Both have text.
        };
        // What the frame shows on every page is known when other pages were seen.
        let may_be_frame = || {
            let (before, now) = (before.side.content(), now.side.content());
            looked < FRAME_LOOKS && may_be_of_the_site(before, now, &verdict.differences)
        };
        let wants_look = learns && (wants_look(looked + 1, differed, pairs) || may_be_frame());
        if !verdict.is_same() && wants_look && self.wait(fresh.resource, now.content(), looked + 1) {
            return ComparisonResult::LookAgain;
        }
        if learns {
            let mut noises = lock(&self.noises);
            let learned = noises.by_site.entry(site.clone()).or_default();
            learned.observe_visit(&template, before.content(), now.content());
            noises.changed.push(site);
        }
        let has_ladder = base_ladder.is_some_and(|stored| Ladder::decode(stored).is_ok());
        let compared = Compared {
            base: Some(fresh.base),
            is_same: verdict.is_same(),
            ignored: ignored_json(&verdict.ignored),
            ladder: Some(now.ladder().encode()),
            base_ladder: (!has_ladder).then(|| before.ladder().encode()),
        };
        let remarks = remarks.join("; ");
        match verdict.outcome {
            EqualityOutcome::Same => ComparisonResult::Same { compared, remarks },
            EqualityOutcome::Different { why } => ComparisonResult::Different {
                compared,
                why: [why, remarks]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join("; "),
            },
        }
    }

    /// A stored version, read as the chain wants it; none where it has no text.
    pub fn stored(&self, reader: &dyn Ledger, version: VersionId, url: &str) -> Option<SeenVersion> {
        let url = Url::parse(url).ok()?;
        let stored = reader.stored(version).ok()??;
        let fields = headers(&stored.head);
        let bytes = decoded(&fields, &body_of(stored.body))?;
        let sight = self.judging.lens.side(&url, &fields, &bytes, Digest::of(&bytes));
        sight.has_text.then_some(sight)
    }

    /// Whether the chain takes two versions for one, with nothing learned.
    pub fn is_same(&self, before: &SeenVersion, now: &SeenVersion) -> bool {
        self.judging.chain.judge(&before.side, &now.side).is_same()
    }

    /// Two looks at one page; true if they differed.
    fn learn(&self, site: &str, template: &Template, first: &Content, second: &Content) -> bool {
        let mut noises = lock(&self.noises);
        let learned = noises.by_site.entry(site.to_owned()).or_default();
        learned.observe_pair(template, first, second);
        noises.changed.push(site.to_owned());
        first.blocks != second.blocks || first.title != second.title
    }

    /// A page that has not changed at all; what others of its site show is less likely to be the frame.
    pub fn note_still(&self, url: &Url) {
        if !self.judging.chain.learns() || !is_page_like(url) {
            return;
        }
        let mut noises = lock(&self.noises);
        noises.by_site.entry(site_of(url)).or_default().note_still();
    }

    fn note_alike(&self, site: &str, resource: ResourceId, before: &Content, now: &Content) {
        let mut noises = lock(&self.noises);
        let learned = noises.by_site.entry(site.to_owned()).or_default();
        learned.observe_alike(resource.0.unsigned_abs(), before, now);
    }

    fn known(&self, site: &str, template: &Template) -> LearnedTemplate {
        let noises = lock(&self.noises);
        let learned = noises.by_site.get(site);
        learned
            .map(|learned| learned.knowledge(template))
            .unwrap_or_default()
    }

    /// Keeps a look for the next one; false if too many wait.
    fn wait(&self, resource: ResourceId, now: &Content, count: u32) -> bool {
        let content = now.clone();
        lock(&self.looks).put(resource, Look { content, count })
    }

    fn reader<'r>(&self, reader: &'r mut Option<Box<dyn Ledger>>) -> Result<&'r dyn Ledger, StoreError> {
        match reader {
            Some(reader) => Ok(&**reader),
            None => Ok(&**reader.insert(self.store.reader()?)),
        }
    }
}

/// Whether an address is that of a page, as far as its name tells: pictures and papers have no frame.
fn is_page_like(url: &Url) -> bool {
    const ENDINGS: [&str; 9] = ["asp", "aspx", "cgi", "do", "htm", "html", "jsp", "php", "xhtml"];
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    url.is_web() && ending.is_none_or(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}

/// What was learned holds no half-made state across a panic.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
