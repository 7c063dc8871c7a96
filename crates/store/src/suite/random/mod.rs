//! The same random calls to two stores, every answer compared.
//!
//! A sequence that shows a difference is made short before it is printed: calls are left out as long as the difference stays.

mod calls;
mod leases;
mod looks;
mod pages;
mod player;
mod reads;
mod settle;

use crate::MemoryStore;
use crate::suite::on_sqlite::Opened;
use gleaner_model::chance::SplitMix;
use player::{Call, Player};
use std::panic::AssertUnwindSafe;

const SEQUENCES: u64 = 100;
const CALLS: usize = 100;

/// The first call whose answers differ, with both answers.
struct Difference {
    call: usize,
    memory: String,
    sqlite: String,
}

fn sequence(seed: u64) -> Vec<Call> {
    let chance = SplitMix::seeded(seed);
    (0..CALLS).map(|_| Call::any(&chance)).collect()
}

fn play(calls: &[Call]) -> Option<Difference> {
    let memory = MemoryStore::default();
    let mut sqlite = Opened::new();
    let (mut one, mut other) = (Player::default(), Player::default());
    for (number, call) in calls.iter().enumerate() {
        if call.is_crash() {
            memory.restart();
            sqlite.open_again();
        }
        let said = told(|| crate::wait(one.play(&memory, call)));
        let also = told(|| crate::wait(other.play(sqlite.store(), call)));
        if said != also {
            let lines = said.lines().zip(also.lines());
            let same = lines.take_while(|(a, b)| a == b).count();
            let from = |text: &str| text.lines().skip(same).take(3).collect::<Vec<_>>().join("\n");
            return Some(Difference {
                call: number,
                memory: from(&said),
                sqlite: from(&also),
            });
        }
    }
    None
}

/// A call that fails is an answer too.
fn told(play: impl FnOnce() -> String) -> String {
    std::panic::catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>();
        format!("failed: {}", text.map_or("it does not say why", String::as_str))
    })
}

/// A short sequence with a difference, made of one that has one.
fn shrink(mut calls: Vec<Call>) -> (Vec<Call>, Difference) {
    let mut found = play(&calls).expect("there is a difference");
    let mut piece = calls.len();
    while piece > 0 {
        calls.truncate(found.call + 1);
        let mut at = 0;
        while at < calls.len() {
            let mut fewer = calls.clone();
            fewer.drain(at..calls.len().min(at + piece));
            match play(&fewer) {
                Some(difference) => (calls, found) = (fewer, difference),
                None => at += piece,
            }
        }
        piece /= 2;
    }
    (calls, found)
}

#[test]
fn random_calls_are_answered_alike_by_every_store() {
    let one = std::env::var("GLEANER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let more = std::env::var("GLEANER_SEQUENCES")
        .ok()
        .and_then(|count| count.parse().ok());
    let seeds = one.map_or(0..more.unwrap_or(SEQUENCES), |seed| seed..seed + 1);
    for seed in seeds {
        let calls = sequence(seed);
        if play(&calls).is_none() {
            continue;
        }
        let (calls, Difference { memory, sqlite, .. }) = shrink(calls);
        panic!(
            "GLEANER_SEED={seed} shows a difference; the shortest way there:\n{calls:#?}\nmemory:\n{memory}\nSQLite:\n{sqlite}"
        );
    }
}

/// That sequences do something: each kind of row comes up in one of a few of them.
#[test]
fn random_calls_reach_every_corner() {
    let mut all = String::new();
    for seed in 0..SEQUENCES {
        let (memory, mut player) = (MemoryStore::default(), Player::default());
        for call in sequence(seed) {
            all.push_str(&crate::wait(player.play(&memory, &call)));
        }
    }
    for corner in [
        "is_there: true",
        "Unwanted",
        "state: Mis",
        "was_away: true",
        "copies: {",
        "unchanged: 1",
        "legs: [Leg",
        "stamp: Some",
        "tries: 1",
        "is_guess: true",
        "instead: Some",
        "shown_last: Some",
        "orphans 1",
        "settled 1",
        "moved 1",
        "modified: Modified",
        "base_ladder: Some",
        "is_pinned: true",
        "lapsed_at: Some",
        "has_served: true",
        "lost [FencedHost",
        "lost: {FencedHost",
        "finished true",
        "finished false",
        "settling Ours",
        "settling Anothers",
        "best_score: 7",
        "rescored 3",
    ] {
        assert!(all.contains(corner), "no sequence shows {corner}");
    }
}
