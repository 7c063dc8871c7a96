//! `gleaner graph`: who links to whom, told, exported and drawn.

mod open;
mod write;

use super::convert::pool_for_texts;
use crate::arguments::{Compare, Components, Graph, Near, PathBetween, Rank, RankArgument, Rows, Summary};
use crate::output::{Output, WrongUsage, paint, width};
use anyhow::bail;
use gleaner_graph::Level;
use gleaner_model::RunId;
use gleaner_publish::graph::table::{Table, TableForm, grouped};
use gleaner_publish::graph::tell::{
    self, Forecast, RankBy, RankOptions, Route, broken, changes, components, mirrored, near, rank, route,
    summary,
};
use gleaner_publish::graph::{GraphError, LinkChoice, View};
use gleaner_publish::text::safe;
use gleaner_publish::time::count;
use gleaner_store::{Ledger, ledger};
use open::{Whole, choice_of, open, open_run, project_of_run};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Rows that people are shown.
const TOP: usize = 20;

pub(crate) fn graph(data: &Path, arguments: &Graph, output: Output) -> anyhow::Result<ExitCode> {
    match arguments {
        Graph::Summary(asked) => told_summary(data, asked, output),
        Graph::Rank(asked) => told_rank(data, asked, output),
        Graph::Hosts(asked) => told_hosts(data, asked, output),
        Graph::Types(asked) => told_types(data, asked, output),
        Graph::Components(asked) => told_components(data, asked, output),
        Graph::Mirrors(asked) => told_mirrors(data, asked, output),
        Graph::Broken(asked) => told_broken(data, asked, output),
        Graph::Path(asked) => told_path(data, asked, output),
        Graph::Near(asked) => told_near(data, asked, output),
        Graph::Compare(asked) => told_compare(data, asked, output),
        Graph::Export(asked) => write::export(data, asked, output),
        Graph::Draw(asked) => write::draw(data, asked, output),
    }
}

fn shape(output: Output, csv: bool) -> TableForm {
    match (output.json, csv) {
        (true, _) => TableForm::Json,
        (false, true) => TableForm::Csv,
        (false, false) => TableForm::Text(paint()),
    }
}

/// How many rows: what was asked for, else some for people and all for programs.
fn top(shape: TableForm, asked: Option<usize>) -> usize {
    asked.unwrap_or(if matches!(shape, TableForm::Text(_)) {
        TOP
    } else {
        0
    })
}

fn cut(mut table: Table, top: usize) -> Table {
    if top > 0 {
        table.rows.truncate(top);
    }
    table
}

