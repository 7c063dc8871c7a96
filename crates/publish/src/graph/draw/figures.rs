//! Degrees on log scales, the bow-tie, and how deep pages lie.

use super::Figure;
use super::choose::Drawing;
use crate::graph::table::grouped;
use std::fmt::Write as _;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 34.0;
const RIGHT: f64 = 20.0;

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
        // The last one ends with its line: the picture has no room behind it.
        let (place, anchor) = if decade == decades_x as i32 {
            (at + RIGHT, "end")
        } else {
            (at, "middle")
        };
        label(
            &mut inner,
            "tick",
            place,
            HEIGHT - BOTTOM + 16.0,
            anchor,
            &grouped(value),
        );
    }
    for decade in 0..=decades_y as i32 {
        let (at, value) = (y(10f64.powi(decade)), 10u64.pow(decade as u32));
        line(&mut inner, "grid", LEFT, at, WIDTH - RIGHT, at);
        label(&mut inner, "tick", LEFT - 6.0, at + 4.0, "end", &grouped(value));
    }
    axes(&mut inner, "links of a page", "pages");
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
    let (key_x, key_y) = (WIDTH - RIGHT - 250.0, TOP - 18.0);
    let _never_fails = write!(
        inner,
        "<circle class=\"in\" cx=\"{key_x}\" cy=\"{key_y}\" r=\"4\"/><circle class=\"outdeg\" cx=\"{}\" cy=\"{key_y}\" r=\"4\"/>",
        key_x + 130.0
    );
    label(
        &mut inner,
        "name",
        key_x + 10.0,
        key_y + 4.0,
        "start",
        "incoming links",
    );
    label(
        &mut inner,
        "name",
        key_x + 140.0,
        key_y + 4.0,
        "start",
        "outgoing links",
    );
    let none = |counts: &[(u32, u64)]| {
        counts
            .first()
            .filter(|(degree, _)| *degree == 0)
            .map_or(0, |(_, nodes)| *nodes)
    };
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: format!(
            "How many pages have how many links, both on a logarithmic scale. Such a scale cannot show zero: {} have \
             no incoming link, {} no outgoing one. A straight line here would not prove a power law.",
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
    let size = |place: usize| 30.0 + 72.0 * share(place).sqrt();
    let (middle_x, middle_y) = (WIDTH / 2.0, 124.0);
    let core = size(0).max(48.0);
    let far = WIDTH / 2.0 - 24.0;
    let mut inner = String::new();
    for (side, place) in [(-1.0, 1), (1.0, 2)] {
        let (near, end) = (middle_x + side * core * 0.8, middle_x + side * far);
        let (high, waist) = (size(place), core * 0.45);
        let class = if drawing.parts[place] > 0 { "lobe" } else { "none" };
        let _never_fails = write!(
            inner,
            "<path class=\"{class}\" d=\"M{near:.1} {:.1}C{:.1} {:.1} {end:.1} {:.1} {end:.1} {middle_y:.1}C{end:.1} {:.1} {:.1} {:.1} {near:.1} {:.1}Z\"/>",
            middle_y - waist,
            near + side * 50.0,
            middle_y - high,
            middle_y - high,
            middle_y + high,
            near + side * 50.0,
            middle_y + high,
            middle_y + waist,
        );
    }
    let _never_fails = write!(
        inner,
        "<circle class=\"under\" cx=\"{middle_x:.1}\" cy=\"{middle_y:.1}\" r=\"{core:.1}\"/><circle class=\"heart\" cx=\"{middle_x:.1}\" cy=\"{middle_y:.1}\" r=\"{core:.1}\"/>"
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
    let beside = f64::midpoint(core * 0.9, far);
    told(&mut inner, middle_x, middle_y, "core", 0);
    told(&mut inner, middle_x - beside, middle_y, "in", 1);
    told(&mut inner, middle_x + beside, middle_y, "out", 2);
    line(&mut inner, "grid", 24.0, 248.0, WIDTH - 24.0, 248.0);
    for (x, name, place) in [(0.2, "tubes", 3), (0.5, "tendrils", 4), (0.8, "apart", 5)] {
        told(&mut inner, WIDTH * x, 290.0, name, place);
    }
    Figure {
        width: WIDTH,
        height: 322.0,
        inner,
        told: format!(
            "The bow-tie of all {} pages. {}",
            grouped(drawing.pages as u64),
            crate::graph::tell::BOW_TIE_CAVEAT
        ),
    }
}

/// How many pages were found how many links away from the start.
pub(super) fn depths(drawing: &Drawing) -> Figure {
    if drawing.depths.is_empty() {
        return nothing(
            "The depth of pages is not known here: a list of links does not say where a crawl began.",
        );
    }
    let most = drawing.depths.iter().copied().max().unwrap_or(1).max(1);
    let step = round_step(most);
    let top = most.div_ceil(step) * step;
    let count = drawing.depths.len().max(1) as f64;
    let wide = (WIDTH - LEFT - RIGHT) / count;
    let height = |pages: u64| (HEIGHT - BOTTOM - TOP) * pages as f64 / top as f64;
    let mut inner = String::new();
    for value in (0..=top).step_by(step as usize) {
        let at = HEIGHT - BOTTOM - height(value);
        line(&mut inner, "grid", LEFT, at, WIDTH - RIGHT, at);
        label(&mut inner, "tick", LEFT - 6.0, at + 4.0, "end", &grouped(value));
    }
    let every = drawing.depths.len().div_ceil(16).max(1);
    for (depth, &pages) in drawing.depths.iter().enumerate() {
        let high = if pages > 0 { height(pages).max(1.5) } else { 0.0 };
        let left = LEFT + wide * depth as f64;
        let _never_fails = write!(
            inner,
            "<rect class=\"bars\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"2\"><title>{} at depth {depth}</title></rect>",
            left + wide * 0.1,
            HEIGHT - BOTTOM - high,
            (wide * 0.8).max(0.5),
            crate::time::count(pages, "page")
        );
        let middle = left + wide / 2.0;
        if drawing.depths.len() <= 10 {
            label(
                &mut inner,
                "tick",
                middle,
                HEIGHT - BOTTOM - high - 6.0,
                "middle",
                &grouped(pages),
            );
        }
        if depth.is_multiple_of(every) {
            label(
                &mut inner,
                "tick",
                middle,
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
        told: format!(
            "How many collected pages there are at each number of links from where the crawl began; the deepest are {} away.",
            drawing.depths.len() - 1
        ),
    }
}

/// A round distance of lines, of which three to six are drawn up to `most`.
fn round_step(most: u64) -> u64 {
    let mut ten = 1u64;
    loop {
        for step in [ten, 2 * ten, 5 * ten] {
            if most <= 5 * step {
                return step;
            }
        }
        ten = ten.saturating_mul(10);
    }
}

/// A picture of which there is nothing to show, with the reason.
pub(super) fn nothing(why: &str) -> Figure {
    let mut inner = String::new();
    label(&mut inner, "name", WIDTH / 2.0, 60.0, "middle", "nothing to show");
    Figure {
        width: WIDTH,
        height: 110.0,
        inner,
        told: why.to_owned(),
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
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    label(inner, "name", middle, HEIGHT - 10.0, "middle", below);
    label(inner, "name", LEFT - 6.0, TOP - 14.0, "end", beside);
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
