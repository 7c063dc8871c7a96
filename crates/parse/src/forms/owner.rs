//! Which control belongs to which form, and which words to which control?
//!
//! The form named by the control's `form` attribute, whether there is one or not; else the one the parser had open; else
//! the one around it (HTML 4.10.18.3). An id means the first element that has it.

use super::control::ControlKind;
use super::draft::Draft;
use super::form::Form;
use crate::markup::{Page, Visit, attribute};
use crate::text::Folded;
use dom_query::{Element, NodeId};
use html5ever::local_name;
use std::collections::{HashMap, HashSet};

/// The words of a `<label>`.
pub(super) struct Label {
    /// The `for` attribute.
    pub(super) names: Option<String>,
    /// The first control in it: its place in the list of all.
    pub(super) first: Option<usize>,
    pub(super) text: Folded,
}

/// Of each form: its own node and those of its controls.
type Nodes = Vec<(NodeId, Vec<NodeId>)>;

pub(super) fn assign(
    page: &Page,
    forms: Vec<(NodeId, Form)>,
    mut drafts: Vec<Draft>,
    labels: Vec<Label>,
) -> (Vec<Form>, Nodes) {
    let ids = Ids::search(page, &drafts, &labels);
    give_labels(&ids, &mut drafts, labels);
    let mut nodes: Nodes = Vec::with_capacity(forms.len());
    let mut list = Vec::with_capacity(forms.len());
    let mut place_of: HashMap<NodeId, usize> = HashMap::with_capacity(forms.len());
    for (node, mut form) in forms {
        place_of.insert(node, list.len());
        form.number = list.len() + 1;
        nodes.push((node, Vec::new()));
        list.push(form);
    }
    for mut draft in drafts {
        let owner = match &draft.form_id {
            Some(id) => ids.first.get(id.as_str()).copied().flatten(),
            None => page.owners.get(&draft.node).copied().or(draft.around),
        };
        let Some(place) = owner.and_then(|node| place_of.get(&node)).copied() else {
            continue;
        };
        settle_choices(&mut draft);
        nodes[place].1.push(draft.node);
        list[place].controls.push(draft.control);
    }
    for form in &mut list {
        settle_radios(form);
    }
    (list, nodes)
}

fn give_labels(ids: &Ids, drafts: &mut [Draft], labels: Vec<Label>) {
    let place_of: HashMap<NodeId, usize> = if labels.iter().any(|label| label.names.is_some()) {
        drafts
            .iter()
            .enumerate()
            .map(|(place, draft)| (draft.node, place))
            .collect()
    } else {
        HashMap::new()
    };
    for label in labels {
        let target = match &label.names {
            Some(id) => {
                let node = ids.first.get(id.as_str()).copied().flatten();
                node.and_then(|node| place_of.get(&node)).copied()
            }
            None => label.first,
        };
        let Some(target) = target else { continue };
        let control = &mut drafts[target].control;
        if control.label.is_empty() && control.kind != ControlKind::Hidden {
            control.label = label.text.finish();
        }
    }
    for draft in drafts {
        if draft.control.label.is_empty() {
            draft.control.label = std::mem::take(&mut draft.fallback);
        }
    }
}

/// A select for one choice has one, the last that is marked; unless it is a list, the first possible where none is.
fn settle_choices(draft: &mut Draft) {
    if draft.control.kind != ControlKind::Select {
        return;
    }
    let choices = &mut draft.control.choices;
    let marked = choices.iter().rposition(|choice| choice.is_selected);
    let first = || choices.iter().position(|choice| !choice.is_disabled);
    let chosen = marked.or_else(|| if draft.is_list { None } else { first() });
    for (place, choice) in choices.iter_mut().enumerate() {
        choice.is_selected = chosen == Some(place);
    }
}

/// Of the radio buttons of one name the last that is marked is on.
fn settle_radios(form: &mut Form) {
    let mut seen: HashSet<&str> = HashSet::new();
    for control in form.controls.iter_mut().rev() {
        let is_marked = control.kind == ControlKind::Radio && control.is_checked;
        if is_marked && !control.name.is_empty() {
            control.is_checked = seen.insert(&control.name);
        }
    }
}

/// The first element of each id that something points to.
struct Ids {
    first: HashMap<String, Option<NodeId>>,
}

impl Ids {
    fn search(page: &Page, drafts: &[Draft], labels: &[Label]) -> Ids {
        let of_controls = drafts.iter().filter_map(|draft| draft.form_id.as_ref());
        let of_labels = labels.iter().filter_map(|label| label.names.as_ref());
        let wanted = of_controls.chain(of_labels).filter(|id| !id.is_empty());
        let mut ids = Ids {
            first: wanted.map(|id| (id.clone(), None)).collect(),
        };
        if !ids.first.is_empty() {
            page.walk(&mut ids);
        }
        ids
    }
}

impl Visit for Ids {
    fn enter(&mut self, node: NodeId, element: &Element) {
        if let Some(id) = attribute(element, &local_name!("id"))
            && let Some(place) = self.first.get_mut(id)
        {
            place.get_or_insert(node);
        }
    }
}
