//! Which links lead nowhere, and which pages have them? One entry for each URL, however many pages link to it.

use super::{ReportFormat, csv};
use crate::PublishError;
use crate::graph::tell::DeadEnd;
use crate::html::{self, escaped, link};
use crate::text::{Colour, Paint, safe};
use gleaner_model::{Reason, RunId};
use serde_json::json;
use std::collections::HashSet;
use std::io::Write;

/// Pages that are named under each URL for people; programs get all of them.
const FROM_MAX: usize = 10;

/// `project` is whose run this is.
pub fn write_broken(
    project: &str,
    run: RunId,
    dead: &[DeadEnd],
    format: ReportFormat,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    match format {
        ReportFormat::Text(paint) => write_text(project, run, dead, paint, out)?,
        ReportFormat::Html => write_page(project, run, dead, out)?,
        ReportFormat::Json => {
            for one in dead {
                let object = json!({
                    "url": one.url, "status": one.status, "reason": one.reason.map(Reason::code), "from": one.from,
                });
                writeln!(out, "{object}")?;
            }
        }
        // A line for each pair: such a table can be sorted by page, and whoever mends a page wants that.
        ReportFormat::Csv => {
            writeln!(out, "url,status,reason,from")?;
            for one in dead {
                for page in &one.from {
                    writeln!(
                        out,
                        "{},{},{},{}",
                        csv(&one.url),
                        one.status.map(|status| status.to_string()).unwrap_or_default(),
                        one.reason.map_or("", Reason::code),
                        csv(page),
                    )?;
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with it, in a word: the status, else the reason's code.
fn why(one: &DeadEnd) -> String {
    match (one.status, one.reason) {
        (Some(status), _) => status.to_string(),
        (None, Some(reason)) => reason.code().to_owned(),
        (None, None) => "gone".to_owned(),
    }
}

fn headline(dead: &[DeadEnd]) -> String {
    let pages: HashSet<&String> = dead.iter().flat_map(|one| &one.from).collect();
    let (lead, them) = match dead.len() {
        0 => return "no page links to a URL that leads nowhere".to_owned(),
        1 => ("1 URL leads nowhere".to_owned(), "it"),
        many => (format!("{many} URLs lead nowhere"), "them"),
    };
    match pages.len() {
        1 => format!("{lead}; 1 page links to {them}"),
        many => format!("{lead}; {many} pages link to {them}"),
    }
}

fn write_text(
    project: &str,
    run: RunId,
    dead: &[DeadEnd],
    paint: Paint,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let first = format!("run {run} of {}: {}", safe(project), headline(dead));
    writeln!(out, "{}", paint.put(Colour::Bold, &first))?;
    for one in dead {
        let word = why(one);
        writeln!(out, "\n{}  {}", paint.put(Colour::Red, &word), safe(&one.url))?;
        for page in one.from.iter().take(FROM_MAX) {
            writeln!(out, "     on {}", safe(page))?;
        }
        if one.from.len() > FROM_MAX {
            let more = one.from.len() - FROM_MAX;
            writeln!(out, "     and {more} more (--format csv lists all)")?;
        }
    }
    Ok(())
}

fn write_page(project: &str, run: RunId, dead: &[DeadEnd], out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(html::head(&format!("{project}: dead links of run {run}")).as_bytes())?;
    writeln!(out, "<main>\n<h1>{}</h1>", escaped(project))?;
    writeln!(
        out,
        "<p class=\"soft\">Run {run}: {}.</p>\n<ul class=\"list\">",
        headline(dead)
    )?;
    for one in dead {
        write!(
            out,
            "<li><div><span class=\"tag\">{}</span> {}</div>",
            escaped(&why(one)),
            link(&one.url)
        )?;
        for page in &one.from {
            write!(out, "<p class=\"meta\">on {}</p>", link(page))?;
        }
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul>\n</main>")?;
    out.write_all(html::foot(false).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead() -> Vec<DeadEnd> {
        vec![
            DeadEnd {
                url: "http://a.test/old,1".to_owned(),
                status: Some(404),
                reason: Some(Reason::of_status(404)),
                from: vec!["http://a.test/".to_owned(), "http://a.test/b".to_owned()],
            },
            DeadEnd {
                url: "http://gone.test/".to_owned(),
                status: None,
                reason: Some(Reason::DnsNotFound),
                from: vec!["http://a.test/".to_owned()],
            },
        ]
    }

    fn written(format: ReportFormat) -> String {
        let mut out = Vec::new();
        write_broken("p", RunId(3), &dead(), format, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn people_see_each_url_once_with_its_pages() {
        let text = written(ReportFormat::Text(Paint::Off));
        assert!(
            text.starts_with("run 3 of p: 2 URLs lead nowhere; 2 pages link to them\n"),
            "{text}"
        );
        assert_eq!(text.matches("http://a.test/old,1").count(), 1);
        assert!(
            text.contains("\n404  http://a.test/old,1\n     on http://a.test/\n     on http://a.test/b\n")
        );
        assert!(text.contains("\ndns-not-found  http://gone.test/\n"), "{text}");
    }

    #[test]
    fn a_spreadsheet_gets_a_line_for_each_pair() {
        let lines = written(ReportFormat::Csv);
        assert_eq!(lines.lines().count(), 4);
        assert_eq!(
            lines.lines().nth(1),
            Some("\"http://a.test/old,1\",404,http-404,http://a.test/")
        );
    }
}
