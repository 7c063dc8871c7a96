//! The last stage of a run, with what a judge of hosts would do about what it sees.

use super::player::{Player, below, one_in, pick};
use crate::runs::RunRef;
use crate::settling::{Move, TakenBack};
use crate::store::Store;
use gleaner_model::chance::SplitMix;
use gleaner_model::{Reason, ResourceId, State};

pub(super) async fn settle(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    // Nothing is on its way when a run is settled.
    player.taken.clear();
    match below(chance, 6) {
        0 => moves(player, store, chance, of).await,
        1 => hosts(player, store, chance, of).await,
        2 => {
            let found = store.candidates(of, State::New, None).await.unwrap();
            player.tell("new", &found);
            let drop = found.into_iter().filter(|_| one_in(chance, 2));
            store.drop_new(of, drop.collect()).await.unwrap();
        }
        3 => {
            let seeds = vec![ResourceId(1)];
            let steps = if player.has_steps(of) { 3 } else { 0 };
            let count = store.mark_orphans(of, seeds, steps).await.unwrap();
            player.tell("orphans", count);
        }
        4 => {
            let found = store.unlisted(of, vec!["ftp"]).await.unwrap();
            player.tell("unlisted", &found);
            let states = [State::Mis, State::Err];
            let judged = found
                .into_iter()
                .map(|document| (document, pick(chance, &states), Reason::CutShort));
            let (judged, now) = (judged.collect(), player.now());
            store.keep_unlisted(of, judged, now).await.unwrap();
        }
        _ => {
            let now = player.now();
            store.seal(of, vec!["all is well".to_owned()], now).await.unwrap();
        }
    }
}

async fn moves(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let gone = store.candidates(of, State::Mis, None).await.unwrap();
    let new = store.candidates(of, State::New, None).await.unwrap();
    player.tell("may have moved", (&gone, &new));
    if let (Some(old), Some(new)) = (gone.first(), new.last()) {
        let same_as = one_in(chance, 2).then_some(old.version);
        let moved = Move {
            old: old.clone(),
            new: new.clone(),
            state: pick(chance, &[State::Sam, State::Upd]),
            same_as,
            detail: "moved".to_owned(),
        };
        store.keep_move(of, moved).await.unwrap();
        player.tell("moved", 1);
    }
    if let Some(other) = gone.get(1) {
        let end = store.end_of_redirects(other.resource).await.unwrap();
        player.tell("leads to", end);
        let detail = "the same elsewhere".to_owned();
        store
            .keep_same_elsewhere(of, other.document, detail)
            .await
            .unwrap();
    }
}

async fn hosts(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    for counts in store.counts_by_host(of).await.unwrap() {
        let documents = store.host_documents(of, counts.host).await.unwrap();
        player.tell("host", (&counts, &documents));
        let (mut taken, mut withheld) = (Vec::new(), Vec::new());
        for document in documents {
            match (document.state, document.version) {
                (State::Upd, Some(version)) if one_in(chance, 2) => taken.push(TakenBack {
                    document: document.document,
                    resource: document.resource,
                    version,
                    reason: Reason::SameForAll,
                }),
                (State::Mis, _) => withheld.push((document.document, document.resource)),
                _ => {}
            }
        }
        let detail = || "the host is away".to_owned();
        store.take_back(of, taken, detail()).await.unwrap();
        store.withhold(of, withheld, detail()).await.unwrap();
    }
}
