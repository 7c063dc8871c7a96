//! What is kept, for readers: each looks through the maps when it is asked.

use super::MemoryStore;
use super::rows::Rows;
use crate::StoreError;
use crate::error::{no_project, no_run};
use crate::keep::Cut;
use crate::ledger::{
    ChangeId, ChangeLedger, ChangeRow, HoldingRow, Ledger, LinkLedger, LinkList, LinkLists, Moved,
    OpensLedgers, ResourcePlace, RunLedger, RunVisit, ThenLedger,
};
use crate::runs::{Counts, LastRun, ProjectRow, RunRow, SiteRules};
use crate::work::StoredRobots;
use gleaner_model::{
    DocumentId, Project, ProjectId, Reason, ResourceId, RunId, State, Timestamp, Url, VersionId,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

mod content;
mod documents;
mod following;
mod libraries;
mod structure;
mod versions;

/// A reader of a store in memory.
struct MemoryLedger {
    store: MemoryStore,
    /// A copy of everything, while one state is held.
    held: RefCell<Option<Box<Rows>>>,
}

impl MemoryLedger {
    fn look<T>(&self, look: impl FnOnce(&Rows) -> T) -> T {
        match &*self.held.borrow() {
            Some(rows) => look(rows),
            None => look(&self.store.rows()),
        }
    }
}

impl OpensLedgers for MemoryStore {
    fn ledger(&self) -> Result<Box<dyn Ledger>, StoreError> {
        Ok(Box::new(MemoryLedger {
            store: self.clone(),
            held: RefCell::default(),
        }))
    }
}

impl Ledger for MemoryLedger {
    fn opener(&self) -> Arc<dyn OpensLedgers> {
        Arc::new(self.store.clone())
    }

    fn hold(&self) -> Result<(), StoreError> {
        let rows = Box::new(self.store.rows().clone());
        *self.held.borrow_mut() = Some(rows);
        Ok(())
    }

    fn let_go(&self) {
        *self.held.borrow_mut() = None;
    }
}

impl RunLedger for MemoryLedger {
    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.look(|rows| rows.runs.keys().map(|run| rows.run_row(*run)).collect())
    }

    fn run(&self, run: RunId) -> Result<RunRow, StoreError> {
        self.look(|rows| rows.run_row(run))
    }

    fn last_run(&self) -> Result<Option<RunId>, StoreError> {
        self.look(|rows| Ok(rows.runs.keys().next_back().copied()))
    }

    fn last_run_of(&self, project: ProjectId) -> Result<Option<RunId>, StoreError> {
        self.look(|rows| Ok(rows.run_before(project, RunId(i64::MAX))))
    }

    fn run_began(&self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        self.look(|rows| Ok(rows.runs.get(&run).map(|row| row.started_at)))
    }

    fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        self.look(|rows| {
            let row = rows.runs.get(&run).ok_or_else(|| no_run(run))?;
            Ok((row.project, row.settings.clone()))
        })
    }

    fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        self.look(|rows| Ok(rows.counts(run)))
    }

    fn cuts(&self, run: RunId) -> Result<Vec<Cut>, StoreError> {
        let of_run = |rows: &Rows| -> Vec<Cut> {
            let cuts = rows.cuts.iter().filter(|((of, ..), _)| *of == run);
            cuts.map(|(_, cut)| cut.clone()).collect()
        };
        let mut cuts = self.look(of_run);
        cuts.sort_by(|a, b| {
            let place = |cut: &Cut| (u64::MAX - cut.count, cut.reason.code());
            place(a).cmp(&place(b)).then_with(|| a.shape.cmp(&b.shape))
        });
        Ok(cuts)
    }

    fn notes(&self, run: RunId) -> Result<Vec<String>, StoreError> {
        self.look(|rows| {
            let notes = rows.notes.iter().filter(|(of, _)| *of == run);
            Ok(notes.map(|(_, note)| note.clone()).collect())
        })
    }

    fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
        self.look(|rows| {
            let found = rows.project_named(name);
            Ok(found.map(|id| (id, rows.projects[&id].settings.clone())))
        })
    }

    fn project(&self, project: ProjectId) -> Result<Project, StoreError> {
        self.look(|rows| {
            let row = rows.projects.get(&project);
            row.map(|row| row.settings.clone())
                .ok_or_else(|| no_project(&project.to_string()))
        })
    }

    fn projects(&self) -> Result<Vec<String>, StoreError> {
        self.look(|rows| {
            let used = rows.projects.values().filter(|row| row.archived_at.is_none());
            Ok(used.map(|row| row.settings.name.clone()).collect())
        })
    }

    fn project_rows(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.look(|rows| {
            let row = |(&id, project): (&ProjectId, &super::rows::HeldProject)| {
                let last = rows.run_before(id, RunId(i64::MAX));
                ProjectRow {
                    id,
                    name: project.settings.name.clone(),
                    created_at: project.created_at,
                    archived_at: project.archived_at,
                    runs: rows.runs.values().filter(|run| run.project == id).count() as u64,
                    documents: rows.documents_there(id).count() as u64,
                    last_run: last.map(|run| LastRun {
                        id: run,
                        status: rows.runs[&run].status,
                        started_at: rows.runs[&run].started_at,
                    }),
                }
            };
            Ok(rows.projects.iter().map(row).collect())
        })
    }

    fn projects_under(&self, prefix: &str) -> Result<Vec<ProjectId>, StoreError> {
        self.look(|rows| {
            let mut newest: BTreeMap<ProjectId, Option<VersionId>> = BTreeMap::new();
            for document in rows.documents.values() {
                if rows.resources[&document.resource]
                    .url
                    .as_str()
                    .starts_with(prefix)
                {
                    let last = newest.entry(document.project).or_default();
                    *last = (*last).max(document.version);
                }
            }
            let mut found: Vec<_> = newest.into_iter().collect();
            found.sort_by_key(|(_, version)| std::cmp::Reverse(*version));
            Ok(found.into_iter().map(|(project, _)| project).collect())
        })
    }

    fn noise(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        self.look(|rows| Ok(rows.noises.get(&(project, site.to_owned())).cloned()))
    }

    fn all_site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        self.look(|rows| {
            let rules = rows.site_rules.iter().filter(|((of, _), _)| *of == project);
            Ok(rules.map(|(_, rules)| rules.clone()).collect())
        })
    }

    fn site_rules(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        self.look(|rows| {
            let rules = rows.site_rules.get(&(project, site.to_owned()));
            Ok(rules.map(|rules| rules.rules.clone()))
        })
    }

    fn robots_of(&self, url: &Url) -> Result<Option<StoredRobots>, StoreError> {
        self.look(|rows| {
            let mut hosts = rows.hosts.values();
            let host = hosts.find(|host| {
                (host.scheme.as_str(), host.name.as_str(), host.port)
                    == (url.scheme(), url.host(), url.port())
            });
            Ok(host.and_then(|host| host.robots.clone()))
        })
    }
}

