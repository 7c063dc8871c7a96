//! Forms from the page to the request.

mod encoding;
mod filling;
mod finding;
mod hostile;
mod known;
mod reading;

use super::{Button, FieldValue, Form, FormRequest, Forms, Submission, encode, fill, forms};
use crate::Input;
use gleaner_model::Url;

/// Reads a page at `http://site.test/dir/page.html?old=1` with this content type.
fn read_as(html: &[u8], content_type: &str) -> Forms {
    let url = Url::parse("http://site.test/dir/page.html?old=1").unwrap();
    forms(&Input {
        url: &url,
        headers: &[("content-type".to_owned(), content_type.to_owned())],
        body: html,
        agent: "gleaner",
        is_sitemap: false,
    })
}

fn read(html: &str) -> Forms {
    read_as(html.as_bytes(), "text/html; charset=utf-8")
}

fn one(html: &str) -> Form {
    let forms = read(html);
    assert_eq!(forms.len(), 1, "{forms:?}");
    forms[0].clone()
}

fn sent(html: &str, values: &[FieldValue]) -> FormRequest {
    encode(&fill(&one(html), values, &Button::First).unwrap()).unwrap()
}

/// The query or body of a form in which nothing was changed.
fn plain(html: &str) -> String {
    shown(&sent(html, &[]))
}

fn shown(request: &FormRequest) -> String {
    if request.method == "GET" {
        return request.url.query().unwrap_or("").to_owned();
    }
    String::from_utf8(request.body.clone()).unwrap()
}

fn filled(html: &str, values: &[FieldValue]) -> Result<Submission, super::FillError> {
    fill(&one(html), values, &Button::First)
}

fn names(form: &Form) -> Vec<&str> {
    form.controls
        .iter()
        .map(|control| control.name.as_str())
        .collect()
}
