//! Degrees on log scales, the bow-tie, and how deep pages lie.

use super::Figure;
use super::choose::Drawing;
use crate::graph::table::grouped;
use crate::graph::view::one;
use std::fmt::Write as _;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 62.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 16.0;
const RIGHT: f64 = 16.0;

/// How many nodes have how many links. Nothing is fitted: such clouds look like straight lines long before they are power laws.
pub(super) fn degrees(drawing: &Drawing) -> Figure {
    let (incoming, outgoing) = &drawing.degrees;
    let all = || incoming.iter().chain(outgoing).filter(|(degree, _)| *degree > 0);
    let most_degree = all().map(|(degree, _)| f64::from(*degree)).fold(10.0, f64::max);
    let most_nodes = all().map(|(_, nodes)| *nodes as f64).fold(10.0, f64::max);
    let (decades_x, decades_y) = (most_degree.log10().ceil(), most_nodes.log10().ceil());
    let x = |degree: f64| LEFT + (WIDTH - LEFT - RIGHT) * degree.log10() / decades_x;
    let y = |nodes: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * nodes.log10() / decades_y;
    let mut inner = String::new();
    for decade in 0..=decades_x as i32 {
        let (at, value) = (x(10f64.powi(decade)), 10u64.pow(decade as u32));
        line(&mut inner, "grid", at, TOP, at, HEIGHT - BOTTOM);
        label(
            &mut inner,
            "tick",
            at,
            HEIGHT - BOTTOM + 16.0,
            "middle",
            &grouped(value),
        );
    }
    for decade in 0..=decades_y as i32 {
        let (at, value) = (y(10f64.powi(decade)), 10u64.pow(decade as u32));
        line(&mut inner, "grid", LEFT, at, WIDTH - RIGHT, at);
        label(&mut inner, "tick", LEFT - 6.0, at + 4.0, "end", &grouped(value));
    }
    axes(&mut inner, "links", &format!("{}s", one(drawing.level)));
    for (degree, nodes) in outgoing.iter().filter(|(degree, _)| *degree > 0) {
        let (at_x, at_y) = (x(f64::from(*degree)), y(*nodes as f64));
        let _never_fails = write!(
            inner,
            "<circle class=\"outdeg\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"3.4\"/>"
        );
    }
    for (degree, nodes) in incoming.iter().filter(|(degree, _)| *degree > 0) {
        let (at_x, at_y) = (x(f64::from(*degree)), y(*nodes as f64));
        let _never_fails = write!(
            inner,
            "<circle class=\"in\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"2.6\"/>"
        );
    }
    let (key_x, key_y) = (WIDTH - RIGHT - 118.0, TOP + 12.0);
    let _never_fails = write!(
        inner,
        "<circle class=\"in\" cx=\"{key_x}\" cy=\"{key_y}\" r=\"4\"/><circle class=\"outdeg\" cx=\"{key_x}\" cy=\"{}\" r=\"4\"/>",
        key_y + 20.0
    );
    label(
        &mut inner,
        "name",
        key_x + 10.0,
        key_y + 4.0,
        "start",
        "links coming in",
    );
    label(
        &mut inner,
        "name",
        key_x + 10.0,
        key_y + 24.0,
        "start",
        "links going out",
    );
    let none = |counts: &[(u32, u64)]| {
        counts
            .first()
            .filter(|(degree, _)| *degree == 0)
            .map_or(0, |(_, nodes)| *nodes)
    };
    let name = one(drawing.level);
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: format!(
            "How many {name}s have how many links, both on a logarithmic scale; {} have no link coming in and {} none going out, \
             which such a scale cannot show. A straight line here would be no proof of a power law.",
            grouped(none(incoming)),
            grouped(none(outgoing))
        ),
    }
}

