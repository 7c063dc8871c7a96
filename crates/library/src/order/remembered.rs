//! A map that stays small: what is met is young, what is not met for long is forgotten.

use std::collections::HashMap;

/// At most twice `most` values. Which are forgotten depends only on the order of the calls.
#[derive(Debug, Clone)]
pub(super) struct Remembered<V> {
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
    most: usize,
}

impl<V> Remembered<V> {
    pub(super) fn new(most: usize) -> Remembered<V> {
        Remembered {
            young: HashMap::new(),
            old: HashMap::new(),
            most,
        }
    }

    pub(super) fn get(&self, key: u64) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    /// The value, young again.
    pub(super) fn meet(&mut self, key: u64) -> Option<&mut V> {
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key)?;
            self.put(key, value);
        }
        self.young.get_mut(&key)
    }

    pub(super) fn put(&mut self, key: u64, value: V) {
        if self.young.len() >= self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// In the order of the keys; a value met again stands only once.
    pub(super) fn all(&self) -> Vec<(u64, &V)> {
        let old = self.old.iter().filter(|(key, _)| !self.young.contains_key(key));
        let mut all: Vec<(u64, &V)> = self
            .young
            .iter()
            .chain(old)
            .map(|(key, value)| (*key, value))
            .collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }
}
