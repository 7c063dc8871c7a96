//! When is an address asked again?
//!
//! Documents: when a look at them is worth its price (B10), by how often they change; the parts are the files of this module,
//! [`plan`] puts them together. Addresses that gave no document the last time: in turns, as follows.
//!
//! A short link that leads to a post, a page of data that nobody takes: a track that asks for all of them each time spends
//! two thirds of its requests on learning nothing. Each has its turn in one run of a few, so that none is forgotten; the
//! more there are beside the documents, the more rarely.

pub mod activity;
pub mod looks;
pub mod plan;
pub mod purse;
pub mod queue;
pub mod rate;
pub mod told;
pub mod worth;

/// One run in this many asks for it, and fewer where that would be more requests than one for so many documents.
const EVERY_MIN: u64 = 5;
const EVERY_MAX: u64 = 100;
const DOCUMENTS_FOR_ONE: u64 = 12;

/// How rarely addresses without a document are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    every: i64,
}

impl Turns {
    /// For a project with so many addresses without a document, and so many documents.
    pub fn of(barren: u64, documents: u64) -> Turns {
        let every = (barren.saturating_mul(DOCUMENTS_FOR_ONE)).div_ceil(documents.max(1));
        let every = every.clamp(EVERY_MIN, EVERY_MAX);
        // Numbers come in even steps, so many a page: with a prime their turns are spread evenly over the runs.
        let is_prime = |number: &u64| (2..*number).all(|part| !number.is_multiple_of(part));
        Turns {
            every: (every..2 * every).find(is_prime).unwrap_or(every) as i64,
        }
    }

    /// Whether `run` asks for the address with this number.
    pub fn is_due(self, address: i64, run: i64) -> bool {
        address.wrapping_add(run).rem_euclid(self.every) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;

    #[test]
    fn case32_every_address_has_its_turn() {
        for (barren, documents, every) in [
            (3, 100, 5),
            (0, 0, 5),
            (100, 100, 13),
            (300, 100, 37),
            (9999, 1, 101),
        ] {
            let turns = Turns::of(barren, documents);
            for address in 0..100 {
                let due = (7..7 + 2 * every)
                    .filter(|run| turns.is_due(address, *run))
                    .count();
                assert_eq!(due, 2, "{address} of {barren} beside {documents}");
            }
            // However many numbers lie between two of them.
            for step in 1..5 {
                let due = |run: i64| (0..every).filter(|n| turns.is_due(n * step, run)).count();
                assert!((7..7 + every).all(|run| due(run) == 1), "{step} {every}");
            }
        }
    }
}
