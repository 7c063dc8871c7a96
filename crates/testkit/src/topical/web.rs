//! Which sites are there, and how do they link to each other? All of it follows from the spec, a seed and the texts.

use anyhow::{Result, ensure};

use super::corpus::Corpus;
use super::grow::Plot;
use super::site::{NEVER, NO_TOPIC, NodeKind, Serving, Site, Trap};
use super::spec::{SiteKind, TopicSpec};
use super::works::Work;
use crate::sessions::Random;

/// Where a document is served: (site, node).
pub(super) type Spot = (u16, u32);

pub(super) struct Web {
    pub(super) spec: TopicSpec,
    pub(super) seed: u64,
    pub(super) corpus: Corpus,
    /// The topic of the library.
    pub(super) topic: u8,
    pub(super) sites: Vec<Site>,
    pub(super) works: Works,
}

/// All works, and where they are.
#[derive(Default)]
pub(super) struct Works {
    pub(super) all: Vec<Work>,
    pub(super) spots: Vec<Vec<Spot>>,
}

impl Web {
    /// `topic` by name; otherwise the seed chooses one.
    pub(super) fn grown(spec: TopicSpec, seed: u64, corpus: Corpus, topic: Option<&str>) -> Result<Web> {
        let topic = match topic {
            Some(name) => corpus.topic_named(name),
            // Far apart, so that neighbouring seeds are neighbours in nothing else.
            None => Some((seed as usize * 5) % corpus.topics.len()),
        };
        ensure!(topic.is_some(), "no such topic");
        let mut web = Web {
            topic: topic.unwrap_or_default() as u8,
            spec,
            seed,
            corpus,
            sites: Vec::new(),
            works: Works::default(),
        };
        web.found_sites();
        for at in 0..web.sites.len() {
            let pages = web.pages_of(at);
            Plot::of(&mut web, at).grow(pages);
        }
        web.point_elsewhere();
        web.link();
        web.age();
        Ok(web)
    }

    /// The sites in mixed order, still empty.
    fn found_sites(&mut self) {
        let mut kinds = Vec::new();
        for mix in &self.spec.mix {
            kinds.extend((0..mix.on).map(|_| (mix.kind, true)));
            kinds.extend((0..mix.off).map(|_| (mix.kind, false)));
        }
        let mut random = Random::of(&[self.seed, 0x517e]);
        random.shuffle(&mut kinds);
        for (index, (kind, is_on)) in kinds.into_iter().enumerate() {
            let topic = if is_on {
                self.topic
            } else {
                self.other_topic(&mut random)
            };
            let mut site = Site::new(
                index as u16,
                kind,
                topic,
                is_on,
                self.seed.wrapping_mul(0x1_0001) ^ index as u64,
            );
            let sources = self.corpus.topics[usize::from(topic)].sources.len();
            site.source = random.within(0, sources - 1) as u32;
            if matches!(
                kind,
                SiteKind::Group
                    | SiteKind::University
                    | SiteKind::Forum
                    | SiteKind::Blog
                    | SiteKind::Shop
                    | SiteKind::Tail
            ) && random.percent(self.spec.traps_percent)
            {
                site.trap = *random.pick(&[Trap::Calendar, Trap::Sessions, Trap::Pages]);
            }
            if random.percent(self.spec.slow_percent) {
                site.latency_ms = self.spec.slow_ms;
            }
            self.sites.push(site);
        }
    }

    pub(super) fn other_topic(&self, random: &mut Random) -> u8 {
        let other = random.within(0, self.corpus.topics.len() - 2) as u8;
        if other >= self.topic { other + 1 } else { other }
    }

    /// Sizes of a kind are spread evenly in their logarithm, the largest one among them.
    fn pages_of(&self, at: usize) -> usize {
        let site = &self.sites[at];
        let like = |other: &&Site| other.kind == site.kind && other.is_on == site.is_on;
        let number = self.sites.iter().filter(like).count();
        let rank = self.sites[..at].iter().filter(like).count();
        let mix = self
            .spec
            .mix
            .iter()
            .find(|mix| mix.kind == site.kind && if site.is_on { mix.on > 0 } else { mix.off > 0 });
        let Some(mix) = mix else { return 0 };
        let (least, most) = (mix.pages[0].max(1) as f64, mix.pages[1].max(1) as f64);
        let share = if number < 2 {
            0.5
        } else {
            rank as f64 / (number - 1) as f64
        };
        (least * (most / least).powf(share)) as usize
    }

    /// Mirrors, moved and dead sites.
    fn point_elsewhere(&mut self) {
        let mut random = Random::of(&[self.seed, 0xe15e]);
        for at in 0..self.sites.len() {
            let wanted: &[SiteKind] = match self.sites[at].kind {
                SiteKind::Mirror => &[SiteKind::Group, SiteKind::Manual, SiteKind::Archive],
                SiteKind::Moved => &[SiteKind::Group, SiteKind::Manual, SiteKind::Blog],
                SiteKind::Dead => {
                    self.sites[at].serving = *random.pick(&[Serving::Refuses, Serving::Unavailable]);
                    continue;
                }
                _ => continue,
            };
            let is_on = self.sites[at].is_on;
            let fitting: Vec<u16> = self
                .sites
                .iter()
                .filter(|site| wanted.contains(&site.kind) && site.is_on == is_on && site.trap == Trap::None)
                .map(|site| site.index)
                .collect();
            if fitting.is_empty() {
                self.sites[at].serving = Serving::Unavailable;
                continue;
            }
            let to = *random.pick(&fitting);
            self.sites[at].serving = if self.sites[at].kind == SiteKind::Mirror {
                Serving::As(to)
            } else {
                Serving::MovedTo(to)
            };
            let title = self.sites[usize::from(to)].title.clone();
            self.sites[at].title = title;
        }
    }