impl ChangeLedger for MemoryLedger {
    fn changes(
        &self,
        run: RunId,
        state: Option<State>,
        after: Option<ChangeId>,
        limit: usize,
    ) -> Result<Vec<ChangeRow>, StoreError> {
        self.look(|rows| {
            let changes = rows.changes_in_order(run).into_iter().filter(|(_, change)| {
                state.is_none_or(|state| change.state == state)
                    && after.is_none_or(|after| change.number > after.0)
            });
            let row = |(resource, change): (ResourceId, &super::rows::HeldChange)| {
                let at = &rows.resources[&resource];
                let newest = change.document.and_then(|id| rows.documents.get(&id)?.version);
                let shown = match change.state {
                    State::New | State::Upd => change.version,
                    _ => change.version.or(newest),
                };
                let version = shown.and_then(|id| rows.versions.get(&id));
                ChangeRow {
                    change: ChangeId(change.number),
                    state: change.state,
                    document: change.document,
                    url: at.url.as_str().to_owned(),
                    media_type: version
                        .map(|row| row.media_type.clone())
                        .or(at.media_type.clone()),
                    title: version.and_then(|row| row.title.clone()).or(at.title.clone()),
                    size: version.map(|row| row.size),
                    reason: change.reason,
                    detail: change.detail.clone(),
                    version: change.version,
                    is_orphan: change.is_orphan,
                    moved_from: change
                        .moved_from
                        .map(|from| rows.resources[&from].url.as_str().to_owned()),
                }
            };
            Ok(changes.take(limit).map(row).collect())
        })
    }

