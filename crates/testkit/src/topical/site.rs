//! What is a site made of? Its pages and documents as a tree with paths, planned once; what they say is made when they are asked.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::spec::SiteKind;

/// No topic of the corpora: documents as they were found, campus news, shops.
pub(super) const NO_TOPIC: u8 = u8::MAX;
/// Never.
pub(super) const NEVER: u8 = u8::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Home,
    /// Lists its children.
    Listing,
    Person,
    /// Pages of text.
    Content,
    /// About one document.
    Abstract,
    /// A letter of a mailing list, a thread, a piece of news.
    Post,
    /// A thing to buy.
    Goods,
    /// Links to other sites.
    Links,
    /// A work in a format (number in `FORMATS`).
    Document {
        work: u32,
        format: u8,
    },
    /// A real file of the genre corpus.
    File(u32),
    /// Called a document, and none: an error page, an empty file, half of a PDF.
    Junk(u8),
}

impl NodeKind {
    pub(super) fn is_file(self) -> bool {
        matches!(
            self,
            NodeKind::Document { .. } | NodeKind::File(_) | NodeKind::Junk(_)
        )
    }
}

/// The endings under which works are served.
pub(super) const FORMATS: [&str; 8] = ["pdf", "ps.gz", "docx", "rtf", "tex", "md", "html", "txt"];

#[derive(Debug)]
pub(super) struct Node {
    path: (u32, u32),
    pub(super) kind: NodeKind,
    pub(super) topic: u8,
    /// Which text of the topic it shows.
    pub(super) text: u32,
    pub(super) parent: u32,
    pub(super) born: u8,
    pub(super) gone: u8,
    pub(super) children: Vec<u32>,
    /// Links to other sites: (site, node).
    pub(super) far: Vec<(u16, u32)>,
}

/// What a site does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Serving {
    Pages,
    /// The pages of another site.
    As(u16),
    MovedTo(u16),
    Refuses,
    Unavailable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trap {
    None,
    /// A calendar without end.
    Calendar,
    /// Whoever comes without a session id gets one in all links.
    Sessions,
    /// Each listing has a next page, for ever.
    Pages,
}

#[derive(Debug)]
pub(super) struct Site {
    pub(super) index: u16,
    pub(super) kind: SiteKind,
    pub(super) title: String,
    pub(super) topic: u8,
    pub(super) is_on: bool,
    /// The source whose texts it shows.
    pub(super) source: u32,
    pub(super) serving: Serving,
    pub(super) trap: Trap,
    pub(super) latency_ms: u64,
    pub(super) salt: u64,
    pub(super) nodes: Vec<Node>,
    paths: String,
    by_path: HashMap<u64, u32>,
}

impl Site {
    pub(super) fn new(index: u16, kind: SiteKind, topic: u8, is_on: bool, salt: u64) -> Site {
        Site {
            index,
            kind,
            title: String::new(),
            topic,
            is_on,
            source: 0,
            serving: Serving::Pages,
            trap: Trap::None,
            latency_ms: 0,
            salt,
            nodes: Vec::new(),
            paths: String::new(),
            by_path: HashMap::new(),
        }
    }

    pub(super) fn path(&self, node: u32) -> &str {
        let (from, to) = self.nodes[node as usize].path;
        &self.paths[from as usize..to as usize]
    }

    pub(super) fn at(&self, path: &str) -> Option<u32> {
        let found = *self.by_path.get(&hashed(path))?;
        (self.path(found) == path).then_some(found)
    }

    /// Adds a page below `parent`; where the path is taken, a number makes it another.
    pub(super) fn add(&mut self, parent: u32, kind: NodeKind, topic: u8, text: u32, path: &str) -> u32 {
        let id = self.nodes.len() as u32;
        let mut path = path.to_owned();
        let mut number = 1;
        while self.by_path.contains_key(&hashed(&path)) {
            number += 1;
            path = numbered(&path, number);
        }
        self.by_path.insert(hashed(&path), id);
        let from = self.paths.len() as u32;
        self.paths.push_str(&path);
        self.nodes.push(Node {
            path: (from, self.paths.len() as u32),
            kind,
            topic,
            text,
            parent,
            born: 0,
            gone: NEVER,
            children: Vec::new(),
            far: Vec::new(),
        });
        if id > 0 {
            self.nodes[parent as usize].children.push(id);
        }
        id
    }

    pub(super) fn is_alive(&self, node: u32, epoch: u8) -> bool {
        let node = &self.nodes[node as usize];
        node.born <= epoch && epoch < node.gone
    }

    /// How many links it takes from the home page down the tree.
    pub(super) fn depth(&self, mut node: u32) -> usize {
        let mut depth = 0;
        while node != 0 {
            node = self.nodes[node as usize].parent;
            depth += 1;
        }
        depth
    }
}

fn numbered(path: &str, number: usize) -> String {
    let at = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[at..].find('.') {
        Some(dot) => format!("{}-{number}{}", &path[..at + dot], &path[at + dot..]),
        None if path.ends_with('/') => format!("{path}{number}/"),
        None => format!("{path}-{number}"),
    }
}

fn hashed(path: &str) -> u64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
