//! Does a date walk on to where its arm cannot hold content? (HC040)

use super::arms::Arm;
use super::calendar::{self, Certainty, Date};
use gleaner_model::{Timestamp, defaults};

/// Weakly dated URLs that must look like years before they are taken for years.
const YEARS_SEEN_MIN: u32 = 24;
/// Steps into the future that a calendar is followed, one page leading to the next.
const FUTURE_STEPS_MAX: u32 = 40;
/// No archive is older, if it is only to be had step by step.
const YEAR_CHAIN_MIN: i32 = 1800;

/// Does this date of a URL lie where its arm cannot hold content?
pub(super) fn past_the_edge(arm: &mut Arm, date: Option<(Date, Certainty)>, now: Timestamp) -> bool {
    let Some((date, certainty)) = date else {
        // An arm with one URL that holds no date is no calendar: its numbers are ids.
        arm.are_years = false;
        return false;
    };
    let year = date.year;
    let edge = gleaner_model::date::year_of(now).saturating_add(defaults::TRAP_CALENDAR_YEARS);
    let is_walked = arm.is_chain() && arm.fetches > 0;
    if certainty == Certainty::Strong {
        let is_walk_past = is_walked && year < YEAR_CHAIN_MIN;
        if calendar::is_beyond(year, edge) || is_walk_past {
            return true;
        }
    }
    let is_walking = arm.are_years && arm.discovered >= YEARS_SEEN_MIN;
    if is_walking && year > edge {
        return true;
    }
    if is_walked && (certainty == Certainty::Strong || is_walking) && date.is_after(now) {
        arm.future_steps = arm.future_steps.saturating_add(1);
        if arm.future_steps > FUTURE_STEPS_MAX {
            return true;
        }
    }
    if !(calendar::YEAR_WEAK_MIN..=edge).contains(&year) {
        arm.are_years = false;
    }
    // Backwards: archives are long, so only a walk that left its content behind is stopped.
    arm.are_years
        && arm.fetches >= YEARS_SEEN_MIN
        && year < arm.content_year_min.saturating_sub(defaults::TRAP_CALENDAR_YEARS)
}
