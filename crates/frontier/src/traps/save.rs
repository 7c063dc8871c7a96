//! What was learnt, in few bytes, for a run that is resumed and for the next one (A13).
//!
//! Kept are the cuts, the arms that decide most (closed ones first, then those fetched and met most), the parameters of
//! the largest families, the contents with most copies and some of the URLs that wait. What pages said (the filters of runs) is not: it is learnt
//! again from a handful of pages. Little-endian numbers, one version byte in front; whatever cannot be read means a
//! fresh start, which costs some fetches and no page.

use super::arms::{Arm, Generations, Patience, RECENT};
use super::facets::{Facets, Vocabulary, Words};
use super::views::Kind;
use super::{CUTS_MAX, Content, SPROUTS_MAX, Slashes, Sprout, TrapCut, Traps};
use crate::Guesses;
use crate::guesses::{OfHost, Tally};
use gleaner_model::Reason;

const VERSION: u8 = 3;
/// The same without what was learnt about guesses.
const VERSION_WITHOUT_GUESSES: u8 = 2;
/// No saved value is larger.
pub const SAVED_BYTES_MAX: usize = 256 * 1024;
const CUTS_BYTES_MAX: usize = 80 * 1024;
const FACETS_BYTES_MAX: usize = 56 * 1024;
const ARMS_COUNT_MAX: usize = 800;
const CONTENTS_COUNT_MAX: usize = 400;
const SPROUTS_COUNT_MAX: usize = 900;
const SLASHES_BYTES_MAX: usize = 6 * 1024;
const KINDS_COUNT_MAX: usize = 300;
const GUESSED_COUNT_MAX: usize = 150;
/// Longer examples are shown shortened in reports of resumed runs.
const EXAMPLE_BYTES_MAX: usize = 512;

impl Traps {
    /// The essence of what was learnt: never more than [`SAVED_BYTES_MAX`], and the same bytes for the same state.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(vec![VERSION]);
        self.save_guesses(&mut out);
        self.save_cuts(&mut out);

        let mut arms: Vec<_> = self
            .arms
            .iter()
            .filter(|(_, arm)| arm.discovered.saturating_add(arm.fetches) > 1)
            .collect();
        let weight = |arm: &Arm| (arm.closed(Patience::SHORT).is_some(), arm.fetches, arm.discovered);
        arms.sort_unstable_by(|(a_key, a), (b_key, b)| weight(b).cmp(&weight(a)).then(a_key.cmp(b_key)));
        arms.truncate(ARMS_COUNT_MAX);
        out.count(arms.len());
        for (key, arm) in arms {
            out.u64(key);
            save_arm(arm, &mut out);
        }

        let mut contents: Vec<_> = self.contents.iter().filter(|(_, c)| c.copies > 0).collect();
        contents.sort_unstable_by(|(a_key, a), (b_key, b)| b.copies.cmp(&a.copies).then(a_key.cmp(b_key)));
        contents.truncate(CONTENTS_COUNT_MAX);
        out.count(contents.len());
        for (key, content) in contents {
            out.u64(key);
            out.u64(content.url);
            out.u64(content.links);
            out.u64(content.kin);
            out.u32(content.copies);
        }

        let mut sprouts: Vec<_> = self.sprouts.iter().collect();
        sprouts.sort_unstable_by_key(|(key, sprout)| (!sprout.is_of_spent, *key));
        sprouts.truncate(SPROUTS_COUNT_MAX);
        out.count(sprouts.len());
        for (key, sprout) in sprouts {
            out.u64(key);
            out.u64(sprout.content);
            out.0.push(u8::from(sprout.is_of_spent));
        }

        self.save_hosts(&mut out);

