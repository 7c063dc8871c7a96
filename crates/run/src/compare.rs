//! What changed between two stored versions, and does it count for the project?
//!
//! In: a document and two of its versions. Out: a [`Comparison`]: the diff with everything folded that the project's
//! equality overlooks, or, where there is no text to compare, whether the bytes agree. Reads only.

use crate::error::CompareError;
use crate::noise::Sites;
use crate::side::{Lens, Opened, Sight, open};
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Verdict};
use gleaner_model::{DocumentId, Project, ProjectId, VersionId};
use gleaner_store::{Digest, Reader};
use std::collections::HashMap;
use std::sync::Arc;

/// How two versions stand to each other.
#[derive(Debug)]
pub enum Comparison {
    Text {
        /// What does not count is marked as ignored.
        diff: Box<Diff>,
        verdict: Verdict,
        /// What the equality has to say about its own settings, such as a selector that matched nothing (HC086).
        remarks: Vec<String>,
    },
    /// At least one of them has no text.
    Bytes { is_same: bool },
}

/// A chain ready for use.
#[derive(Debug)]
pub struct Judging {
    pub chain: Chain,
    pub lens: Lens,
}

<<<<<<< HEAD
impl Judging {
    /// A chain as flags and project files write it; empty is the default.
    pub fn parse(text: &str) -> Result<Judging, CompareError> {
        let chain = Chain::parse(if text.trim().is_empty() {
            Chain::DEFAULT
        } else {
            text
        })?;
        let lens = Lens::of(&chain)?;
        Ok(Judging { chain, lens })
=======
struct Look {
    content: Content,
    count: u32,
}

/// What a comparison found.
pub enum Found {
    Same(Compared),
    Different {
        compared: Compared,
        why: String,
    },
    /// Only another look can tell.
    LookAgain,
    /// Something came, but not the content.
    Unclear(Reason, String),
    /// The site's way of saying that the page is gone.
    Gone(Reason, String),
}

/// The page to be compared.
pub struct Fresh<'a> {
    pub resource: ResourceId,
    pub url: &'a Url,
    pub fields: &'a Fields,
    pub body: &'a Body,
    pub digest: Digest,
    pub base: VersionId,
}

impl Comparing {
    pub fn new(chain: Chain, reading: Reading, noises: Vec<(String, String)>, root: &Path) -> Comparing {
        let by_site = noises
            .into_iter()
            // A memory that cannot be read is made anew.
            .filter_map(|(site, json)| Some((site, serde_json::from_str(&json).ok()?)))
            .collect();
        Comparing {
            chain,
            reading,
            noises: Mutex::new(Noises {
                by_site,
                changed: Vec::new(),
            }),
            looks: Mutex::default(),
            probes: Probes::default(),
            root: root.to_owned(),
        }
>>>>>>> proof
    }

    pub fn of(project: &Project) -> Result<Judging, CompareError> {
        Judging::parse(&project.equality)
    }

    /// Both versions under the chain. What was learned must have been given to `now`.
    pub fn compare(&self, before: &Sight, now: &Sight) -> Comparison {
        if !before.has_text || !now.has_text {
            return Comparison::Bytes {
                is_same: before.side.bytes() == now.side.bytes(),
            };
        }
        let whole =
            (before.whole.is_some() || now.whole.is_some()).then(|| (before.content(), now.content()));
        let (diff, verdict) = Diff::judged(&self.chain, &before.side, &now.side, whole);
        let mut remarks = verdict.remarks.clone();
        for selector in &now.matched_nothing {
            remarks.push(if before.matched_nothing.contains(selector) {
                format!("the selector matches nothing in either version: {selector}")
            } else {
                format!("the selector matches nothing any more: {selector}")
            });
        }
        for selector in before
            .matched_nothing
            .iter()
            .filter(|one| !now.matched_nothing.contains(one))
        {
            remarks.push(format!(
                "the selector matched nothing in the version before: {selector}"
            ));
        }
        Comparison::Text {
            diff: Box::new(diff),
            verdict,
            remarks,
        }
    }
}

<<<<<<< HEAD
/// Compares stored versions, each project under its own equality.
pub struct Comparer<'a> {
    reader: &'a Reader,
    projects: HashMap<ProjectId, Arc<Judging>>,
    sites: Sites,
}

