//! Under which address is a page known, and by which key? (B4)

use super::{LiveValues, UrlRules};
use gleaner_model::{Url, UrlKey};

/// The address to keep under `rules`, and its key; none where nothing is volatile in it.
pub fn identify(rules: &UrlRules, url: &Url) -> Option<(Url, UrlKey)> {
    if rules.says_nothing() {
        return None; // Most sites.
    }
    let kept = rules.request_form(url, &LiveValues::default());
    let masked = rules.identity(&kept);
    if kept == *url && masked == url.as_str() {
        return None;
    }
    let key = UrlKey::of_text(&masked);
    Some((kept, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{RuleKind, Slot, UrlRule};

    fn rules(is_droppable: bool) -> UrlRules {
        let slot = Slot::Query {
            name: "sid".to_owned(),
            nth: 0,
        };
        let mut rules = UrlRules::new("a.test");
        rules.add(UrlRule {
            is_droppable,
            ..UrlRule::from_user(slot, RuleKind::Session)
        });
        rules
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn b4_an_id_that_may_be_left_out_is_left_out() {
        let (kept, key) = identify(&rules(true), &url("http://a.test/x?sid=abc&p=1")).unwrap();
        assert_eq!(kept.as_str(), "http://a.test/x?p=1");
        assert_eq!(key, kept.key());
        assert!(identify(&rules(true), &url("http://a.test/x?p=1")).is_none());
    }

    #[test]
    fn b4_an_id_that_is_needed_stays_in_the_address_and_out_of_the_key() {
        let one = identify(&rules(false), &url("http://a.test/x?sid=abc&p=1")).unwrap();
        let two = identify(&rules(false), &url("http://a.test/x?sid=def&p=1")).unwrap();
        assert_ne!(one.0, two.0);
        assert_eq!(one.1, two.1);
        let other = identify(&rules(false), &url("http://a.test/x?sid=def&p=2")).unwrap();
        assert_ne!(one.1, other.1);
    }
}