        let mut facets: Vec<_> = self
            .facets
            .iter()
            .filter(|(_, f)| f.combinations > 0 || f.window > 0)
            .collect();
        facets.sort_unstable_by(|(a_key, a), (b_key, b)| {
            b.combinations.cmp(&a.combinations).then(a_key.cmp(b_key))
        });
        let facets_end = out.0.len() + FACETS_BYTES_MAX;
        for (key, facets) in facets {
            let mut one = Writer(Vec::new());
            one.u64(key);
            save_facets(facets, &mut one);
            if out.0.len() + one.0.len() < facets_end {
                out.0.append(&mut one.0);
            }
        }
        out.0
    }

    /// What an earlier run saved, for the next one: what it learnt, without what it cut.
    pub fn load_for_next(bytes: &[u8]) -> Option<Traps> {
        let mut traps = Traps::load(bytes)?;
        traps.cuts.clear();
        traps.guesses.begin_again();
        traps.sprouts = Generations::new(SPROUTS_MAX);
        Some(traps)
    }

    /// What [`Traps::save`] gave; `None` where it is something else.
    pub fn load(bytes: &[u8]) -> Option<Traps> {
        let mut from = Reader(bytes);
        let mut traps = Traps::new();
        match from.u8()? {
            VERSION => load_guesses(&mut from, &mut traps.guesses)?,
            VERSION_WITHOUT_GUESSES => {}
            _ => return None,
        }
        for _ in 0..from.count(CUTS_MAX + 64)? {
            let shape_key = from.u64()?;
            let reason = Reason::parse(&from.text()?)?;
            let cut = TrapCut {
                reason,
                count: from.u64()?,
                shape: from.text()?,
                example: from.text()?,
            };
            traps.cuts.insert((reason, shape_key), cut);
        }
        for _ in 0..from.count(ARMS_COUNT_MAX)? {
            traps.arms.insert(from.u64()?, load_arm(&mut from)?);
        }
        for _ in 0..from.count(CONTENTS_COUNT_MAX)? {
            let key = from.u64()?;
            let content = Content {
                url: from.u64()?,
                links: from.u64()?,
                kin: from.u64()?,
                copies: from.u32()?,
                home: 0,
            };
            traps.contents.insert(key, content);
        }
        for _ in 0..from.count(SPROUTS_COUNT_MAX)? {
            let key = from.u64()?;
            let sprout = Sprout {
                content: from.u64()?,
                is_of_spent: from.u8()? != 0,
            };
            traps.sprouts.insert(key, sprout);
        }
        for _ in 0..from.count(super::slashes::HOSTS_MAX)? {
            let host = from.text()?;
            let slashes = match from.u8()? {
                0 => Slashes::Merge,
                _ => Slashes::Matter,
            };
            traps.slashes.insert(host, slashes);
        }
        for _ in 0..from.count(super::views::KINDS_MAX)? {
            let key = from.u64()?;
            let kind = Kind {
                views: from.u8()?,
                has_others: from.u8()? != 0,
                last: from.u64()?,
            };
            traps.views.kinds.insert(key, kind);
        }
        while !from.0.is_empty() {
            traps.facets.insert(from.u64()?, load_facets(&mut from)?);
        }
        Some(traps)
    }

    /// What was learnt about hosts: doubled slashes and views.
    fn save_hosts(&self, out: &mut Writer) {
        let mut slashes = Writer(Vec::new());
        let mut count = 0;
        for (host, what) in &self.slashes {
            if slashes.0.len() + host.len() < SLASHES_BYTES_MAX {
                slashes.text(host);
                slashes.0.push(u8::from(*what == Slashes::Matter));
                count += 1;
            }
        }
        out.count(count);
        out.0.append(&mut slashes.0);
        let mut kinds: Vec<_> = self.views.kinds.iter().collect();
        kinds.sort_by_key(|(key, kind)| (std::cmp::Reverse(kind.views), **key));
        kinds.truncate(KINDS_COUNT_MAX);
        out.count(kinds.len());
        for (key, kind) in kinds {
            out.u64(*key);
            out.0.extend([kind.views, u8::from(kind.has_others)]);
            out.u64(kind.last);
        }
    }

    /// Most first, so that what does not fit is the least; it is counted with the others.
    fn save_cuts(&self, out: &mut Writer) {
        let mut cuts: Vec<_> = self.cuts.iter().collect();
        cuts.sort_unstable_by(|(a_key, a), (b_key, b)| b.count.cmp(&a.count).then(a_key.cmp(b_key)));
        let mut written = Writer(Vec::new());
        let mut count = 0;
        let mut others: Vec<(Reason, TrapCut)> = Vec::new();
        for ((reason, key), cut) in cuts {
            // The sums of all others come last, when they are whole.
            if *key == 0 || written.0.len() + 2 * EXAMPLE_BYTES_MAX > CUTS_BYTES_MAX {
                match others.iter_mut().find(|(known, _)| known == reason) {
                    Some((_, other)) => other.count += cut.count,
                    None => others.push((
                        *reason,
                        TrapCut {
                            shape: "others".to_owned(),
                            ..cut.clone()
                        },
                    )),
                }
                continue;
            }
            count += 1;
            save_cut(*key, cut, &mut written);
        }
        for (_, cut) in &others {
            count += 1;
            save_cut(0, cut, &mut written);
        }
        out.count(count);
        out.0.append(&mut written.0);
    }
}

