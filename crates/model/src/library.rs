//! What a library collects: the settings of one, as stored with it and with every cycle (G1 to G12).

use crate::Project;
use serde::{Deserialize, Serialize};

/// In which order the addresses of a site are asked for, and by which rules a site is left and a new one taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VisitOrder {
    /// Links that promise most come first.
    #[default]
    BestFirst,
    BreadthFirst,
    /// Breadth-first with S1's stop rule and its rule for new sites.
    S1,
}

impl VisitOrder {
    pub fn as_str(self) -> &'static str {
        match self {
            VisitOrder::BestFirst => "best-first",
            VisitOrder::BreadthFirst => "breadth-first",
            VisitOrder::S1 => "s1",
        }
    }
}

/// When a site is visited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RevisitMode {
    /// When a visit is worth it.
    #[default]
    Index,
    /// S1's five levels, repaired.
    Levels,
    LevelsAsPrinted,
}

/// Who says what kind of document something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentFilterKind {
    #[default]
    Model,
    S1,
}

/// When a site is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopRuleKind {
    /// When it is unlikely that it still gives enough.
    #[default]
    Yield,
    S1,
    Never,
}

/// Which documents are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptSettings {
    /// Names of genres; empty: those that libraries usually keep.
    pub genres: Vec<String>,
    /// Two letters each; empty: any.
    pub languages: Vec<String>,
    /// As in [`DOCUMENT_TYPES`].
    pub types: Vec<String>,
    pub min_bytes: u64,
    pub max_bytes: u64,
    pub filter: DocumentFilterKind,
    pub score: f64,
    pub topic: f64,
    /// A score this near to its threshold waits for a person.
    pub uncertain: f64,
}

/// Types of documents as people name them, and whether they are kept where nobody says otherwise.
pub const DOCUMENT_TYPES: [(&str, bool); 14] = [
    ("pdf", true),
    ("ps", true),
    ("doc", true),
    ("docx", true),
    ("ppt", true),
    ("pptx", true),
    ("odt", true),
    ("rtf", true),
    ("tex", true),
    ("txt", true),
    ("md", true),
    ("epub", true),
    ("html", false),
    ("xml", false),
];

impl Default for AcceptSettings {
    fn default() -> AcceptSettings {
        let usual = DOCUMENT_TYPES.iter().filter(|(_, is_usual)| *is_usual);
        AcceptSettings {
            genres: Vec::new(),
            languages: Vec::new(),
            types: usual.map(|(name, _)| (*name).to_owned()).collect(),
            min_bytes: 0,
            max_bytes: crate::defaults::BODY_BYTES_MAX,
            filter: DocumentFilterKind::default(),
            score: 0.5,
            topic: 0.5,
            uncertain: 0.1,
        }
    }
}

/// What a cycle may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleBudget {
    /// Requests of a cycle, and at one site.
    pub pages: u64,
    pub pages_per_site: u64,
    pub seconds: Option<u64>,
    pub seconds_per_site: Option<u64>,
}

impl Default for CycleBudget {
    fn default() -> CycleBudget {
        CycleBudget {
            pages: 10_000,
            pages_per_site: 1000,
            seconds: None,
            seconds_per_site: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleSettings {
    /// Sites of a cycle, and the share of them that is for new ones.
    pub places: usize,
    pub new_share: f64,
    /// Between the end of a cycle and the next one.
    pub wait_seconds: u64,
    /// Requests at a site on trial.
    pub trial_pages: u64,
}

impl Default for CycleSettings {
    fn default() -> CycleSettings {
        CycleSettings {
            places: 30,
            new_share: 0.5,
            wait_seconds: 0,
            trial_pages: 50,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopSettings {
    pub rule: StopRuleKind,
    /// The least that pays: accepted documents per 100 requests.
    pub yield_min: f64,
    pub doubt: f64,
    pub pages_min: u64,
}

impl Default for StopSettings {
    fn default() -> StopSettings {
        StopSettings {
            rule: StopRuleKind::default(),
            yield_min: 0.5,
            doubt: 0.05,
            pages_min: 200,
        }
    }
}

/// A search service, as far as the file tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchService {
    pub name: String,
    pub url: String,
}

/// Everything that a library's file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibrarySettings {
    /// What the runs of all cycles have in common: the name, the manners. Its seeds are those of the cycle.
    pub project: Project,
    pub topic: Vec<String>,
    /// Files (whole paths) or addresses.
    pub examples: Vec<String>,
    pub counterexamples: Vec<String>,
    /// Addresses, lists and bookmark files.
    pub sites: Vec<String>,
    pub order: VisitOrder,
    pub revisit: RevisitMode,
    pub finds_sites: bool,
    pub accept: AcceptSettings,
    pub budget: CycleBudget,
    pub cycle: CycleSettings,
    pub stop: StopSettings,
    pub services: Vec<SearchService>,
}

impl LibrarySettings {
    pub fn new(name: &str) -> LibrarySettings {
        LibrarySettings {
            project: Project::new(name, Vec::new()),
            topic: Vec::new(),
            examples: Vec::new(),
            counterexamples: Vec::new(),
            sites: Vec::new(),
            order: VisitOrder::default(),
            revisit: RevisitMode::default(),
            finds_sites: true,
            accept: AcceptSettings::default(),
            budget: CycleBudget::default(),
            cycle: CycleSettings::default(),
            stop: StopSettings::default(),
            services: Vec::new(),
        }
    }

    pub fn name(&self) -> &str {
        &self.project.name
    }
}
