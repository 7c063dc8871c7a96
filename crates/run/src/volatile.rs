//! Which parts of addresses does the project itself call volatile? Its word becomes rules of the sites it is at home on (B4).
//!
//! Written down like rules that a person adds with `gleaner rules`, before anything is asked for; what a person switched off
//! there stays off.

use crate::error::RunError;
use crate::run_store::RunStore;
use gleaner_history::noise::keys_under;
use gleaner_judge::identity::{RuleKind, Rules, Slot, UrlRule};
use gleaner_judge::site::site_of;
use gleaner_model::{Project, Url};
use gleaner_store::wait;
use std::collections::BTreeMap;

pub(crate) fn keep(run: &RunStore, project: &Project, homes: &[Url]) -> Result<(), RunError> {
    let slots: Vec<Slot> = project
        .volatile
        .iter()
        .filter_map(|text| Slot::named(text))
        .collect();
    if slots.is_empty() {
        return Ok(());
    }
    let stored = wait(run.store.site_rules(run.of.project))?;
    let sites: BTreeMap<String, &Url> = homes.iter().map(|home| (site_of(home), home)).collect();
    for (site, home) in sites {
        let before = stored.iter().find(|stored| stored.site == site);
        let mut rules = before
            .and_then(|stored| serde_json::from_str(&stored.rules).ok())
            .unwrap_or_else(|| Rules::new(&site));
        if !add(&mut rules, &slots) {
            continue;
        }
        let text = serde_json::to_string(&rules).unwrap_or_default();
        let is_pinned = before.is_some_and(|stored| stored.is_pinned);
        let keys = keys_under(&*run.store, home.domain(), &rules)?;
        wait(run.store.set_rules(run.of.project, site, text, is_pinned, keys))?;
    }
    Ok(())
}

/// Adds what is not there yet; false if nothing was missing.
fn add(rules: &mut Rules, slots: &[Slot]) -> bool {
    let before = rules.rules.len();
    for slot in slots {
        if rules.rules.iter().all(|rule| rule.slot != *slot) {
            rules.add(UrlRule {
                is_droppable: true,
                ..UrlRule::from_user(slot.clone(), RuleKind::Volatile)
            });
        }
    }
    rules.rules.len() > before
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_judge::identity::identify;

    #[test]
    fn b4_what_the_project_calls_volatile_is_no_part_of_an_address() {
        let slots = [Slot::named("?s[]").unwrap()];
        let mut rules = Rules::new("a.test");
        assert!(add(&mut rules, &slots));
        assert!(!add(&mut rules, &slots), "once is enough");
        for spelling in ["s[]=one", "s%5B%5D=one", "s[]=one&s[]=two"] {
            let url = Url::parse(&format!("http://a.test/doku.php?id=x&{spelling}")).unwrap();
            let (kept, _) = identify(&rules, &url).unwrap();
            assert_eq!(kept.as_str(), "http://a.test/doku.php?id=x", "{spelling}");
        }
        rules.rules[0].is_on = false;
        assert!(!add(&mut rules, &slots), "what was switched off stays off");
    }
}
