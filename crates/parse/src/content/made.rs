//! A tree as it was built, whichever it is: its nodes one by one, and what is asked of an element.

use super::arena::Arena;
use dom_query::{Document, NodeData, NodeId};
use html5ever::{LocalName, QualName};

/// An element: its name and its attributes.
pub(super) trait MadeElement {
    fn name(&self) -> &QualName;

    /// Name and value of each.
    fn attributes(&self) -> impl Iterator<Item = (&LocalName, &str)> + Clone;
}

pub(super) enum MadeNode<'a, E> {
    Element(&'a E),
    Text(&'a str),
    /// Comments and the like.
    Other,
}

/// Where a walk may go from a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near<Id> {
    pub(super) child: Option<Id>,
    pub(super) sibling: Option<Id>,
    pub(super) parent: Option<Id>,
}

pub(super) trait MadeTree {
    type Id: Copy;
    type Element: MadeElement;

    /// The first child of the document.
    fn first(&self) -> Option<Self::Id>;

    fn look<R>(
        &self,
        id: Self::Id,
        take: impl FnOnce(MadeNode<'_, Self::Element>, Near<Self::Id>) -> R,
    ) -> Option<R>;
}

impl MadeElement for dom_query::Element {
    fn name(&self) -> &QualName {
        &self.name
    }

    fn attributes(&self) -> impl Iterator<Item = (&LocalName, &str)> + Clone {
        self.attrs.iter().map(|one| (&one.name.local, &*one.value))
    }
}

impl MadeTree for Document {
    type Id = NodeId;
    type Element = dom_query::Element;

    fn first(&self) -> Option<NodeId> {
        let root = self.tree.root_id();
        self.tree.query_node(&root, |root| root.first_child).flatten()
    }

    fn look<R>(
        &self,
        id: NodeId,
        take: impl FnOnce(MadeNode<'_, dom_query::Element>, Near<NodeId>) -> R,
    ) -> Option<R> {
        self.tree.query_node(&id, |node| {
            let seen = match &node.data {
                NodeData::Element(element) => MadeNode::Element(element),
                NodeData::Text { contents } => MadeNode::Text(contents),
                _ => MadeNode::Other,
            };
            let near = Near {
                child: node.first_child,
                sibling: node.next_sibling,
                parent: node.parent,
            };
            take(seen, near)
        })
    }
}

impl MadeTree for Arena {
    type Id = u32;
    type Element = super::arena::ArenaElement;

    fn first(&self) -> Option<u32> {
        self.first_child()
    }

    fn look<R>(
        &self,
        id: u32,
        take: impl FnOnce(MadeNode<'_, super::arena::ArenaElement>, Near<u32>) -> R,
    ) -> Option<R> {
        self.look_at(id, take)
    }
}
