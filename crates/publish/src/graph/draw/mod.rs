//! Pictures of a graph: one page of HTML that needs no net, or an SVG (E6).
//!
//! Never the whole graph: the nodes that matter most, their strongest bonds, and tables of the same. Where nodes stand is computed
//! here, begins from their names and from where they stood before, and so stays the same from visit to visit.
//!
//! | file | idea |
//! |---|---|
//! | `choose` | which nodes and bonds are shown, and how they look |
//! | `map` | them as SVG |
//! | `figures` | degrees, bow-tie, depths |
//! | `matrix` | which host links to which |
//! | `page` | all of it as one file |
//! | `places` | where nodes stood before |

mod choose;
mod figures;
mod map;
mod matrix;
mod page;
mod places;

pub use choose::{DrawWish, Drawing, drawing};
pub use page::write_page;
pub use places::Places;

use std::io::{self, Write};

/// Colours for light and dark, shared by the page and by single pictures.
const PAGE_STYLE: &str = include_str!("page.css");
/// How lines, points and letters of pictures look.
const PICTURE_STYLE: &str = include_str!("picture.css");

/// What a single SVG shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Map,
    Degrees,
    BowTie,
    Matrix,
    Depths,
}

/// A picture with its size.
#[derive(Debug, Clone, PartialEq)]
struct Figure {
    width: f64,
    height: f64,
    /// What stands between `<svg …>` and `</svg>`.
    inner: String,
    /// What there is to see, in one sentence.
    told: String,
}

/// One picture as a file of its own.
pub fn write_svg(drawing: &Drawing, shown: Shown, out: &mut dyn Write) -> io::Result<()> {
    let figure = match shown {
        Shown::Map => map::map(drawing),
        Shown::Degrees => figures::degrees(drawing),
        Shown::BowTie => figures::bow_tie(drawing),
        Shown::Matrix => matrix::matrix(drawing),
        Shown::Depths => figures::depths(drawing),
    };
    let colours = PAGE_STYLE.split("\n*{").next().unwrap_or_default();
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" \
         aria-label=\"{2}\"><style>{colours}\n{PICTURE_STYLE}</style><rect width=\"100%\" height=\"100%\" \
         fill=\"var(--paper)\"/>{3}</svg>",
        figure.width,
        figure.height,
        escaped(&figure.told),
        figure.inner
    )
}

/// Text inside markup; what no markup may hold is left out.
fn escaped(text: &str) -> String {
    let kept: String = text.chars().filter(|sign| !sign.is_control()).collect();
    crate::html::escaped(&kept)
}
