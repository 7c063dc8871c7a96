//! Is a host asked for `/sitemap.xml`, though its robots.txt names no sitemap?
//!
//! In: the address when its turn has come ([`GuessedLists::turn`]) with the documents that its host has given so far, and what came of it
//! ([`GuessedLists::came`]). Out: whether it is asked for.
//!
//! Every host is asked once, unless it is rare in this run that one has such a list: of eight hosts none, or later fewer than one in
//! sixteen. Then one host in four is asked, until it is no longer rare, and the others once they have given fifty documents: at most one
//! request in fifty-one of such a host is in vain. While the first answers are still to come, the other hosts' lists wait.
//! So a crawl of one site or a few asks all of them, a crawl of a thousand small hosts that have none asks in vain a fourth as often, and
//! what only the sitemap of a large host names is found in any case.
//!
//! This is learnt anew in each run: which host had none is known to the store, and such a host is not asked again so soon.

use super::{GuessTurn, WAITING_MAX, WAITS_MAX, hash};
use gleaner_model::Url;
use std::collections::{HashMap, HashSet};

/// Hosts that are asked in any case.
const VAIN_MIN: u32 = 8;
/// And so many more for each that had a list.
const VAIN_PER_RIGHT: u32 = 16;
/// One host in so many is asked where lists are rare.
const SAMPLE: u32 = 4;
/// A host that gave so many documents is large enough to be asked in any case.
pub const LARGE_HOST_DOCUMENTS: u64 = 50;

#[derive(Debug, Default)]
pub struct GuessedLists {
    right: u32,
    vain: u32,
    under_way: HashSet<u64>,
    /// Asked and answered: a second try is no second question.
    answered: HashSet<u64>,
    waits: HashMap<u64, u8>,
    /// Hosts whose turn came while lists were rare.
    passed: u32,
    /// Those of them that were not asked: they may come up again.
    left_out: HashSet<u64>,
}

impl GuessedLists {
    /// The list of a host is about to be asked for, which has given so many documents.
    pub fn turn(&mut self, url: &Url, documents: u64) -> GuessTurn {
        let key = hash(url.as_str());
        if self.under_way.contains(&key) || self.answered.contains(&key) {
            return GuessTurn::Ask;
        }
        let is_large = documents >= LARGE_HOST_DOCUMENTS;
        let most = VAIN_MIN.saturating_add(self.right.saturating_mul(VAIN_PER_RIGHT));
        let is_rare = self.vain >= most;
        if is_rare && !is_large && !self.is_in_sample(key) {
            return GuessTurn::Refuse;
        }
        let may_be_rare = self.vain + self.under_way.len() as u32 >= most;
        if may_be_rare && !is_rare && !is_large {
            let waits = self.waits.entry(key).or_default();
            if *waits < WAITS_MAX {
                *waits += 1;
                return GuessTurn::Wait(*waits - 1);
            }
        }
        if self.under_way.len() + self.answered.len() + self.waits.len() >= WAITING_MAX {
            // What is forgotten is asked for.
            self.under_way.clear();
            self.answered.clear();
            self.waits.clear();
        }
        self.waits.remove(&key);
        self.under_way.insert(key);
        GuessTurn::Ask
    }

    /// Whether the host is the one of four; one that was left out stays so.
    fn is_in_sample(&mut self, key: u64) -> bool {
        if self.left_out.contains(&key) {
            return false;
        }
        self.passed += 1;
        let is_in = self.passed.is_multiple_of(SAMPLE);
        if !is_in {
            if self.left_out.len() >= WAITING_MAX {
                self.left_out.clear();
            }
            self.left_out.insert(key);
        }
        is_in
    }

    /// What came of an address, which may be any; `is_right`: a list; none: the host could not say.
    pub fn came(&mut self, url: &Url, is_right: Option<bool>) {
        let key = hash(url.as_str());
        if !self.under_way.remove(&key) {
            return;
        }
        self.answered.insert(key);
        match is_right {
            Some(true) => self.right = self.right.saturating_add(1),
            Some(false) => self.vain = self.vain.saturating_add(1),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(host: usize) -> Url {
        Url::parse(&format!("http://h{host}.test/sitemap.xml")).expect("a URL")
    }

    /// Hosts one after the other; how many were asked.
    fn asked(
        lists: &mut GuessedLists,
        hosts: std::ops::Range<usize>,
        has_list: impl Fn(usize) -> bool,
    ) -> usize {
        hosts
            .filter(|&host| {
                let is_asked = lists.turn(&list(host), 0) == GuessTurn::Ask;
                if is_asked {
                    lists.came(&list(host), Some(has_list(host)));
                }
                is_asked
            })
            .count()
    }

    #[test]
    fn case10_hosts_are_asked_for_their_sitemap_until_it_is_rare_to_have_one() {
        let mut lists = GuessedLists::default();
        assert_eq!(
            asked(&mut lists, 0..8, |_| false),
            8,
            "a few hosts are asked in any case"
        );
        assert_eq!(asked(&mut lists, 8..408, |_| false), 100, "then one in four");
        // It is no longer rare: all are asked.
        let mut lists = GuessedLists::default();
        assert_eq!(asked(&mut lists, 0..1000, |host| host % 10 == 0), 1000);
        let mut late = GuessedLists::default();
        asked(&mut late, 0..24, |_| false);
        assert_eq!(asked(&mut late, 24..28, |_| true), 1);
        assert_eq!(asked(&mut late, 28..38, |_| false), 10);
    }

    #[test]
    fn case10_a_host_that_was_left_out_is_asked_once_it_is_large() {
        let mut lists = GuessedLists::default();
        asked(&mut lists, 0..8, |_| false);
        assert_eq!(lists.turn(&list(8), 0), GuessTurn::Refuse);
        for documents in 0..LARGE_HOST_DOCUMENTS {
            assert_eq!(lists.turn(&list(8), documents), GuessTurn::Refuse, "{documents}");
        }
        assert_eq!(lists.turn(&list(8), LARGE_HOST_DOCUMENTS), GuessTurn::Ask);
        // To come up again did not count against the others: the next one asked is still the fourth.
        assert_eq!(asked(&mut lists, 9..12, |_| false), 1);
        // Those that were left out are asked when it is no longer rare.
        lists.came(&list(8), Some(true));
        assert_eq!(lists.turn(&list(9), 0), GuessTurn::Ask);
    }

    #[test]
    fn case10_lists_wait_for_the_first_answers_and_not_for_ever() {
        let mut lists = GuessedLists::default();
        let turns: Vec<GuessTurn> = (0..40).map(|host| lists.turn(&list(host), 0)).collect();
        assert_eq!(turns.iter().filter(|turn| **turn == GuessTurn::Ask).count(), 8);
        assert!(turns[8..].iter().all(|turn| *turn == GuessTurn::Wait(0)));
        assert_eq!(lists.turn(&list(3), 0), GuessTurn::Ask, "a second try");
        let mut waits = 0;
        while let GuessTurn::Wait(_) = lists.turn(&list(8), 0) {
            waits += 1;
        }
        assert_eq!(waits, u32::from(WAITS_MAX) - 1);
        // The first that answer with lists let all others go.
        for host in 0..4 {
            lists.came(&list(host), Some(true));
        }
        assert!((9..40).all(|host| lists.turn(&list(host), 0) == GuessTurn::Ask));
        // Who could not say proves nothing.
        let mut lists = GuessedLists::default();
        for host in 0..100 {
            assert_eq!(lists.turn(&list(host), 0), GuessTurn::Ask);
            lists.came(&list(host), None);
        }
    }
}
