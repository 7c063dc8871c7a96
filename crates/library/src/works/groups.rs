//! Bonds between texts become groups: stars around a centre, so that A and C are not one work only because both resemble B.
//!
//! The text with most bonds is a centre; those bound to it are its group; then the same with what is left. Texts with as many bonds
//! are ordered by their fingerprints, so the groups depend on the bonds alone.

use super::relate::Relation;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Two texts that are one work. Which of them stands first means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkBond {
    pub one: u128,
    pub other: u128,
    pub relation: Relation,
}

/// The texts of one work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkGroup {
    pub centre: u128,
    /// With what each is to the centre; the centre is not among them.
    pub others: BTreeMap<u128, Relation>,
}

impl WorkGroup {
    pub fn texts(&self) -> impl Iterator<Item = u128> {
        std::iter::once(self.centre).chain(self.others.keys().copied())
    }
}

/// Every text of `texts` is in exactly one group; in the order of the centres.
pub fn groups(texts: impl IntoIterator<Item = u128>, bonds: &[WorkBond]) -> Vec<WorkGroup> {
    let mut near: BTreeMap<u128, BTreeMap<u128, Relation>> =
        texts.into_iter().map(|text| (text, BTreeMap::new())).collect();
    for bond in bonds {
        if bond.one == bond.other || !near.contains_key(&bond.one) || !near.contains_key(&bond.other) {
            continue;
        }
        for (from, to) in [(bond.one, bond.other), (bond.other, bond.one)] {
            let relation = near.entry(from).or_default().entry(to).or_insert(bond.relation);
            *relation = (*relation).min(bond.relation);
        }
    }
    let mut order: Vec<u128> = near.keys().copied().collect();
    order.sort_by_key(|text| (Reverse(near[text].len()), *text));
    let mut is_taken: BTreeSet<u128> = BTreeSet::new();
    let mut found = Vec::new();
    for centre in order {
        if !is_taken.insert(centre) {
            continue;
        }
        let mut others = near[&centre].clone();
        others.retain(|text, _| is_taken.insert(*text));
        found.push(WorkGroup { centre, others });
    }
    found.sort_by_key(|group| group.centre);
    found
}