fn told_summary(data: &Path, asked: &Summary, output: Output) -> anyhow::Result<ExitCode> {
    let Whole {
        structure,
        file_bytes,
        reader,
        ..
    } = open(data, &asked.which, output)?;
    let forecast = match &reader {
        Some(reader) => Some(Forecast {
            sizes: reader.sizes()?,
            links: structure.graph.links() as u64 + structure.graph.self_links().len() as u64,
            graph_bytes: file_bytes,
            pages: asked.forecast,
        }),
        None => None,
    };
    let told = summary(structure, asked.level.into(), forecast);
    let mut out = output.writer();
    match shape(output, asked.csv) {
        TableForm::Json => writeln!(out, "{}", told.json())?,
        TableForm::Csv => told.table().write(TableForm::Csv, &mut out)?,
        TableForm::Text(paint) => told.write_text(paint, width(), &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn told_rank(data: &Path, asked: &Rank, output: Output) -> anyhow::Result<ExitCode> {
    let view = view(data, &asked.which, asked.level.into(), output)?;
    let from = asked
        .from
        .iter()
        .map(|given| view.find(given))
        .collect::<Result<Vec<_>, GraphError>>()?;
    let by = match asked.by {
        RankArgument::Pagerank => RankBy::PageRank,
        RankArgument::Hubs => RankBy::Hubs,
        RankArgument::Authorities => RankBy::Authorities,
        RankArgument::In => RankBy::In,
        RankArgument::Out => RankBy::Out,
        RankArgument::Citations => RankBy::Citations,
        RankArgument::Core => RankBy::Core,
        RankArgument::Depth => RankBy::Depth,
    };
    if !from.is_empty() && by != RankBy::PageRank {
        bail!(WrongUsage(
            "--from can be used with --by pagerank only".to_owned()
        ));
    }
    let options = RankOptions {
        by,
        is_weighted: asked.weighted,
        damping: asked.damping,
        from,
        is_guarded: asked.guarded,
        with_self_links: !asked.no_self_links,
    };
    let shape = shape(output, asked.shown.csv);
    let is_for_people = matches!(shape, TableForm::Text(_));
    let (table, note) = rank(&view, &options, top(shape, asked.shown.top), is_for_people)?;
    if let Some(note) = note {
        output.say(&note);
    }
    let mut out = output.writer();
    table.write(shape, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn told_hosts(data: &Path, asked: &Rows, output: Output) -> anyhow::Result<ExitCode> {
    let whole = open(data, &asked.which, output)?;
    told_rows(tell::hosts(&whole.structure), asked, output)
}

fn told_types(data: &Path, asked: &Rows, output: Output) -> anyhow::Result<ExitCode> {
    let whole = open(data, &asked.which, output)?;
    told_rows(tell::types(&whole.structure)?, asked, output)
}

fn told_rows(table: Table, asked: &Rows, output: Output) -> anyhow::Result<ExitCode> {
    let shape = shape(output, asked.shown.csv);
    let mut out = output.writer();
    cut(table, top(shape, asked.shown.top)).write(shape, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn told_components(data: &Path, asked: &Components, output: Output) -> anyhow::Result<ExitCode> {
    let view = view(data, &asked.which, asked.level.into(), output)?;
    let shape = shape(output, asked.shown.csv);
    let told = components(&view, top(shape, asked.shown.top));
    let mut out = output.writer();
    told.table.write(shape, &mut out)?;
    match shape {
        TableForm::Json => writeln!(out, "{}", told.json())?,
        TableForm::Text(_) => writeln!(
            out,
            "\n{}, {}.\n{}",
            count(told.strong.sizes.len() as u64, "strong component"),
            count(told.weak.sizes.len() as u64, "weak component"),
            told.in_words()
        )?,
        TableForm::Csv => {}
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn told_mirrors(data: &Path, asked: &Rows, output: Output) -> anyhow::Result<ExitCode> {
    let whole = open(data, &asked.which, output)?;
    let Some(reader) = whole.reader.as_deref() else {
        return Err(GraphError::NeedsCatalog.into());
    };
    let readers = pool_for_texts();
    let told = mirrored(data, reader, &readers, &whole.extent, &whole.structure)?;
    let shape = shape(output, asked.shown.csv);
    let found = told.table.rows.len() as u64;
    let mut out = output.writer();
    if found > 0 || !matches!(shape, TableForm::Text(_)) {
        cut(told.table, top(shape, asked.shown.top)).write(shape, &mut out)?;
    }
    out.flush()?;
    if found == 0 {
        output.say("no two hosts serve the same pages");
    }
    Ok(ExitCode::SUCCESS)
}

fn told_broken(data: &Path, asked: &Rows, output: Output) -> anyhow::Result<ExitCode> {
    let whole = open(data, &asked.which, output)?;
    let starts = whole.starts()?;
    let view = whole.structure.at(Level::Page);
    let shape = shape(output, asked.shown.csv);
    let told = broken(&view, &starts, matches!(shape, TableForm::Text(_)))?;
    let shown = top(shape, asked.shown.top);
    let (targets, chains, orphans) = (
        told.targets.rows.len(),
        told.chains.rows.len(),
        told.orphans.rows.len(),
    );
    let mut out = output.writer();
    match shape {
        TableForm::Text(_) => {
            for (what, table) in [
                ("broken targets", told.targets),
                ("chains of redirects", told.chains),
                ("pages that nothing links to", told.orphans),
            ] {
                writeln!(out, "{}: {}", what, grouped(table.rows.len() as u64))?;
                if !table.rows.is_empty() {
                    cut(table, shown).write(shape, &mut out)?;
                    writeln!(out)?;
                }
            }
        }
        TableForm::Csv => told.together(shown).write(shape, &mut out)?,
        TableForm::Json => {
            cut(told.targets, shown).write(shape, &mut out)?;
            cut(told.chains, shown).write(shape, &mut out)?;
            let mut alone = cut(told.orphans, shown);
            alone.columns[0] = "orphan";
            alone.write(shape, &mut out)?;
            let summary = json!({"broken": targets, "redirect_chains": chains, "orphans": orphans});
            writeln!(out, "{summary}")?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What leads nowhere as of a run, for `gleaner report --broken`; with the project's name.
pub(super) fn dead_ends(
    data: &Path,
    reader: &dyn Ledger,
    run: RunId,
    output: Output,
) -> anyhow::Result<(String, Vec<tell::DeadEnd>)> {
    let (project, name) = project_of_run(reader, run.0)?;
    let structure = open_run(
        data,
        reader,
        project,
        run.0,
        &LinkChoice::default(),
        &name,
        output,
    )?;
    Ok((name, tell::dead_ends(&structure.at(Level::Page))?))
}

fn told_path(data: &Path, asked: &PathBetween, output: Output) -> anyhow::Result<ExitCode> {
    let view = view(data, &asked.which, asked.level.into(), output)?;
    let (from, to) = (view.find(&asked.from)?, view.find(&asked.to)?);
    let found = route(&view, from, to);
    let shape = shape(output, asked.csv);
    let mut out = output.writer();
    let ends = format!(
        "from {} to {}",
        safe(&view.names.get(from)),
        safe(&view.names.get(to))
    );
    let told = match &found {
        Route::Found(nodes) => {
            found.table(&view).write(shape, &mut out)?;
            out.flush()?;
            if output.json {
                let steps = nodes.len() - 1;
                writeln!(out, "{}", json!({"steps": steps}))?;
                out.flush()?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        Route::OnlyBack(steps) => format!(
            "no links lead {ends}; in the other direction the path has {}",
            count(*steps as u64, "link")
        ),
        Route::None => format!("no links lead {ends}, or back"),
    };
    if output.json {
        writeln!(out, "{}", json!({"steps": null, "note": told}))?;
    }
    out.flush()?;
    output.say(&told);
    Ok(ExitCode::from(1))
}

fn told_near(data: &Path, asked: &Near, output: Output) -> anyhow::Result<ExitCode> {
    let view = view(data, &asked.which, asked.level.into(), output)?;
    let centre = view.find(&asked.url)?;
    let shape = shape(output, asked.shown.csv);
    let (table, found) = near(
        &view,
        centre,
        asked.hops,
        asked.along.into(),
        top(shape, asked.shown.top),
    );
    let mut out = output.writer();
    table.write(shape, &mut out)?;
    out.flush()?;
    if table.rows.is_empty() {
        output.say(&format!(
            "nothing links to it, and it links to nothing: {}",
            safe(&view.names.get(centre))
        ));
    } else if found.left_out > 0 {
        output.say(&format!(
            "{} more within {}; --top 0 shows all",
            grouped(found.left_out as u64),
            count(u64::from(asked.hops), "link")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn told_compare(data: &Path, asked: &Compare, output: Output) -> anyhow::Result<ExitCode> {
    if asked.before == asked.after {
        bail!(WrongUsage(format!("both runs are the same: {}", asked.before)));
    }
    let reader = ledger::open(data)?;
    let (project, name) = project_of_run(&*reader, asked.before)?;
    let (other, other_name) = project_of_run(&*reader, asked.after)?;
    if project != other {
        // Two projects may collect the same pages.
        output.say(&format!(
            "these runs are of different projects: run {} is of {}, run {} of {}",
            asked.before,
            safe(&name),
            asked.after,
            safe(&other_name)
        ));
    }
    let choice = choice_of(&asked.kinds, asked.no_nofollow);
    let before = open_run(data, &*reader, project, asked.before, &choice, &name, output)?;
    let after = open_run(data, &*reader, other, asked.after, &choice, &other_name, output)?;
    let told: tell::Changes = changes(before, after)?;
    let shape = shape(output, asked.shown.csv);
    // There are six kinds of changes, so people are shown fewer of each.
    let few = if matches!(shape, TableForm::Text(_)) {
        TOP / 2
    } else {
        0
    };
    let shown = asked.shown.top.unwrap_or(few);
    let mut out = output.writer();
    told.write(shape, shown, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn view(
    data: &Path,
    which: &crate::arguments::WhichLinks,
    level: Level,
    output: Output,
) -> anyhow::Result<View> {
    Ok(open(data, which, output)?.structure.at(level))
}