impl<'a> Comparer<'a> {
    pub fn new(reader: &'a Reader) -> Comparer<'a> {
        Comparer {
            reader,
            projects: HashMap::new(),
            sites: Sites::default(),
=======
    /// What came in place of the page, where that is not another version of it.
    fn instead(&self, fresh: &Fresh<'_>, now: &Content, signs: Signs, old_signs: Signs) -> Option<Found> {
        if signs.asks_password && !old_signs.asks_password {
            return Some(Found::Unclear(Reason::LoginWall, now.title.clone()));
        }
        if signs.asks_human && !old_signs.asks_human {
            return Some(Found::Unclear(Reason::Blocked, now.title.clone()));
        }
        let Some(probe) = self.probes.get(fresh.url) else {
            return Some(Found::LookAgain);
        };
        let is_home = fresh.url.path() == "/" && fresh.url.query().is_none();
        let is_nowhere = probe
            .nowhere
            .as_ref()
            .is_some_and(|nowhere| is_alike(nowhere, now));
        let is_like_home = probe.home.as_ref().is_some_and(|home| is_alike(home, now));
        if is_nowhere && (is_home || is_like_home) || is_like_home && !is_home {
            return Some(Found::Unclear(Reason::SameForAll, now.title.clone()));
        }
        if is_nowhere {
            let detail = format!("as for an address that cannot exist: {}", now.title);
            return Some(Found::Gone(Reason::Soft404, detail));
        }
        is_message(now).then(|| Found::Unclear(Reason::ErrorPage, now.title.clone()))
    }

    /// Whether a page that was never seen before is only the site's way of saying that there is none.
    pub fn is_nowhere(&self, fresh: &Fresh<'_>) -> Option<Found> {
        let bytes = decoded(fresh.fields, fresh.body).ok()?;
        let now = self.reading.read(fresh.url, fresh.fields, &bytes)?.content;
        let Some(probe) = self.probes.get(fresh.url) else {
            return Some(Found::LookAgain);
        };
        let is_nowhere = probe
            .nowhere
            .as_ref()
            .is_some_and(|nowhere| is_alike(nowhere, &now));
        is_nowhere.then(|| Found::Gone(Reason::Soft404, now.title))
    }

    fn judge(
        &self,
        fresh: &Fresh<'_>,
        before: ReadSide,
        now: ReadSide,
        base_digest: Digest,
        base_ladder: Option<&[u8]>,
    ) -> Found {
        let site = fresh.url.domain();
        let template = template_of(&now.content, &path_shape(fresh.url.path()));
        let learns = self.chain.learns();
        let look = lock(&self.looks).remove(&fresh.resource);
        let looked = look.as_ref().map_or(0, |look| look.count);
        let differed = match &look {
            Some(look) if learns => self.learn(site, &template, &look.content, &now.content),
            _ => false,
        };
        let remarks = now.remarks.join("; ");
        let had_ladder = base_ladder.and_then(|stored| Ladder::decode(stored).ok());
        let has_ladder = had_ladder.is_some();
        let mut before = before.into_side(base_digest.0);
        if let Some(ladder) = had_ladder {
            before = before.with_ladder(ladder);
        }
        let mut now = now.into_side(fresh.digest.0);
        let (known, pairs) = self.known(site, &template);
        if let Some(known) = known {
            now = now.with_known(known);
        }
        let verdict = self.chain.judge(&before, &now);
        let wants_look = match look {
            None => pairs < PAIRS_ENOUGH,
            // The two looks differed too: once more, and the places that differ again are noise.
            Some(_) => differed && looked + 1 < LOOKS_MAX,
        };
        if !verdict.is_same() && learns && wants_look && self.wait(fresh.resource, &now, looked + 1) {
            return Found::LookAgain;
        }
        if learns {
            let mut noises = lock(&self.noises);
            let learned = noises.by_site.entry(site.to_owned()).or_default();
            learned.observe_visit(&template, before.content(), now.content());
            noises.changed.push(site.to_owned());
        }
        let mut ignored = serde_json::Map::new();
        if !verdict.ignored.is_empty() {
            ignored.insert(
                "ignored".to_owned(),
                serde_json::to_value(&verdict.ignored).unwrap_or_default(),
            );
        }
        let said: Vec<&String> = verdict
            .remarks
            .iter()
            .chain((!remarks.is_empty()).then_some(&remarks))
            .collect();
        if !said.is_empty() {
            ignored.insert(
                "remarks".to_owned(),
                serde_json::to_value(said).unwrap_or_default(),
            );
        }
        let compared = Compared {
            base: Some(fresh.base),
            is_same: verdict.is_same(),
            ignored: (!ignored.is_empty()).then(|| serde_json::Value::Object(ignored).to_string()),
            ladder: Some(now.ladder().encode()),
            base_ladder: (!has_ladder).then(|| before.ladder().encode()),
        };
        match verdict.outcome {
            Outcome::Same => Found::Same(compared),
            Outcome::Different { why } => Found::Different { compared, why },
>>>>>>> proof
        }
    }

    /// The equality of a project as it is now.
    pub fn judging(&mut self, project: ProjectId) -> Result<Arc<Judging>, CompareError> {
        if let Some(judging) = self.projects.get(&project) {
            return Ok(Arc::clone(judging));
        }
        let judging = Arc::new(Judging::of(&self.reader.project(project)?)?);
        self.projects.insert(project, Arc::clone(&judging));
        Ok(judging)
    }

    /// A stored version as a chain sees it, with what was learned about its template.
    pub fn sight(
        &mut self,
        project: ProjectId,
        judging: &Judging,
        document: DocumentId,
        version: VersionId,
<<<<<<< HEAD
    ) -> Result<Sight, CompareError> {
        let mut opened = opened(self.reader, document, Some(version))?;
        let digest = Digest::of(&opened.body);
        self.sites.clean(self.reader, project, &mut opened)?;
        let mut sight = judging
            .lens
            .side(&opened.url, &opened.headers, &opened.body, digest);
        if judging.chain.learns() {
            let known = self
                .sites
                .noise(self.reader, project, &opened.url, sight.content())?;
            if let Some(known) = known {
                sight.side = sight.side.with_known(known);
            }
=======
        url: &str,
        digest: Digest,
    ) -> Option<Side> {
        let url = Url::parse(url).ok()?;
        let stored = reader.stored(version).ok()??;
        let fields = fields_of(&stored.head);
        let bytes = decoded(&fields, &Body::Memory(stored.body.into())).ok()?;
        Some(self.reading.read(&url, &fields, &bytes)?.into_side(digest.0))
    }

    /// Whether the chain takes two versions for one, with nothing learned.
    pub fn is_same(&self, before: &Side, now: &Side) -> bool {
        self.chain.judge(before, now).is_same()
    }

    /// Two looks at one page; true if they differed.
    fn learn(&self, site: &str, template: &Template, first: &Content, second: &Content) -> bool {
        let mut noises = lock(&self.noises);
        let learned = noises.by_site.entry(site.to_owned()).or_default();
        learned.observe_pair(template, first, second);
        noises.changed.push(site.to_owned());
        first.blocks != second.blocks || first.title != second.title
    }

    fn known(&self, site: &str, template: &Template) -> (Option<Arc<gleaner_judge::equality::Known>>, u32) {
        let noises = lock(&self.noises);
        let known = noises
            .by_site
            .get(site)
            .and_then(|learned| learned.known(template));
        let pairs = known.map_or(0, gleaner_judge::equality::Known::pairs);
        (known.cloned().map(Arc::new), pairs)
    }

    /// Keeps a look for the next one; false if too many wait.
    fn wait(&self, resource: ResourceId, now: &Side, count: u32) -> bool {
        let mut looks = lock(&self.looks);
        if looks.len() >= LOOKS_WAITING_MAX {
            return false;
>>>>>>> proof
        }
        Ok(sight)
    }

    pub fn compare(
        &mut self,
        document: DocumentId,
        before: VersionId,
        now: VersionId,
    ) -> Result<Comparison, CompareError> {
        let (project, _) = self.reader.document(document)?;
        let judging = self.judging(project)?;
        let before = self.sight(project, &judging, document, before)?;
        let now = self.sight(project, &judging, document, now)?;
        Ok(judging.compare(&before, &now))
    }
}

/// A stored version with its content encodings off; the newest where none is named.
pub fn opened(
    reader: &Reader,
    document: DocumentId,
    version: Option<VersionId>,
) -> Result<Opened, CompareError> {
    let stored = reader.content(document, version)?;
    let url = stored.url.clone();
    open(stored).map_err(|reason| CompareError::Packed { reason, url })
}
