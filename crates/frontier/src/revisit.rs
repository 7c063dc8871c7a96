//! Is an address asked again that gave no document the last time?
//!
//! A short link that leads to a post, a page of data that nobody takes: a track that asks for all of them each time spends
//! two thirds of its requests on learning nothing. Each has its turn in one run of a few, so that none is forgotten.

/// One run in this many asks for it.
const EVERY: i64 = 5;

/// Whether `run` asks for the address with this number.
pub fn is_due(address: i64, run: i64) -> bool {
    address.wrapping_add(run).rem_euclid(EVERY) == 0
}

#[cfg(test)]
mod tests {
    use super::is_due;

    #[test]
    fn case32_every_address_has_its_turn() {
        for address in 0..100 {
            let turns = (7..17).filter(|run| is_due(address, *run)).count();
            assert_eq!(turns, 2, "{address}");
        }
    }
}
