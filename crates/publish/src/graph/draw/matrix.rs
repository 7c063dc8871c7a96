//! Which host links to which: a square for each pair, darker where there are more links.

use super::choose::Drawing;
use super::figures::nothing;
use super::map::short;
use super::{Figure, escaped};
use crate::graph::table::{grouped, many};
use std::fmt::Write as _;

const CELL: f64 = 16.0;
/// About how wide a letter is.
const LETTER: f64 = 6.1;
/// How far names at the top lean: their height and width by their length.
const LEAN: (f64, f64) = (0.87, 0.5);
const KEY: f64 = 34.0;

pub(super) fn matrix(drawing: &Drawing) -> Figure {
    let count = drawing.hosts.len();
    if count < 2 {
        return nothing("There is only one host, so no host links to another.");
    }
    let side = CELL * count as f64;
    let names: Vec<String> = drawing.hosts.iter().map(|host| short(host)).collect();
    let longest = LETTER * names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
    let (left, top) = (longest + 14.0, longest * LEAN.0 + 16.0);
    let mut inner = String::new();
    for (row, name) in names.iter().enumerate() {
        let name = escaped(name);
        let at = CELL * (row as f64 + 0.5);
        let _never_fails = write!(
            inner,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>\
             <text class=\"tick\" transform=\"translate({:.1} {:.1}) rotate(-60)\">{name}</text>",
            left - 8.0,
            top + at + 4.0,
            left + at + 3.0,
            top - 6.0
        );
    }
    for line in 0..=count {
        let at = CELL * line as f64;
        let _never_fails = write!(
            inner,
            "<path class=\"grid\" d=\"M{left:.1} {:.1}h{side:.1}M{:.1} {top:.1}v{side:.1}\"/>",
            top + at,
            left + at
        );
    }
    let scale = Scale::of(drawing);
    for (row, weights) in drawing.between.iter().enumerate() {
        for (column, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (class, opacity) = if row == column {
                ("own", 1.0)
            } else {
                ("cell", scale.opacity(*weight))
            };
            let _never_fails = write!(
                inner,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{opacity:.2}\">\
                 <title>{} from {} to {}</title></rect>",
                left + CELL * column as f64 + 0.5,
                top + CELL * row as f64 + 0.5,
                CELL - 1.0,
                CELL - 1.0,
                many(*weight as u64, "link"),
                escaped(&drawing.hosts[row]),
                escaped(&drawing.hosts[column])
            );
        }
    }
    scale.key(left, top + side + 12.0, &mut inner);
    Figure {
        width: (left + side + longest * LEAN.1 + 12.0).max(left + 330.0),
        height: top + side + 12.0 + KEY,
        inner,
        told: format!(
            "Which host links to which: rows link to columns, darker means more links; links inside a host are grey. \
             {}, in the order of their names.",
            if count < drawing.hosts_all {
                format!(
                    "The {} of {} hosts with the most links to others",
                    grouped(count as u64),
                    grouped(drawing.hosts_all as u64)
                )
            } else {
                format!("All {} hosts", grouped(count as u64))
            }
        ),
    }
}

/// From the fewest links between two hosts to the most, on a logarithmic scale. What stays inside a host would hide the rest.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(drawing: &Drawing) -> Scale {
        let rows = drawing.between.iter().enumerate();
        let others = rows.flat_map(|(row, weights)| {
            let cells = weights.iter().enumerate();
            cells.filter(move |(column, weight)| *column != row && **weight > 0.0)
        });
        let (low, high) = others.fold((f64::INFINITY, 0.0f64), |(low, high), (_, weight)| {
            (low.min(*weight), high.max(*weight))
        });
        Scale { low, high }
    }

    fn opacity(&self, weight: f64) -> f64 {
        if self.high <= self.low {
            return 0.6;
        }
        0.15 + 0.85 * (weight / self.low).ln() / (self.high / self.low).ln()
    }

    fn key(&self, x: f64, y: f64, inner: &mut String) {
        if self.high <= 0.0 {
            return;
        }
        let mut at = x;
        let few = many(self.low as u64, "link");
        let _never_fails = write!(
            inner,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\">{few}</text>",
            y + 12.0
        );
        at += LETTER * (few.len() + 1) as f64;
        let steps = if self.high > self.low { 5 } else { 1 };
        for step in 0..steps {
            let share = f64::from(step) / 4.0;
            let opacity = self.opacity(self.low * (self.high / self.low).powf(share));
            let _never_fails = write!(
                inner,
                "<rect class=\"cell\" x=\"{at:.1}\" y=\"{y:.1}\" width=\"15\" height=\"15\" fill-opacity=\"{opacity:.2}\"/>"
            );
            at += 16.0;
        }
        let most = if steps > 1 {
            grouped(self.high as u64)
        } else {
            String::new()
        };
        let _never_fails = write!(
            inner,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{2:.1}\">{most}</text>\
             <rect class=\"own\" x=\"{1:.1}\" y=\"{y:.1}\" width=\"15\" height=\"15\"/>\
             <text class=\"tick\" x=\"{3:.1}\" y=\"{2:.1}\">inside a host</text>",
            at + 6.0,
            at + 30.0 + LETTER * most.len() as f64,
            y + 12.0,
            at + 51.0 + LETTER * most.len() as f64,
        );
    }
}