impl Traps {
    /// The shapes that were asked for most, and all hosts that have some.
    fn save_guesses(&self, out: &mut Writer) {
        let mut shapes: Vec<_> = self
            .guesses
            .shapes
            .iter()
            .filter(|(_, tally)| tally.right + tally.vain > 0)
            .collect();
        shapes.sort_unstable_by_key(|(key, tally)| (std::cmp::Reverse(tally.right + tally.vain), **key));
        shapes.truncate(GUESSED_COUNT_MAX);
        out.count(shapes.len());
        for (key, tally) in shapes {
            out.u64(*key);
            out.u32(tally.right);
            out.u32(tally.vain);
        }
        let mut hosts: Vec<_> = self
            .guesses
            .hosts
            .iter()
            .filter(|(_, host)| host.right + host.vain > 0)
            .collect();
        hosts.sort_unstable_by_key(|(key, host)| (std::cmp::Reverse(host.right + host.vain), **key));
        hosts.truncate(GUESSED_COUNT_MAX);
        out.count(hosts.len());
        for (key, host) in hosts {
            out.u64(*key);
            out.u32(host.right);
            out.u32(host.vain);
            out.u32(host.pages);
        }
    }
}

fn load_guesses(from: &mut Reader<'_>, guesses: &mut Guesses) -> Option<()> {
    for _ in 0..from.count(GUESSED_COUNT_MAX)? {
        let (key, right, vain) = (from.u64()?, from.u32()?, from.u32()?);
        guesses.shapes.insert(key, Tally::of(right, vain));
    }
    for _ in 0..from.count(GUESSED_COUNT_MAX)? {
        let key = from.u64()?;
        let host = OfHost {
            right: from.u32()?,
            vain: from.u32()?,
            pages: from.u32()?,
            under_way: 0,
        };
        guesses.hosts.insert(key, host);
    }
    Some(())
}

fn save_cut(key: u64, cut: &TrapCut, out: &mut Writer) {
    out.u64(key);
    out.text(cut.reason.code());
    out.u64(cut.count);
    out.text(&cut.shape);
    out.text(&cut.example);
}

fn save_arm(arm: &Arm, out: &mut Writer) {
    let numbers = [
        arm.discovered,
        arm.fetches,
        arm.distinct,
        arm.refused,
        arm.probe_every,
        arm.content_year_min.cast_unsigned(),
        arm.fresh,
        arm.ahead,
        arm.ahead_max,
        arm.future_steps,
        arm.bred,
    ];
    for number in numbers {
        out.u32(number);
    }
    out.u64(arm.window);
    for signature in arm.recent {
        out.u64(signature);
    }
    let flags = u8::from(arm.are_years)
        | u8::from(arm.is_dated) << 1
        | u8::from(arm.is_combined) << 2
        | u8::from(arm.has_query) << 3
        | u8::from(arm.is_listed) << 4;
    out.0.extend([flags, arm.recent_next, arm.repeats, arm.stale]);
}

