//! Who works on which host: memory beside the writer, because no other process writes to the folder.
//!
//! A lease writes nothing, and a look for hosts costs one step through an index for each that is given. Only what a host is
//! released with is written, without a sync: a power loss may take it, and the host is then taken for one that was released
//! before.

use super::catalog::Catalog;
use super::writer::RunWriter;
use crate::StoreError;
use crate::keep::Keep;
use crate::leases::{Fence, FencedHost, HostLease, HostsWanted};
use crate::settling::SettlingTurn;
use crate::work::RowPlace;
use gleaner_model::defaults::HOST_LEASE;
use gleaner_model::{HostId, HostState, RunId, Timestamp};
use rusqlite::OptionalExtension;
use std::collections::{BTreeSet, HashMap, HashSet};
use tracing::warn;

/// The leases of a run, as long as the process works on it.
#[derive(Default)]
pub(super) struct HostLeases {
    /// Of each host that somebody had.
    given: HashMap<HostId, GivenLease>,
    /// Hosts that may have rows and that may be given to anybody; none: to be looked up.
    free: Option<BTreeSet<HostId>>,
    /// No lease lapses before this moment.
    next_lapse: Timestamp,
    /// Who settles the run, and until when.
    settling: Option<(String, Timestamp)>,
}

struct GivenLease {
    fence: Fence,
    /// None: it was released.
    until: Option<Timestamp>,
}

impl HostLeases {
    fn is_current(&self, of: FencedHost) -> bool {
        self.given
            .get(&of.host)
            .map_or(Fence::default(), |lease| lease.fence)
            == of.fence
    }

    /// The lease, if it is neither released nor somebody else's.
    fn held(&mut self, of: FencedHost) -> Option<&mut GivenLease> {
        let lease = self.given.get_mut(&of.host);
        lease.filter(|lease| lease.fence == of.fence && lease.until.is_some())
    }

    fn is_given(&self, host: HostId) -> bool {
        self.given.get(&host).is_some_and(|lease| lease.until.is_some())
    }

    /// New rows of a host lie in the frontier.
    pub(super) fn has_rows(&mut self, host: HostId) {
        let is_given = self.is_given(host);
        if let Some(free) = self.free.as_mut().filter(|_| !is_given) {
            free.insert(host);
        }
    }

    /// Takes the pages of leases that are lost out of a batch.
    pub(super) fn take_late(&self, batch: &mut Vec<Keep>) -> Vec<Keep> {
        batch
            .extract_if(.., |keep| !self.is_current(keep.fenced_host()))
            .collect()
    }

    /// Hosts whose time is up may be given to anybody.
    fn free_lapsed(&mut self, now: Timestamp) {
        if now < self.next_lapse {
            return;
        }
        let leases = || {
            self.given
                .iter()
                .filter_map(|(host, lease)| Some((*host, lease.until?)))
        };
        let next = leases()
            .map(|(_, until)| until)
            .filter(|until| *until > now)
            .min();
        self.next_lapse = next.unwrap_or(now.after(HOST_LEASE));
        let lapsed: Vec<HostId> = leases()
            .filter(|(_, until)| *until <= now)
            .map(|(host, _)| host)
            .collect();
        if let Some(free) = &mut self.free {
            free.extend(lapsed);
        }
    }

    fn lives(&self, now: Timestamp) -> bool {
        self.given
            .values()
            .any(|lease| lease.until.is_some_and(|until| until > now))
    }

    /// Gives a host away; its new lease, and when the one before lapsed.
    fn give(&mut self, host: HostId, now: Timestamp) -> (Fence, Timestamp, Option<Timestamp>) {
        let until = now.after(HOST_LEASE);
        let lease = self.given.entry(host).or_insert(GivenLease {
            fence: Fence::default(),
            until: None,
        });
        lease.fence.0 += 1;
        let lapsed_at = lease.until.replace(until);
        self.next_lapse = self.next_lapse.min(until);
        (lease.fence, until, lapsed_at)
    }
}

