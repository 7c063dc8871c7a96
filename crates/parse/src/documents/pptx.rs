//! `PowerPoint`'s slides since 2007: each slide's shapes in their order, tables as rows. Speaker's notes are not shown to the
//! audience and left out.

use super::container::Zip;
use super::elements::Elements;
use super::pen::Pen;
use super::properties::{Relations, dublin_core};
use super::reading::Unread;
use crate::xml::{Element, Piece, walk};
use gleaner_model::BlockKind;

const SLIDES_MAX: usize = 5000;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) -> Result<(), Unread> {
    let zip = Zip::open(bytes)?;
    if let Some(xml) = zip.text("docProps/core.xml")? {
        dublin_core(&xml, pen.metadata());
    }
    let slides = slides(&zip)?;
    pen.metadata().pages = Some(slides.len() as u32);
    for (index, part) in slides.iter().enumerate() {
        pen.page(index as u32 + 1);
        let relations = Relations::of(&zip, part)?;
        if let Some(xml) = zip.text(part)? {
            Slide::new(pen, &relations).walk(&xml);
        }
        if let Some(drawing) = relations.of_kind("diagramData").map(str::to_owned)
            && let Some(xml) = zip.text(&drawing)?
        {
            Slide::new(pen, &relations).walk(&xml);
        }
    }
    Ok(())
}

/// The slides in the order in which they are shown; by their names where the list is missing.
fn slides(zip: &Zip<'_>) -> Result<Vec<String>, Unread> {
    let main = Relations::of(zip, "")?
        .of_kind("officeDocument")
        .filter(|part| zip.has(part))
        .unwrap_or("ppt/presentation.xml")
        .to_owned();
    let relations = Relations::of(zip, &main)?;
    let mut slides = Vec::new();
    if let Some(xml) = zip.text(&main)? {
        let _partial = walk(&xml, |piece| {
            let Piece::Start(element) = piece else { return };
            if element.name != "sldId" || slides.len() >= SLIDES_MAX {
                return;
            }
            let mut id = None;
            // `id` is the slide's number, `r:id` the relation.
            element.each_attribute(|name, value| {
                if name.ends_with(":id") {
                    id = Some(value.to_owned());
                }
            });
            if let Some(part) = id.and_then(|id| relations.get(&id).map(|found| found.target.clone())) {
                slides.push(part);
            }
        });
    }
    if slides.is_empty() {
        slides = zip
            .names()
            .filter(|name| name.starts_with("ppt/slides/slide"))
            .map(str::to_owned)
            .take(SLIDES_MAX)
            .collect();
        slides.sort_by_key(|name| (name.len(), name.clone()));
    }
    Ok(slides)
}

struct Slide<'a> {
    pen: &'a mut Pen,
    relations: &'a Relations,
    open: Elements,
    is_title: bool,
    level: u8,
    is_item: bool,
    rows: u32,
    cells: usize,
    /// The link of the run under way.
    link: Option<String>,
    run: String,
}

impl<'a> Slide<'a> {
    fn new(pen: &'a mut Pen, relations: &'a Relations) -> Slide<'a> {
        Slide {
            pen,
            relations,
            open: Elements::default(),
            is_title: false,
            level: 0,
            is_item: false,
            rows: 0,
            cells: 0,
            link: None,
            run: String::new(),
        }
    }

    fn walk(&mut self, xml: &str) {
        let _partial = walk(xml, |piece| match piece {
            Piece::Start(element) => self.start(element),
            Piece::End => self.end(),
            Piece::Text(text) => {
                if !self.open.is_skipped() && self.open.innermost() == Some("t") {
                    self.run.push_str(text);
                }
            }
        });
        self.pen.paragraph();
    }

    fn start(&mut self, element: &Element<'_>) {
        if !self.open.begin(element.name) {
            return;
        }
        match element.name {
            "Fallback" => self.open.skip(),
            "ph" => {
                let kind = element.attribute("type").unwrap_or_default();
                self.is_title = matches!(kind.as_str(), "title" | "ctrTitle");
                self.is_item = matches!(kind.as_str(), "" | "body" | "obj");
            }
            "sp" => (self.is_title, self.is_item) = (false, false),
            "pPr" => {
                let level = element
                    .attribute("lvl")
                    .and_then(|level| level.parse::<u8>().ok());
                self.level = level.unwrap_or(0);
            }
            "buNone" => self.is_item = false,
            "hlinkClick" => {
                let id = element.attribute("id").unwrap_or_default();
                self.link = self.relations.link(&id).map(str::to_owned);
                // A shape's own link has no words.
                if !self.open.has(&["r"])
                    && let Some(address) = self.link.take()
                {
                    self.pen.link(&address, "");
                }
            }
            "br" => self.pen.push("\n"),
            "tr" => {
                self.rows += 1;
                self.cells = 0;
            }
            "tc" => {
                if self.cells > 0 {
                    self.pen.next_cell();
                }
                self.cells += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        let Some(name) = self.open.end() else { return };
        match name.as_ref() {
            "t" => {
                let run = std::mem::take(&mut self.run);
                self.pen.push(&run);
                if let Some(address) = self.link.take() {
                    self.pen.link(&address, &run);
                }
            }
            "p" if self.rows > 0 => self.pen.push("\n"),
            "p" => {
                match (self.is_title, self.is_item) {
                    (true, _) => self.pen.end(BlockKind::Heading, 2),
                    (_, true) => self.pen.end(BlockKind::Item, self.level.min(8) + 1),
                    _ => self.pen.paragraph(),
                }
                self.level = 0;
            }
            "tr" => {
                self.rows -= 1;
                if self.rows == 0 {
                    self.pen.end(BlockKind::Row, 0);
                }
            }
            _ => {}
        }
    }
}
