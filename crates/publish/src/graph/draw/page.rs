//! All pictures with their tables as one page that needs nothing else: no net, no second file.

use super::choose::{Drawing, HEIGHT, Spot, WIDTH};
use super::map::{NAMES_MAX, label, map};
use super::matrix::matrix;
use super::{Figure, PAGE_STYLE, PICTURE_STYLE, about, escaped, figures};
use crate::graph::table::grouped;
use crate::graph::view::one;
use crate::time::count;
use gleaner_graph::Level;
use gleaner_model::State;
use gleaner_model::measure::noun;
use gleaner_store::Digest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Groups that the legend names.
const GROUPS_MAX: usize = 6;

/// A picture is shown at most so much larger than it was made, and never wider than this: letters of a small one would shout.
const LARGER_MAX: f64 = 1.5;
const WIDEST: f64 = 992.0;

const SCRIPT: &str = include_str!("map.js");

pub fn write_page(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("Links of {}", about(drawing));
    let digest = data_encoding::BASE64.encode(&Digest::of(SCRIPT.as_bytes()).0);
    let name = one(drawing.level);
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{0}</title>\n<style>{PAGE_STYLE}{PICTURE_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>",
        escaped(&title)
    )?;
    writeln!(
        out,
        "<ul class=\"facts\"><li><b>{}</b><span>{}</span></li><li><b>{}</b><span>{}</span></li>\
         <li><b>{}</b><span>{} between {name}s</span></li></ul>",
        grouped(drawing.pages as u64),
        noun(drawing.pages as u64, "page"),
        grouped(drawing.hosts_all as u64),
        noun(drawing.hosts_all as u64, "host"),
        grouped(drawing.links as u64),
        noun(drawing.links as u64, "link")
    )?;
    write_map(drawing, out)?;
    writeln!(out, "<div class=\"figures\">")?;
    write_figure(out, "Bow-tie", &figures::bow_tie(drawing), &parts_table(drawing))?;
    write_figure(
        out,
        "How many links",
        &figures::degrees(drawing),
        &degrees_table(drawing),
    )?;
    if !drawing.depths.is_empty() {
        write_figure(
            out,
            "How deep pages are",
            &figures::depths(drawing),
            &depths_table(drawing),
        )?;
    }
    writeln!(out, "</div>")?;
    if drawing.hosts.len() > 1 {
        writeln!(out, "<div class=\"wide\">")?;
        write_figure(
            out,
            "Links between hosts",
            &matrix(drawing),
            &matrix_table(drawing),
        )?;
        writeln!(out, "</div>")?;
    }
    writeln!(
        out,
        "<footer>Drawn by gleaner. Nothing on this page asks any server.</footer>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        data(drawing).to_string().replace('<', "\\u003c")
    )
}

