//! Which of very many documents is due first? A heap of due times in memory; a store's index on `due_at` does the same.
//!
//! A document that gets another time leaves its old entry behind; it is thrown away when it comes up, and the heap is built
//! anew when more than half of it is such, so memory stays in proportion to the documents.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Documents by number, 0 to n − 1, with the day on which each is due.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// The valid time of each document, none for those that are out.
    due: Vec<Option<u64>>,
    waiting: usize,
}

impl Queue {
    /// The document is due then, whatever was said before.
    pub fn set(&mut self, document: u32, due: f64) {
        let place = document as usize;
        if place >= self.due.len() {
            self.due.resize(place + 1, None);
        }
        // Of numbers that are not negative, the bits are in the order of the values.
        let due = due.max(0.0).to_bits();
        self.waiting += usize::from(self.due[place].is_none());
        self.due[place] = Some(due);
        self.heap.push(Reverse((due, document)));
        self.tidy();
    }

    fn tidy(&mut self) {
        if self.heap.len() > 64 + 2 * self.waiting {
            let all = self
                .due
                .iter()
                .zip(0..)
                .filter_map(|(due, at)| due.map(|due| Reverse((due, at))));
            self.heap = all.collect();
        }
    }

    /// The document is gone.
    pub fn remove(&mut self, document: u32) {
        if let Some(due) = self.due.get_mut(document as usize) {
            self.waiting -= usize::from(due.take().is_some());
        }
        self.tidy();
    }

    /// The first that is due by now, which leaves the queue until it is set again.
    pub fn take(&mut self, now: f64) -> Option<u32> {
        let now = now.max(0.0).to_bits();
        while let Some(Reverse((due, document))) = self.heap.peek().copied() {
            let is_valid = self.due[document as usize] == Some(due);
            if is_valid && due > now {
                return None;
            }
            self.heap.pop();
            if is_valid {
                self.remove(document);
                return Some(document);
            }
        }
        None
    }

    pub fn len(&self) -> usize {
        self.waiting
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn b10_the_queue_does_what_a_sorted_list_does(steps in prop::collection::vec((0u32..30, 0.0f64..50.0, 0u8..4), 0..400)) {
            let (mut queue, mut list) = (Queue::default(), BTreeMap::<u32, f64>::new());
            for (document, day, what) in steps {
                match what {
                    0 => {
                        queue.remove(document);
                        list.remove(&document);
                    }
                    1 => {
                        let first = list.iter().map(|(at, due)| (*due, *at)).filter(|(due, _)| *due <= day).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                        let taken = queue.take(day);
                        prop_assert_eq!(taken, first.map(|one| one.1));
                        taken.map(|at| list.remove(&at));
                    }
                    _ => {
                        queue.set(document, day);
                        list.insert(document, day);
                    }
                }
                prop_assert_eq!(queue.len(), list.len());
                prop_assert!(queue.heap.len() <= 64 + 2 * queue.len());
            }
        }
    }
}
