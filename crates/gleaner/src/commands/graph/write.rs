//! The graph into files: exports and pictures.

use super::open::{Whole, open};
use crate::arguments::{Draw, ExportGraph, GraphFormat, Picture};
use crate::output::{Output, WrongUsage};
use anyhow::bail;
use gleaner_graph::{Level, group_by_level};
use gleaner_publish::graph::GraphError;
use gleaner_publish::graph::draw::{DrawWish, NodePlaces, SvgView, drawing, write_page, write_svg};
use gleaner_publish::graph::export::{
    Attributes, S4Form, S4Wish, write_dot, write_edges, write_gexf, write_graphml, write_json, write_parquet,
    write_s4,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn export(data: &Path, asked: &ExportGraph, output: Output) -> anyhow::Result<ExitCode> {
    let is_s4 = matches!(
        asked.format,
        GraphFormat::S4Sql | GraphFormat::S4Sqlite | GraphFormat::S4Csv
    );
    let needs_place = matches!(
        asked.format,
        GraphFormat::Parquet | GraphFormat::S4Sqlite | GraphFormat::S4Csv
    );
    let level: Level = asked.level.into();
    if needs_place && asked.to.is_none() {
        bail!(WrongUsage(
            "this format cannot be printed; give a file or folder with --to".to_owned()
        ));
    }
    if is_s4 && level != Level::Page {
        bail!(WrongUsage(
            "these tables are about pages; leave out --level".to_owned()
        ));
    }
    let Whole {
        structure,
        reader,
        extent,
        ..
    } = open(data, &asked.which, output)?;
    let view = structure.at(level);
    let to = asked.to.as_deref();
    if let (GraphFormat::Parquet, Some(folder)) = (asked.format, to) {
        write_parquet(&view, &Attributes::of(&view), folder)?;
        return said(output, folder);
    }
    let mut out: Box<dyn Write> = match to {
        Some(file) if !needs_place => Box::new(BufWriter::new(File::create(file).map_err(|cause| {
            GraphError::File {
                file: file.to_owned(),
                cause,
            }
        })?)),
        _ => Box::new(output.writer()),
    };
    match asked.format {
        GraphFormat::Edges => write_edges(&view, false, &mut out)?,
        GraphFormat::WeightedEdges => write_edges(&view, true, &mut out)?,
        GraphFormat::Graphml => write_graphml(&view, &Attributes::of(&view), &mut out)?,
        GraphFormat::Gexf => write_gexf(&view, &Attributes::of(&view), &mut out)?,
        GraphFormat::Json => write_json(&view, &Attributes::of(&view), &mut out)?,
        GraphFormat::Dot => write_dot(&view, &Attributes::of(&view), &mut out)?,
        GraphFormat::Parquet => {} // Written above.
        GraphFormat::S4Sql | GraphFormat::S4Sqlite | GraphFormat::S4Csv => {
            let form = match asked.format {
                GraphFormat::S4Sqlite => S4Form::Sqlite,
                GraphFormat::S4Csv => S4Form::Csv,
                _ => S4Form::Sql,
            };
            let wish = S4Wish {
                extent: &extent,
                with_source: !asked.without_source,
            };
            let reader = reader.as_deref().ok_or(GraphError::NeedsCatalog)?;
            write_s4(reader, &view, &wish, form, to, &mut out)?;
        }
    }
    out.flush()?;
    match to {
        Some(place) => said(output, place),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Fewer hosts are no picture of their own: then pages are drawn.
const HOSTS_MIN: usize = 10;

pub(super) fn draw(data: &Path, asked: &Draw, output: Output) -> anyhow::Result<ExitCode> {
    let ending = asked
        .to
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    let is_page = match ending.as_deref() {
        Some("html" | "htm") => true,
        Some("svg") => false,
        _ => bail!(WrongUsage(format!(
            "the file of a drawing must end in .html or .svg: {}",
            asked.to.display()
        ))),
    };
    let Whole { structure, .. } = open(data, &asked.which, output)?;
    let level: Level = if let Some(level) = asked.level {
        level.into()
    } else {
        let hosts = group_by_level(&structure.graph, &structure.names, Level::Host);
        // Where every page is a host of its own, as in a list of numbers, the two are the same.
        if hosts.members.len() >= HOSTS_MIN && hosts.members.len() < structure.graph.nodes() {
            Level::Host
        } else {
            Level::Page
        }
    };
    let wish = DrawWish {
        level,
        nodes: asked.nodes as usize,
        around: asked.around.clone().map(|given| (given, asked.hops)),
    };
    // The same picture of another run begins where this one ends.
    let memory = format!("{:?} {:?} {level:?}", asked.which.project, asked.around);
    let is_kept = asked.which.edges.is_none();
    let before = if is_kept {
        NodePlaces::read(data, &memory)
    } else {
        NodePlaces::default()
    };
    let drawn = drawing(structure, &wish, &before)?;
    if is_kept {
        drawn.places.keep(data, &memory);
    }
    let failed = |cause| GraphError::File {
        file: asked.to.clone(),
        cause,
    };
    let mut out = BufWriter::new(File::create(&asked.to).map_err(failed)?);
    if is_page {
        write_page(&drawn, &mut out).map_err(failed)?;
    } else {
        let shown = match asked.picture {
            Picture::Map => SvgView::Map,
            Picture::Degrees => SvgView::Degrees,
            Picture::BowTie => SvgView::BowTie,
            Picture::Matrix => SvgView::Matrix,
            Picture::Depths => SvgView::Depths,
        };
        write_svg(&drawn, shown, &mut out).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    said(output, &asked.to)
}

fn said(output: Output, place: &Path) -> anyhow::Result<ExitCode> {
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", serde_json::json!({"written": place}))?;
    } else {
        writeln!(out, "written: {}", place.display())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
