//! The report as one page of HTML, good enough to mail to a colleague: it needs no server, no other file and no script.
//!
//! States come in the order in which people ask: what changed, what is new, what is gone, what could not be told. Changed
//! documents carry their diff, folded. A run of a million pages is still a page: long lists are cut, and say so.

use super::gather::Gathered;
use super::{ORDER, elsewhere, proof};
use crate::html::{self, escaped, link};
use crate::{PublishError, diff, time};
use gleaner_history::compare::Comparer;
use gleaner_model::{Reason, RunId, State, VersionId};
use gleaner_store::Ledger;
use gleaner_store::ledger::ChangeRow;
use gleaner_store::runs::Counts;
use std::io::Write;

/// Rows of one state that are shown. SAM is what nobody asked about.
const ROWS_MAX: u64 = 2_000;
const SAM_ROWS_MAX: u64 = 200;
/// Documents whose diff is shown, blocks of each, and bytes of all.
const DIFFS_MAX: usize = 200;
const HUNKS_MAX: usize = 30;
const DIFF_BYTES_MAX: usize = 4 << 20;
/// Lines of what was left out.
const CUTS_MAX: usize = 200;

pub(super) fn write(
    reader: &dyn Ledger,
    run: RunId,
    only: Option<State>,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let counts = reader.counts(run)?;
    write_head(reader, run, &counts, out)?;
    let mut diffs = Diffs {
        comparer: Comparer::new(reader),
        reader,
        shown: 0,
        bytes: 0,
    };
    for (state, heading, _) in ORDER {
        let count = count_of(&counts, state);
        if count > 0 && only.is_none_or(|only| only == state) {
            write_state(reader, run, state, heading, count, &mut diffs, out)?;
        }
    }
    write_cuts(reader, run, out)?;
    writeln!(
        out,
        "<footer>Made by Gleaner {}. Times are UTC.</footer>\n</main>",
        env!("CARGO_PKG_VERSION")
    )?;
    out.write_all(html::foot(true).as_bytes())?;
    Ok(())
}

fn count_of(counts: &Counts, state: State) -> u64 {
    match state {
        State::New => counts.new,
        State::Upd => counts.updated,
        State::Sam => counts.same,
        State::Mis => counts.missing,
        State::Err => counts.errors,
        State::Out => counts.out,
    }
}

fn write_head(
    reader: &dyn Ledger,
    run: RunId,
    counts: &Counts,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let row = reader.run(run)?;
    let before = reader.before(run)?;
    let what = if before.is_some() { "track" } else { "crawl" };
    out.write_all(html::head(&format!("{}: run {}", row.project_name, row.id)).as_bytes())?;
    writeln!(out, "<main>\n<h1>{}</h1>", escaped(&row.project_name))?;
    write!(
        out,
        "<p class=\"soft\">Run {} ({what}, {}), {}",
        row.id,
        row.status.as_str(),
        html::moments(row.started_at, row.ended_at)
    )?;
    writeln!(
        out,
        ", {} in {}.</p>",
        time::size(row.wire_bytes),
        time::span(row.active_ms as f64 / 1000.0)
    )?;
    for note in row.note.into_iter().chain(reader.notes(run)?) {
        writeln!(out, "<p class=\"note\">{}</p>", escaped(&note))?;
    }
    writeln!(out, "<div class=\"tiles\">")?;
    for (state, _, words) in ORDER {
        let count = count_of(counts, state);
        if count == 0 {
            writeln!(
                out,
                "<div class=\"tile none {state}\"><b>0</b><span><em>{state}</em>{words}</span></div>"
            )?;
        } else {
            writeln!(
                out,
                "<a class=\"tile {state}\" href=\"#{state}\" data-state=\"{state}\"><b>{}</b>\
                 <span><em>{state}</em>{words}</span></a>",
                thousands(count)
            )?;
        }
    }
    writeln!(out, "</div>")?;
    if let Some(before) = before {
        write!(out, "<p class=\"small soft\">{}", proof(&before))?;
        if let Some(other) = elsewhere(&before) {
            write!(out, "; {other}")?;
        }
        writeln!(out, ".</p>")?;
    }
    writeln!(
        out,
        "<p class=\"small soft\">{}, {}, {}, {} still queued.</p>",
        time::count(counts.fetched, "URL") + " answered",
        time::count(counts.redirects, "redirect"),
        super::lead_nowhere(counts.dead_links),
        thousands(counts.queued),
    )?;
    writeln!(
        out,
        "<div class=\"filter\" hidden><input type=\"search\" aria-label=\"Show only rows with these words\" \
         placeholder=\"Show only rows with these words\"><span class=\"small soft\"></span></div>"
    )?;
    Ok(())
}

