//! What a site's home page, and a few more of its pages, say of it.

use super::Evidence;
use crate::topic::{Keywords, TopicJudge, TopicReader, logistic};
use gleaner_frontier::LinkSeen;
use gleaner_model::{Content, Url};
use gleaner_parse::group_of_extension;
use std::collections::{BTreeMap, BTreeSet};

/// Of the links of a home page the two that promise most are read too.
pub const MORE_PAGES: usize = 2;
/// With so many sections a site is as broad as can be.
const SECTIONS_MANY: f64 = 30.0;
/// What the home page says counts so much; the other pages share the rest.
const HOME_COUNTS: f64 = 0.5;

/// A page of a site that was looked at before the site is judged. The first is the home page.
#[derive(Debug, Clone, Copy)]
pub struct LookedAt<'a> {
    pub url: &'a Url,
    pub title: &'a str,
    pub content: &'a Content,
    /// What it names as its keywords (`<meta name=keywords>`).
    pub meta_keywords: &'a str,
    pub links: &'a [LinkSeen<'a>],
}

/// By what a site is looked at.
#[derive(Debug, Clone, Copy)]
pub struct SiteLook<'a> {
    pub keywords: &'a Keywords,
    pub reader: &'a TopicReader,
    pub judge: &'a TopicJudge,
    /// Anchor texts that good home pages share ([`super::representative_anchors`]), in lower case.
    pub anchors: &'a BTreeSet<String>,
}

impl SiteLook<'_> {
    /// The links of a home page that are worth a look: those on its own site that promise most.
    pub fn more_pages<'l>(&self, home: &LookedAt<'l>) -> Vec<&'l Url> {
        let mut links: Vec<(f32, &Url)> = home
            .links
            .iter()
            .filter(|link| {
                link.url.host() == home.url.host() && link.url != home.url && !is_document(link.url)
            })
            .map(|link| {
                (
                    self.judge.promise(&self.reader.link(link.url, link.anchor)),
                    link.url,
                )
            })
            .collect();
        links.sort_by(|one, other| {
            other
                .0
                .total_cmp(&one.0)
                .then_with(|| one.1.as_str().cmp(other.1.as_str()))
        });
        links.dedup_by_key(|(_, url)| url.as_str());
        links.into_iter().take(MORE_PAGES).map(|(_, url)| url).collect()
    }

    /// `accepted_linking`: accepted pages that link to the site, one for each domain. Nothing where no page was looked at.
    pub fn evidence(&self, pages: &[LookedAt<'_>], accepted_linking: u64) -> Option<Evidence> {
        let [home, more @ ..] = pages else { return None };
        let score = |page: &LookedAt<'_>| {
            f64::from(
                self.judge
                    .score(&self.reader.read(page.url, page.title, page.content)),
            )
        };
        let of_more = more.iter().map(score).sum::<f64>() / (more.len() as f64).max(1.0);
        let topic = match more.len() {
            0 => score(home),
            _ => HOME_COUNTS * score(home) + (1.0 - HOME_COUNTS) * of_more,
        };
        let text: Vec<&str> = home
            .content
            .blocks
            .iter()
            .map(|block| block.text.as_str())
            .collect();
        let hits = self
            .keywords
            .hits(home.title, &(text.join("\n") + "\n" + home.meta_keywords));
        let found = hits
            .different
            .iter()
            .filter_map(|place| self.keywords.words().get(*place));
        let anchors: BTreeSet<String> = home
            .links
            .iter()
            .map(|link| link.anchor.trim().to_lowercase())
            .collect();
        Some(Evidence {
            topic,
            keywords: found.cloned().collect(),
            anchors: anchors.intersection(self.anchors).count() as u64,
            accepted_linking,
            links: home.links.len() as u64,
            links_to_documents: home.links.iter().filter(|link| is_document(link.url)).count() as u64,
            breadth: self.breadth(home),
            is_academic: is_academic(home.url.host()),
        })
    }

    /// How many sections a site has, and how few of them promise the topic: 0 to 1.
    fn breadth(&self, home: &LookedAt<'_>) -> f64 {
        let mut sections: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for link in home.links {
            let promise = f64::from(logistic(
                self.judge.promise(&self.reader.link(link.url, link.anchor)),
            ));
            let best = sections
                .entry((link.url.host(), first_folder(link.url)))
                .or_default();
            *best = best.max(promise);
        }
        if sections.is_empty() {
            return 0.0;
        }
        let on_topic = sections.values().sum::<f64>() / sections.len() as f64;
        let many = (sections.len() as f64).ln_1p() / SECTIONS_MANY.ln_1p();
        many.min(1.0) * (1.0 - on_topic)
    }
}

fn first_folder(url: &Url) -> &str {
    url.path().split('/').find(|part| !part.is_empty()).unwrap_or("")
}

fn is_document(url: &Url) -> bool {
    use gleaner_model::project::TypeGroup;
    matches!(group_of_extension(url.path()), Some(TypeGroup::Documents))
}

/// `x.edu`, `x.edu.au`, `x.ac.uk`.
fn is_academic(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let (last, before) = (labels.next().unwrap_or(""), labels.next().unwrap_or(""));
    last == "edu" || (last.len() == 2 && matches!(before, "edu" | "ac"))
}
