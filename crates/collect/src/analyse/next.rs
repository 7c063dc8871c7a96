//! When is a visit to a site worth it?

use crate::sites::SiteFacts;
use gleaner_frontier::revisit::looks::LookCounts;
use gleaner_frontier::revisit::rate::{self, Prior, Rate};
use gleaner_frontier::revisit::told::how_often;
use gleaner_frontier::revisit::worth::{self, Aim};
use gleaner_model::Timestamp;

const DAY_MS: f64 = 86_400_000.0;
/// Before a site was visited twice: something new in two months.
const USUAL: Prior = Prior {
    shape: 1.0,
    mean: 1.0 / 60.0,
};
/// A site of which nothing more is known is visited after so many days, as on S1's first level.
const FIRST_DAYS: f64 = 15.0;
const FLOOR_DAYS: f64 = 1.0;
const CEILING_DAYS: f64 = 365.0;

/// How often the site has new documents for the library, as its visits tell.
pub(crate) fn rate_of(facts: &SiteFacts) -> Rate {
    let mut looks = LookCounts::default();
    for pair in facts.visits.windows(2) {
        let days = (pair[1].at_ms - pair[0].at_ms) as f64 / DAY_MS;
        // Visits of one day are parts of one look.
        if days >= 0.5 {
            looks.add(days, pair[1].accepted_new > 0);
        }
    }
    rate::rate(&looks, USUAL)
}

/// Days after which a visit is worth as much as the first one after [`FIRST_DAYS`] is thought to be.
pub(crate) fn wait_days(facts: &SiteFacts) -> f64 {
    let price = worth::worth(Aim::Watch, USUAL.mean, 1.0, FIRST_DAYS);
    let visits = facts.visits.len().max(1) as f64;
    let weight = (1.0 + facts.all.downloaded.accepted as f64 / visits)
        .ln()
        .max(0.1);
    let wait = worth::wait(Aim::Watch, rate_of(facts).best, weight, price);
    wait.unwrap_or(CEILING_DAYS).clamp(FLOOR_DAYS, CEILING_DAYS)
}

pub(super) fn next_by_index(facts: &SiteFacts, now: Timestamp) -> Timestamp {
    Timestamp(now.0 + (wait_days(facts) * DAY_MS) as i64)
}

/// `new documents about every 9 days (4–20)`.
pub(crate) fn in_words(facts: &SiteFacts) -> String {
    format!("new documents about {}", how_often(rate_of(facts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::VisitNote;

    fn site(accepted: &[u64], days: i64) -> SiteFacts {
        let mut facts = SiteFacts::default();
        for (at, accepted_new) in accepted.iter().enumerate() {
            facts.all.downloaded.accepted += accepted_new;
            facts.visits.push(VisitNote {
                cycle: at as u32,
                at_ms: at as i64 * days * 86_400_000,
                accepted_new: *accepted_new,
                fetches: 100,
            });
        }
        facts
    }

    #[test]
    fn g8_what_brings_new_documents_is_visited_sooner() {
        let (lively, still) = (site(&[20, 5, 4, 6], 10), site(&[20, 0, 0, 0], 10));
        assert!(wait_days(&lively) < wait_days(&still) / 2.0);
        assert!(wait_days(&site(&[20], 10)) < wait_days(&site(&[0], 10)));
        assert_eq!(in_words(&lively).split(' ').next(), Some("new"));
    }
}
