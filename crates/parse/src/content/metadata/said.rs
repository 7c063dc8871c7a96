//! What stands in `meta` and `link` elements and in header fields.

use super::super::tree::{Said, Tree};
use super::super::words::folded;
use super::{Directive, MetaPair, TEXT_BYTES_MAX, cut};

pub(super) const PUBLISHED: &[&str] = &[
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "datepublished",
    "og:published_time",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "published-date",
    "published_date",
    "date_published",
    "date-published",
    "published_at",
    "article.published",
    "article:published",
    "article_date_original",
    "originalpublicationdate",
    "rnews:datepublished",
    "bt:pubdate",
    "shareaholic:article_published_time",
    "cxenseparse:recs:publishtime",
    "vr:published_time",
    "dc.date.created",
    "dc.created",
    "date",
];
pub(super) const MODIFIED: &[&str] = &[
    "article:modified_time",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
    "datemodified",
    "last-modified",
    "lastmod",
];
/// Names under which robots are spoken to, besides those that end in `bot`.
const DIRECTIVES: &[&str] = &[
    "robots",
    "tdm-reservation",
    "tdm-policy",
    "ai",
    "noai",
    "noimageai",
    "ai-training",
    "content-usage",
    "x-robots-tag",
];
/// Files in which sites speak to those who train models; a page may point to them.
const POLICIES: &[&str] = &[
    "/ai.txt",
    "/llms.txt",
    "/llms-full.txt",
    "/tdmrep.json",
    "/tdm-policy.json",
];

const DIRECTIVES_MAX: usize = 100;
const NAME_BYTES_MAX: usize = 200;

pub(super) struct Saids {
    /// Names in lower case.
    metas: Vec<(String, String)>,
    links: Vec<(String, String)>,
}

impl Saids {
    pub(super) fn read(tree: &Tree) -> Saids {
        let of = |wanted: Said| {
            tree.said
                .iter()
                .filter(|(said, ..)| *said == wanted)
                .map(|(_, name, content)| {
                    (
                        tree.str(*name).trim().to_ascii_lowercase(),
                        folded(tree.str(*content)),
                    )
                })
                .filter(|(_, content)| !content.is_empty())
                .collect()
        };
        Saids {
            metas: of(Said::Meta),
            links: of(Said::Link),
        }
    }

    /// The first of the names that says something.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(&[name]).into_iter().next())
    }

    pub(super) fn all(&self, names: &[&str]) -> Vec<String> {
        let found = self
            .metas
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, content)| content.clone()).collect()
    }

    pub(super) fn pairs(&self) -> Vec<MetaPair> {
        let pair = |(name, content): &(String, String)| MetaPair {
            name: cut(name, NAME_BYTES_MAX).to_owned(),
            content: cut(content, TEXT_BYTES_MAX).to_owned(),
        };
        self.metas.iter().map(pair).collect()
    }

    pub(super) fn link(&self, rel: &str) -> Option<String> {
        let mut found = self
            .links
            .iter()
            .filter(|(name, _)| name.split(' ').any(|one| one == rel));
        found.next().map(|(_, target)| target.clone())
    }

    pub(super) fn directives(&self) -> Vec<Directive> {
        let is_one =
            |name: &str| DIRECTIVES.contains(&name) || name.ends_with("bot") || name.ends_with("bot-news");
        let metas = self.metas.iter().filter(|(name, _)| is_one(name));
        let metas = metas.map(|(name, content)| Directive {
            source: format!("meta {name}"),
            content: cut(content, TEXT_BYTES_MAX).to_owned(),
        });
        let is_policy = |target: &str| POLICIES.iter().any(|name| target.ends_with(name));
        let links = self.links.iter().filter(|(rel, target)| {
            is_policy(target)
                || rel
                    .split(' ')
                    .any(|one| matches!(one, "tdm-policy" | "tdm-reservation" | "ai-policy"))
        });
        let links = links.map(|(rel, target)| Directive {
            source: format!("link {rel}"),
            content: cut(target, TEXT_BYTES_MAX).to_owned(),
        });
        metas.chain(links).take(DIRECTIVES_MAX).collect()
    }
}

pub(super) fn from_headers(headers: &[(String, String)]) -> impl Iterator<Item = Directive> {
    let wanted = [
        "x-robots-tag",
        "tdm-reservation",
        "tdm-policy",
        "content-usage",
        "content-signal",
    ];
    let found = headers
        .iter()
        .filter(move |(name, _)| wanted.contains(&name.as_str()));
    found.map(|(name, value)| Directive {
        source: format!("header {name}"),
        content: value.trim().to_owned(),
    })
}
