//! The forms of a page, read from its tree.
//!
//! One walk gathers forms, controls, options and labels as they come; [`super::owner`] then says which control belongs
//! to which form and which label to which control, for both can point forward by id. What is inherited on the way down
//! (a disabled fieldset, the select an option is in) lies in one [`Around`] per open element.

use super::control::ControlKind;
use super::draft::{Draft, LABEL_CHARS_MAX, Maker, VALUE_BYTES_MAX};
use super::form::{Form, Forms};
use super::owner::{self, Label};
use crate::Input;
use crate::markup::{Page, Visit, attribute, html_name};
use crate::text::{Folded, fold};
use dom_query::{Element, NodeId};
use html5ever::{LocalName, local_name};

/// No page for people has more; each costs an address to resolve.
const FORMS_MAX: usize = 1000;
/// Forms over large tables have thousands; servers take no more than that (PHP and ASP.NET 1000, Tomcat 10,000).
const CONTROLS_MAX: usize = 20_000;
/// A list of all places of a country, a few times over.
const OPTIONS_MAX: usize = 200_000;
const LABELS_MAX: usize = CONTROLS_MAX;

/// The forms of a page, in tree order. Empty where the document is no HTML.
pub fn forms(input: &Input<'_>) -> Forms {
    let Some(page) = Page::read(input) else {
        return Forms::default();
    };
    let mut reader = Reader {
        maker: Maker {
            page: &page,
            is_cut: page.is_cut,
        },
        forms: Vec::new(),
        drafts: Vec::new(),
        labels: Vec::new(),
        options: 0,
        open: Vec::new(),
        text: String::new(),
    };
    page.walk(&mut reader);
    let is_cut = reader.maker.is_cut;
    let (forms, drafts, labels) = (reader.forms, reader.drafts, reader.labels);
    let (mut list, nodes) = owner::assign(&page, forms, drafts, labels);
    for form in &mut list {
        form.is_cut = is_cut;
    }
    Forms {
        list,
        nodes,
        page: Some(page),
    }
}

/// What an element inherits from those around it.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is inherited by itself")]
struct Around {
    form: Option<NodeId>,
    is_disabled: bool,
    /// As it was outside the innermost fieldset: what holds in its first legend.
    was_disabled: bool,
    is_fieldset: bool,
    has_legend: bool,
    in_datalist: bool,
    group_disabled: bool,
    is_rtl: bool,
    /// The text in here belongs to no label: it is a value, or not shown.
    is_mute: bool,
    /// Its place among the labels.
    label: Option<usize>,
    /// Its place among the controls.
    select: Option<usize>,
    gathers: Gathers,
    /// This very element gathers, rather than one around it.
    is_gatherer: bool,
}

/// Whose text is being read: places among the controls.
#[derive(Clone, Copy, Default)]
enum Gathers {
    #[default]
    Nothing,
    /// The last option so far; whether its value is its text.
    Choice(usize, bool),
    Area(usize),
    Button(usize),
}

struct Reader<'p> {
    maker: Maker<'p>,
    forms: Vec<(NodeId, Form)>,
    drafts: Vec<Draft>,
    labels: Vec<Label>,
    options: usize,
    open: Vec<Around>,
    /// What has been gathered.
    text: String,
}

impl Reader<'_> {
    fn form(&mut self, node: NodeId, element: &Element, here: &mut Around) {
        here.form = Some(node);
        if self.forms.len() >= FORMS_MAX {
            self.maker.is_cut = true;
            return;
        }
        self.forms.push((node, self.maker.form(element)));
    }

    fn control(
        &mut self,
        node: NodeId,
        element: &Element,
        kind: ControlKind,
        here: &Around,
    ) -> Option<usize> {
        // What stands in a datalist is no control but a hint.
        if here.in_datalist {
            return None;
        }
        if self.drafts.len() >= CONTROLS_MAX {
            self.maker.is_cut = true;
            return None;
        }
        let runs = if here.is_rtl { "rtl" } else { "ltr" };
        let mut draft = self.maker.control(node, element, kind, runs);
        draft.around = here.form;
        draft.control.is_disabled |= here.is_disabled;
        let place = self.drafts.len();
        self.drafts.push(draft);
        // A label without `for` is that of the first control in it.
        if let Some(label) = here.label
            && kind != ControlKind::Hidden
        {
            self.labels[label].first.get_or_insert(place);
        }
        Some(place)
    }

    fn gather(&mut self, here: &mut Around, what: Gathers) {
        here.gathers = what;
        here.is_gatherer = true;
        here.is_mute = true;
        self.text.clear();
    }

    fn choice(&mut self, element: &Element, here: &mut Around) {
        let Some(select) = here.select else { return };
        if self.options >= OPTIONS_MAX {
            self.maker.is_cut = true;
            return;
        }
        self.options += 1;
        let choice = self.maker.choice(element, here.group_disabled);
        self.drafts[select].control.choices.push(choice);
        let is_text = attribute(element, &local_name!("value")).is_none();
        self.gather(here, Gathers::Choice(select, is_text));
    }

    fn label(&mut self, element: &Element, here: &mut Around) {
        if self.labels.len() >= LABELS_MAX {
            return;
        }
        here.label = Some(self.labels.len());
        self.labels.push(Label {
            names: attribute(element, &local_name!("for")).map(ToOwned::to_owned),
            first: None,
            text: Folded::new(LABEL_CHARS_MAX),
        });
    }

    fn finish(&mut self, gathers: Gathers) {
        match gathers {
            Gathers::Nothing => {}
            Gathers::Choice(select, is_text) => {
                let Some(choice) = self.drafts[select].control.choices.last_mut() else {
                    return;
                };
                if is_text {
                    choice.value = stripped(&self.text);
                }
                if choice.label.is_empty() {
                    choice.label = fold(&self.text, LABEL_CHARS_MAX);
                }
            }
            Gathers::Area(place) => self.drafts[place].control.value = std::mem::take(&mut self.text),
            Gathers::Button(place) => {
                let words = fold(&self.text, LABEL_CHARS_MAX);
                if !words.is_empty() {
                    self.drafts[place].fallback = words;
                }
            }
        }
    }
}

