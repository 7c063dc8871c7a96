//! The tree as its builder makes it, for whoever walks it once and lets it go: nodes in one list, joined by their places.
//!
//! The tree of `dom_query` ([`super::sink`]) can be searched and changed; this one can only be made and walked.

use super::made::{MadeElement, MadeNode, Near};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName};
use std::borrow::Cow;
use std::cell::{Ref, RefCell};

const NONE: u32 = u32::MAX;
/// The document itself.
const ROOT: u32 = 0;

#[derive(Debug)]
pub(super) struct ArenaElement {
    name: QualName,
    attributes: Vec<Attribute>,
    /// What a `template` holds is in a tree of its own.
    template: u32,
    is_integration_point: bool,
}

#[derive(Debug)]
enum ArenaData {
    Element(ArenaElement),
    Text(StrTendril),
    /// Document, doctype, comment: nobody reads them.
    Other,
}

#[derive(Debug)]
struct ArenaNode {
    data: ArenaData,
    parent: u32,
    before: u32,
    next: u32,
    first: u32,
    last: u32,
}

#[derive(Debug)]
pub(super) struct Arena {
    nodes: RefCell<Vec<ArenaNode>>,
}

impl Default for Arena {
    fn default() -> Arena {
        let arena = Arena {
            nodes: RefCell::new(Vec::with_capacity(1024)),
        };
        arena.add(ArenaData::Other);
        arena
    }
}

impl Arena {
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub(super) fn first_child(&self) -> Option<u32> {
        some(self.nodes.borrow()[ROOT as usize].first)
    }

    pub(super) fn look_at<R>(
        &self,
        at: u32,
        take: impl FnOnce(MadeNode<'_, ArenaElement>, Near<u32>) -> R,
    ) -> Option<R> {
        let nodes = self.nodes.borrow();
        let node = nodes.get(at as usize)?;
        let seen = match &node.data {
            ArenaData::Element(element) => MadeNode::Element(element),
            ArenaData::Text(text) => MadeNode::Text(text),
            ArenaData::Other => MadeNode::Other,
        };
        let near = Near {
            child: some(node.first),
            sibling: some(node.next),
            parent: some(node.parent),
        };
        Some(take(seen, near))
    }

    fn add(&self, data: ArenaData) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(ArenaNode {
            data,
            parent: NONE,
            before: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
        });
        nodes.len() as u32 - 1
    }
}

fn some(at: u32) -> Option<u32> {
    (at != NONE).then_some(at)
}

impl MadeElement for ArenaElement {
    fn name(&self) -> &QualName {
        &self.name
    }

    fn attributes(&self) -> impl Iterator<Item = (&LocalName, &str)> + Clone {
        self.attributes.iter().map(|one| (&one.name.local, &*one.value))
    }
}

/// Takes a node out from among its siblings.
fn detach(nodes: &mut [ArenaNode], at: u32) {
    let ArenaNode {
        parent, before, next, ..
    } = nodes[at as usize];
    if parent == NONE {
        return;
    }
    match before {
        NONE => nodes[parent as usize].first = next,
        _ => nodes[before as usize].next = next,
    }
    match next {
        NONE => nodes[parent as usize].last = before,
        _ => nodes[next as usize].before = before,
    }
    let node = &mut nodes[at as usize];
    (node.parent, node.before, node.next) = (NONE, NONE, NONE);
}

fn append(nodes: &mut [ArenaNode], parent: u32, child: u32) {
    detach(nodes, child);
    let last = nodes[parent as usize].last;
    match last {
        NONE => nodes[parent as usize].first = child,
        _ => nodes[last as usize].next = child,
    }
    nodes[parent as usize].last = child;
    let node = &mut nodes[child as usize];
    (node.parent, node.before) = (parent, last);
}

fn insert_before(nodes: &mut [ArenaNode], sibling: u32, new: u32) {
    detach(nodes, new);
    let ArenaNode { parent, before, .. } = nodes[sibling as usize];
    if parent == NONE {
        return;
    }
    match before {
        NONE => nodes[parent as usize].first = new,
        _ => nodes[before as usize].next = new,
    }
    nodes[sibling as usize].before = new;
    let node = &mut nodes[new as usize];
    (node.parent, node.before, node.next) = (parent, before, sibling);
}

impl Arena {
    /// Adds the text to the text that stands there, if one does.
    fn joins(&self, at: u32, text: &StrTendril) -> bool {
        if at == NONE {
            return false;
        }
        match &mut self.nodes.borrow_mut()[at as usize].data {
            ArenaData::Text(there) => {
                there.push_tendril(text);
                true
            }
            _ => false,
        }
    }
}

impl TreeSink for Arena {
    type Handle = u32;
    type Output = Arena;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Arena {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].data {
            ArenaData::Element(element) => &element.name,
            _ => unreachable!("the builder asks elements for their names"),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let template = if flags.template {
            self.add(ArenaData::Other)
        } else {
            NONE
        };
        self.add(ArenaData::Element(ArenaElement {
            name,
            attributes,
            template,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _text: StrTendril) -> u32 {
        self.add(ArenaData::Other)
    }

    fn create_pi(&self, _target: StrTendril, _contents: StrTendril) -> u32 {
        self.add(ArenaData::Other)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let child = match child {
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(text) => {
                let last = self.nodes.borrow()[*parent as usize].last;
                if self.joins(last, &text) {
                    return;
                }
                self.add(ArenaData::Text(text))
            }
        };
        append(&mut self.nodes.borrow_mut(), *parent, child);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.nodes.borrow()[*element as usize].parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        match &self.nodes.borrow()[*target as usize].data {
            ArenaData::Element(element) if element.template != NONE => element.template,
            _ => unreachable!("the builder asks templates for what they hold"),
        }
    }

    fn same_node(&self, one: &u32, other: &u32) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let child = match child {
            NodeOrText::AppendNode(child) => child,
            NodeOrText::AppendText(text) => {
                let before = self.nodes.borrow()[*sibling as usize].before;
                if self.joins(before, &text) {
                    return;
                }
                self.add(ArenaData::Text(text))
            }
        };
        insert_before(&mut self.nodes.borrow_mut(), *sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &u32, attributes: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        let ArenaData::Element(element) = &mut nodes[*target as usize].data else {
            return;
        };
        for attribute in attributes {
            if !element
                .attributes
                .iter()
                .any(|there| there.name == attribute.name)
            {
                element.attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        detach(&mut self.nodes.borrow_mut(), *target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut nodes = self.nodes.borrow_mut();
        loop {
            let child = nodes[*node as usize].first;
            if child == NONE {
                return;
            }
            append(&mut nodes, *new_parent, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        match &self.nodes.borrow()[*handle as usize].data {
            ArenaData::Element(element) => element.is_integration_point,
            _ => false,
        }
    }
}
