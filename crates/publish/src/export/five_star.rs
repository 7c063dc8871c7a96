//! The record of a document as sections that begin with five stars (F2): what seed S3 wrote for its search engine.
//!
//! ```text
//!  line 1                    URL
//!  line 2                    title, or an empty line
//!  *****META INFORMATION     name: content
//!  *****IMPORTANT KEYWORDS   one a line
//!  *****IMAGE INFORMATION    src ⇥ alt
//!  *****MULTIMEDIA INFORMATION  kind ⇥ src ⇥ title
//!  *****LINKS INFORMATION    href ⇥ anchor
//!  *****TABLE INFORMATION    rows, cells parted by ⇥, an empty line between tables
//!  *****SUMMARY
//! ```
//! UTF-8, lines end with a line feed. Sections without content are left out. A line of content that begins with five stars gets a
//! blank before it.

use super::record::Record;

const STARS: &str = "*****";

pub(super) fn five_star(record: &Record) -> String {
    let mut out = String::new();
    push_line(&mut out, &record.url);
    push_line(&mut out, &folded(&record.title));
    let mut meta: Vec<String> = record
        .meta
        .iter()
        .map(|pair| format!("{}: {}", folded(&pair.name), folded(&pair.content)))
        .collect();
    if let Some(run) = record.gone_run {
        meta.push(format!("gleaner-gone: run {run}"));
    }
    section(&mut out, "META INFORMATION", meta);
    section(
        &mut out,
        "IMPORTANT KEYWORDS",
        record.keywords.iter().map(|word| folded(word)),
    );
    let images = record.images.iter().map(|image| cells(&[&image.src, &image.alt]));
    section(&mut out, "IMAGE INFORMATION", images);
    let media = record.multimedia.iter();
    let media = media.map(|medium| cells(&[&medium.kind, &medium.src, &medium.title]));
    section(&mut out, "MULTIMEDIA INFORMATION", media);
    let links = record.links.iter().map(|link| cells(&[&link.href, &link.anchor]));
    section(&mut out, "LINKS INFORMATION", links);
    let mut rows = Vec::new();
    for table in &record.tables {
        if !rows.is_empty() {
            rows.push(String::new());
        }
        rows.extend(table.iter().map(|row| {
            let row: Vec<&str> = row.iter().map(String::as_str).collect();
            cells(&row)
        }));
    }
    section(&mut out, "TABLE INFORMATION", rows);
    section(
        &mut out,
        "SUMMARY",
        record.summary.iter().map(|sentence| folded(sentence)),
    );
    out
}

fn section(out: &mut String, name: &str, lines: impl IntoIterator<Item = String>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_none() {
        return;
    }
    out.push_str(STARS);
    out.push_str(name);
    out.push('\n');
    for line in lines {
        push_line(out, &line);
    }
}

fn push_line(out: &mut String, line: &str) {
    if line.starts_with(STARS) {
        out.push(' ');
    }
    out.push_str(line);
    out.push('\n');
}

fn cells(texts: &[&str]) -> String {
    let folded: Vec<String> = texts.iter().map(|text| folded(text)).collect();
    folded.join("\t").trim_end_matches('\t').to_owned()
}

/// White space and what else could end a line or a cell, made one blank each.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_parse::content::metadata::{MetaPair, PageImage, PageLink, PageMedium};

    #[test]
    fn sections_have_their_names_and_order_and_empty_ones_are_left_out() {
        let text = |text: &str| text.to_owned();
        let record = Record {
            url: text("http://a.test/x"),
            title: text("A\ttitle\n in  lines"),
            meta: vec![MetaPair {
                name: text("author"),
                content: text("Ann\r\nLee"),
            }],
            keywords: vec![text("solar panel"), text("*****MULTIMEDIA INFORMATION")],
            images: vec![
                PageImage {
                    src: text("http://a.test/i.png"),
                    alt: text("an\timage"),
                },
                PageImage {
                    src: text("http://a.test/j.png"),
                    alt: String::new(),
                },
            ],
            multimedia: vec![PageMedium {
                kind: text("video"),
                src: text("http://a.test/v.mp4"),
                title: text("Film"),
            }],
            links: vec![PageLink {
                href: text("http://a.test/y"),
                anchor: text("why"),
            }],
            tables: vec![
                vec![vec![text("a"), text("b")], vec![text("1"), text("2")]],
                vec![vec![text("c")]],
            ],
            summary: vec![text("One."), text("Two.")],
            ..Record::default()
        };
        let wanted = "http://a.test/x\nA title in lines\n\
            *****META INFORMATION\nauthor: Ann Lee\n\
            *****IMPORTANT KEYWORDS\nsolar panel\n *****MULTIMEDIA INFORMATION\n\
            *****IMAGE INFORMATION\nhttp://a.test/i.png\tan image\nhttp://a.test/j.png\n\
            *****MULTIMEDIA INFORMATION\nvideo\thttp://a.test/v.mp4\tFilm\n\
            *****LINKS INFORMATION\nhttp://a.test/y\twhy\n\
            *****TABLE INFORMATION\na\tb\n1\t2\n\nc\n\
            *****SUMMARY\nOne.\nTwo.\n";
        assert_eq!(five_star(&record), wanted);
        let bare = Record {
            url: text("http://a.test/"),
            ..Record::default()
        };
        assert_eq!(five_star(&bare), "http://a.test/\n\n");
    }
}