    fn states(&self, run: RunId) -> Result<Vec<(State, bool, u64)>, StoreError> {
        self.look(|rows| {
            let mut counts: BTreeMap<(&str, bool), (State, u64)> = BTreeMap::new();
            for (_, change) in rows.changes_of(run) {
                let place = (change.state.as_str(), change.document.is_some());
                counts.entry(place).or_insert((change.state, 0)).1 += 1;
            }
            Ok(counts
                .into_iter()
                .map(|((_, is_document), (state, count))| (state, is_document, count))
                .collect())
        })
    }

    fn count_of_reason(&self, run: RunId, reason: Reason) -> Result<(u64, Option<String>), StoreError> {
        self.look(|rows| {
            let changes = rows
                .changes_of(run)
                .filter(|(_, change)| change.reason == Some(reason));
            let urls: Vec<&str> = changes
                .map(|(resource, _)| rows.resources[&resource].url.as_str())
                .collect();
            Ok((urls.len() as u64, urls.iter().min().map(|url| (*url).to_owned())))
        })
    }
}

impl LinkLedger for MemoryLedger {
    fn place(&self, resource: ResourceId) -> Result<Option<ResourcePlace>, StoreError> {
        self.look(|rows| {
            Ok(rows.resources.get(&resource).map(|row| ResourcePlace {
                key: row.key,
                url: row.url.as_str().to_owned(),
                status: row.status,
            }))
        })
    }

    fn visit(&self, run: RunId, resource: ResourceId) -> Result<Option<RunVisit>, StoreError> {
        self.look(|rows| {
            Ok(rows.visits.get(&(run, resource)).map(|visit| RunVisit {
                depth: visit.depth,
                at: visit.at,
                status: visit.status,
                reason: visit.reason,
                legs: visit.legs.clone(),
            }))
        })
    }

    fn links_of(&self, page: ResourceId, run: Option<RunId>) -> Result<LinkLists, StoreError> {
        self.look(|rows| {
            let mut lists = LinkLists::default();
            let now = rows.page_links.get(&page);
            if let Some(now) = now.filter(|list| run.is_none_or(|run| list.first_run <= run)) {
                lists.push(page, &now.list);
            } else if let Some(run) = run {
                let then = rows.past_links.range((page, RunId(i64::MIN))..=(page, run));
                let then = then.rev().find(|(_, list)| list.gone_run > run);
                if let Some((_, then)) = then {
                    lists.push(page, &then.list);
                }
            }
            Ok(lists)
        })
    }

    fn pages_that_name(&self, target: ResourceId) -> Result<Vec<ResourceId>, StoreError> {
        self.look(|rows| {
            let naming = rows
                .page_links
                .iter()
                .filter(|(_, list)| LinkList::new(&list.list).any(|link| link.target == target));
            Ok(naming.map(|(page, _)| *page).collect())
        })
    }
}

impl ThenLedger for MemoryLedger {
    fn holding_rows(
        &self,
        project: ProjectId,
        run: RunId,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<HoldingRow>, StoreError> {
        self.look(|rows| {
            let documents = rows.documents.iter().filter(|(id, document)| {
                document.project == project && after.is_none_or(|after| **id > after)
            });
            let row = |(&id, document): (&DocumentId, &super::rows::HeldDocument)| {
                let own = || rows.versions.iter().filter(|(_, version)| version.document == id);
                let (version, row) = own().rfind(|(_, version)| version.run <= run)?;
                let at = &rows.resources[&document.resource];
                Some(HoldingRow {
                    document: id,
                    version: *version,
                    run: row.run,
                    key: at.key,
                    url: at.url.as_str().to_owned(),
                    host: rows.hosts[&at.host].name.clone(),
                    media_type: row.media_type.clone(),
                    charset: row.charset.clone(),
                    title: row.title.clone(),
                    size: row.size,
                    fetched_at: row.fetched_at,
                    first_fetched_at: own().next()?.1.fetched_at,
                    digest: row.digest,
                    is_lost: false,
                })
            };
            Ok(documents.filter_map(row).take(limit).collect())
        })
    }

    fn moves(&self, run: RunId) -> Result<Vec<Moved>, StoreError> {
        self.look(|rows| {
            let moves = rows.changes_of(run).filter_map(|(resource, change)| {
                Some(Moved {
                    document: change.document,
                    from: change.moved_from?,
                    to: resource,
                })
            });
            Ok(moves.collect())
        })
    }
}
