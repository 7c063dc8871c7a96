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
pub use places::NodePlaces;

use std::io::{self, Write};

/// Colours for light and dark, shared by the page and by single pictures.
const PAGE_STYLE: &str = include_str!("page.css");
/// How lines, points and letters of pictures look.
const PICTURE_STYLE: &str = include_str!("picture.css");

/// What a single SVG shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SvgView {
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

/// Letters of a caption's line by the width of the picture, about.
const CAPTION_LETTER: f64 = 6.3;
const CAPTION_LINE: f64 = 17.0;
const TITLE: f64 = 44.0;

/// One picture as a file of its own, with a title and with what there is to see.
pub fn write_svg(drawing: &Drawing, shown: SvgView, out: &mut dyn Write) -> io::Result<()> {
    let (figure, name) = match shown {
        SvgView::Map => (map::map(drawing), "Who links to whom"),
        SvgView::Degrees => (figures::degrees(drawing), "How many links"),
        SvgView::BowTie => (figures::bow_tie(drawing), "Bow-tie"),
        SvgView::Matrix => (matrix::matrix(drawing), "Links between hosts"),
        SvgView::Depths => (figures::depths(drawing), "How deep pages are"),
    };
    let colours = PAGE_STYLE.split("\n*{").next().unwrap_or_default();
    let caption = lines(&figure.told, (figure.width - 32.0) / CAPTION_LETTER);
    let below = TITLE + figure.height + 18.0;
    let height = below + CAPTION_LINE * caption.len() as f64;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0} {height:.0}\" width=\"{0:.0}\" height=\"{height:.0}\" role=\"img\" \
         aria-label=\"{1}\"><style>{colours}\n{PICTURE_STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\
         <text class=\"title\" x=\"16\" y=\"28\">{2}</text><g transform=\"translate(0 {TITLE})\">{3}</g>",
        figure.width,
        escaped(&figure.told),
        escaped(&format!("{name} · {}", about(drawing))),
        figure.inner
    )?;
    for (line, text) in caption.iter().enumerate() {
        writeln!(
            out,
            "<text class=\"name\" x=\"16\" y=\"{:.0}\">{}</text>",
            below + CAPTION_LINE * line as f64,
            escaped(text)
        )?;
    }
    writeln!(out, "</svg>")
}

/// What is drawn: whose links, as of which run.
fn about(drawing: &Drawing) -> String {
    match drawing.run {
        Some(run) => format!("{}, run {run}", drawing.what),
        None => drawing.what.clone(),
    }
}

/// Lines of about so many letters, broken between words.
fn lines(text: &str, letters: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty()
            && (lines[last].chars().count() + 1 + word.chars().count()) as f64 > letters
        {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

/// Text inside markup; what no markup may hold is left out.
fn escaped(text: &str) -> String {
    let kept: String = text.chars().filter(|sign| !sign.is_control()).collect();
    crate::html::escaped(&kept)
}
