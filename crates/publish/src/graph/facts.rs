//! What is known of each node beside its links: columns in the order of the nodes.
//!
//! As bytes they are the second part of a snapshot's file: numbers of fixed width one column after the other, texts at the end.

use gleaner_graph::Node;
use gleaner_model::{Reason, State, Timestamp};

/// No depth, no redirect.
const NONE: u32 = u32::MAX;
/// No time.
const NEVER: i64 = i64::MIN;

/// Facts of pages; of hosts and domains those of their pages together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The number of the resource; 0 for a host or a domain.
    resource: Vec<u32>,
    status: Vec<u16>,
    /// The place in `Reason::ALL` and one more; 0: none.
    reason: Vec<u8>,
    /// The place in `State::ALL` and one more; 0: none.
    state: Vec<u8>,
    /// Documents that are there: 1 or 0 for a page, their number for a host or a domain.
    kept: Vec<u32>,
    depth: Vec<u32>,
    first_seen: Vec<i64>,
    last_seen: Vec<i64>,
    /// Where a redirect leads.
    leads_to: Vec<u32>,
    media_type: Vec<u16>,
    /// Where the title ends in `titles`; it begins where the one before ends.
    title_end: Vec<u32>,
    titles: String,
    types: Vec<String>,
}

/// The facts of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFacts {
    pub resource: u32,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
    pub state: Option<State>,
    pub kept: u32,
    pub depth: Option<u32>,
    pub first_seen: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
    pub leads_to: Option<Node>,
    pub media_type: String,
    pub title: String,
}

impl Facts {
    pub(super) fn with_capacity(nodes: usize) -> Facts {
        Facts {
            resource: Vec::with_capacity(nodes),
            types: vec![String::new()],
            ..Facts::default()
        }
    }

    pub fn len(&self) -> usize {
        self.resource.len()
    }

    pub fn is_empty(&self) -> bool {
        self.resource.is_empty()
    }

    /// The facts of the next node.
    pub(super) fn push(&mut self, facts: &NodeFacts) {
        let place = |found: Option<usize>| found.map_or(0, |place| place as u8 + 1);
        self.resource.push(facts.resource);
        self.status.push(facts.status.unwrap_or(0));
        let reason = facts.reason;
        self.reason.push(place(
            reason.and_then(|reason| Reason::ALL.iter().position(|one| *one == reason)),
        ));
        let state = facts.state;
        self.state.push(place(
            state.and_then(|state| State::ALL.iter().position(|one| *one == state)),
        ));
        self.kept.push(facts.kept);
        self.depth.push(facts.depth.unwrap_or(NONE));
        self.first_seen.push(facts.first_seen.map_or(NEVER, |at| at.0));
        self.last_seen.push(facts.last_seen.map_or(NEVER, |at| at.0));
        self.leads_to.push(facts.leads_to.unwrap_or(NONE));
        let known = self.types.iter().position(|one| *one == facts.media_type);
        let number = known.unwrap_or_else(|| {
            // There are some hundred types; more are somebody's joke and count as unknown.
            if self.types.len() >= usize::from(u16::MAX) {
                return 0;
            }
            self.types.push(facts.media_type.clone());
            self.types.len() - 1
        });
        self.media_type.push(number as u16);
        self.titles.push_str(&facts.title);
        self.title_end.push(self.titles.len() as u32);
    }

    pub fn get(&self, node: Node) -> NodeFacts {
        let at = node as usize;
        NodeFacts {
            resource: self.resource[at],
            status: self.status(node),
            reason: self.reason(node),
            state: self.state(node),
            kept: self.kept[at],
            depth: self.depth(node),
            first_seen: time(self.first_seen[at]),
            last_seen: time(self.last_seen[at]),
            leads_to: self.leads_to(node),
            media_type: self.media_type(node).to_owned(),
            title: self.title(node).to_owned(),
        }
    }

