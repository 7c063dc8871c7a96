//! How does a step fill a form? Which one is meant, what goes into it, and what is asked for then (A4).
//!
//! A form that is sent by GET is an address like any other. The answer to one that is sent by POST has no address of its
//! own; it gets one made of the action and of what was filled in, as web archives do it (`__wb_method=POST`). What the page
//! itself put into hidden fields is no part of that: tokens are others each time.

use crate::error::RunError;
use gleaner_model::Url;
use gleaner_model::steps::{Filling, SecretAt, Value, WhichForm};
use gleaner_parse::forms::FieldValue as Given;
use gleaner_parse::forms::{Button, File, Form, FormField, FormRequest, Which, encode, fill, find, forms};
use gleaner_parse::{Input, Selector};
use gleaner_units::Posted;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Says what a reference to a secret stands for, or why it cannot.
pub type SecretLookup = dyn Fn(&SecretAt) -> Result<String, String> + Send + Sync;

/// Marks the address of an answer to a form.
const POST_MARK: &str = "__wb_method=POST";

/// A filling with its selectors read and its secrets at hand.
pub struct Filler {
    which: Option<Which>,
    values: Vec<Given>,
    button: Button,
    /// What was filled in and may be shown.
    shown: Vec<(String, String)>,
}

/// A form, filled in and ready to be sent.
pub struct Sent {
    /// The address under which the answer is known.
    pub url: Url,
    pub request: FormRequest,
    pub action: Url,
    /// Everything that is sent, secrets hidden.
    pub fields: Vec<(String, String)>,
}

/// A request as the frontier keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    url: String,
    media_type: String,
    body: String,
}

impl Filler {
    pub fn of(filling: &Filling, step: &str, secrets: &SecretLookup) -> Result<Filler, RunError> {
        let wrong = |why: String| RunError::Step {
            step: step.to_owned(),
            why,
        };
        let which = match &filling.form {
            WhichForm::Fitting => None,
            WhichForm::Action(pattern) => Some(Which::Action(pattern.clone())),
            WhichForm::Name(name) => Some(Which::Name(name.clone())),
            WhichForm::Id(id) => Some(Which::Id(id.clone())),
            WhichForm::Number(number) => Some(Which::Number(*number)),
            WhichForm::Selector(text) => Some(Which::Selector(
                Selector::check(text).map_err(|e| wrong(e.to_string()))?,
            )),
        };
        let mut values = Vec::new();
        let mut shown = Vec::new();
        for (name, value) in &filling.fields {
            values.push(match value {
                Value::Text(text) => {
                    shown.push((name.clone(), text.clone()));
                    Given::text(name, text)
                }
                Value::Secret(at) => Given::secret(name, &secrets(at).map_err(wrong)?),
                Value::Upload(path) => {
                    let bytes = std::fs::read(path).map_err(|e| wrong(format!("{path}: {e}")))?;
                    let file_name = path.rsplit('/').next().unwrap_or(path).to_owned();
                    Given::file(
                        name,
                        File {
                            name: file_name,
                            media_type: "application/octet-stream".to_owned(),
                            bytes,
                        },
                    )
                }
            });
        }
        for (name, value) in &filling.extra {
            values.push(match value {
                Value::Text(text) | Value::Upload(text) => {
                    shown.push((name.clone(), text.clone()));
                    Given::extra(name, text)
                }
                Value::Secret(at) => Given::extra(name, &secrets(at).map_err(wrong)?).hidden(),
            });
        }
        let button = filling.button.clone().map_or(Button::First, Button::Called);
        Ok(Filler {
            which,
            values,
            button,
            shown,
        })
    }

    /// Fills the form of this page; an error says what is in the way.
    pub fn send(&self, input: &Input<'_>) -> Result<Sent, String> {
        let all = forms(input);
        let form = match &self.which {
            Some(which) => find(&all, which).map_err(|e| e.to_string())?,
            None => self.fitting(&all)?,
        };
        let submission = fill(form, &self.values, &self.button).map_err(|e| e.to_string())?;
        let fields = submission.entries.iter().map(FormField::shown).collect();
        let request = encode(&submission).map_err(|e| e.to_string())?;
        let url = if request.method == "GET" {
            request.url.clone()
        } else {
            self.address_of(&request.url)
        };
        Ok(Sent {
            url,
            request,
            action: submission.url,
            fields,
        })
    }

