//! Which host links to which: a square for each pair, darker where there are more links.

use super::choose::Drawing;
use super::map::short;
use super::{Figure, escaped};
use crate::graph::table::grouped;
use std::fmt::Write as _;

const CELL: f64 = 16.0;
const NAMES: f64 = 230.0;
const HEAD: f64 = 190.0;

pub(super) fn matrix(drawing: &Drawing) -> Figure {
    let count = drawing.hosts.len();
    let side = CELL * count as f64;
    let strongest = drawing.between.iter().flatten().copied().fold(1.0, f64::max);
    let mut inner = String::new();
    for (row, host) in drawing.hosts.iter().enumerate() {
        let name = escaped(&short(host));
        let at = CELL * (row as f64 + 0.5);
        let _never_fails = write!(
            inner,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>\
             <text class=\"tick\" transform=\"translate({:.1} {:.1}) rotate(-60)\">{name}</text>",
            NAMES - 8.0,
            HEAD + at + 4.0,
            NAMES + at + 3.0,
            HEAD - 8.0
        );
    }
    for line in 0..=count {
        let at = CELL * line as f64;
        let _never_fails = write!(
            inner,
            "<path class=\"grid\" d=\"M{NAMES} {:.1}h{side:.1}M{:.1} {HEAD}v{side:.1}\"/>",
            HEAD + at,
            NAMES + at
        );
    }
    for (row, weights) in drawing.between.iter().enumerate() {
        for (column, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let share = (1.0 + weight).ln() / (1.0 + strongest).ln();
            let _never_fails = write!(
                inner,
                "<rect class=\"cell\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{:.2}\">\
                 <title>{} links from {} to {}</title></rect>",
                NAMES + CELL * column as f64 + 0.5,
                HEAD + CELL * row as f64 + 0.5,
                CELL - 1.0,
                CELL - 1.0,
                0.12 + 0.88 * share,
                grouped(*weight as u64),
                escaped(&drawing.hosts[row]),
                escaped(&drawing.hosts[column])
            );
        }
    }
    Figure {
        width: NAMES + side + 110.0,
        height: HEAD + side + 12.0,
        inner,
        told: format!(
            "Which host links to which: rows link to columns, darker means more links, the diagonal is links inside a host. \
             The {} of {} hosts with the most links to others, in the order of their names.",
            grouped(count as u64),
            grouped(drawing.hosts_all as u64)
        ),
    }
}