fn load_arm(from: &mut Reader<'_>) -> Option<Arm> {
    let mut arm = Arm {
        discovered: from.u32()?,
        fetches: from.u32()?,
        distinct: from.u32()?,
        refused: from.u32()?,
        probe_every: from.u32()?,
        content_year_min: from.u32()?.cast_signed(),
        fresh: from.u32()?,
        ahead: from.u32()?,
        ahead_max: from.u32()?,
        future_steps: from.u32()?,
        bred: from.u32()?,
        window: from.u64()?,
        ..Arm::default()
    };
    for signature in &mut arm.recent {
        *signature = from.u64()?;
    }
    let flags = from.u8()?;
    (arm.are_years, arm.is_dated) = (flags & 1 != 0, flags & 2 != 0);
    (arm.is_combined, arm.has_query) = (flags & 4 != 0, flags & 8 != 0);
    arm.is_listed = flags & 16 != 0;
    arm.recent_next = from.u8()? % RECENT as u8;
    (arm.repeats, arm.stale) = (from.u8()?, from.u8()?);
    Some(arm)
}

fn save_facets(facets: &Facets, out: &mut Writer) {
    for number in [
        facets.combinations,
        facets.rich,
        facets.window,
        facets.refused,
        facets.probe_every,
    ] {
        out.u32(number);
    }
    out.count(facets.names.len());
    for vocabulary in &facets.names {
        out.u64(vocabulary.name);
        out.words(&vocabulary.once);
        out.words(&vocabulary.twice);
    }
}

fn load_facets(from: &mut Reader<'_>) -> Option<Facets> {
    const NAMES_MAX: usize = 64;
    let mut facets = Facets {
        combinations: from.u32()?,
        rich: from.u32()?,
        window: from.u32()?,
        refused: from.u32()?,
        probe_every: from.u32()?,
        names: Vec::new(),
    };
    for _ in 0..from.count(NAMES_MAX)? {
        let mut vocabulary = Vocabulary::new(from.u64()?);
        from.words(&mut vocabulary.once)?;
        from.words(&mut vocabulary.twice)?;
        facets.names.push(vocabulary);
    }
    Some(facets)
}

struct Writer(Vec<u8>);

impl Writer {
    fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Every count here is small.
    fn count(&mut self, count: usize) {
        self.0.extend((count as u16).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        let mut end = text.len().min(EXAMPLE_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.count(end);
        self.0.extend(&text.as_bytes()[..end]);
    }

    /// A vocabulary of few words is few bits: their places then take less room than the map of them.
    fn words(&mut self, words: &Words) {
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        let is_sparse = count as usize * 2 < size_of::<Words>();
        self.count(if is_sparse {
            count as usize
        } else {
            usize::from(u16::MAX)
        });
        if !is_sparse {
            for word in words {
                self.u64(*word);
            }
            return;
        }
        for (at, word) in words.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                self.count(at * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn count(&mut self, max: usize) -> Option<usize> {
        let count = usize::from(self.take().map(u16::from_le_bytes)?);
        (count <= max).then_some(count)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count(EXAMPLE_BYTES_MAX)?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn words(&mut self, words: &mut Words) -> Option<()> {
        let count = self.count(usize::from(u16::MAX))?;
        if count == usize::from(u16::MAX) {
            for word in words {
                *word = self.u64()?;
            }
            return Some(());
        }
        for _ in 0..count {
            let bit = self.count(size_of::<Words>() * 8 - 1)?;
            words[bit / 64] |= 1 << (bit % 64);
        }
        Some(())
    }
}
