//! One of a few words: what may stand behind an option, and what the model calls it.

use clap::ValueEnum;
use gleaner_model::project::{Lastmod, ScopeKind, Sitemaps, TypeGroup, VerifyContent};

#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum LastmodArgument {
    /// Those of hosts whose dates were right before
    #[default]
    Earned,
    /// All of them
    Always,
    /// None of them
    Never,
}

impl From<LastmodArgument> for Lastmod {
    fn from(lastmod: LastmodArgument) -> Lastmod {
        match lastmod {
            LastmodArgument::Earned => Lastmod::Earned,
            LastmodArgument::Always => Lastmod::Always,
            LastmodArgument::Never => Lastmod::Never,
        }
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum VerifyArgument {
    /// Believe the listing
    #[default]
    Never,
    /// One in a hundred, others each time
    Sample,
    /// Every one
    All,
}

impl From<VerifyArgument> for VerifyContent {
    fn from(verify: VerifyArgument) -> VerifyContent {
        match verify {
            VerifyArgument::Never => VerifyContent::Never,
            VerifyArgument::Sample => VerifyContent::Sample,
            VerifyArgument::All => VerifyContent::All,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// The given URLs' own hosts
    Host,
    /// Every host under their domains
    Domain,
    /// Their folders and what lies below
    Subtree,
    /// Only the given URLs
    List,
    /// Everywhere
    Web,
}

impl From<ScopeArgument> for ScopeKind {
    fn from(scope: ScopeArgument) -> ScopeKind {
        match scope {
            ScopeArgument::Host => ScopeKind::Host,
            ScopeArgument::Domain => ScopeKind::Domain,
            ScopeArgument::Subtree => ScopeKind::Subtree,
            ScopeArgument::List => ScopeKind::List,
            ScopeArgument::Web => ScopeKind::Web,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SitemapsArgument {
    /// Unless --depth is given
    Auto,
    /// Yes
    On,
    /// No
    Off,
}

impl From<SitemapsArgument> for Sitemaps {
    fn from(sitemaps: SitemapsArgument) -> Sitemaps {
        match sitemaps {
            SitemapsArgument::Auto => Sitemaps::Auto,
            SitemapsArgument::On => Sitemaps::On,
            SitemapsArgument::Off => Sitemaps::Off,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TypeArgument {
    /// HTML and XHTML
    Html,
    /// XML, feeds, JSON
    Xml,
    /// Plain text, Markdown, CSV, source code
    Text,
    /// PDF, office formats, TeX, RTF, EPUB
    Documents,
    /// Style sheets, scripts and fonts
    Assets,
    /// Images
    Images,
    /// Audio
    Audio,
    /// Video
    Video,
    /// Archives, programs, everything unknown
    Other,
    /// Everything
    All,
}

/// The groups of several arguments.
pub(crate) fn type_groups(arguments: &[TypeArgument]) -> Vec<TypeGroup> {
    let mut groups: Vec<TypeGroup> = arguments
        .iter()
        .flat_map(|argument| match argument {
            TypeArgument::Html => vec![TypeGroup::Html],
            TypeArgument::Xml => vec![TypeGroup::Xml],
            TypeArgument::Text => vec![TypeGroup::Text],
            TypeArgument::Documents => vec![TypeGroup::Documents],
            TypeArgument::Assets => vec![TypeGroup::Assets],
            TypeArgument::Images => vec![TypeGroup::Images],
            TypeArgument::Audio => vec![TypeGroup::Audio],
            TypeArgument::Video => vec![TypeGroup::Video],
            TypeArgument::Other => vec![TypeGroup::Other],
            TypeArgument::All => TypeGroup::ALL.to_vec(),
        })
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatArgument {
    /// For people
    Text,
    /// One object per line
    Json,
    /// For spreadsheets
    Csv,
    /// One self-contained page
    Html,
}