impl RunWriter<'_> {
    pub(crate) fn lease_hosts(
        &mut self,
        wanted: &HostsWanted,
        now: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        if self.leases.free.is_none() {
            let mut waiting = self.catalog.hosts_waiting(self.run)?;
            waiting.retain(|host| !self.leases.is_given(*host));
            self.leases.free = Some(waiting.into_iter().collect());
            self.leases.next_lapse = Timestamp::default();
        }
        self.leases.free_lapsed(now);
        let mut free = self.leases.free.take().unwrap_or_default();
        let (given, empty) = self.catalog.hosts_with_rows(self.run, &free, wanted)?;
        let states = given
            .iter()
            .map(|(_, host)| self.catalog.host_state(self.run, *host));
        let states: Vec<HostState> = states.collect::<Result<_, _>>()?;
        // New rows bring those back, but for hosts that have lapsed.
        let empty = empty.iter().filter(|host| !self.leases.is_given(**host));
        for host in given.iter().map(|(_, host)| host).chain(empty) {
            free.remove(host);
        }
        // Where something failed before this, they are looked up the next time.
        self.leases.free = Some(free);
        let mut leases = Vec::with_capacity(given.len());
        for ((turn, host), state) in given.into_iter().zip(states) {
            let (fence, until, lapsed_at) = self.leases.give(host, now);
            if lapsed_at.is_some() {
                warn!(
                    host = host.0,
                    worker = wanted.worker,
                    "a lease lapsed: the host goes to another worker"
                );
            }
            leases.push(HostLease {
                host,
                fence,
                until,
                state,
                best_score: RowPlace::score_of(turn),
                lapsed_at,
            });
        }
        Ok(leases)
    }

    pub(crate) fn renew_leases(&mut self, leases: Vec<FencedHost>, now: Timestamp) -> Vec<FencedHost> {
        let mut lost = Vec::new();
        for lease in leases {
            match self.leases.held(lease) {
                Some(held) => {
                    held.until = Some(now.after(HOST_LEASE));
                    if let Some(free) = &mut self.leases.free {
                        free.remove(&lease.host); // It lapsed, and nobody took it.
                    }
                }
                None => lost.push(lease),
            }
        }
        lost
    }

    pub(crate) fn release_hosts(
        &mut self,
        mut released: Vec<(FencedHost, HostState)>,
    ) -> Result<(), StoreError> {
        // Who gives a host back has it no more: of two states for one lease the first holds.
        let mut given_back = HashSet::new();
        released.retain(|(lease, _)| self.leases.held(*lease).is_some() && given_back.insert(*lease));
        self.catalog.keep_host_states(self.run, &released)?;
        for (lease, _) in released {
            if let Some(held) = self.leases.held(lease) {
                held.until = None;
            }
            self.leases.has_rows(lease.host); // It may: who leases next looks.
        }
        Ok(())
    }

    pub(crate) fn is_finished(
        &self,
        priority_below: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(!self.leases.lives(now) && !self.catalog.has_rows_below(self.run, priority_below)?)
    }

    pub(crate) fn take_settling(
        &mut self,
        worker: String,
        now: Timestamp,
    ) -> Result<SettlingTurn, StoreError> {
        if self.catalog.is_settled(self.run)? {
            return Ok(SettlingTurn::Done);
        }
        let other = self.leases.settling.as_ref().filter(|(who, _)| *who != worker);
        if other.is_some_and(|(_, until)| *until > now) {
            return Ok(SettlingTurn::Anothers);
        }
        self.leases.settling = Some((worker, now.after(HOST_LEASE)));
        Ok(SettlingTurn::Ours)
    }

    /// Whether nobody got the host since.
    pub(super) fn is_current(&self, of: FencedHost) -> bool {
        self.leases.is_current(of)
    }
}

/// A host, and when it is the turn of its first row.
type InTurn = (i64, HostId);

impl Catalog {
    /// Of these hosts, those to be given that have rows whose turn has come, with the turns of the first of them, and those on the
    /// way there that have no rows at all.
    fn hosts_with_rows(
        &self,
        run: RunId,
        hosts: &BTreeSet<HostId>,
        wanted: &HostsWanted,
    ) -> Result<(Vec<InTurn>, Vec<HostId>), StoreError> {
        let (mut found, mut empty) = (Vec::new(), Vec::new());
        for host in hosts {
            if found.len() == wanted.most && !wanted.best_first {
                break;
            }
            match self.first_of_host(run, *host)? {
                None => empty.push(*host),
                Some((_, priority)) if wanted.priority_below.is_some_and(|below| priority >= below) => {}
                Some((turn, _)) => found.push((turn, *host)),
            }
        }
        if wanted.best_first {
            found.sort_unstable();
            found.truncate(wanted.most);
        }
        Ok((found, empty))
    }

    fn has_rows_below(&self, run: RunId, priority_below: Option<i64>) -> Result<bool, StoreError> {
        let mut any = self
            .db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM frontier WHERE run = ?1 AND priority <= ?2)")?;
        let priority_max = priority_below.map_or(i64::MAX, |below| below - 1);
        Ok(any.query_row((run.0, priority_max), |row| row.get(0))?)
    }

    fn is_settled(&self, run: RunId) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND settled_at IS NOT NULL)";
        let mut statement = self.db.prepare_cached(sql)?;
        Ok(statement.query_row([run.0], |row| row.get(0))?)
    }

    /// As the host was last released; what cannot be read is nothing known.
    fn host_state(&self, run: RunId, host: HostId) -> Result<HostState, StoreError> {
        let mut find = self
            .db
            .prepare_cached("SELECT state FROM host_states WHERE run = ?1 AND host = ?2")?;
        let stored: Option<String> = find.query_row((run.0, host.0), |row| row.get(0)).optional()?;
        Ok(stored
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    fn keep_host_states(&self, run: RunId, states: &[(FencedHost, HostState)]) -> Result<(), StoreError> {
        if states.is_empty() {
            return Ok(());
        }
        self.without_sync(|| {
            let transaction = self.db.unchecked_transaction()?;
            let mut put = transaction.prepare_cached(
                "INSERT INTO host_states(run, host, state) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET state = excluded.state",
            )?;
            for (lease, state) in states {
                let text = serde_json::to_string(state).unwrap_or_default();
                put.execute((run.0, lease.host.0, text))?;
            }
            drop(put);
            transaction.commit()?;
            Ok(())
        })
    }
}
