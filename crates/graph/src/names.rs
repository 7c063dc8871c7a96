//! What the nodes of a graph are called, in their order.
//!
//! Nodes are ordered by reversed host, then by path, so that pages of a host, and hosts of a domain, stand side by side: most
//! links then lead to near numbers. Names are kept as the keys they are ordered by, front coded: of each only what differs from
//! the one before, and every sixteenth whole.
//!
//! ```text
//! https://user@www.example.com:8080/a?b  ──►  com 1 example 1 www 0 /a?b 0 https 0 user@ 0 :8080
//! ```
//!
//! Numbers stand for single bytes. A byte below all characters of names between the labels keeps the hosts of a domain together:
//! with a dot, `example-a.com` would come between `example.com` and `www.example.com`. The key gives the name back exactly.
//!
//! Traps: a name with such bytes in it is kept as it is, behind all others. Numbers of addresses (`10.0.0.1`) are not reversed.

use crate::graph::Node;
use gleaner_model::url::registrable_domain;
use std::borrow::Cow;

/// Every so many names one is whole.
const BLOCK: usize = 16;
/// Begins the key of a name that is kept as it is. No UTF-8 text has this byte.
const AS_IT_IS: u8 = 0xff;

/// The names of all nodes: addresses of pages, or names of hosts or domains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// For each key: bytes shared with the one before, bytes of its own, these bytes.
    pub(crate) coded: Vec<u8>,
    /// Where every [`BLOCK`]-th key begins.
    blocks: Vec<usize>,
    count: usize,
}

impl Names {
    /// Puts names into order (reversed host, then path) and numbers them. The second value is the node of each given name, in
    /// the order in which they were given; equal names are one node.
    pub fn sorted<S: AsRef<str>>(names: &[S]) -> (Names, Vec<Node>) {
        let mut keys = Vec::new();
        let mut places = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let start = keys.len();
            push_key(name.as_ref(), &mut keys);
            places.push((start, keys.len(), at));
        }
        let key = |place: &(usize, usize, usize)| &keys[place.0..place.1];
        places.sort_unstable_by(|one, other| key(one).cmp(key(other)));
        let mut sorted = Names::default();
        let mut nodes = vec![0; names.len()];
        let mut before: &[u8] = &[];
        for place in &places {
            let this = key(place);
            if sorted.count == 0 || this != before {
                sorted.push(before, this);
                before = this;
            }
            nodes[place.2] = sorted.count as Node - 1;
        }
        (sorted, nodes)
    }

    fn push(&mut self, before: &[u8], key: &[u8]) {
        let whole = self.count.is_multiple_of(BLOCK);
        if whole {
            self.blocks.push(self.coded.len());
        }
        let same = before.iter().zip(key).take_while(|(one, other)| one == other);
        let shared = if whole { 0 } else { same.count() };
        push_number(shared, &mut self.coded);
        push_number(key.len() - shared, &mut self.coded);
        self.coded.extend_from_slice(&key[shared..]);
        self.count += 1;
    }

    /// Reads what [`Names::sorted`] has coded; `None` when it is anything else.
    pub(crate) fn from_coded(coded: Vec<u8>, count: usize) -> Option<Names> {
        let mut names = Names::default();
        let mut at = 0;
        let mut key = Vec::new();
        let mut before = Vec::new();
        while names.count < count {
            let whole = names.count.is_multiple_of(BLOCK);
            if whole {
                names.blocks.push(at);
            }
            let shared = read_number(&coded, &mut at)?;
            let own = read_number(&coded, &mut at)?;
            let end = at.checked_add(own)?;
            if shared > key.len() || (whole && shared > 0) {
                return None;
            }
            key.truncate(shared);
            key.extend_from_slice(coded.get(at..end)?);
            at = end;
            if names.count > 0 && key <= before {
                return None;
            }
            name_of(&key)?;
            before.clone_from(&key);
            names.count += 1;
        }
        names.coded = coded;
        (at == names.coded.len()).then_some(names)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The name of a node.
    pub fn get(&self, node: Node) -> String {
        let node = node as usize;
        assert!(node < self.count, "node {node} of {}", self.count);
        let mut keys = self.keys_from(node / BLOCK);
        for _ in 0..=node % BLOCK {
            keys.advance();
        }
        keys.name()
    }

    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<Node> {
        let mut wanted = Vec::new();
        push_key(name, &mut wanted);
        let first_key = |&start: &usize| {
            let mut at = start;
            let _shared = read_number(&self.coded, &mut at);
            let own = read_number(&self.coded, &mut at).unwrap_or(0);
            &self.coded[at..at + own]
        };
        let block = self
            .blocks
            .partition_point(|start| first_key(start) <= wanted.as_slice())
            .checked_sub(1)?;
        let mut keys = self.keys_from(block);
        let last = self.count.min((block + 1) * BLOCK);
        (block * BLOCK..last).find_map(|node| {
            keys.advance();
            (keys.key == wanted).then_some(node as Node)
        })
    }

    /// All names in the order of their nodes. Cheaper than [`Names::get`] one by one.
    pub fn iter(&self) -> impl Iterator<Item = String> + '_ {
        let mut keys = self.keys_from(0);
        (0..self.count).map(move |_| {
            keys.advance();
            keys.name()
        })
    }

    /// For each node of either list the node of the other that has the same name.
    pub(crate) fn matched(one: &Names, other: &Names) -> (Vec<Option<Node>>, Vec<Option<Node>>) {
        let mut found = (vec![None; one.count], vec![None; other.count]);
        let (mut left, mut right) = (one.keys_from(0), other.keys_from(0));
        let (mut a, mut b) = (0, 0);
        let (mut fresh_left, mut fresh_right) = (true, true);
        while a < one.count && b < other.count {
            if fresh_left {
                left.advance();
            }
            if fresh_right {
                right.advance();
            }
            let order = left.key.cmp(&right.key);
            if order.is_eq() {
                found.0[a] = Some(b as Node);
                found.1[b] = Some(a as Node);
            }
            (fresh_left, fresh_right) = (order.is_le(), order.is_ge());
            a += usize::from(fresh_left);
            b += usize::from(fresh_right);
        }
        found
    }

    /// Bytes that the names take.
    pub fn size_bytes(&self) -> usize {
        self.coded.len()
    }

    fn keys_from(&self, block: usize) -> Keys<'_> {
        Keys {
            coded: &self.coded,
            at: self.blocks.get(block).copied().unwrap_or(0),
            key: Vec::new(),
        }
    }
}

