//! Values into forms, and the errors of those that do not fit.

use super::{filled, one, sent, shown};
use crate::forms::{Button, FieldValue, File, FillError, FormField, FormPayload, Submission, encode, fill};

const LOGIN: &str = "<form method=post action=/login><input type=hidden name=token value=t0k3n>\
    <label for=u>User name:</label><input id=u name=user><label>Password <input type=password name=pass></label>\
    <label><input type=checkbox name=keep value=1> Keep me logged in</label>\
    <button name=go value=login>Log in</button><button name=go value=forgot>Forgot</button></form>";

fn body(values: &[FieldValue]) -> String {
    shown(&sent(LOGIN, values))
}

#[test]
fn hidden_fields_are_kept_and_the_first_button_is_pressed() {
    assert_eq!(body(&[]), "token=t0k3n&user=&pass=&go=login");
    assert_eq!(
        body(&[
            FieldValue::text("user", "ann"),
            FieldValue::secret("pass", "p w&")
        ]),
        "token=t0k3n&user=ann&pass=p+w%26&go=login"
    );
}

#[test]
fn labels_name_fields_too() {
    assert_eq!(
        body(&[
            FieldValue::text("User name", "ann"),
            FieldValue::text("PASSWORD", "x"),
            FieldValue::on(" keep me  logged in"),
        ]),
        "token=t0k3n&user=ann&pass=x&keep=1&go=login"
    );
    let form = "<form><label>Date <input name=a></label><label>Date <input name=b></label></form>";
    assert_eq!(
        filled(form, &[FieldValue::text("date", "1")]).unwrap_err(),
        FillError::SeveralFields {
            field: "date".to_owned(),
            names: vec!["a".to_owned(), "b".to_owned()],
        }
    );
}

#[test]
fn checkboxes_go_on_and_off() {
    let html = "<form><input type=hidden name=c value=0><input type=checkbox name=c value=1 checked></form>";
    assert_eq!(shown(&sent(html, &[])), "c=0&c=1");
    assert_eq!(shown(&sent(html, &[FieldValue::off("c")])), "c=0");
    assert_eq!(shown(&sent(html, &[FieldValue::text("c", "off")])), "c=0");
    assert_eq!(shown(&sent(html, &[FieldValue::text("c", "on")])), "c=0&c=1");
    assert_eq!(shown(&sent(html, &[FieldValue::text("c", "1")])), "c=0&c=1");
    let group = "<form><input type=checkbox name=c value=a checked><input type=checkbox name=c value=b>\
        <label><input type=checkbox name=c value=c> See</label></form>";
    assert_eq!(
        shown(&sent(
            group,
            &[FieldValue::text("c", "b"), FieldValue::text("c", "c")]
        )),
        "c=b&c=c"
    );
    assert_eq!(shown(&sent(group, &[FieldValue::on("see")])), "c=a&c=c");
    assert_eq!(shown(&sent(group, &[FieldValue::off("c")])), "");
    let error = filled(group, &[FieldValue::on("c")]).unwrap_err();
    assert!(
        matches!(&error, FillError::NoSuchChoice { choices, .. } if choices.len() == 3),
        "{error}"
    );
}

