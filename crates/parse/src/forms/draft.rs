//! A form or a control from the attributes of its element alone.

use super::control::{Choice, Control, ControlKind};
use super::form::{Enctype, Form, Method};
use super::sanitise::sanitise;
use crate::markup::{Page, attribute};
use crate::text::fold;
use dom_query::{Element, NodeId};
use encoding_rs::{Encoding, UTF_8};
use gleaner_model::{Url, UrlError};
use html5ever::{LocalName, local_name};

/// The state that ASP.NET hides in its pages grows to a megabyte; what is longer is no field.
pub(super) const VALUE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// No name that a program reads is longer.
const NAME_BYTES_MAX: usize = 4096;
/// Enough to tell fields apart; a label around all of a page would be copied for nothing.
pub(super) const LABEL_CHARS_MAX: usize = 200;

/// A control before it has found its form.
pub(super) struct Draft {
    pub(super) node: NodeId,
    pub(super) control: Control,
    /// The `form` attribute.
    pub(super) form_id: Option<String>,
    /// The nearest form around it.
    pub(super) around: Option<NodeId>,
    /// A select that shows several rows: it may stand with nothing chosen.
    pub(super) is_list: bool,
    /// Shown where it has no label.
    pub(super) fallback: String,
}

/// Reads attributes and notes whether something was too long to be kept.
pub(super) struct Maker<'p> {
    pub(super) page: &'p Page,
    pub(super) is_cut: bool,
}

impl Maker<'_> {
    fn kept(&mut self, text: Option<&str>, bytes_max: usize) -> String {
        let text = text.unwrap_or("");
        if text.len() <= bytes_max {
            return text.to_owned();
        }
        self.is_cut = true;
        String::new()
    }

    fn action(&self, text: Option<&str>) -> Result<Url, UrlError> {
        // Empty means the page itself, not its base.
        match text.map(|text| text.trim_matches(|c: char| c <= ' ')) {
            None | Some("") => Ok(self.page.url.clone()),
            Some(text) => self.page.resolve(text),
        }
    }

    pub(super) fn form(&mut self, element: &Element) -> Form {
        let get = |name: LocalName| attribute(element, &name);
        let accept_charset = self.kept(get(local_name!("accept-charset")), NAME_BYTES_MAX);
        Form {
            number: 0,
            action: self.action(get(local_name!("action"))),
            method: Method::of(get(local_name!("method")).unwrap_or("")),
            enctype: Enctype::of(get(local_name!("enctype")).unwrap_or("")),
            name: self.kept(get(local_name!("name")), NAME_BYTES_MAX),
            id: self.kept(get(local_name!("id")), NAME_BYTES_MAX),
            charset: charset(&accept_charset, self.page.encoding),
            accept_charset,
            controls: Vec::new(),
            is_cut: false,
        }
    }

    /// `runs` is the direction of text at this place.
    pub(super) fn control(
        &mut self,
        node: NodeId,
        element: &Element,
        kind: ControlKind,
        runs: &'static str,
    ) -> Draft {
        let get = |name: LocalName| attribute(element, &name);
        let has = |name: LocalName| attribute(element, &name).is_some();
        let mut control = Control::new(kind);
        control.name = self.kept(get(local_name!("name")), NAME_BYTES_MAX);
        control.id = self.kept(get(local_name!("id")), NAME_BYTES_MAX);
        control.is_disabled = has(local_name!("disabled"));
        control.is_required = has(local_name!("required"));
        control.is_read_only = has(local_name!("readonly"));
        control.takes_many = has(local_name!("multiple"));
        control.is_checked = kind.is_checkable() && has(local_name!("checked"));
        let value = get(local_name!("value"));
        match kind {
            ControlKind::File | ControlKind::Select | ControlKind::SelectMany | ControlKind::TextArea => {}
            ControlKind::Checkbox | ControlKind::Radio if value.is_none() => {
                "on".clone_into(&mut control.value);
            }
            _ => control.value = self.kept(value, VALUE_BYTES_MAX),
        }
        if kind.is_written() {
            let range = [get(local_name!("min")), get(local_name!("max"))];
            control.value = sanitise(kind, &control.value, control.takes_many, range);
        }
        if takes_direction(kind)
            && let Some(name) = get(local_name!("dirname")).filter(|name| !name.is_empty())
        {
            control.direction = Some((self.kept(Some(name), NAME_BYTES_MAX), runs));
        }
        if kind.submits() {
            control.submits_to = get(local_name!("formaction")).map(|text| self.action(Some(text)));
            control.submits_by = get(local_name!("formmethod")).map(Method::of);
            control.submits_as = get(local_name!("formenctype")).map(Enctype::of);
        }
        let words = [
            value.filter(|_| kind.is_button()),
            get(local_name!("alt")).filter(|_| kind == ControlKind::Image),
            get(local_name!("aria-label")),
            get(local_name!("placeholder")),
            get(local_name!("title")),
        ];
        let fallback = words.into_iter().flatten().find(|text| !text.trim().is_empty());
        Draft {
            node,
            control,
            form_id: get(local_name!("form")).map(ToOwned::to_owned),
            around: None,
            is_list: false,
            fallback: fold(fallback.unwrap_or(""), LABEL_CHARS_MAX),
        }
    }

    /// An option without the text in it; `group_disabled` as its group says.
    pub(super) fn choice(&mut self, element: &Element, group_disabled: bool) -> Choice {
        let get = |name: LocalName| attribute(element, &name);
        Choice {
            value: self.kept(get(local_name!("value")), VALUE_BYTES_MAX),
            label: fold(get(local_name!("label")).unwrap_or(""), LABEL_CHARS_MAX),
            is_selected: get(local_name!("selected")).is_some(),
            is_disabled: group_disabled || get(local_name!("disabled")).is_some(),
        }
    }
}

/// HTML 4.10.22.4, "the element supports dirname".
fn takes_direction(kind: ControlKind) -> bool {
    use ControlKind::{Email, Hidden, Password, Search, Submit, Telephone, Text, TextArea, Url};
    matches!(
        kind,
        Text | TextArea | Search | Telephone | Url | Email | Password | Submit | Hidden
    )
}

/// HTML 4.10.22.5, "pick an encoding for the form". Commas part as well: old pages have them, browsers take them.
fn charset(accept_charset: &str, page: &'static Encoding) -> &'static Encoding {
    let labels = accept_charset.split(|c: char| c.is_ascii_whitespace() || c == ',');
    let mut labels = labels.filter(|label| !label.is_empty()).peekable();
    let chosen = if labels.peek().is_none() {
        page
    } else {
        labels
            .find_map(|label| Encoding::for_label_no_replacement(label.as_bytes()))
            .unwrap_or(UTF_8)
    };
    chosen.output_encoding()
}
