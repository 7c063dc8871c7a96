//! What the tree builder writes to: the tree of `dom_query`, and which form each control was born into.
//!
//! The tree alone does not tell: in `<table><form><tr><td><input>` the form is left empty beside its table, and only the
//! builder knows that the input is still its own (HTML 13.2.6.1, "the form element pointer").

use dom_query::{Document, NodeId};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// Control → form, as the parser said.
pub(crate) type Owners = HashMap<NodeId, NodeId>;

#[derive(Default)]
pub(super) struct Sink {
    pub(super) document: Document,
    pub(super) owners: RefCell<Owners>,
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Sink;
    type ElemName<'a> = <Document as TreeSink>::ElemName<'a>;

    fn finish(self) -> Sink {
        self
    }

    /// Nobody asks for them, and a bad page has millions.
    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn associate_with_form(&self, target: &NodeId, form: &NodeId, _around: (&NodeId, Option<&NodeId>)) {
        self.owners.borrow_mut().insert(*target, *form);
    }

    fn get_document(&self) -> NodeId {
        self.document.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Self::ElemName<'a> {
        self.document.elem_name(target)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.document.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.document.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, contents: StrTendril) -> NodeId {
        self.document.create_pi(target, contents)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.document.append(parent, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        self.document
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.document
            .append_doctype_to_document(name, public_id, system_id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.document.get_template_contents(target)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.document.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.document.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.document.append_before_sibling(sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.document.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.document.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.document.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.document.is_mathml_annotation_xml_integration_point(handle)
    }
}