fn write_map(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let picture = map(drawing);
    let name = one(drawing.level);
    writeln!(
        out,
        "<div class=\"work\">\n<section class=\"card map\" aria-labelledby=\"map-title\"><h2 id=\"map-title\">Who links to whom</h2>\n\
         <div class=\"bar\"><button type=\"button\" id=\"closer\">Closer</button><button type=\"button\" id=\"farther\">Farther</button>\
         <button type=\"button\" id=\"again\">Begin again</button><span class=\"soft small\" id=\"shown\" role=\"status\"></span></div>\n\
         <svg id=\"map\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{}</svg>",
        escaped(&picture.told),
        picture.inner
    )?;
    writeln!(
        out,
        "<p class=\"soft small\">Each {name} with its strongest bonds: a line is links, thicker where there are more. Size is PageRank, \
         colour the community (group).</p>\n<ul class=\"legend\">{}{}</ul>\n</section>",
        groups_legend(drawing),
        states_legend(drawing)
    )?;
    let stateless = if drawing.has_states {
        ""
    } else {
        " class=\"stateless\""
    };
    writeln!(
        out,
        "<section class=\"card side\" aria-labelledby=\"table-title\"><h2 id=\"table-title\">The same as a table</h2>\n\
         <div class=\"bar\"><label for=\"search\">Search</label><input type=\"search\" id=\"search\" autocomplete=\"off\">\
         <span class=\"soft small\" id=\"found\" role=\"status\"></span></div>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of {name}s\"><table{stateless}>\n<thead><tr>\
         <th scope=\"col\"><button type=\"button\" data-key=\"name\" data-down=\"0\">{name}</button></th>\
         <th scope=\"col\" class=\"n\" aria-sort=\"ascending\"><button type=\"button\" data-key=\"place\" data-down=\"0\">rank</button></th>\
         <th scope=\"col\" class=\"n\"><button type=\"button\" data-key=\"in\" data-down=\"1\">in</button></th>\
         <th scope=\"col\" class=\"n\"><button type=\"button\" data-key=\"out\" data-down=\"1\">out</button></th>\
         <th scope=\"col\" class=\"n\"><button type=\"button\" data-key=\"group_name\" data-down=\"0\">group</button></th>\
         <th scope=\"col\"><button type=\"button\" data-key=\"state\" data-down=\"1\">state</button></th></tr></thead>\n<tbody id=\"rows\">"
    )?;
    for spot in &drawing.spots[..drawing.begin] {
        writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(&spot.name),
            spot.place,
            spot.links_in,
            spot.links_out,
            spot.community,
            spot.state.map_or("–", State::as_str)
        )?;
    }
    writeln!(
        out,
        "</tbody>\n</table></div>\n<div id=\"told\" aria-live=\"polite\"></div>\n</section>\n</div>"
    )
}

/// Colours, each with the member that ranks highest.
fn groups_legend(drawing: &Drawing) -> String {
    let mut legend = String::new();
    let shown = &drawing.spots[..drawing.begin];
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for spot in shown {
        *counts.entry(spot.community).or_default() += 1;
    }
    let mut groups: Vec<u32> = counts.keys().copied().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(counts[group]));
    for group in groups.iter().take(GROUPS_MAX) {
        let members = shown.iter().filter(|spot| spot.community == *group);
        let first = members.clone().min_by_key(|spot| spot.place);
        if let Some(first) = first {
            let others = match members.count() - 1 {
                0 => String::new(),
                others => format!(" and {}", count(others as u64, "other")),
            };
            let _never_fails = write!(
                legend,
                "<li><i style=\"background:var(--k{})\"></i>group {group}: {}{others}</li>",
                first.colour,
                escaped(&label(drawing, first))
            );
        }
    }
    if groups.len() > GROUPS_MAX {
        let _never_fails = write!(
            legend,
            "<li>{}</li>",
            count((groups.len() - GROUPS_MAX) as u64, "more group")
        );
    }
    legend
}

/// Rings, of those states that are in the picture.
fn states_legend(drawing: &Drawing) -> String {
    let shown = &drawing.spots[..drawing.begin];
    let rings = [
        (State::New, "new", "solid", "new"),
        (State::Upd, "upd", "solid", "changed"),
        (State::Mis, "mis", "dashed", "gone"),
        (State::Err, "err", "dotted", "could not be found out"),
        (State::Out, "out", "solid", "no longer taken"),
    ];
    let mut legend = String::new();
    for (state, colour, style, name) in rings {
        if shown.iter().any(|spot| spot.state == Some(state)) {
            let _never_fails = write!(
                legend,
                "<li><i style=\"border:2px {style} var(--{colour})\"></i>{name}</li>"
            );
        }
    }
    if drawing.has_states && shown.iter().any(|spot| spot.state.is_none()) {
        legend.push_str("<li>pale: only linked to</li>");
    }
    legend
}