/// Walks over the keys.
struct Keys<'a> {
    coded: &'a [u8],
    at: usize,
    key: Vec<u8>,
}

impl Keys<'_> {
    /// To the next key. What is coded was checked when it was made or read.
    fn advance(&mut self) {
        let shared = read_number(self.coded, &mut self.at).unwrap_or(0);
        let own = read_number(self.coded, &mut self.at).unwrap_or(0);
        self.key.truncate(shared);
        self.key.extend_from_slice(&self.coded[self.at..self.at + own]);
        self.at += own;
    }

    fn name(&self) -> String {
        name_of(&self.key).expect("keys are checked when they are made or read")
    }
}

/// The parts of a name. `https://` stands in `scheme`, `user@` in `user`, `:8080` in `port`, all as written.
struct Parts<'a> {
    scheme: &'a str,
    user: &'a str,
    host: &'a str,
    port: &'a str,
    rest: &'a str,
}

fn parts(name: &str) -> Parts<'_> {
    let is_scheme = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let (scheme, after) = match name.find("://") {
        Some(end) if is_scheme(&name[..end]) => name.split_at(end + 3),
        _ => ("", name),
    };
    let (authority, rest) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
    let (user, host_port) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    let host_end = match host_port.strip_prefix('[').and_then(|inside| inside.find(']')) {
        Some(end) => end + 2,
        None => match host_port.rfind(':') {
            Some(at) if host_port[at + 1..].bytes().all(|b| b.is_ascii_digit()) => at,
            _ => host_port.len(),
        },
    };
    let (host, port) = host_port.split_at(host_end);
    Parts {
        scheme,
        user,
        host,
        port,
        rest,
    }
}

fn push_key(name: &str, keys: &mut Vec<u8>) {
    if name.bytes().any(|b| b < 2) {
        keys.push(AS_IT_IS);
        keys.extend_from_slice(name.as_bytes());
        return;
    }
    let parts = parts(name);
    if is_number_address(parts.host, '.') {
        keys.extend(parts.host.bytes().map(|b| if b == b'.' { 1 } else { b }));
    } else {
        for (at, label) in parts.host.rsplit('.').enumerate() {
            if at > 0 {
                keys.push(1);
            }
            keys.extend_from_slice(label.as_bytes());
        }
    }
    for part in [parts.rest, parts.scheme, parts.user, parts.port] {
        keys.push(0);
        keys.extend_from_slice(part.as_bytes());
    }
}

