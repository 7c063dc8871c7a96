//! What becomes of a row: any page, or none.

use super::calls::{address, entry, pick_reason};
use super::player::{HOUR_MS, Player, below, one_in, pick};
use crate::Outlinks;
use crate::keep::{Away, Compared, Cut, Enqueue, Keep, Listed, Outcome, Page, Share, Validators};
use crate::runs::RunRef;
use crate::suite::pages::{answered, link, nothing, packed, url};
use crate::warc::Digest;
use crate::work::{Purpose, Queued};
use gleaner_model::chance::SplitMix;
use gleaner_model::{LinkKind, Modified, Reason, State, Timestamp};

const BODIES: [&str; 5] = ["one", "two", "three", "four", "one and more"];

pub(super) fn any(player: &mut Player, chance: &SplitMix, of: RunRef, row: &Queued) -> Keep {
    let now = player.now();
    let known = row.known.as_ref();
    let is_file = row.url.scheme() == "ftp" && one_in(chance, 2);
    let mut keep = match below(chance, 14) {
        _ if is_file => document(chance, row),
        0..=5 => document(chance, row),
        6 => match known.filter(|known| !known.is_gone) {
            Some(known) => Keep {
                outcome: Outcome::Unchanged(known.document),
                links_unchanged: true,
                ..answered(row, 304, Some(State::Sam))
            },
            None => answered(row, 404, None),
        },
        7 => answered(row, 404, known.filter(|known| !known.is_gone).map(|_| State::Mis)),
        8 => Keep {
            reason: Some(Reason::Soft404),
            ..answered(row, 200, known.filter(|known| !known.is_gone).map(|_| State::Mis))
        },
        9 => answered(row, 301, None),
        10 => Keep {
            outcome: Outcome::Again {
                tries: row.tries + 1,
                due_at: now,
            },
            ..nothing(row)
        },
        11 => Keep {
            outcome: Outcome::Piece(pick(chance, &[Share::First, Share::Next])),
            ..nothing(row)
        },
        12 => Keep {
            reason: Some(pick_reason(chance)),
            detail: one_in(chance, 2).then(|| "an answer".to_owned()),
            ..answered(row, pick(chance, &[200, 404]), None)
        },
        _ => nothing(row),
    };
    keep.at = now;
    keep.wire_bytes = below(chance, 100) as u64;
    let is_piece = matches!(keep.outcome, Outcome::Piece(_));
    let kind = match below(chance, 4) {
        _ if keep.status == Some(301) => LinkKind::Redirect,
        _ if row.url.scheme() == "ftp" => LinkKind::Entry,
        _ if !row.purpose.is_page() && !is_piece => LinkKind::Sitemap,
        0 if !is_piece => LinkKind::Sitemap,
        1 => LinkKind::Canonical,
        _ => LinkKind::Anchor,
    };
    keep.outlinks = outlinks(player, chance, of, kind);
    keep.links_unchanged |= one_in(chance, 6);
    if one_in(chance, 5) {
        keep.validators = Some(pick(chance, &[Validators::Right, Validators::Wrong]));
    }
    if one_in(chance, 4) {
        let shown = one_in(chance, 2).then(|| b"shown instead".to_vec());
        keep.away = pick(chance, &[Away::Instead(shown), Away::Back]);
    }
    if one_in(chance, 4) {
        keep.cuts.push(Cut {
            reason: pick_reason(chance),
            shape: "/x".to_owned(),
            count: 2,
            example: url("/x").as_str().to_owned(),
        });
    }
    if one_in(chance, 8) {
        keep.legs.pop();
    }
    keep
}

fn document(chance: &SplitMix, row: &Queued) -> Keep {
    let body = pick(chance, &BODIES);
    let known = row.known.as_ref();
    let compared = Compared {
        base: known.map(|known| known.base),
        is_same: one_in(chance, 3),
        ignored: None,
        ladder: one_in(chance, 2).then(|| body.as_bytes().to_vec()),
        base_ladder: one_in(chance, 2).then(|| b"of the base".to_vec()),
    };
    let is_repeated = known.is_some_and(|known| known.digest == Digest::of(body.as_bytes()));
    let (state, is_compared) = match known {
        None => (State::New, false),
        Some(known) if known.is_gone => (State::New, false),
        Some(_) if is_repeated => (State::Sam, false),
        Some(_) if compared.is_same => (State::Sam, true),
        Some(_) => (State::Upd, !one_in(chance, 4)),
    };
    let validator = |names: &[&str]| one_in(chance, 2).then(|| pick(chance, names).to_owned());
    let page = Page {
        document: known.map(|known| known.document),
        media_type: "text/html".to_owned(),
        charset: validator(&["utf-8"]),
        title: pick(chance, &["", "a title"]).to_owned(),
        size: body.len() as u64,
        etag: row.stamp.clone().or_else(|| validator(&["s1", "s2"])),
        last_modified: validator(&["Fri, 01 Mar 2019 10:00:00 GMT"]),
        asked: None,
        compared: is_compared.then(|| Box::new(compared)),
    };
    Keep {
        // A document without a record of its own is rare.
        packed: (!one_in(chance, 10)).then(|| packed(&row.url, body)),
        outcome: Outcome::Document(page),
        ..answered(row, 200, Some(state))
    }
}

fn outlinks(player: &Player, chance: &SplitMix, of: RunRef, kind: LinkKind) -> Outlinks {
    let mut outlinks = Outlinks::default();
    let (is_redirect, is_list) = (kind == LinkKind::Redirect, kind == LinkKind::Sitemap);
    let count = match kind {
        LinkKind::Redirect => 1,
        LinkKind::Sitemap => 4,
        _ => below(chance, 4),
    };
    for _ in 0..count {
        let address = match kind {
            LinkKind::Entry => pick(
                chance,
                &["ftp://f.test/d/1", "ftp://f.test/d/2", "ftp://f.test/d/"],
            ),
            LinkKind::Sitemap => pick(chance, &["/", "/1", "/2", "/map"]),
            _ => address(chance),
        };
        let link = link(address, kind);
        let mut queue = (!one_in(chance, 3)).then(|| entry(player, chance, of));
        if let Some(entry) = &mut queue {
            entry.again = is_redirect && one_in(chance, 2);
            entry.hops = u32::from(is_redirect);
            if kind == LinkKind::Entry && entry.legs.is_empty() {
                listed(chance, entry);
            }
        }
        // Sites whose addresses carry the id of a session: what follows the question mark tells nothing.
        let key = match address.split_once('?') {
            Some((before, _)) if one_in(chance, 2) => url(before).key(),
            _ => link.url.key(),
        };
        outlinks.push_as(&link, key, None, queue);
        if is_list && !one_in(chance, 4) {
            outlinks.date_last(date(chance, player.now));
        }
    }
    outlinks
}

fn listed(chance: &SplitMix, entry: &mut Enqueue) {
    entry.purpose = Purpose::Page;
    entry.listed = Some(Listed {
        stamp: pick(chance, &[Some("s1"), Some("s1"), Some("s1"), Some("s2"), None]).map(str::to_owned),
        sample: pick(chance, &[0, 0, 2]),
    });
}

fn date(chance: &SplitMix, now: i64) -> Modified {
    let at = crate::suite::pages::NOW.0 + below(chance, (now + 3 * HOUR_MS) as usize) as i64;
    Modified {
        at: Timestamp(at),
        until: Timestamp(at + pick(chance, &[0, 0, HOUR_MS])),
    }
}
