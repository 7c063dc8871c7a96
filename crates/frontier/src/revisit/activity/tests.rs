use super::*;
use proptest::prelude::*;

/// 40 pages, looked at in turn, one each 12 hours; on day 30 all of a folder change at once.
fn burst() -> (Activity, GroupId, GroupId) {
    let mut activity = Activity::new(0.1, 0.0);
    let site = activity.add(None);
    let busy = activity.add(Some(site));
    let quiet = activity.add(Some(site));
    let mut last = [0.0; 40];
    for at in 0..80 {
        let now = f64::from(at) * 0.5;
        activity.settle(now);
        let page = at as usize % 40;
        let is_busy = page.is_multiple_of(2);
        let has_changed = is_busy && last[page] < 30.5 && now > 30.5;
        activity.note(
            if is_busy { busy } else { quiet },
            last[page],
            now,
            has_changed,
            0.01,
        );
        last[page] = now;
    }
    activity.settle(40.0);
    (activity, busy, quiet)
}

#[test]
fn b10_a_burst_is_found_on_its_day_and_in_its_folder() {
    let (activity, busy, quiet) = burst();
    let around = activity.between(busy, 28.0, 33.0);
    let before = activity.between(busy, 10.0, 28.0);
    let aside = activity.between(quiet, 28.0, 33.0);
    // With 0.01 changes a day, a burst that takes all pages is worth some hundred days.
    assert!(around > 60.0, "{around}");
    assert!(before < 12.0, "{before}");
    // Its site was busy that day, so some of that is believed of it too.
    assert!(aside < around / 4.0, "{aside} {around}");
}

#[test]
fn b10_clocks_survive_being_stored() {
    let (activity, busy, _) = burst();
    let text = serde_json::to_string(&activity).unwrap();
    let read: Activity = serde_json::from_str(&text).unwrap();
    // Numbers as text may lose their last digit.
    let lost = read.between(busy, 0.0, 40.0) - activity.between(busy, 0.0, 40.0);
    assert!(lost.abs() < 1e-6, "{lost}");
}

proptest! {
    #[test]
    fn b10_clocks_never_go_back_and_memory_is_bounded(
        looks in prop::collection::vec((0.0f64..900.0, 0.0f64..400.0, any::<bool>()), 1..300), at in 0.0f64..900.0, more in 0.0f64..300.0
    ) {
        let mut looks = looks;
        looks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut activity = Activity::new(0.1, 0.0);
        let site = activity.add(None);
        let folder = activity.add(Some(site));
        for (now, days, has_changed) in looks {
            activity.settle(now);
            activity.note(folder, now - days, now, has_changed, 0.02);
        }
        activity.settle(901.0);
        let clock = activity.between(folder, at, at + more);
        prop_assert!(clock.is_finite() && clock >= 0.0);
        prop_assert!(activity.groups.iter().all(|group| group.speeds.len() <= DAYS && group.notes.len() <= 300));
    }
}
