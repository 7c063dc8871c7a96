//! What to collect: the settings of a project, as stored with it and with every run of it.

use crate::steps::{Auth, Login, Step, Value};
use crate::{Url, defaults};
use serde::{Deserialize, Serialize};

/// How far from its seeds a crawl goes (A5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The seeds' own hosts (scheme and port may differ only as http/https on default ports do).
    #[default]
    Host,
    /// Every host under the seeds' registrable domains.
    Domain,
    /// The seeds' folders and what lies below them.
    Subtree,
    /// The seeds alone.
    List,
    /// Everything.
    Web,
}

impl ScopeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ScopeKind::Host => "host",
            ScopeKind::Domain => "domain",
            ScopeKind::Subtree => "subtree",
            ScopeKind::List => "list",
            ScopeKind::Web => "web",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleAction {
    Allow,
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternKind {
    Regex,
    Glob,
    Prefix,
}

/// Allow or deny by pattern over the canonical URL; the first match wins (A3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub action: RuleAction,
    pub pattern_kind: PatternKind,
    pub pattern: String,
    /// Why it is there, for people.
    #[serde(default)]
    pub note: String,
}

/// Whether sitemaps feed the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Sitemaps {
    /// Read them unless a depth limit says how far from the seeds to go.
    #[default]
    Auto,
    On,
    Off,
}

/// Groups of document types (A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeGroup {
    /// HTML and XHTML.
    Html,
    /// XML, feeds, sitemaps, JSON.
    Xml,
    /// Plain text, Markdown, CSV, source code.
    Text,
    /// PDF, PostScript, office formats, TeX, RTF, EPUB.
    Documents,
    /// Style sheets, scripts and fonts.
    Assets,
    Images,
    Audio,
    Video,
    /// Archives, programs, unknown binaries.
    Other,
}

impl TypeGroup {
    pub const ALL: [TypeGroup; 9] = [
        TypeGroup::Html,
        TypeGroup::Xml,
        TypeGroup::Text,
        TypeGroup::Documents,
        TypeGroup::Assets,
        TypeGroup::Images,
        TypeGroup::Audio,
        TypeGroup::Video,
        TypeGroup::Other,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TypeGroup::Html => "html",
            TypeGroup::Xml => "xml",
            TypeGroup::Text => "text",
            TypeGroup::Documents => "documents",
            TypeGroup::Assets => "assets",
            TypeGroup::Images => "images",
            TypeGroup::Audio => "audio",
            TypeGroup::Video => "video",
            TypeGroup::Other => "other",
        }
    }
}

/// Which versions of a document stay (B7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Retention {
    #[default]
    All,
    /// The newest so many of each document.
    Versions(u32),
    /// Those that were current within the last so many days.
    Days(u32),
}

/// As people write it: `all`, `5`, `90d`.
impl std::fmt::Display for Retention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Retention::All => f.write_str("all"),
            Retention::Versions(count) => write!(f, "{count}"),
            Retention::Days(days) => write!(f, "{days}d"),
        }
    }
}

impl std::str::FromStr for Retention {
    type Err = String;

    fn from_str(text: &str) -> Result<Retention, String> {
        let (digits, make): (_, fn(u32) -> Retention) = match text.strip_suffix('d') {
            Some(days) => (days, Retention::Days),
            None => (text, Retention::Versions),
        };
        match digits.parse() {
            _ if text == "all" => Ok(Retention::All),
            Ok(0) => Err("at least 1 is needed: the newest version always stays".to_owned()),
            Ok(number) => Ok(make(number)),
            Err(_) => Err("`all`, a number of versions (5) or a number of days (90d) is needed".to_owned()),
        }
    }
}

/// Whether documents whose metadata says "unchanged" are fetched all the same: servers' clocks are coarse, and some lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerifyContent {
    #[default]
    Never,
    /// One in a hundred, others each time.
    Sample,
    All,
}

impl VerifyContent {
    /// One of so many; 0 for none.
    pub fn sample(self) -> u32 {
        match self {
            VerifyContent::Never => 0,
            VerifyContent::Sample => 100,
            VerifyContent::All => 1,
        }
    }
}

/// Whether the dates in sitemaps and Atom feeds are believed: a page that did not change since the last look is not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lastmod {
    /// Those of hosts whose lists announced what changed, again and again, and never failed to.
    #[default]
    Earned,
    Always,
    Never,
}

