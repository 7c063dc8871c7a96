//! Who links to whom: points, lines and names.

use super::choose::{Drawing, HEIGHT, Spot, WIDTH};
use super::{Figure, escaped};
use crate::graph::table::grouped;
use crate::graph::view::one;
use gleaner_model::State;
use std::fmt::Write as _;

/// Letters of a name that are shown in the picture.
const SHORT_MAX: usize = 34;

/// A name that fits beside a point: without its scheme, cut in the middle.
pub(super) fn short(name: &str) -> String {
    let plain = name.split_once("://").map_or(name, |(_, rest)| rest);
    let plain = plain.trim_end_matches('/');
    let count = plain.chars().count();
    if count <= SHORT_MAX {
        return plain.to_owned();
    }
    let head: String = plain.chars().take(SHORT_MAX / 2 - 1).collect();
    let tail: String = plain.chars().skip(count - SHORT_MAX / 2).collect();
    format!("{head}…{tail}")
}

pub(super) fn map(drawing: &Drawing) -> Figure {
    let mut inner = String::from("<g id=\"scene\">");
    let never = "a string takes all that is written to it";
    for bond in &drawing.bonds {
        let (from, to) = bond.ends;
        if from >= drawing.begin || to >= drawing.begin {
            continue;
        }
        let (a, b) = (drawing.spots[from].at, drawing.spots[to].at);
        let (bend_x, bend_y) = (-(b.y - a.y) * 0.12, (b.x - a.x) * 0.12);
        write!(
            inner,
            "<path class=\"bond\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\" stroke-width=\"{:.2}\" stroke-opacity=\"{:.2}\"/>",
            a.x,
            a.y,
            f64::midpoint(a.x, b.x) + bend_x,
            f64::midpoint(a.y, b.y) + bend_y,
            b.x,
            b.y,
            bond.width,
            bond.opacity
        )
        .expect(never);
    }
    let mut order: Vec<&Spot> = drawing.spots[..drawing.begin].iter().collect();
    order.sort_by(|a, b| a.score.total_cmp(&b.score));
    for spot in &order {
        let (x, y, radius) = (spot.at.x, spot.at.y, spot.radius);
        let ring = spot.state.filter(|state| *state != State::Sam);
        if let Some(state) = ring {
            write!(
                inner,
                "<circle class=\"ring {state}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>",
                radius + 2.5
            )
            .expect(never);
        }
        let faint = if spot.state.is_none() {
            " fill-opacity=\".45\""
        } else {
            ""
        };
        write!(
            inner,
            "<circle class=\"node k{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"{faint}><title>{}</title></circle>",
            spot.colour,
            escaped(&spot.name)
        )
        .expect(never);
    }
    inner.push_str(&names(&order));
    inner.push_str("</g>");
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: format!(
            "Map of the {} highest ranked of {} {}s: lines are links, thicker where there are more; the table beside it tells the same",
            grouped(drawing.begin as u64),
            grouped(drawing.all as u64),
            one(drawing.level)
        ),
    }
}

/// Names of points, the more important first; one that would lie over another is left out.
fn names(order: &[&Spot]) -> String {
    let mut text = String::new();
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for spot in order.iter().rev() {
        let name = short(&spot.name);
        let left = spot.at.x + spot.radius + 3.0;
        let area = [
            left,
            spot.at.y - 7.0,
            left + 6.2 * name.chars().count() as f64,
            spot.at.y + 7.0,
        ];
        let is_free = taken.iter().all(|other| {
            other[0] > area[2] || area[0] > other[2] || other[1] > area[3] || area[1] > other[3]
        });
        if is_free && area[2] < WIDTH {
            taken.push(area);
            let _never_fails = write!(
                text,
                "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left,
                spot.at.y + 4.0,
                escaped(&name)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn long_names_are_cut_in_the_middle() {
        assert_eq!(short("http://a.test/"), "a.test");
        assert_eq!(
            short("https://example.org/a/very/long/way/to/some/page.html"),
            "example.org/a/ve…o/some/page.html".replace("o/some", "to/some")
        );
    }
}
