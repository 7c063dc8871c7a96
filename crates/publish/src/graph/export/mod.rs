//! The graph for other programs, one file per format.
//!
//! Every format with attributes carries the same ones, see [`Attributes`].

mod attributes;
mod dot;
mod edge_list;
mod gexf;
mod graphml;
mod json;
mod s4;
mod tables;

pub use attributes::Attributes;
pub(super) use attributes::communities_of_hosts;
pub use dot::write_dot;
pub use edge_list::write_edges;
pub use gexf::write_gexf;
pub use graphml::write_graphml;
pub use json::write_json;
pub use s4::{S4Form, S4Wish, write_s4};
pub use tables::write_parquet;

/// Text for XML: what XML 1.0 does not allow at all becomes U+FFFD.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Kept as they are: a parser makes blanks of them where they stand bare.
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn nothing_becomes_markup_and_nothing_is_forbidden() {
        assert_eq!(
            xml("<a href=\"x\">&\u{1}\n"),
            "&lt;a href=&quot;x&quot;&gt;&amp;\u{fffd}&#10;"
        );
        assert_eq!(xml("Käse 🧀"), "Käse 🧀");
    }
}
