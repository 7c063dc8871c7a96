//! An article with noise around it and in it.

use super::edit::ArticleEdit;
use super::naming::Naming;
use super::widgets::{Showing, WIDGETS, Widget};
use super::words::{paragraph, phrase, word};
use crate::mutate::Dice;

/// One piece of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Heading(String),
    Paragraph(String),
    /// A paragraph with a link to this place.
    Linked(String, String),
    List(Vec<String>),
    Table(Vec<[String; 2]>),
    /// Where it lies, and what it shows.
    Image(String, String),
    /// The widget of this number.
    Widget(usize),
}

/// A page and its noise. Pages of one site share everything but their article.
#[derive(Debug, Clone)]
pub struct RestlessPage {
    site: u64,
    pub(super) parts: Vec<Part>,
    title: String,
    widgets: Vec<Widget>,
}

impl RestlessPage {
    /// The page of this number on the site that the seed makes: six to all kinds of widgets, up to three of them in the text.
    pub fn of(site: u64, number: u64) -> RestlessPage {
        let mut dice = Dice::new(site);
        let mut left = WIDGETS.to_vec();
        let count = 6 + dice.below(left.len() - 5);
        let widgets: Vec<Widget> = (0..count)
            .map(|_| left.swap_remove(dice.below(left.len())))
            .collect();
        let in_text = 1 + dice.below(3);
        let places: Vec<usize> = (0..in_text).map(|_| 3 + dice.below(5)).collect();
        let mut text = Dice::new(site ^ (number + 1).wrapping_mul(0x9e37_79b9));
        let title = phrase(&mut text, 5);
        let mut parts = article(&mut text);
        for (widget, place) in places.into_iter().enumerate() {
            parts.insert(place.min(parts.len()), Part::Widget(widget));
        }
        RestlessPage {
            site,
            parts,
            title,
            widgets,
        }
    }

    pub fn widgets(&self) -> &[Widget] {
        &self.widgets
    }

    /// The page as the fetch of this number brings it.
    pub fn html(&self, fetch: u64, edit: Option<&ArticleEdit>) -> String {
        let now = Dice::new(self.site.wrapping_mul(31) ^ (fetch + 1).wrapping_mul(0x1_0001_0001));
        let mut naming = Naming::new(self.site, now);
        let in_text = |widget: &usize| self.parts.contains(&Part::Widget(*widget));
        let outside: Vec<usize> = (0..self.widgets.len()).filter(|at| !in_text(at)).collect();
        let mut shown = [String::new(), String::new(), String::new(), String::new()];
        for at in outside {
            let mut place = Dice::new(self.site ^ (at as u64) << 7);
            shown[place.below(4)] += &self.widget(at, fetch, &mut naming);
        }
        let parts = edit.map_or(&self.parts, |edit| &edit.parts);
        let article: String = parts
            .iter()
            .map(|part| self.part(part, fetch, &mut naming))
            .collect();
        let [above, beside, below, foot] = shown;
        let (open, close) = match naming.wrapper() {
            Some(open) => (open, "</div>"),
            None => (String::new(), ""),
        };
        let mut names = |name: &str| naming.of(name);
        format!(
            "<!DOCTYPE html><html><head><title>{title}</title><meta name=\"csrf\" content=\"{fetch:032x}\"></head><body>\
             {open}<header{head}><a href=\"/\">Home</a> <a href=\"/all\">All</a>{above}</header>\
             <div{page}><main{main}><article{text}><h1>{title}</h1>{article}</article>{below}</main>\
             <aside{side}>{beside}</aside></div>\
             <footer{bottom}><p>All rights are kept by the harbour office.</p>{foot}</footer>{close}</body></html>",
            title = self.title,
            head = names("masthead"),
            page = names("page"),
            main = names("content"),
            text = names("story"),
            side = names("side"),
            bottom = names("bottom"),
        )
    }

    fn widget(&self, at: usize, fetch: u64, naming: &mut Naming) -> String {
        let site = self.site ^ (at as u64 + 1) << 32;
        Showing {
            site: Dice::new(site),
            now: Dice::new(site.wrapping_mul(17) ^ (fetch + 3).wrapping_mul(0x5_0005)),
            fetch,
            naming,
        }
        .html(self.widgets[at])
    }

    fn part(&self, part: &Part, fetch: u64, naming: &mut Naming) -> String {
        match part {
            Part::Heading(text) => format!("<h2>{text}</h2>"),
            Part::Paragraph(text) => format!("<p>{text}</p>"),
            Part::Linked(text, target) => {
                format!("<p>{text} See <a href=\"{target}\">the whole account</a>.</p>")
            }
            Part::List(items) => {
                let items: Vec<String> = items.iter().map(|item| format!("<li>{item}</li>")).collect();
                format!("<ul>{}</ul>", items.concat())
            }
            Part::Table(rows) => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|[name, value]| format!("<tr><td>{name}</td><td>{value}</td></tr>"))
                    .collect();
                format!("<table{}>{}</table>", naming.of("figures"), rows.concat())
            }
            Part::Image(src, alt) => {
                format!(
                    "<figure{}><img src=\"{src}\" alt=\"{alt}\"></figure>",
                    naming.of("figure")
                )
            }
            Part::Widget(at) => self.widget(*at, fetch, naming),
        }
    }
}

fn article(dice: &mut Dice) -> Vec<Part> {
    let mut parts = Vec::new();
    for section in 0..2 + dice.below(3) {
        if section > 0 {
            parts.push(Part::Heading(phrase(dice, 4)));
        }
        for _ in 0..2 + dice.below(3) {
            parts.push(Part::Paragraph(paragraph(dice)));
        }
    }
    let target = format!("/{}/{}", word(dice), word(dice));
    parts.push(Part::Linked(paragraph(dice), target));
    parts.push(Part::List((0..4).map(|_| phrase(dice, 6)).collect()));
    let row = |dice: &mut Dice| [phrase(dice, 2), (100 + dice.below(900)).to_string()];
    parts.push(Part::Table((0..4).map(|_| row(dice)).collect()));
    parts.push(Part::Image(
        format!("/pictures/{}.jpg", word(dice)),
        phrase(dice, 3),
    ));
    parts.push(Part::Paragraph(paragraph(dice)));
    parts
}