    /// The site whose pages are shown under this host.
    pub(super) fn shown(&self, site: u16) -> &Site {
        match self.sites[usize::from(site)].serving {
            Serving::As(other) => &self.sites[usize::from(other)],
            _ => &self.sites[usize::from(site)],
        }
    }

    /// Links between sites: pages of links, and here and there a page, a person, a reference.
    fn link(&mut self) {
        let on: Vec<u16> = self
            .sites
            .iter()
            .filter(|site| site.is_on)
            .map(|site| site.index)
            .collect();
        let all: Vec<u16> = (0..self.sites.len() as u16).collect();
        let by_topic: Vec<Vec<u16>> = (0..self.corpus.topics.len() as u8)
            .map(|topic| {
                self.sites
                    .iter()
                    .filter(|site| site.topic == topic)
                    .map(|site| site.index)
                    .collect()
            })
            .collect();
        // Every site of the topic is known to some page of links of it.
        let mut due = on.clone();
        let mut random = Random::of(&[self.seed, 0x117c]);
        random.shuffle(&mut due);
        for at in 0..self.sites.len() {
            let is_hub = self.sites[at].kind == SiteKind::Hub;
            for node in 0..self.sites[at].nodes.len() {
                let (kind, topic) = (self.sites[at].nodes[node].kind, self.sites[at].nodes[node].topic);
                let number = match kind {
                    NodeKind::Links if is_hub => random.within(12, 30),
                    NodeKind::Links => random.within(6, 20),
                    NodeKind::Home | NodeKind::Person if random.percent(30) => random.within(1, 3),
                    NodeKind::Content | NodeKind::Post if random.percent(4) => random.within(1, 2),
                    NodeKind::Abstract if random.percent(25) => random.within(1, 3),
                    _ => 0,
                };
                for _ in 0..number {
                    let is_near = topic != NO_TOPIC && random.percent(if is_hub { 75 } else { 60 });
                    let to = if is_near
                        && topic == self.topic
                        && kind == NodeKind::Links
                        && !due.is_empty()
                        && random.percent(50)
                    {
                        due.pop().unwrap_or_default()
                    } else if is_near && !by_topic[usize::from(topic)].is_empty() {
                        *random.pick(&by_topic[usize::from(topic)])
                    } else {
                        *random.pick(&all)
                    };
                    if usize::from(to) == at {
                        continue;
                    }
                    let spot = (to, self.entrance(to, kind, &mut random));
                    self.sites[at].nodes[node].far.push(spot);
                }
            }
        }
    }

    /// Where a link from another site leads: mostly the home page, sometimes a document or a page below.
    fn entrance(&self, site: u16, from: NodeKind, random: &mut Random) -> u32 {
        let shown = self.shown(site);
        let deep = if from == NodeKind::Abstract { 70 } else { 18 };
        if shown.nodes.len() < 2 || !random.percent(deep) {
            return 0;
        }
        for _ in 0..30 {
            let node = random.within(1, shown.nodes.len() - 1) as u32;
            let wanted = match shown.nodes[node as usize].kind {
                NodeKind::Document { work, .. } => self.works.all[work as usize].is_kept(),
                NodeKind::Listing | NodeKind::Person => from != NodeKind::Abstract,
                _ => false,
            };
            if wanted {
                return node;
            }
        }
        0
    }

    /// What appears, changes and goes over the epochs.
    fn age(&mut self) {
        let mut random = Random::of(&[self.seed, 0xa6e]);
        let spec = &self.spec;
        for site in &mut self.sites {
            // A third of the sites is alive.
            let is_lively = random.percent(35);
            let scale = if is_lively { 3 } else { 0 };
            for node in &mut site.nodes {
                if !node.kind.is_file() && node.kind != NodeKind::Post {
                    continue;
                }
                if random.percent(spec.new_percent * scale) {
                    node.born = random.within(1, 6) as u8;
                } else if random.percent(spec.gone_percent * scale / 2) {
                    node.gone = random.within(1, 6) as u8;
                }
                if node.gone <= node.born {
                    node.gone = NEVER;
                }
                if let NodeKind::Document { work, .. } = node.kind
                    && random.percent(spec.changed_percent * scale)
                {
                    self.works.all[work as usize]
                        .changes
                        .push(random.within(1, 6) as u8);
                }
            }
        }
    }

    /// Whether a work is one that the library wants.
    pub(super) fn is_good(&self, work: u32) -> bool {
        let work = &self.works.all[work as usize];
        work.topic == self.topic && work.is_kept()
    }

    /// The work that stands at a node of a site, if it is one that the library wants.
    pub(super) fn good_at(&self, site: &Site, node: u32) -> Option<u32> {
        match site.nodes[node as usize].kind {
            NodeKind::Document { work, .. } if self.is_good(work) => Some(work),
            _ => None,
        }
    }
}