    /// The only form that takes what is to be filled in; where a password is to be given, the one that asks for it.
    fn fitting<'f>(&self, all: &'f gleaner_parse::forms::Forms) -> Result<&'f Form, String> {
        if let Ok(form) = find(all, &Which::Number(1))
            && all.len() == 1
        {
            return Ok(form);
        }
        let takes = |form: &&Form| fill(form, &self.values, &self.button).is_ok();
        let fitting: Vec<&Form> = all.iter().filter(takes).collect();
        match fitting.as_slice() {
            [form] => Ok(form),
            [] => Err(format!(
                "none of the {} forms on the page has these fields",
                all.len()
            )),
            several => find(all, &Which::Password).map_err(|_| {
                format!(
                    "{} forms on the page have these fields; say which one: {}",
                    several.len(),
                    several
                        .iter()
                        .map(|form| form.summary())
                        .collect::<Vec<_>>()
                        .join("; ")
                )
            }),
        }
    }

    fn address_of(&self, action: &Url) -> Url {
        let mut text = format!("{}{}?", action.origin(), action.path());
        if let Some(query) = action.query() {
            text.push_str(query);
            text.push('&');
        }
        text.push_str(POST_MARK);
        for (name, value) in &self.shown {
            text.push('&');
            text.push_str(&escaped(name));
            text.push('=');
            text.push_str(&escaped(value));
        }
        Url::parse(&text).unwrap_or_else(|_| action.clone())
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => {
                use std::fmt::Write as _;
                let _never_fails = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Whether this is the address of an answer to a form: nobody but the form leads there.
pub fn is_answer(url: &Url) -> bool {
    url.query()
        .is_some_and(|query| query.split('&').any(|part| part == POST_MARK))
}

/// A request as a row of the frontier keeps it; none for one that holds secrets, which are written down nowhere.
pub fn kept(request: &FormRequest) -> Option<String> {
    if request.method == "GET" || request.is_secret {
        return None;
    }
    let kept = Kept {
        url: request.url.to_string(),
        media_type: request.content_type.clone().unwrap_or_default(),
        // Bytes as characters of the same number: what is not text in UTF-8 survives too.
        body: request.body.iter().map(|byte| char::from(*byte)).collect(),
    };
    serde_json::to_string(&kept).ok()
}

/// The same read back: where it goes and what is sent.
pub fn read_kept(text: &str) -> Option<(Url, Arc<Posted>)> {
    let kept: Kept = serde_json::from_str(text).ok()?;
    let bytes: Vec<u8> = kept
        .body
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).ok())
        .collect::<Option<_>>()?;
    Some((Url::parse(&kept.url).ok()?, posted(kept.media_type, bytes, false)))
}

/// What is sent; the archive sees no secrets.
pub fn posted(media_type: String, bytes: Vec<u8>, is_secret: bool) -> Arc<Posted> {
    let shown = if is_secret {
        b"[hidden]".to_vec()
    } else {
        bytes.clone()
    };
    Arc::new(Posted {
        media_type,
        bytes,
        shown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<form action=/search method=post><input type=hidden name=token value=123>\
        <input name=q><input type=submit></form>";

    fn filler(fields: &[(&str, &str)]) -> Filler {
        let filling = Filling {
            form: WhichForm::Fitting,
            fields: (fields.iter())
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
                .collect(),
            extra: Vec::new(),
            button: None,
        };
        let secrets = |at: &SecretAt| Ok(format!("secret of {at}"));
        Filler::of(&filling, "search", &secrets).unwrap()
    }

    fn sent(filler: &Filler, page: &str) -> Result<Sent, String> {
        let url = Url::parse("http://a.test/x/").unwrap();
        let headers = [("content-type".to_owned(), "text/html".to_owned())];
        filler.send(&Input {
            url: &url,
            headers: &headers,
            body: page.as_bytes(),
            agent: "",
            is_sitemap: false,
        })
    }

    #[test]
    fn a4_an_answer_has_an_address_without_the_token() {
        let sent = sent(&filler(&[("q", "a b&c")]), PAGE).unwrap();
        assert_eq!(
            sent.url.as_str(),
            "http://a.test/search?__wb_method=POST&q=a+b%26c"
        );
        assert!(is_answer(&sent.url));
        assert_eq!(sent.request.body, b"token=123&q=a+b%26c");
        let (url, posted) = read_kept(&kept(&sent.request).unwrap()).unwrap();
        assert_eq!(url.as_str(), "http://a.test/search");
        assert_eq!(posted.bytes, sent.request.body);
        assert_eq!(posted.media_type, "application/x-www-form-urlencoded");
    }

    #[test]
    fn a4_secrets_are_sent_and_neither_kept_nor_shown() {
        let sent = sent(&filler(&[("q", "env:PASSWORD")]), PAGE).unwrap();
        assert!(sent.request.body.ends_with(b"q=secret+of+env%3APASSWORD"));
        assert_eq!(kept(&sent.request), None);
        assert!(!sent.url.as_str().contains("secret"), "{}", sent.url);
        let shown = posted(String::new(), sent.request.body.clone(), true);
        assert_eq!(shown.shown, b"[hidden]");
    }

    #[test]
    fn a4_what_is_in_the_way_is_said() {
        let error = sent(&filler(&[("nothing", "x")]), PAGE).err().unwrap();
        assert!(error.contains("nothing"), "{error}");
        let two = format!("{PAGE}<form action=/other><input name=x></form>");
        assert!(
            sent(&filler(&[("q", "x")]), &two).is_ok(),
            "only one of them fits"
        );
    }
}
