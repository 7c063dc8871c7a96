//! What is a form's own, and what is in it before anybody fills it.

use super::{names, one, plain, read, read_as};
use crate::forms::{ControlKind, Enctype, Method};

fn action(html: &str) -> String {
    match &one(html).action {
        Ok(url) => url.as_str().to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn actions_are_resolved() {
    let page = "http://site.test/dir/page.html?old=1";
    let cases = [
        ("<form>", page),
        ("<form action>", page),
        ("<form action=' '>", page),
        // Empty is the page, whatever the base is.
        ("<base href=/b/><form action=''>", page),
        ("<base href=/b/><form action=x>", "http://site.test/b/x"),
        ("<form action=x?a=1&amp;b=2#f>", "http://site.test/dir/x?a=1&b=2"),
        ("<form action=//other.test/>", "http://other.test/"),
        ("<form action=?q>", "http://site.test/dir/page.html?q"),
        // The base that stands behind counts too.
        ("<form action=x></form><base href=/c/>", "http://site.test/c/x"),
    ];
    for (html, want) in cases {
        assert_eq!(action(html), want, "{html}");
    }
    assert!(action("<form action='javascript:go()'>").contains("scheme"));
}

#[test]
fn method_and_enctype_have_their_defaults() {
    let cases = [
        ("<form>", Method::Get, Enctype::UrlEncoded),
        ("<form method=POST>", Method::Post, Enctype::UrlEncoded),
        ("<form method=put>", Method::Get, Enctype::UrlEncoded),
        ("<form method=dialog>", Method::Dialog, Enctype::UrlEncoded),
        (
            "<form enctype=Multipart/Form-Data>",
            Method::Get,
            Enctype::Multipart,
        ),
        ("<form enctype=text/plain>", Method::Get, Enctype::Plain),
        (
            "<form enctype=application/json>",
            Method::Get,
            Enctype::UrlEncoded,
        ),
    ];
    for (html, method, enctype) in cases {
        let form = one(html);
        assert_eq!((form.method, form.enctype), (method, enctype), "{html}");
    }
    let form = one("<form name=n id=i accept-charset='x-unknown, iso-8859-1'>");
    assert_eq!((form.name.as_str(), form.id.as_str()), ("n", "i"));
    assert_eq!(form.charset.name(), "windows-1252");
    assert_eq!(one("<form accept-charset=nothing>").charset.name(), "UTF-8");
}

#[test]
fn a_form_in_a_broken_table_keeps_its_controls() {
    let form = one("<table><form id=f><tr><td><input name=a></td></tr><tr><td><input name=b></form></table>");
    assert_eq!(names(&form), ["a", "b"]);
}

#[test]
fn an_end_tag_inside_another_element_does_not_close_the_form() {
    let form = one("<form><div><input name=a></form><input name=b></div>");
    assert_eq!(names(&form), ["a", "b"]);
}

#[test]
fn nested_forms_are_one_unless_the_parser_says_otherwise() {
    let form = one("<form id=a><input name=x><form id=b><input name=y></form><input name=z></form>");
    assert_eq!(form.id, "a");
    // The second `</form>` is a stray; `z` stands outside.
    assert_eq!(names(&form), ["x", "y"]);

    let forms = read("<form id=a><div></form><form id=b><input name=x></form><input name=y></div>");
    assert_eq!(forms.len(), 2);
    assert_eq!(names(&forms[0]), ["y"]);
    assert_eq!(names(&forms[1]), ["x"]);
}

#[test]
fn controls_name_their_form() {
    let forms = read(
        "<input name=before form=b><form id=a><input name=own><input name=lent form=b><input name=lost form=nobody>\
         <input name=none form=''></form><form id=b></form><button form=a name=go>Go</button>\
         <p id=p></p><input form=p name=odd>",
    );
    assert_eq!(names(&forms[0]), ["own", "go"]);
    assert_eq!(names(&forms[1]), ["before", "lent"]);
}

#[test]
fn the_first_element_of_an_id_counts() {
    let forms = read("<p id=x></p><form id=x></form><input form=x name=a>");
    assert!(forms[0].controls.is_empty());
}

#[test]
fn templates_and_datalists_hold_no_controls() {
    let form = one(
        "<form><template><input name=t></template><datalist><input name=d><option value=1></datalist>\
         <svg><input name=s></svg><noscript><input name=n></noscript></form>",
    );
    assert_eq!(
        names(&form),
        ["n"],
        "an input in a drawing is none, and we run no scripts"
    );
}

#[test]
fn kinds_are_read() {
    let form = one(
        "<form><input><input type=PASSWORD><input type=email><input type=what><input type=hidden><input type=image>\
         <button></button><button type=button></button><button type=reset></button><button type=x></button>\
         <select></select><select multiple></select><textarea></textarea><input type=file multiple>",
    );
    let kinds: Vec<&str> = form.controls.iter().map(|c| c.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "text",
            "password",
            "email",
            "text",
            "hidden",
            "image",
            "submit",
            "button",
            "reset",
            "submit",
            "select-one",
            "select-multiple",
            "textarea",
            "file"
        ]
    );
    assert!(form.controls[13].takes_many);
}

#[test]
fn selects_choose_as_browsers_do() {
    let cases = [
        ("<select name=s><option>a<option>b</select>", "s=a"),
        (
            "<select name=s><option value=1>a<option value=2 selected>b</select>",
            "s=2",
        ),
        (
            "<select name=s><option selected>a<option selected>b<option>c</select>",
            "s=b",
        ),
        ("<select name=s><option disabled>a<option>b</select>", "s=b"),
        ("<select name=s><option disabled selected>a<option>b</select>", ""),
        (
            "<select name=s><optgroup disabled><option>a</optgroup><optgroup><option>b</select>",
            "s=b",
        ),
        (
            "<select name=s><optgroup disabled><option>a</optgroup></select>",
            "",
        ),
        ("<select name=s size=3><option>a<option>b</select>", ""),
        (
            "<select name=s size=3><option>a<option selected>b</select>",
            "s=b",
        ),
        ("<select name=s size=0><option>a</select>", "s=a"),
        ("<select name=s multiple><option>a<option>b</select>", ""),
        (
            "<select name=s multiple><option selected>a<option>b<option selected>c</select>",
            "s=a&s=c",
        ),
        (
            "<select name=s multiple><option selected disabled>a<option selected>c</select>",
            "s=c",
        ),
        ("<select name=s><option value=''>a</select>", "s="),
        ("<select name=s><option>  a \n b  </select>", "s=a+b"),
        ("<select name=s><option label=l>a</select>", "s=a"),
        ("<select name=s></select>", ""),
        ("<select name=s disabled><option>a</select>", ""),
        ("<select><option>a</select>", ""),
        ("<select name=s><option>a&amp;<b>b</b></select>", "s=a%26b"),
    ];
    for (html, want) in cases {
        assert_eq!(plain(&format!("<form>{html}</form>")), want, "{html}");
    }
    let form = one(
        "<form><select name=s><optgroup label=g><option value=1 label=one>x<option> two  words </select>",
    );
    let labels: Vec<&str> = form.controls[0]
        .choices
        .iter()
        .map(|c| c.label.as_str())
        .collect();
    assert_eq!(labels, ["one", "two words"]);
}

#[test]
fn checkboxes_and_radio_buttons_have_their_defaults() {
    let cases = [
        ("<input type=checkbox name=c>", ""),
        ("<input type=checkbox name=c checked>", "c=on"),
        ("<input type=checkbox name=c value='' checked>", "c="),
        (
            "<input type=radio name=r value=1 checked><input type=radio name=r value=2 checked>",
            "r=2",
        ),
        (
            "<input type=radio name=r value=1><input type=radio name=r value=2>",
            "",
        ),
        (
            "<input type=radio name=r value=1 checked><input type=radio name=R value=2 checked>",
            "r=1&R=2",
        ),
        (
            "<input type=checkbox name=c value=1 checked><input type=checkbox name=c value=2 checked>",
            "c=1&c=2",
        ),
    ];
    for (html, want) in cases {
        assert_eq!(plain(&format!("<form>{html}</form>")), want, "{html}");
    }
}

#[test]
fn disabled_controls_are_not_sent() {
    let cases = [
        ("<input name=a value=1 disabled>", ""),
        ("<fieldset disabled><input name=a value=1></fieldset>", ""),
        (
            "<fieldset disabled><legend><input name=a value=1></legend><input name=b></fieldset>",
            "a=1",
        ),
        (
            "<fieldset disabled><legend></legend><legend><input name=a value=1></legend></fieldset>",
            "",
        ),
        (
            "<fieldset disabled><div><legend><input name=a value=1></legend></div></fieldset>",
            "",
        ),
        (
            "<fieldset disabled><fieldset><legend><input name=a value=1></legend></fieldset></fieldset>",
            "",
        ),
        (
            "<fieldset disabled><legend><fieldset disabled><input name=a></fieldset><input name=b value=2></legend></fieldset>",
            "b=2",
        ),
        ("<fieldset><input name=a value=1></fieldset>", "a=1"),
        ("<fieldset disabled></fieldset><input name=a value=1>", "a=1"),
        ("<input name=a value=1 readonly>", "a=1"),
    ];
    for (html, want) in cases {
        assert_eq!(plain(&format!("<form>{html}</form>")), want, "{html}");
    }
}

#[test]
fn text_areas_lose_their_first_line_break_and_nothing_else() {
    let cases = [
        ("<textarea name=t>\na</textarea>", "t=a"),
        (
            "<textarea name=t>\n\na\r\nb\n</textarea>",
            "t=%0D%0Aa%0D%0Ab%0D%0A",
        ),
        ("<textarea name=t>&lt;b><b></textarea>", "t=%3Cb%3E%3Cb%3E"),
        ("<textarea name=t></textarea>", "t="),
        ("<textarea name=t> a </textarea>", "t=+a+"),
    ];
    for (html, want) in cases {
        assert_eq!(plain(&format!("<form>{html}</form>")), want, "{html}");
    }
}

#[test]
fn labels_are_found() {
    let cases = [
        (
            "<label for=i>User <b>name</b></label><input id=i name=x>",
            "User name",
        ),
        ("<label>Name: <input name=x></label>", "Name:"),
        ("<label><input name=x> after</label>", "after"),
        ("<input name=x aria-label=' A  b '>", "A b"),
        ("<input name=x placeholder=p title=t>", "p"),
        ("<input name=x title=t>", "t"),
        ("<input name=x>", ""),
        ("<label>A <select name=x><option>o</select> z</label>", "A z"),
        ("<label>A <textarea name=x>inner</textarea></label>", "A"),
        ("<button name=x value=v>Log <i>in</i></button>", "Log in"),
        ("<input type=submit name=x value='Log in'>", "Log in"),
        ("<input type=image name=x alt=Go>", "Go"),
        ("<label for=other>no</label><input id=i name=x>", ""),
        (
            "<label for=i>one</label><label for=i>two</label><input id=i name=x>",
            "one",
        ),
        ("<input id=i name=x><label for=i>behind</label>", "behind"),
        (
            "<label><input type=hidden name=h><input name=x>L<script>no</script></label>",
            "L",
        ),
    ];
    for (html, want) in cases {
        let form = one(&format!("<form>{html}</form>"));
        let control = form.controls.iter().find(|c| c.name == "x").unwrap();
        assert_eq!(control.label, want, "{html}");
    }
    let form = one("<form><label>Both <input name=x><input name=y></label></form>");
    assert_eq!(form.controls[1].label, "", "a label has one control");
}

#[test]
fn other_documents_have_no_forms() {
    assert!(read_as(b"%PDF-1.4 <form>", "application/pdf").is_empty());
    assert!(read_as(b"{\"a\": \"<form>\"}", "application/json").is_empty());
    assert!(read("").is_empty());
    assert_eq!(ControlKind::of_input(None), ControlKind::Text);
}