fn write_figure(out: &mut dyn Write, title: &str, figure: &Figure, table: &str) -> io::Result<()> {
    writeln!(
        out,
        "<section class=\"card\"><h2>{title}</h2>\n<figure><svg viewBox=\"0 0 {0:.0} {1:.0}\" style=\"max-width:{2:.0}px\" role=\"img\" \
         aria-label=\"{title}\">{3}</svg>\n<figcaption>{4}</figcaption></figure>\n\
         <details><summary>As a table</summary>{table}</details></section>",
        figure.width,
        figure.height,
        (figure.width * LARGER_MAX).min(WIDEST),
        figure.inner,
        escaped(&figure.told)
    )
}

fn rows(head: [&str; 2], rows: impl Iterator<Item = (String, String)>) -> String {
    let mut table = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0} and {1}\"><table><thead><tr><th scope=\"col\">{0}</th>\
         <th scope=\"col\" class=\"n\">{1}</th></tr></thead><tbody>",
        head[0], head[1]
    );
    for (name, value) in rows {
        let _never_fails = write!(table, "<tr><td>{name}</td><td class=\"n\">{value}</td></tr>");
    }
    table + "</tbody></table></div>"
}

fn parts_table(drawing: &Drawing) -> String {
    let names = ["core", "in", "out", "tubes", "tendrils", "apart"];
    let counts = names.iter().zip(drawing.parts);
    rows(
        ["part", "count"],
        counts.map(|(name, count)| ((*name).to_owned(), grouped(u64::from(count)))),
    )
}

fn degrees_table(drawing: &Drawing) -> String {
    let incoming = drawing.degrees.0.iter().map(|(degree, nodes)| {
        let links = count(u64::from(*degree), "link");
        (format!("{links} in"), grouped(*nodes))
    });
    let outgoing = drawing.degrees.1.iter().map(|(degree, nodes)| {
        let links = count(u64::from(*degree), "link");
        (format!("{links} out"), grouped(*nodes))
    });
    rows(["links", "how many have them"], incoming.chain(outgoing))
}

fn depths_table(drawing: &Drawing) -> String {
    let depths = drawing.depths.iter().enumerate();
    rows(
        ["links away", "pages"],
        depths.map(|(depth, pages)| (depth.to_string(), grouped(*pages))),
    )
}

fn matrix_table(drawing: &Drawing) -> String {
    let pairs = drawing.between.iter().enumerate().flat_map(|(from, row)| {
        let linked = row.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        linked.map(move |(to, weight)| {
            let ends = format!(
                "{} → {}",
                escaped(&drawing.hosts[from]),
                escaped(&drawing.hosts[to])
            );
            (ends, grouped(*weight as u64))
        })
    });
    rows(["from → to", "links"], pairs)
}

fn data(drawing: &Drawing) -> Value {
    let nodes: Vec<Value> = drawing.spots.iter().map(|spot| node(drawing, spot)).collect();
    let rounded = |number: f64| (number * 100.0).round() / 100.0;
    let bonds: Vec<Value> = drawing
        .bonds
        .iter()
        .map(|bond| {
            json!([
                bond.ends.0,
                bond.ends.1,
                bond.weight,
                rounded(bond.width),
                rounded(bond.opacity),
                u8::from(bond.is_drawn)
            ])
        })
        .collect();
    let what = match drawing.level {
        Level::Page => "pages",
        Level::Host => "hosts",
        Level::Domain => "domains",
    };
    json!({
        "nodes": nodes, "bonds": bonds, "begin": drawing.begin, "all": drawing.all, "what": what,
        "width": WIDTH, "height": HEIGHT, "names": NAMES_MAX, "states": drawing.has_states,
    })
}

fn node(drawing: &Drawing, spot: &Spot) -> Value {
    let rounded = |number: f64| (number * 10.0).round() / 10.0;
    json!({
        "name": spot.name, "short": label(drawing, spot), "title": spot.title, "x": rounded(spot.at.x), "y": rounded(spot.at.y),
        "r": rounded(spot.radius), "colour": spot.colour, "group_name": spot.community, "score": spot.score, "place": spot.place,
        "in": spot.links_in, "out": spot.links_out, "state": spot.state.map_or("", State::as_str), "inside": spot.inside,
    })
}