/// The name that has this key; `None` when no name has it.
fn name_of(key: &[u8]) -> Option<String> {
    if let Some((&AS_IT_IS, name)) = key.split_first() {
        return String::from_utf8(name.to_vec()).ok();
    }
    let text = std::str::from_utf8(key).ok()?;
    let mut parts = text.split('\0');
    let mut part = || parts.next();
    let (host, rest, scheme, user, port) = (part()?, part()?, part()?, part()?, part()?);
    if part().is_some() {
        return None;
    }
    let mut name = String::with_capacity(key.len());
    name.push_str(scheme);
    name.push_str(user);
    if is_number_address(host, '\u{1}') {
        name.extend(host.chars().map(|c| if c == '\u{1}' { '.' } else { c }));
    } else {
        for (at, label) in host.rsplit('\u{1}').enumerate() {
            if at > 0 {
                name.push('.');
            }
            name.push_str(label);
        }
    }
    name.push_str(port);
    name.push_str(rest);
    Some(name)
}

/// Whether all labels are numbers. True of a host exactly when it is true of its key.
fn is_number_address(host: &str, dot: char) -> bool {
    host.split(dot)
        .all(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit()))
}

/// The host in a name: of an address its host without user and port, else the part before the first `/`.
pub fn host_of(name: &str) -> &str {
    parts(name).host
}

/// The registrable domain of a name's host; the host itself where there is none.
pub fn domain_of(name: &str) -> &str {
    let host = host_of(name);
    if host.starts_with('[') || is_number_address(host, '.') {
        return host;
    }
    registrable_domain(host).unwrap_or(host)
}

/// The path and what follows it: what two hosts may have in common.
pub fn path_of(name: &str) -> Cow<'_, str> {
    match parts(name).rest {
        rest if rest.starts_with('/') => Cow::Borrowed(rest),
        rest => Cow::Owned(format!("/{rest}")),
    }
}

pub(crate) fn push_number(mut number: usize, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0u64;
    for shift in (0..57).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return usize::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hosts_of_a_domain_and_pages_of_a_host_stand_together() {
        let names = [
            "https://www.example.com/b",
            "http://example-a.com/",
            "https://example.com/",
            "https://www.example.com/a?x=1",
            "http://www.example.com/a?x=1",
            "http://10.0.0.2/",
            "http://10.0.0.1:8080/",
            "https://example.com/",
        ];
        let (sorted, nodes) = Names::sorted(&names);
        let order: Vec<String> = sorted.iter().collect();
        assert_eq!(
            order,
            [
                "http://10.0.0.1:8080/",
                "http://10.0.0.2/",
                "https://example.com/",
                "http://www.example.com/a?x=1",
                "https://www.example.com/a?x=1",
                "https://www.example.com/b",
                "http://example-a.com/",
            ]
        );
        assert_eq!(nodes, [5, 6, 2, 4, 3, 1, 0, 2]);
    }

    #[test]
    fn hosts_and_domains_of_names() {
        for (name, host, domain) in [
            (
                "https://me:x@www.example.co.uk:81/a",
                "www.example.co.uk",
                "example.co.uk",
            ),
            ("http://[::1]:80/", "[::1]", "[::1]"),
            ("http://10.1.2.3/x", "10.1.2.3", "10.1.2.3"),
            ("www.example.org", "www.example.org", "example.org"),
            ("155", "155", "155"),
            ("", "", ""),
            ("file:///a/b", "", ""),
        ] {
            assert_eq!((host_of(name), domain_of(name)), (host, domain), "{name}");
        }
    }

    proptest! {
        #[test]
        fn names_come_back_as_they_were(names in proptest::collection::vec("(https?://)?[a-c0-9.@:\\[\\]/?#\u{0}\u{1}é]{0,12}", 0..60)) {
            let (sorted, nodes) = Names::sorted(&names);
            for (name, &node) in names.iter().zip(&nodes) {
                prop_assert_eq!(&sorted.get(node), name);
                prop_assert_eq!(sorted.find(name), Some(node));
            }
            prop_assert_eq!(sorted.find("not there"), None);
            let again = Names::from_coded(sorted.coded.clone(), sorted.len());
            prop_assert_eq!(again, Some(sorted));
        }
    }
}