fn write_state(
    reader: &dyn Ledger,
    run: RunId,
    state: State,
    heading: &str,
    count: u64,
    diffs: &mut Diffs<'_>,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let rows_max = if state == State::Sam {
        SAM_ROWS_MAX
    } else {
        ROWS_MAX
    };
    let mut gathered = Gathered::default();
    for row in reader.all_changes(run, Some(state)) {
        gathered.count(&row?);
    }
    let (mut rows, mut left) = (Vec::new(), 0);
    for row in reader.all_changes(run, Some(state)) {
        let row = row?;
        if gathered.take(&row) {
            // Told below, once for all.
        } else if (rows.len() as u64) < rows_max {
            rows.push(row);
        } else {
            left += 1;
        }
    }
    writeln!(
        out,
        "<section data-state=\"{state}\" id=\"{state}\">\n<h2><span class=\"state {state}\">{state}</span>{heading} \
         <span class=\"count\">{}</span></h2>",
        thousands(count)
    )?;
    let is_folded = state == State::Sam;
    if is_folded {
        writeln!(
            out,
            "<details><summary class=\"soft\">show {}</summary>",
            thousands((rows.len() as u64).min(count))
        )?;
    }
    writeln!(out, "<ul class=\"list\">")?;
    for ((_, reason, origin, detail), urls) in gathered.stories() {
        let count = time::count(urls, "URL");
        write!(
            out,
            "<li><div class=\"title\">{} – {count}</div>",
            escaped(origin)
        )?;
        write_reason(Some(*reason), detail.as_deref(), out)?;
        writeln!(out, "</li>")?;
    }
    for row in &rows {
        write_row(row, diffs, out)?;
    }
    writeln!(out, "</ul>")?;
    if left > 0 {
        writeln!(
            out,
            "<p class=\"small soft\">… and {} more; <code>gleaner report {run} --state {state} --format csv</code> lists \
             them all.</p>",
            thousands(left)
        )?;
    }
    if is_folded {
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

fn write_row(row: &ChangeRow, diffs: &mut Diffs<'_>, out: &mut dyn Write) -> Result<(), PublishError> {
    write!(out, "<li>")?;
    if let Some(title) = row.title.as_deref().filter(|title| !title.is_empty()) {
        write!(out, "<div class=\"title\">{}</div>", escaped(title))?;
    }
    write!(out, "<div>{}</div>", link(&row.url))?;
    let mut facts = Vec::new();
    if let Some(document) = row.document {
        facts.push(format!("document {document}"));
    }
    facts.extend(row.media_type.as_deref().map(escaped));
    facts.extend(row.size.map(time::size));
    if !facts.is_empty() {
        write!(out, "<p class=\"meta\">{}", facts.join(" · "))?;
        if row.is_orphan {
            write!(
                out,
                " <span class=\"tag\">orphan: nothing links to it any more</span>"
            )?;
        }
        write!(out, "</p>")?;
    }
    if let Some(old) = &row.moved_from {
        write!(out, "<p class=\"meta\">moved from {}</p>", escaped(old))?;
    } else {
        write_reason(row.reason, row.detail.as_deref(), out)?;
    }
    if row.state == State::Upd {
        diffs.write(row, out)?;
    }
    writeln!(out, "</li>")?;
    Ok(())
}

fn write_reason(reason: Option<Reason>, detail: Option<&str>, out: &mut dyn Write) -> std::io::Result<()> {
    if reason.is_none() && detail.is_none() {
        return Ok(());
    }
    write!(out, "<p class=\"meta\">")?;
    if let Some(reason) = reason {
        let meaning = reason.meaning();
        write!(out, "<span class=\"tag\">{}</span> {meaning} ", reason.code())?;
    }
    if let Some(detail) = detail {
        write!(out, "{}", escaped(detail))?;
    }
    write!(out, "</p>")
}

fn write_cuts(reader: &dyn Ledger, run: RunId, out: &mut dyn Write) -> Result<(), PublishError> {
    let cuts = reader.cuts(run)?;
    if cuts.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section>\n<h2>Left out <span class=\"count\">by scope, rules, limits and traps</span></h2>\n<table>"
    )?;
    for cut in cuts.iter().take(CUTS_MAX) {
        let meaning = cut.reason.meaning();
        write!(
            out,
            "<tr><td class=\"number\">{}</td><td><span class=\"tag\">{}</span> {meaning}",
            thousands(cut.count),
            cut.reason.code()
        )?;
        if !cut.example.is_empty() {
            write!(
                out,
                "<br><span class=\"meta\">For example {}</span>",
                escaped(&cut.example)
            )?;
        }
        writeln!(out, "</td></tr>")?;
    }
    writeln!(out, "</table>")?;
    if cuts.len() > CUTS_MAX {
        let left = cuts.len() - CUTS_MAX;
        writeln!(out, "<p class=\"small soft\">… and {left} more lines.</p>")?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

/// The diffs of changed documents, as many as a page should hold.
struct Diffs<'a> {
    comparer: Comparer<'a>,
    reader: &'a dyn Ledger,
    shown: usize,
    bytes: usize,
}

impl Diffs<'_> {
    fn write(&mut self, row: &ChangeRow, out: &mut dyn Write) -> Result<(), PublishError> {
        let Some((document, version)) = row.kept() else {
            return Ok(());
        };
        if self.shown >= DIFFS_MAX || self.bytes >= DIFF_BYTES_MAX {
            write!(
                out,
                "<p class=\"meta\">For its diff: <code>gleaner diff {document}</code></p>"
            )?;
            return Ok(());
        }
        let versions = self.reader.versions(document)?;
        let Some((before, now)) = compared(&versions, version) else {
            return Ok(());
        };
        self.shown += 1;
        let (sentence, piece) = match self.comparer.compare(document, before.id, now.id) {
            Ok(comparison) => (
                diff::sentence(&comparison, before, now),
                diff::html_piece(&comparison, before, now, HUNKS_MAX),
            ),
            // A version that cannot be read does not spoil the report of the others.
            Err(error) if error.is_of_one_version() => {
                write!(out, "<p class=\"meta\">{}</p>", escaped(&error.to_string()))?;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        self.bytes += piece.len();
        write!(
            out,
            "<details><summary>{}</summary>{piece}<p class=\"meta\">version {} to version {}</p></details>",
            escaped(&sentence),
            before.number,
            now.number
        )?;
        Ok(())
    }
}

/// A version and the one it was compared with: the last before it that says something of its own.
fn compared(
    versions: &[gleaner_store::ledger::VersionRow],
    version: VersionId,
) -> Option<(
    &gleaner_store::ledger::VersionRow,
    &gleaner_store::ledger::VersionRow,
)> {
    let at = versions.iter().position(|row| row.id == version)?;
    let before = versions[..at].iter().rev().find(|row| row.is_own())?;
    Some((before, &versions[at]))
}

/// `12,345`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_groups() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn hc085_a_reason_is_only_text() {
        let mut out = Vec::new();
        write_reason(
            Some(Reason::HttpGone),
            Some("<img src=x onerror=alert(1)>"),
            &mut out,
        )
        .expect("written");
        assert!(!String::from_utf8(out).expect("text").contains("<img"));
    }
}
