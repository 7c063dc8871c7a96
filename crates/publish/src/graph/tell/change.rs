//! What is different between two runs: pages and hosts that came and went, links gained and lost, ranks that moved (J3).

use super::super::table::{Table, TableCell, TableForm};
use super::super::{GraphError, Structure, View};
use super::rank::{RankOptions, scores};
use gleaner_graph::{Ends, Level, Node, RankChange, compare, moves};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// All that is different between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    pub pages_came: Vec<String>,
    pub pages_went: Vec<String>,
    pub hosts_came: Vec<String>,
    pub hosts_went: Vec<String>,
    pub links_gained: Vec<Ends>,
    pub links_lost: Vec<Ends>,
    pub links_kept: u64,
    /// Address, place before and after, score before and after; those that moved furthest first.
    pub moved: Vec<(String, RankChange)>,
}

/// Compares two structures, as of any two runs. Pages are the documents that were there.
pub fn changes(before: Structure, after: Structure) -> Result<Changes, GraphError> {
    let (hosts_before, hosts_after) = (hosts_of(&before), hosts_of(&after));
    let (before, after) = (before.at(Level::Page), after.at(Level::Page));
    let found = compare((&before.graph, &before.names), (&after.graph, &after.names));
    let (pages_before, pages_after) = (pages_of(&before)?, pages_of(&after)?);
    let options = RankOptions::default();
    let all = moves(
        &found.nodes_stayed,
        &scores(&before, &options),
        &scores(&after, &options),
    );
    let moved = all
        .into_iter()
        .filter(|one| one.place_before != one.place_after)
        .map(|one| (after.names.get(one.after), one))
        .collect();
    let without = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect();
    Ok(Changes {
        pages_came: without(&pages_after, &pages_before),
        pages_went: without(&pages_before, &pages_after),
        hosts_came: without(&hosts_after, &hosts_before),
        hosts_went: without(&hosts_before, &hosts_after),
        links_gained: found.links_gained,
        links_lost: found.links_lost,
        links_kept: found.links_kept,
        moved,
    })
}

fn pages_of(view: &View) -> Result<BTreeSet<String>, GraphError> {
    let facts = view.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    Ok(view
        .names
        .iter()
        .enumerate()
        .filter(|(node, _)| facts.is_kept(*node as Node))
        .map(|(_, name)| name)
        .collect())
}

fn hosts_of(structure: &Structure) -> BTreeSet<String> {
    let Some(facts) = &structure.facts else {
        return BTreeSet::new();
    };
    structure
        .names
        .iter()
        .enumerate()
        .filter(|(node, _)| facts.is_kept(*node as Node))
        .map(|(_, name)| gleaner_graph::host_of(&name).to_owned())
        .collect()
}

impl Changes {
    /// Every change, one a row, at most `top` of a kind (0: all); then the ranks that moved.
    pub fn write(&self, shape: TableForm, top: usize, out: &mut dyn Write) -> std::io::Result<()> {
        match shape {
            TableForm::Text(_) => self.write_text(shape, top, out),
            TableForm::Csv => self.together(top).write(shape, out),
            TableForm::Json => {
                self.table(top).write(shape, out)?;
                self.ranks(top).write(shape, out)?;
                writeln!(out, "{}", self.json())
            }
        }
    }

    /// Changes and moves in one table, for spreadsheets.
    fn together(&self, top: usize) -> Table {
        let mut table = Table::new(&[
            "change",
            "url",
            "from",
            "before",
            "after",
            "score_before",
            "score_after",
        ]);
        for mut row in self.table(top).rows {
            row.resize(7, TableCell::Nothing);
            table.push(row);
        }
        for mut row in self.ranks(top).rows {
            row.insert(2, TableCell::Nothing);
            table.push(row);
        }
        table
    }

    fn lists(&self) -> [(&'static str, &[String]); 4] {
        [
            ("page-came", &self.pages_came),
            ("page-went", &self.pages_went),
            ("host-came", &self.hosts_came),
            ("host-went", &self.hosts_went),
        ]
    }

    fn table(&self, top: usize) -> Table {
        let shown = if top == 0 { usize::MAX } else { top };
        let mut table = Table::new(&["change", "url", "from"]);
        for (change, names) in self.lists() {
            for name in names.iter().take(shown) {
                table.push(vec![change.into(), name.as_str().into(), TableCell::Nothing]);
            }
        }
        for (change, links) in [
            ("link-gained", &self.links_gained),
            ("link-lost", &self.links_lost),
        ] {
            for link in links.iter().take(shown) {
                table.push(vec![
                    change.into(),
                    link.to.as_str().into(),
                    link.from.as_str().into(),
                ]);
            }
        }
        table
    }

    fn ranks(&self, top: usize) -> Table {
        let mut table = Table::new(&["change", "url", "before", "after", "score_before", "score_after"]);
        let top = if top == 0 { usize::MAX } else { top };
        for (url, one) in self.moved.iter().take(top) {
            table.push(vec![
                "rank-moved".into(),
                url.as_str().into(),
                u64::from(one.place_before).into(),
                u64::from(one.place_after).into(),
                TableCell::Score(one.score_before),
                TableCell::Score(one.score_after),
            ]);
        }
        table
    }

    fn write_text(&self, shape: TableForm, top: usize, out: &mut dyn Write) -> std::io::Result<()> {
        let counts = [
            ("new pages", self.pages_came.len()),
            ("vanished pages", self.pages_went.len()),
            ("new hosts", self.hosts_came.len()),
            ("vanished hosts", self.hosts_went.len()),
            ("links gained", self.links_gained.len()),
            ("links lost", self.links_lost.len()),
            ("links in both", self.links_kept as usize),
            ("ranks that moved", self.moved.len()),
        ];
        let mut table = Table::new(&["what", "count"]);
        for (what, count) in counts {
            table.push(vec![what.into(), (count as u64).into()]);
        }
        table.write(shape, out)?;
        let rows = self.table(top);
        if !rows.rows.is_empty() {
            writeln!(out)?;
            rows.write(shape, out)?;
        }
        if !self.moved.is_empty() {
            writeln!(out)?;
            self.ranks(top).write(shape, out)?;
        }
        Ok(())
    }

    /// The summary for programs.
    pub fn json(&self) -> Value {
        json!({
            "pages_came": self.pages_came.len(),
            "pages_went": self.pages_went.len(),
            "hosts_came": self.hosts_came.len(),
            "hosts_went": self.hosts_went.len(),
            "links_gained": self.links_gained.len(),
            "links_lost": self.links_lost.len(),
            "links_kept": self.links_kept,
            "ranks_moved": self.moved.len(),
        })
    }
}