/// The core with what leads to it and what it leads to.
pub(super) fn bow_tie(drawing: &Drawing) -> Figure {
    let all = f64::from(drawing.parts.iter().sum::<u32>().max(1));
    let share = |place: usize| f64::from(drawing.parts[place]) / all;
    // Areas tell the shares; a part that is nearly nothing is still to be seen.
    let size = |place: usize| 26.0 + 84.0 * share(place).sqrt();
    let (middle_x, middle_y) = (WIDTH / 2.0, 148.0);
    let (core, left, right) = (size(0).max(46.0), size(1), size(2));
    let mut inner = String::new();
    let lobe = |inner: &mut String, side: f64, high: f64| {
        let (near, far) = (middle_x + side * core * 0.62, middle_x + side * 232.0);
        let _never_fails = write!(
            inner,
            "<path class=\"lobe\" d=\"M{near:.1} {:.1}C{:.1} {:.1} {far:.1} {:.1} {far:.1} {middle_y:.1}C{far:.1} {:.1} {:.1} {:.1} {near:.1} {:.1}Z\"/>",
            middle_y - core * 0.55,
            near + side * 60.0,
            middle_y - high,
            middle_y - high,
            middle_y + high,
            near + side * 60.0,
            middle_y + high,
            middle_y + core * 0.55,
        );
    };
    for (side, place, high) in [(-1.0, 1, left), (1.0, 2, right)] {
        if drawing.parts[place] > 0 {
            lobe(&mut inner, side, high);
        }
    }
    let _never_fails = write!(
        inner,
        "<path class=\"tube\" d=\"M{:.1} {:.1}C{:.1} 286 {:.1} 286 {:.1} {:.1}\" stroke-width=\"{:.1}\"/>\
         <circle class=\"heart\" cx=\"{middle_x:.1}\" cy=\"{middle_y:.1}\" r=\"{core:.1}\"/>",
        middle_x - 172.0,
        middle_y + left * 0.55,
        middle_x - 96.0,
        middle_x + 96.0,
        middle_x + 172.0,
        middle_y + right * 0.55,
        2.0 + 14.0 * share(3).sqrt(),
    );
    let told = |inner: &mut String, x: f64, y: f64, name: &str, place: usize| {
        let count = grouped(u64::from(drawing.parts[place]));
        let _never_fails = write!(
            inner,
            "<text class=\"part\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text><text class=\"figure\" x=\"{x:.1}\" y=\"{:.1}\">{count}</text>\
             <text class=\"share\" x=\"{x:.1}\" y=\"{:.1}\">{:.1} %</text>",
            y - 18.0,
            y + 2.0,
            y + 18.0,
            100.0 * share(place)
        );
    };
    told(&mut inner, middle_x, middle_y, "core", 0);
    told(&mut inner, middle_x - 162.0, middle_y, "in", 1);
    told(&mut inner, middle_x + 162.0, middle_y, "out", 2);
    told(&mut inner, middle_x, 284.0, "tubes", 3);
    told(&mut inner, middle_x - 190.0, 308.0, "tendrils", 4);
    told(&mut inner, middle_x + 190.0, 308.0, "apart", 5);
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: format!(
            "The bow-tie of the {}s. {}",
            one(drawing.level),
            crate::graph::tell::BOW_TIE_CAVEAT
        ),
    }
}

/// How many pages were found how many links away from the start.
pub(super) fn depths(drawing: &Drawing) -> Figure {
    let most = drawing.depths.iter().copied().max().unwrap_or(1).max(1) as f64;
    let count = drawing.depths.len().max(1) as f64;
    let wide = (WIDTH - LEFT - RIGHT) / count;
    let mut inner = String::new();
    for quarter in 0..=4u32 {
        let value = most * f64::from(quarter) / 4.0;
        let at = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * f64::from(quarter) / 4.0;
        line(&mut inner, "grid", LEFT, at, WIDTH - RIGHT, at);
        label(
            &mut inner,
            "tick",
            LEFT - 6.0,
            at + 4.0,
            "end",
            &grouped(value.round() as u64),
        );
    }
    let every = (drawing.depths.len() / 16).max(1);
    for (depth, pages) in drawing.depths.iter().enumerate() {
        let high = (HEIGHT - BOTTOM - TOP) * *pages as f64 / most;
        let left = LEFT + wide * depth as f64;
        let _never_fails = write!(
            inner,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"2\"><title>{} at depth {depth}</title></rect>",
            left + wide * 0.1,
            HEIGHT - BOTTOM - high,
            (wide * 0.8).max(0.5),
            crate::time::count(*pages, "page")
        );
        if depth.is_multiple_of(every) {
            label(
                &mut inner,
                "tick",
                left + wide / 2.0,
                HEIGHT - BOTTOM + 16.0,
                "middle",
                &depth.to_string(),
            );
        }
    }
    axes(&mut inner, "links away from the start", "pages");
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: match drawing.depths.len() {
            0 => "How deep pages lie is not known here.".to_owned(),
            depths => format!(
                "How many collected pages lie how many links away from where the crawl began; the deepest lie {} away.",
                depths - 1
            ),
        },
    }
}

fn axes(inner: &mut String, below: &str, beside: &str) {
    line(
        inner,
        "axis",
        LEFT,
        HEIGHT - BOTTOM,
        WIDTH - RIGHT,
        HEIGHT - BOTTOM,
    );
    line(inner, "axis", LEFT, TOP, LEFT, HEIGHT - BOTTOM);
    label(
        inner,
        "name",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 10.0,
        "middle",
        below,
    );
    let _never_fails = write!(
        inner,
        "<text class=\"name\" transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{beside}</text>",
        f64::midpoint(TOP, HEIGHT - BOTTOM)
    );
}

fn line(inner: &mut String, class: &str, from_x: f64, from_y: f64, to_x: f64, to_y: f64) {
    let _never_fails = write!(
        inner,
        "<path class=\"{class}\" d=\"M{from_x:.1} {from_y:.1}L{to_x:.1} {to_y:.1}\"/>"
    );
}

fn label(inner: &mut String, class: &str, x: f64, y: f64, anchor: &str, text: &str) {
    let _never_fails = write!(
        inner,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}