/// Everything that decides what a run does; stored as JSON with the project and, unchanged, with each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch that a person sets in a project file"
)]
pub struct Project {
    pub name: String,
    /// As given, canonical.
    pub seeds: Vec<String>,
    pub scope: ScopeKind,
    /// First match wins; without a match the scope decides.
    pub rules: Vec<Rule>,
    pub types: Vec<TypeGroup>,
    pub sitemaps: Sitemaps,
    /// Links away from a seed; `None` is no limit.
    pub depth_max: Option<u32>,
    pub pages_max: Option<u64>,
    pub pages_per_host_max: Option<u64>,
    pub bytes_max: Option<u64>,
    pub seconds_max: Option<u64>,
    pub body_bytes_max: u64,
    pub concurrency: usize,
    pub per_host: usize,
    /// The shortest time between two requests to one host; `0` switches the adaptive pace off too.
    pub delay_ms: u64,
    /// All hosts together.
    pub bandwidth_bytes_per_s: Option<u64>,
    pub user_agent: String,
    /// robots.txt, robots meta and X-Robots-Tag count.
    pub obey_robots: bool,
    pub allow_private: bool,
    /// How often one URL is asked for at most, while its failure may pass.
    pub tries_max: u32,
    /// When two versions are the same, as `gleaner_judge` reads it (B6); empty: its default.
    #[serde(default)]
    pub equality: String,
    #[serde(default)]
    pub retention: Retention,
    #[serde(default)]
    pub verify_content: VerifyContent,
    #[serde(default)]
    pub lastmod: Lastmod,
    /// Links inside PDF, office documents and books are followed as those of pages are (A8).
    #[serde(default = "yes")]
    pub document_links: bool,
    /// What a page needs to look as it does (style sheets, scripts, images, fonts) is taken with it, from other hosts too.
    #[serde(default)]
    pub requisites: bool,
    /// Only documents whose file name is like one of these are kept; empty: all. Pages are read for their links all the same.
    #[serde(default)]
    pub accept: Vec<String>,
    /// Documents whose file name is like one of these are not kept.
    #[serde(default)]
    pub reject: Vec<String>,
    /// Addresses in scripts and comments are asked for too, late and only while they lead somewhere (A8).
    #[serde(default = "yes")]
    pub script_links: bool,
    /// A person said that what is gone or empty really is, whole sites and folders included: for one run.
    #[serde(default)]
    pub believes_empty: bool,
    /// What becomes of addresses that no rule speaks about: nothing said, the scope decides.
    #[serde(default)]
    pub rules_default: Option<RuleAction>,
    /// Parts of addresses that tell no pages apart, as `?name` or `;name`: not asked for, no part of the identity (B4).
    #[serde(default)]
    pub volatile: Vec<String>,
    /// What a visitor would do. Without steps everything in scope is taken from the seeds on.
    #[serde(default)]
    pub steps: Vec<Step>,
    #[serde(default)]
    pub login: Option<Login>,
    #[serde(default)]
    pub auth: Auth,
    /// Sent to the origins of seeds and steps only.
    #[serde(default)]
    pub headers: Vec<(String, Value)>,
    /// A browser's cookies, as `cookies.txt`.
    #[serde(default)]
    pub cookies_file: Option<String>,
    /// When to come back, as people write it; empty: when told.
    #[serde(default)]
    pub schedule: String,
    #[serde(default)]
    pub notify: Vec<Notify>,
}

fn yes() -> bool {
    true
}

/// Who is notified when a run has found something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// A web address (`https:`) or one of mail (`mailto:`).
    pub to: String,
    /// States that are worth a message; empty: all but SAM.
    #[serde(default)]
    pub states: Vec<String>,
    /// What a webhook's messages are signed with.
    #[serde(default)]
    pub secret: Option<Value>,
}

impl Project {
    pub fn new(name: &str, seeds: Vec<Url>) -> Project {
        Project {
            name: name.to_owned(),
            seeds: seeds.into_iter().map(|seed| seed.to_string()).collect(),
            scope: ScopeKind::default(),
            rules: Vec::new(),
            types: vec![
                TypeGroup::Html,
                TypeGroup::Xml,
                TypeGroup::Text,
                TypeGroup::Documents,
            ],
            sitemaps: Sitemaps::default(),
            depth_max: None,
            pages_max: None,
            pages_per_host_max: None,
            bytes_max: None,
            seconds_max: None,
            body_bytes_max: defaults::BODY_BYTES_MAX,
            concurrency: defaults::CONCURRENCY,
            per_host: defaults::PER_HOST,
            delay_ms: defaults::DELAY.as_millis() as u64,
            bandwidth_bytes_per_s: None,
            user_agent: String::new(),
            obey_robots: true,
            allow_private: false,
            tries_max: defaults::TRIES_MAX,
            equality: String::new(),
            retention: Retention::default(),
            verify_content: VerifyContent::default(),
            lastmod: Lastmod::default(),
            document_links: true,
            requisites: false,
            accept: Vec::new(),
            reject: Vec::new(),
            script_links: true,
            believes_empty: false,
            rules_default: None,
            volatile: Vec::new(),
            steps: Vec::new(),
            login: None,
            auth: Auth::default(),
            headers: Vec::new(),
            cookies_file: None,
            schedule: String::new(),
            notify: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Retention;

    #[test]
    fn retention_reads_as_it_is_written() {
        for (text, retention) in [
            ("all", Retention::All),
            ("5", Retention::Versions(5)),
            ("90d", Retention::Days(90)),
        ] {
            assert_eq!(text.parse(), Ok(retention));
            assert_eq!(retention.to_string(), text);
        }
        for wrong in ["", "0", "0d", "d", "-1", "5h", "5000000000", "none"] {
            assert!(wrong.parse::<Retention>().is_err(), "{wrong}");
        }
    }
}