    pub fn resource(&self, node: Node) -> u32 {
        self.resource[node as usize]
    }

    pub fn status(&self, node: Node) -> Option<u16> {
        Some(self.status[node as usize]).filter(|status| *status != 0)
    }

    pub fn reason(&self, node: Node) -> Option<Reason> {
        let place = usize::from(self.reason[node as usize]);
        Reason::ALL.get(place.wrapping_sub(1)).copied()
    }

    pub fn state(&self, node: Node) -> Option<State> {
        let place = usize::from(self.state[node as usize]);
        State::ALL.get(place.wrapping_sub(1)).copied()
    }

    pub fn is_kept(&self, node: Node) -> bool {
        self.kept[node as usize] > 0
    }

    pub fn depth(&self, node: Node) -> Option<u32> {
        Some(self.depth[node as usize]).filter(|depth| *depth != NONE)
    }

    pub fn leads_to(&self, node: Node) -> Option<Node> {
        Some(self.leads_to[node as usize]).filter(|to| *to != NONE)
    }

    pub fn media_type(&self, node: Node) -> &str {
        &self.types[usize::from(self.media_type[node as usize])]
    }

    pub fn title(&self, node: Node) -> &str {
        let at = node as usize;
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.title_end[before] as usize);
        &self.titles[start..self.title_end[at] as usize]
    }

    /// The numbers of types by node, and what they are called; the first is "unknown".
    pub fn types(&self) -> (Vec<u32>, &[String]) {
        (
            self.media_type.iter().map(|number| u32::from(*number)).collect(),
            &self.types,
        )
    }

    /// The facts of groups: `group_of` says where each node belongs.
    pub(super) fn grouped(&self, group_of: &[Node], groups: usize) -> Facts {
        let mut together = vec![NodeFacts::default(); groups];
        let mut counts = vec![[0u32; 7]; groups];
        for (node, &group) in group_of.iter().enumerate() {
            let (one, all) = (self.get(node as Node), &mut together[group as usize]);
            all.kept += one.kept;
            all.depth = least(all.depth, one.depth);
            all.first_seen = least(all.first_seen, one.first_seen);
            all.last_seen = all.last_seen.max(one.last_seen);
            counts[group as usize][usize::from(self.state[node])] += 1;
        }
        let mut facts = Facts::with_capacity(groups);
        for (mut one, counts) in together.into_iter().zip(counts) {
            one.state = state_together(&counts);
            facts.push(&one);
        }
        facts
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * 48 + self.titles.len());
        let types = self.types.join("\n");
        for length in [self.len(), self.titles.len(), types.len()] {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        for column in [
            &self.resource,
            &self.kept,
            &self.depth,
            &self.leads_to,
            &self.title_end,
        ] {
            for number in column {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        for column in [&self.first_seen, &self.last_seen] {
            for number in column {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        for column in [&self.status, &self.media_type] {
            for number in column {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&self.reason);
        bytes.extend_from_slice(&self.state);
        bytes.extend_from_slice(self.titles.as_bytes());
        bytes.extend_from_slice(types.as_bytes());
        bytes
    }

    /// None where the bytes are not those of [`Facts::to_bytes`].
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Facts> {
        let mut rest = Rest(bytes);
        let [nodes, title_bytes, type_bytes] = [rest.length()?, rest.length()?, rest.length()?];
        let mut words =
            || -> Option<Vec<u32>> { Some(rest.wide::<4>(nodes)?.map(u32::from_le_bytes).collect()) };
        let (resource, kept, depth, leads_to, title_end) = (words()?, words()?, words()?, words()?, words()?);
        let mut times =
            || -> Option<Vec<i64>> { Some(rest.wide::<8>(nodes)?.map(i64::from_le_bytes).collect()) };
        let (first_seen, last_seen) = (times()?, times()?);
        let mut halves =
            || -> Option<Vec<u16>> { Some(rest.wide::<2>(nodes)?.map(u16::from_le_bytes).collect()) };
        let (status, media_type) = (halves()?, halves()?);
        let (reason, state) = (rest.take(nodes)?.to_vec(), rest.take(nodes)?.to_vec());
        let titles = String::from_utf8(rest.take(title_bytes)?.to_vec()).ok()?;
        let types: Vec<String> = std::str::from_utf8(rest.take(type_bytes)?)
            .ok()?
            .split('\n')
            .map(str::to_owned)
            .collect();
        let is_whole = rest.0.is_empty()
            && title_end.last().is_none_or(|end| *end as usize == titles.len())
            && title_end.windows(2).all(|two| two[0] <= two[1])
            && title_end.iter().all(|end| titles.is_char_boundary(*end as usize))
            && media_type.iter().all(|number| usize::from(*number) < types.len());
        is_whole.then_some(Facts {
            resource,
            status,
            reason,
            state,
            kept,
            depth,
            first_seen,
            last_seen,
            leads_to,
            media_type,
            title_end,
            titles,
            types,
        })
    }
}

fn time(at: i64) -> Option<Timestamp> {
    Some(at).filter(|at| *at != NEVER).map(Timestamp)
}

fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The state of pages together: one that all share, and "changed" where some of them did. Pages without a state do not count.
fn state_together(counts: &[u32; 7]) -> Option<State> {
    let of = |state: State| {
        let place = State::ALL.iter().position(|one| *one == state).unwrap_or(0);
        counts[place + 1]
    };
    let all: u32 = counts[1..].iter().sum();
    if all == 0 {
        return None;
    }
    for state in [State::New, State::Mis, State::Err, State::Out, State::Sam] {
        if of(state) == all {
            return Some(state);
        }
    }
    let is_changed = of(State::New) + of(State::Upd) + of(State::Mis) > 0;
    Some(if is_changed { State::Upd } else { State::Sam })
}

/// What was not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn length(&mut self) -> Option<usize> {
        let bytes: [u8; 8] = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    }

    fn wide<const N: usize>(&mut self, count: usize) -> Option<impl Iterator<Item = [u8; N]> + 'a> {
        let taken = self.take(count.checked_mul(N)?)?;
        Some(
            taken
                .chunks_exact(N)
                .map(|bytes| bytes.try_into().unwrap_or([0; N])),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str, state: Option<State>) -> NodeFacts {
        NodeFacts {
            resource: 7,
            status: Some(200),
            reason: Some(Reason::HttpNotFound),
            state,
            kept: 1,
            depth: Some(3),
            first_seen: Some(Timestamp(5)),
            last_seen: None,
            leads_to: Some(1),
            media_type: "text/html".to_owned(),
            title: title.to_owned(),
        }
    }

    fn three() -> Facts {
        let mut facts = Facts::with_capacity(3);
        facts.push(&page("Käse", Some(State::New)));
        facts.push(&NodeFacts::default());
        facts.push(&page("", Some(State::Sam)));
        facts
    }

    #[test]
    fn facts_come_back_from_their_bytes() {
        let facts = three();
        assert_eq!(facts.get(0), page("Käse", Some(State::New)));
        assert_eq!(facts.get(1), NodeFacts::default());
        let bytes = facts.to_bytes();
        assert_eq!(Facts::from_bytes(&bytes).as_ref(), Some(&facts));
        for end in 0..bytes.len() {
            assert_eq!(Facts::from_bytes(&bytes[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn the_facts_of_a_host_are_those_of_its_pages() {
        let host = three().grouped(&[0, 1, 0], 2);
        assert_eq!(host.get(0).kept, 2);
        assert_eq!(
            host.get(0).state,
            Some(State::Upd),
            "one page is new, one as it was"
        );
        assert_eq!(host.get(0).depth, Some(3));
        assert_eq!(host.get(1).state, None);
    }
}
