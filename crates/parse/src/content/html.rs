//! The main text of a page as plain HTML: headings, paragraphs, lists, tables, code, and nothing that could act.

use gleaner_model::{Block, BlockKind, Content};
use std::fmt::Write;

/// The main text; where there is none, all there is.
pub fn html(content: &Content) -> String {
    let has_main = content.main().next().is_some();
    let mut out = String::new();
    let mut open: Option<&str> = None;
    for block in content.blocks.iter().filter(|block| block.is_main || !has_main) {
        let around = match block.kind {
            BlockKind::Item if is_ordered(block) => Some("ol"),
            BlockKind::Item => Some("ul"),
            BlockKind::Row => Some("table"),
            _ => None,
        };
        if around != open {
            close(&mut out, open);
            if let Some(name) = around {
                let _ = writeln!(out, "<{name}>");
            }
            open = around;
        }
        match block.kind {
            BlockKind::Heading => tagged(&mut out, heading(block), &block.text),
            BlockKind::Item => tagged(&mut out, "li", &block.text),
            BlockKind::Code => tagged(&mut out, "pre", &block.text),
            BlockKind::Row => {
                out.push_str("<tr>");
                for cell in block.text.split(" | ") {
                    out.push_str("<td>");
                    push_escaped(&mut out, cell);
                    out.push_str("</td>");
                }
                out.push_str("</tr>\n");
            }
            BlockKind::Paragraph | BlockKind::Other => tagged(&mut out, "p", &block.text),
        }
    }
    close(&mut out, open);
    out
}

fn close(out: &mut String, open: Option<&str>) {
    if let Some(name) = open {
        let _ = writeln!(out, "</{name}>");
    }
}

fn tagged(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>");
    push_escaped(out, text);
    let _ = writeln!(out, "</{name}>");
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

/// The names of the elements around a block, the innermost first.
fn names(block: &Block) -> impl Iterator<Item = &str> {
    let steps = block.path.rsplit('/');
    steps.map(|step| step.split(['#', '.', '[', '~']).next().unwrap_or_default())
}

fn heading(block: &Block) -> &'static str {
    let level = names(block).find_map(|name| {
        ["h1", "h2", "h3", "h4", "h5", "h6"]
            .into_iter()
            .find(|known| *known == name)
    });
    level.unwrap_or("h2")
}

fn is_ordered(block: &Block) -> bool {
    names(block).find(|name| matches!(*name, "ol" | "ul")) == Some("ol")
}

#[cfg(test)]
mod tests {
    use super::super::of_html;
    use super::*;
    use gleaner_model::Url;

    #[test]
    fn structure_is_kept_and_nothing_acts() {
        let url = Url::parse("http://a.test/").expect("an address");
        let page = of_html(
            "<h2>T</h2><p>a &lt;script&gt; b</p><ol><li>one<li>two</ol><table><tr><td>x<td>y</table><pre>a\n b</pre>",
            &url,
        );
        assert_eq!(
            html(&page),
            "<h2>T</h2>\n<p>a &lt;script&gt; b</p>\n<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n\
             <table>\n<tr><td>x</td><td>y</td></tr>\n</table>\n<pre>a\n b</pre>\n"
        );
    }
}