#[test]
fn radio_buttons_and_selects_take_what_there_is() {
    let html = "<form><input type=radio name=r value=1 checked><label><input type=radio name=r value=2>Two</label>\
        <input type=radio name=r value=3 disabled>\
        <select name=s><option value=a>Apple<option value=b>Pear<option value=c disabled>Plum</select>\
        <select name=m multiple><option selected>x<option>y<option>z</select></form>";
    let cases: [(&[FieldValue], &str); 5] = [
        (&[FieldValue::text("r", "2")], "r=2&s=a&m=x"),
        (
            &[FieldValue::text("r", "Two"), FieldValue::text("s", "Pear")],
            "r=2&s=b&m=x",
        ),
        (&[FieldValue::on("two")], "r=2&s=a&m=x"),
        (
            &[FieldValue::text("m", "y"), FieldValue::text("m", "z")],
            "r=1&s=a&m=y&m=z",
        ),
        (&[FieldValue::off("m"), FieldValue::off("r")], "s=a"),
    ];
    for (values, want) in cases {
        assert_eq!(shown(&sent(html, values)), want, "{values:?}");
    }
    let error = filled(html, &[FieldValue::text("s", "c")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value given is not among the choices, which are `a`, `b`: s"
    );
    let error = filled(html, &[FieldValue::text("r", "3")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value given is not among the choices, which are `1`, `2`: r"
    );
    for field in ["r", "s"] {
        let values = [FieldValue::text(field, "1"), FieldValue::text(field, "2")];
        let values_of_s = [FieldValue::text(field, "a"), FieldValue::text(field, "b")];
        let values = if field == "s" { values_of_s } else { values };
        let error = filled(html, &values).unwrap_err();
        assert!(
            matches!(
                error,
                FillError::TooManyValues {
                    given: 2,
                    room: 1,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn several_controls_of_a_name_take_values_in_order() {
    let html = "<form><input name=a value=1><input name=b><input name=a value=2></form>";
    assert_eq!(shown(&sent(html, &[FieldValue::text("a", "x")])), "a=x&b=&a=2");
    let two = [FieldValue::text("a", "x"), FieldValue::text("a", "y")];
    assert_eq!(shown(&sent(html, &two)), "a=x&b=&a=y");
    let three = [
        FieldValue::text("a", "x"),
        FieldValue::text("a", "y"),
        FieldValue::text("a", "z"),
    ];
    let error = filled(html, &three).unwrap_err();
    assert_eq!(error.to_string(), "3 values given, but only 2 possible: a");
    let rows =
        "<form><select name=s><option>a<option>b</select><select name=s><option>a<option>b</select></form>";
    assert_eq!(
        shown(&sent(
            rows,
            &[FieldValue::text("s", "b"), FieldValue::text("s", "b")]
        )),
        "s=b&s=b"
    );
}

#[test]
fn unknown_fields_are_errors_with_a_proposal() {
    let error = filled(LOGIN, &[FieldValue::text("usr", "ann")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the form has no field of this name or label; the nearest is `user`: usr"
    );
    let error = filled(LOGIN, &[FieldValue::text("zzzz", "ann")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the form has no field of this name or label; it has `token`, `user`, `pass`, `keep`: zzzz"
    );
    // A button is no field.
    assert!(filled(LOGIN, &[FieldValue::text("go", "x")]).is_err());
    assert_eq!(
        body(&[
            FieldValue::extra("js", "1"),
            FieldValue::extra("js", "2"),
            FieldValue::text("user", "u")
        ]),
        "token=t0k3n&user=u&pass=&go=login&js=1&js=2"
    );
}

#[test]
fn disabled_fields_and_wrong_kinds_are_errors() {
    let html = "<form><input name=d disabled><input name=n type=number><input name=t><input type=file name=f>\
        <input type=color name=c><input type=date name=w></form>";
    let file = || File {
        name: "a.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: b"x".to_vec(),
    };
    let cases = [
        (FieldValue::text("d", "1"), "the field is disabled"),
        (FieldValue::text("n", "seven"), "a field of type number: n"),
        (FieldValue::text("c", "red"), "a field of type color: c"),
        (FieldValue::text("w", "tomorrow"), "a field of type date: w"),
        (FieldValue::text("f", "a.txt"), "the field takes files: f"),
        (FieldValue::file("t", file()), "the field does not take files: t"),
        (FieldValue::on("t"), "cannot be switched on or off"),
    ];
    for (value, want) in cases {
        let error = filled(html, &[value]).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
    let error = filled(
        html,
        &[FieldValue::file("f", file()), FieldValue::file("f", file())],
    )
    .unwrap_err();
    assert!(
        matches!(error, FillError::TooManyValues { room: 1, .. }),
        "{error}"
    );
    assert_eq!(
        shown(&sent(html, &[FieldValue::text("n", "7")])),
        "n=7&t=&f=&c=%23000000&w="
    );
}

#[test]
fn buttons_are_chosen() {
    let html = "<form action=/a><input name=q><input type=image name=i src=x><button name=b value=1 formaction=/b \
        formmethod=post formenctype=text/plain>One</button><button name=b value=2>Two</button>\
        <button formmethod=dialog name=d>Close</button><input type=submit disabled name=x></form>";
    let form = one(html);
    let press = |button: &Button| fill(&form, &[], button).map(|s| encode(&s).unwrap());
    let called = |text: &str| Button::Called(text.to_owned());

    assert_eq!(shown(&press(&Button::First).unwrap()), "q=&i.x=0&i.y=0");
    assert_eq!(shown(&press(&Button::None).unwrap()), "q=");
    let request = press(&called("one")).unwrap();
    assert_eq!(request.url.as_str(), "http://site.test/b");
    assert_eq!(
        (request.method, shown(&request).as_str()),
        ("POST", "q=\r\nb=1\r\n")
    );
    assert_eq!(request.content_type.as_deref(), Some("text/plain"));
    assert_eq!(shown(&press(&called("2")).unwrap()), "q=&b=2");
    let exactly = Button::Exactly {
        name: "b".to_owned(),
        value: "2".to_owned(),
    };
    assert_eq!(shown(&press(&exactly).unwrap()), "q=&b=2");
    let error = press(&called("b")).unwrap_err();
    assert!(
        matches!(&error, FillError::SeveralButtons { values, .. } if *values == ["1", "2"]),
        "{error}"
    );
    assert_eq!(press(&called("Close")).unwrap_err(), FillError::Dialog);
    assert!(matches!(
        press(&called("x")).unwrap_err(),
        FillError::ButtonDisabled { .. }
    ));
    let error = press(&called("nothing")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the form has no such button; it has `i`, `b`, `b`, `d`, `x`: nothing"
    );
}

#[test]
fn an_image_without_a_name_and_a_disabled_first_button() {
    assert_eq!(
        super::plain("<form><input type=image><input name=a></form>"),
        "x=0&y=0&a="
    );
    // The next button is not pressed in its place: it may mean something else.
    assert_eq!(
        super::plain(
            "<form><button name=b value=save disabled></button><button name=b value=delete></button></form>"
        ),
        ""
    );
}

#[test]
fn forms_that_lead_nowhere_are_not_sent() {
    let error = filled("<form action=javascript:x()>", &[]).unwrap_err();
    assert!(matches!(error, FillError::NoAddress(_)));
    let error = filled("<form action=ftp://a.test/x>", &[]).unwrap_err();
    assert_eq!(
        error,
        FillError::NotWeb {
            scheme: "ftp".to_owned()
        }
    );
    assert_eq!(
        filled("<form method=dialog>", &[]).unwrap_err(),
        FillError::Dialog
    );
}

#[test]
fn the_direction_of_text_is_sent_where_asked_for() {
    assert_eq!(
        super::plain("<form><input name=a dirname=a.dir></form>"),
        "a=&a.dir=ltr"
    );
    assert_eq!(
        super::plain("<form dir=RTL><p><textarea name=a dirname=d></textarea></form>"),
        "a=&d=rtl"
    );
}

#[test]
fn secrets_are_never_shown() {
    let html = LOGIN.replace("name=pass>", "name=pass value=PAGESECRET>");
    let form = one(&html);
    let values = [
        FieldValue::text("pass", "HUNTER2"),
        FieldValue::secret("user", "HUNTER2"),
        FieldValue::extra("extra", "HUNTER2").hidden(),
    ];
    let submission = fill(&form, &values, &Button::First).unwrap();
    let request = encode(&submission).unwrap();
    assert!(request.is_secret);
    let get = Submission {
        method: crate::forms::Method::Get,
        ..submission.clone()
    };
    let get = encode(&get).unwrap();
    assert!(get.url.as_str().contains("HUNTER2") && get.is_secret);
    let shown = format!("{form:?} {values:?} {submission:?} {request:?} {get:?}");
    assert!(
        !shown.contains("HUNTER2") && !shown.contains("PAGESECRET"),
        "{shown}"
    );
    assert!(shown.contains("t0k3n"), "what is no secret is shown");
    assert!(
        !encode(&fill(&one("<form><input name=a>"), &[], &Button::First).unwrap())
            .unwrap()
            .is_secret
    );

    let errors = [
        filled(LOGIN, &[FieldValue::secret("keep", "HUNTER2")]),
        filled(LOGIN, &[FieldValue::secret("nobody", "HUNTER2")]),
        filled(
            LOGIN,
            &[
                FieldValue::text("pass", "HUNTER2"),
                FieldValue::text("pass", "HUNTER2"),
            ],
        ),
        filled(
            "<form><input type=number name=n></form>",
            &[FieldValue::secret("n", "HUNTER2")],
        ),
    ];
    for error in errors {
        let error = error.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("HUNTER2"), "{error}");
    }
}

#[test]
fn too_large_submissions_are_refused() {
    let file = File {
        name: "big".to_owned(),
        media_type: String::new(),
        bytes: vec![0; 65 << 20],
    };
    let error = filled(
        "<form><input type=file name=f></form>",
        &[FieldValue::file("f", file)],
    )
    .unwrap_err();
    assert!(matches!(error, FillError::TooLarge { .. }), "{error}");
}

#[test]
fn entries_stand_in_tree_order_with_files() {
    let html = "<form id=f><input type=file name=one><input type=file name=many multiple></form><input form=f name=z value=1>";
    let file = |name: &str| File {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: vec![b'x'],
    };
    let values = [
        FieldValue::file("many", file("a")),
        FieldValue::file("many", file("b")),
    ];
    let submission = filled(html, &values).unwrap();
    let shown: Vec<(&str, &str)> = submission
        .entries
        .iter()
        .map(|entry: &FormField| {
            let payload = match &entry.payload {
                FormPayload::Text(text) => text.as_str(),
                FormPayload::File(file) => file.name.as_str(),
            };
            (entry.name.as_str(), payload)
        })
        .collect();
    assert_eq!(shown, [("one", ""), ("many", "a"), ("many", "b"), ("z", "1")]);
}
