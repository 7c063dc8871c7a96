//! Which form is meant.

use super::read;
use crate::Selector;
use crate::forms::{FindError, Which, find};

const PAGE: &str = "<form action=/search><input name=q></form>\
    <form action=/login?next=/ id=login method=post name=in><input name=u><input type=password name=p></form>\
    <form action=/join class=wide method=post><input type=password name=p><input type=password name=p2></form>\
    <form action=/search><input name=q></form><form action=javascript:x()></form>";

fn number(which: &Which) -> Result<usize, FindError> {
    find(&read(PAGE), which).map(|form| form.number)
}

#[test]
fn forms_are_found() {
    let action = |text: &str| Which::Action(text.to_owned());
    let selector = |text: &str| Which::Selector(Selector::check(text).unwrap());
    let cases = [
        (action("http://site.test/login?next=/"), 2),
        (action("HTTP://SITE.test:80/join"), 3),
        (action("http://site.test/log*"), 2),
        (action("*/join"), 3),
        (action("/login*"), 2),
        (action("/search"), 1),
        (Which::Name("in".to_owned()), 2),
        (Which::Id("login".to_owned()), 2),
        (selector("form.wide"), 3),
        (selector("#login"), 2),
        (selector("input[name=p2]"), 3),
        (Which::Number(5), 5),
        (Which::Password, 2),
    ];
    for (which, want) in cases {
        assert_eq!(number(&which), Ok(want), "{which}");
    }
}

#[test]
fn what_is_not_there_or_not_clear_is_an_error() {
    let error = number(&Which::Id("logn".to_owned())).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("no form on the page matches id `logn`; it has `1: GET http://site.test/search (q)`, `2: POST http://site.test/login?next=/ #login (u, p)`"),
        "{text}"
    );
    for which in [
        Which::Number(0),
        Which::Number(6),
        Which::Name(String::new()),
        Which::Id(String::new()),
    ] {
        assert!(matches!(number(&which), Err(FindError::None { .. })), "{which}");
    }
    let error = number(&Which::Action("http://site.test/*".to_owned())).unwrap_err();
    assert!(
        matches!(&error, FindError::Several { forms, .. } if forms.len() == 4),
        "{error}"
    );
    let error = find(&read("<p>no"), &Which::Password).unwrap_err();
    assert!(matches!(error, FindError::NoForms { .. }));
    let two = "<form action=/a><input type=password name=p></form><form action=/b><input type=password name=p></form>";
    assert!(matches!(
        find(&read(two), &Which::Password),
        Err(FindError::Several { .. })
    ));
}
