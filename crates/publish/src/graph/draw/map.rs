//! Who links to whom: points, lines and names.

use super::choose::{Drawing, HEIGHT, Spot, WIDTH};
use super::{Figure, escaped};
use crate::graph::table::grouped;
use crate::graph::view::one;
use gleaner_model::State;
use std::fmt::Write as _;

/// Letters of a name that are shown in the picture.
const SHORT_MAX: usize = 34;
/// Names in the picture at most; when it is brought closer, more come.
pub(super) const NAMES_MAX: usize = 90;
/// About how wide a letter is.
const LETTER: f64 = 6.4;

/// A name that fits beside a point: without its scheme, cut in the middle.
pub(super) fn short(name: &str) -> String {
    let plain = name.split_once("://").map_or(name, |(_, rest)| rest);
    let plain = match plain.trim_end_matches('/') {
        "" => plain,
        trimmed => trimmed,
    };
    let count = plain.chars().count();
    if count <= SHORT_MAX {
        return plain.to_owned();
    }
    let head: String = plain.chars().take(SHORT_MAX / 2 - 1).collect();
    let tail: String = plain.chars().skip(count - SHORT_MAX / 2).collect();
    format!("{head}…{tail}")
}

/// What a point is called in the picture: its path alone where all are of one host.
pub(super) fn label(drawing: &Drawing, spot: &Spot) -> String {
    if drawing.has_one_host() {
        return short(&gleaner_graph::path_of(&spot.name));
    }
    short(&spot.name)
}

pub(super) fn map(drawing: &Drawing) -> Figure {
    let mut inner = String::from("<g id=\"scene\">");
    let never = "a string takes all that is written to it";
    for bond in drawing.bonds.iter().filter(|bond| bond.is_drawn) {
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
        let faint = if spot.state.is_none() && drawing.has_states {
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
    inner.push_str(&names(drawing, &order));
    inner.push_str("</g>");
    let shown = if drawing.begin < drawing.all {
        format!(
            "the {} highest ranked of {} {}s",
            grouped(drawing.begin as u64),
            grouped(drawing.all as u64),
            one(drawing.level)
        )
    } else {
        format!("all {} {}s", grouped(drawing.all as u64), one(drawing.level))
    };
    Figure {
        width: WIDTH,
        height: HEIGHT,
        inner,
        told: format!(
            "Who links to whom: {shown}, each with its strongest links. A line is thicker where there are more links; \
             size is PageRank, colour the community{}.",
            if drawing.has_states {
                ", the ring what happened: green is new, amber changed, dashed gone"
            } else {
                ""
            }
        ),
    }
}

type Area = [f64; 4];

fn meet(one: &Area, other: &Area) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

/// Names of points, the more important first, on whichever side there is room; one without room is left out.
fn names(drawing: &Drawing, order: &[&Spot]) -> String {
    let mut text = String::new();
    let points: Vec<Area> = order
        .iter()
        .map(|spot| {
            let (x, y, reach) = (spot.at.x, spot.at.y, spot.radius);
            [x - reach, y - reach, x + reach, y + reach]
        })
        .collect();
    let mut taken: Vec<Area> = Vec::new();
    for (place, spot) in order.iter().enumerate().rev() {
        if taken.len() >= NAMES_MAX {
            break;
        }
        let name = label(drawing, spot);
        let (wide, away) = (LETTER * name.chars().count() as f64, spot.radius + 4.0);
        let (x, y) = (spot.at.x, spot.at.y);
        let sides = [
            (x + away, y),
            (x - away - wide, y),
            (x - wide / 2.0, y - away - 6.0),
            (x - wide / 2.0, y + away + 6.0),
        ];
        let free = sides.into_iter().find(|&(left, middle)| {
            let area = [left, middle - 7.0, left + wide, middle + 7.0];
            let is_inside = left > 2.0 && area[2] < WIDTH - 2.0 && area[1] > 0.0 && area[3] < HEIGHT;
            is_inside
                && !taken.iter().any(|other| meet(other, &area))
                && !(points.iter().enumerate()).any(|(other, point)| other != place && meet(point, &area))
        });
        if let Some((left, middle)) = free {
            taken.push([left, middle - 7.0, left + wide, middle + 7.0]);
            let _never_fails = write!(
                text,
                "<text class=\"label\" x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
                middle + 4.0,
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
        assert_eq!(short("/"), "/");
        assert_eq!(
            short("https://example.org/a/very/long/way/to/some/page.html"),
            "example.org/a/ve…to/some/page.html"
        );
    }
}