impl Visit for Reader<'_> {
    fn enter(&mut self, node: NodeId, element: &Element) {
        let mut here = self.open.last().copied().unwrap_or_default();
        let in_fieldset = here.is_fieldset && !here.has_legend;
        here.is_fieldset = false;
        here.is_gatherer = false;
        let Some(name) = html_name(element) else {
            self.open.push(here);
            return;
        };
        let get = |name: LocalName| attribute(element, &name);
        if let Some(direction) = get(local_name!("dir")) {
            here.is_rtl = direction.eq_ignore_ascii_case("rtl");
        }
        match *name {
            local_name!("form") => self.form(node, element, &mut here),
            local_name!("fieldset") => {
                here.was_disabled = here.is_disabled;
                here.is_disabled |= get(local_name!("disabled")).is_some();
                here.is_fieldset = true;
                here.has_legend = false;
            }
            local_name!("legend") if in_fieldset => {
                here.is_disabled = here.was_disabled;
                if let Some(fieldset) = self.open.last_mut() {
                    fieldset.has_legend = true;
                }
            }
            local_name!("datalist") => here.in_datalist = true,
            local_name!("label") => self.label(element, &mut here),
            local_name!("input") => {
                let kind = ControlKind::of_input(get(local_name!("type")));
                self.control(node, element, kind, &here);
            }
            local_name!("button") => {
                let kind = match get(local_name!("type")) {
                    Some(text) if text.eq_ignore_ascii_case("reset") => ControlKind::Reset,
                    Some(text) if text.eq_ignore_ascii_case("button") => ControlKind::Button,
                    _ => ControlKind::Submit,
                };
                if let Some(place) = self.control(node, element, kind, &here) {
                    self.gather(&mut here, Gathers::Button(place));
                }
            }
            local_name!("textarea") => {
                if let Some(place) = self.control(node, element, ControlKind::TextArea, &here) {
                    self.gather(&mut here, Gathers::Area(place));
                }
                here.is_mute = true;
            }
            local_name!("select") => {
                let kind = if get(local_name!("multiple")).is_some() {
                    ControlKind::SelectMany
                } else {
                    ControlKind::Select
                };
                here.select = self.control(node, element, kind, &here);
                here.group_disabled = false;
                here.is_mute = true;
                if let Some(place) = here.select {
                    self.drafts[place].is_list = shown_rows(get(local_name!("size"))) > 1;
                }
            }
            local_name!("optgroup") => here.group_disabled = get(local_name!("disabled")).is_some(),
            local_name!("option") => self.choice(element, &mut here),
            local_name!("script") | local_name!("style") => {
                here.is_mute = true;
                here.gathers = Gathers::Nothing;
            }
            _ => {}
        }
        self.open.push(here);
    }

    fn text(&mut self, text: &str) {
        let Some(here) = self.open.last() else { return };
        if !matches!(here.gathers, Gathers::Nothing) {
            if self.text.len() + text.len() > VALUE_BYTES_MAX {
                self.maker.is_cut = true;
                return;
            }
            self.text.push_str(text);
        }
        if let Some(label) = here.label
            && !here.is_mute
        {
            let words = &mut self.labels[label].text;
            words.push(text);
        }
    }

    fn leave(&mut self) {
        if let Some(here) = self.open.pop()
            && here.is_gatherer
        {
            self.finish(here.gathers);
        }
    }
}

/// How many rows a select shows; one that shows a single row always has something chosen.
fn shown_rows(size: Option<&str>) -> u32 {
    let size = size.unwrap_or("").trim_start();
    let digits = size.bytes().take_while(u8::is_ascii_digit).count();
    size[..digits].parse().ok().filter(|rows| *rows > 0).unwrap_or(1)
}

/// HTML's "strip and collapse ASCII white space": what the value of an option is that names none.
fn stripped(text: &str) -> String {
    let words = text.split(|c: char| c.is_ascii_whitespace());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
