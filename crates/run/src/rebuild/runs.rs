//! To which run of which project does a capture belong? Ours say so themselves; of others, and of ours from before they did, the
//! order tells: a URL that comes again with other bytes, or much later, was fetched by another run.

use gleaner_model::project::{ScopeKind, TypeGroup};
use gleaner_model::{Project, RunId, Timestamp, Url};
use gleaner_parse::group_of;
use gleaner_store::Digest;
use gleaner_store::runs::RunKind;
use std::collections::{BTreeMap, HashMap};

/// The same bytes again within this time are no news: the same run asked twice.
const SAME_RUN_MS: i64 = 60 * 60 * 1000;

/// A run as its own record tells.
#[derive(Debug, Clone)]
pub(super) struct ToldRun {
    pub(super) project: Project,
    pub(super) kind: RunKind,
    pub(super) started_at: Option<Timestamp>,
}

impl ToldRun {
    /// None where the record tells too little.
    pub(super) fn of(fields: &BTreeMap<String, String>) -> Option<ToldRun> {
        let name = fields.get("isPartOf")?;
        let settings = fields.get("settings").map_or("", String::as_str);
        let project = serde_json::from_str(settings).unwrap_or_else(|_| Project::new(name, Vec::new()));
        Some(ToldRun {
            project,
            kind: match fields.get("kind").map(String::as_str) {
                Some("track") => RunKind::Track,
                _ => RunKind::Crawl,
            },
            started_at: fields
                .get("startedAt")
                .and_then(|at| at.parse().ok())
                .map(Timestamp),
        })
    }
}

/// Gives runs to captures that name none.
#[derive(Default)]
pub(super) struct Guess {
    seen: HashMap<String, (Digest, Timestamp)>,
    runs: u32,
}

impl Guess {
    /// The place of the run among those that are guessed, from 0 on; captures come in the order of time.
    pub(super) fn run_of(&mut self, url: &str, digest: Digest, at: Timestamp) -> u32 {
        if let Some((before, when)) = self.seen.get(url)
            && (*before != digest || at.0 - when.0 > SAME_RUN_MS)
        {
            self.runs += 1;
            self.seen.clear();
        }
        self.seen.insert(url.to_owned(), (digest, at));
        self.runs
    }
}

/// The numbers of `count` guessed runs: before the first that is known, where there is room.
pub(super) fn numbers(count: u32, first_known: Option<i64>) -> Vec<RunId> {
    let first = match first_known {
        Some(known) if known > i64::from(count) => known - i64::from(count),
        // More than there can have been: the last of them share a number with the run before the first that is known.
        Some(known) => {
            return (0..i64::from(count))
                .map(|n| RunId((n + 1).min((known - 1).max(1))))
                .collect();
        }
        None => 1,
    };
    (first..first + i64::from(count)).map(RunId).collect()
}

/// Settings under which a track takes all that is there: made from the documents, where nothing else tells.
pub(super) struct Observed {
    /// The first page of each origin, the oldest first.
    seeds: Vec<Url>,
    types: Vec<TypeGroup>,
}

impl Observed {
    pub(super) fn new() -> Observed {
        let usual = Project::new("", Vec::new());
        Observed {
            seeds: Vec::new(),
            types: usual.types,
        }
    }

    pub(super) fn note(&mut self, url: &Url, media_type: &str) {
        if !self.seeds.iter().any(|seed| seed.origin() == url.origin()) {
            self.seeds.push(url.clone());
        }
        let group = group_of(media_type);
        if !self.types.contains(&group) {
            self.types.push(group);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    /// Named after the first host, where nobody gives a name.
    pub(super) fn project(&self, name: Option<&str>) -> Project {
        let host = self.seeds.first().map(Url::authority).unwrap_or_default();
        let name = name.map_or_else(
            || {
                if host.is_empty() {
                    "rebuilt".to_owned()
                } else {
                    host
                }
            },
            str::to_owned,
        );
        let mut project = Project::new(&name, self.seeds.clone());
        project.scope = ScopeKind::Host;
        project.types.clone_from(&self.types);
        project.types.sort_unstable();
        // Whoever had these pages may ask for them again, wherever they are.
        project.allow_private = self
            .seeds
            .iter()
            .any(|seed| seed.host().parse::<std::net::IpAddr>().is_ok());
        project
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_comes_again_begins_a_run() {
        let (one, two) = (Digest::of(b"1"), Digest::of(b"2"));
        let mut guess = Guess::default();
        assert_eq!(guess.run_of("a", one, Timestamp(0)), 0);
        assert_eq!(guess.run_of("b", one, Timestamp(1)), 0);
        assert_eq!(guess.run_of("a", one, Timestamp(2)), 0, "asked twice");
        assert_eq!(guess.run_of("a", two, Timestamp(3)), 1);
        assert_eq!(guess.run_of("b", one, Timestamp(4)), 1);
        assert_eq!(guess.run_of("b", one, Timestamp(4 + 2 * SAME_RUN_MS)), 2);
    }

    #[test]
    fn guessed_runs_come_before_known_ones() {
        let ids = |count, known| {
            numbers(count, known)
                .into_iter()
                .map(|run| run.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(3, None), [1, 2, 3]);
        assert_eq!(ids(2, Some(7)), [5, 6]);
        assert_eq!(ids(4, Some(3)), [1, 2, 2, 2]);
        assert_eq!(ids(1, Some(1)), [1]);
    }
}
