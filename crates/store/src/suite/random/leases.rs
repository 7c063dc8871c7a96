//! Several workers at the hosts of a run: what they lease, renew, release, and lose.

use super::player::{Player, below, one_in, pick};
use crate::leases::{Fence, FencedHost, HostsWanted};
use crate::runs::RunRef;
use crate::store::Store;
use crate::suite::pages::later;
use crate::work::priority_behind;
use gleaner_model::chance::SplitMix;
use gleaner_model::defaults::HOST_LEASE;
use gleaner_model::{HostId, HostState, Timestamp};

const WORKERS: [&str; 3] = ["one", "two", "three"];

/// A lease as the worker remembers it who got it: by now it may be somebody else's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remembered {
    of: RunRef,
    worker: &'static str,
    lease: FencedHost,
}

/// A moment near the last one: less than a lease is long, or just as long.
fn moment(player: &mut Player, chance: &SplitMix) -> Timestamp {
    let lease_ms = HOST_LEASE.as_millis() as i64;
    player.now += pick(chance, &[0, 1, lease_ms / 3, lease_ms / 3, lease_ms]);
    later(player.now)
}

pub(super) async fn leases(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    for _ in 0..=below(chance, 4) {
        let (worker, now) = (pick(chance, &WORKERS), moment(player, chance));
        match below(chance, 4) {
            0 | 1 => lease(player, store, chance, (of, worker), now).await,
            2 => renew(player, store, chance, (of, worker), now).await,
            _ => release(player, store, chance, (of, worker)).await,
        }
    }
    if one_in(chance, 3) {
        let worker = pick(chance, &WORKERS).to_owned();
        let turn = store.take_settling(of, worker, later(player.now)).await.unwrap();
        player.tell("settling", turn);
    }
    let step = one_in(chance, 3).then(|| priority_behind(0));
    let finished = store.is_finished(of, step, later(player.now)).await.unwrap();
    player.tell("finished", finished);
}

async fn lease(
    player: &mut Player,
    store: &dyn Store,
    chance: &SplitMix,
    (of, worker): (RunRef, &'static str),
    now: Timestamp,
) {
    let wanted = HostsWanted {
        worker: worker.to_owned(),
        most: below(chance, 4),
        priority_below: one_in(chance, 3).then(|| priority_behind(below(chance, 2) as u32)),
        best_first: one_in(chance, 3),
    };
    let given = store.lease_hosts(of, wanted, now).await.unwrap();
    player.tell("leased", &given);
    let remembered = given.iter().map(|given| Remembered {
        of,
        worker,
        lease: given.fenced(),
    });
    player.leases.extend(remembered);
}

async fn renew(
    player: &mut Player,
    store: &dyn Store,
    chance: &SplitMix,
    (of, worker): (RunRef, &'static str),
    now: Timestamp,
) {
    let is_its = |held: &&Remembered| (held.of, held.worker) == (of, worker);
    let held = player.leases.iter().filter(is_its).map(|held| held.lease);
    let leases: Vec<FencedHost> = held.filter(|_| !one_in(chance, 4)).collect();
    let lost = store.renew_leases(of, leases, now).await.unwrap();
    player.tell("lost", &lost);
    // Some workers do not listen.
    if !one_in(chance, 3) {
        player
            .leases
            .retain(|held| held.of != of || held.worker != worker || !lost.contains(&held.lease));
    }
}

async fn release(
    player: &mut Player,
    store: &dyn Store,
    chance: &SplitMix,
    (of, worker): (RunRef, &'static str),
) {
    let goes = |held: &mut Remembered| (held.of, held.worker) == (of, worker) && one_in(chance, 2);
    let released: Vec<Remembered> = player.leases.extract_if(.., goes).collect();
    if let (Some(last), true) = (released.last(), one_in(chance, 4)) {
        player.leases.push(*last); // It forgets that it released it.
    }
    let state = |_: &Remembered| HostState {
        has_served: one_in(chance, 2),
        failures: below(chance, 3) as u32,
        documents: below(chance, 9) as u64,
        ..HostState::default()
    };
    let states = released.iter().map(|held| (held.lease, state(held))).collect();
    store.release_hosts(of, states).await.unwrap();
}

/// The host as somebody names it who may have lost it.
pub(super) fn fenced(player: &Player, chance: &SplitMix, of: RunRef, host: HostId) -> FencedHost {
    let named = |held: &&Remembered| held.of == of && held.lease.host == host;
    let all: Vec<FencedHost> = player
        .leases
        .iter()
        .filter(named)
        .map(|held| held.lease)
        .collect();
    let unheld = FencedHost {
        host,
        fence: Fence::default(),
    };
    match all.last() {
        None => unheld,
        Some(_) if one_in(chance, 6) => pick(chance, &all),
        Some(_) if one_in(chance, 12) => unheld,
        Some(newest) => *newest,
    }
}
