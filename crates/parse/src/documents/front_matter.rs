//! What stands above a Markdown text between two lines of `---`: its title, authors, date, in a small part of YAML.
//!
//! Names with one value, lists in brackets or below each other, and lists of names with values, of which `name` counts. Whatever
//! else stands there is left out: it is no text.

use super::reading::Metadata;
use crate::text::fold;

const BYTES_MAX: usize = 64 * 1024;
const VALUE_CHARS_MAX: usize = 4000;
const VALUES_MAX: usize = 200;

/// Takes it off: gives the text below. Without a second line of `---` there is none.
pub(super) fn read<'a>(text: &'a str, metadata: &mut Metadata) -> &'a str {
    let begin = text.trim_start_matches('\u{feff}');
    let Some(inside) = begin
        .strip_prefix("---\n")
        .or_else(|| begin.strip_prefix("---\r\n"))
    else {
        return text;
    };
    let mut at = 0;
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    for line in inside.split_inclusive('\n') {
        at += line.len();
        let bare = line.trim_end();
        if bare == "---" || bare == "..." {
            for (name, values) in fields {
                take(metadata, &name, values);
            }
            return &inside[at..];
        }
        if at > BYTES_MAX {
            return text;
        }
        // Text between two rules is text.
        if !field(bare, &mut fields) {
            return text;
        }
    }
    text
}

/// Whether the line may stand in front matter.
fn field(line: &str, fields: &mut Vec<(String, Vec<String>)>) -> bool {
    if line.trim().is_empty() || line.starts_with('#') {
        return true;
    }
    let is_inner = line.starts_with([' ', '\t', '-']);
    if !is_inner {
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_word(name.trim())) else {
            return false;
        };
        fields.push((name.trim().to_ascii_lowercase(), values(value)));
        return true;
    }
    let Some((_, list)) = fields.last_mut() else {
        return false;
    };
    let trimmed = line.trim();
    let item = trimmed.strip_prefix("- ").map(str::trim);
    match (item, trimmed.split_once(": ")) {
        (_, Some((name, value))) if is_word(name.trim_start_matches("- ")) => {
            if matches!(name.trim_start_matches("- "), "name" | "literal") {
                list.extend(values(value));
            }
        }
        (Some(item), _) => list.extend(values(item)),
        // The rest of a value in several lines.
        (None, _) => match list.last_mut() {
            Some(last) if last.chars().count() < VALUE_CHARS_MAX => {
                last.push(' ');
                last.push_str(trimmed);
            }
            Some(_) => {}
            None => list.push(trimmed.to_owned()),
        },
    }
    list.truncate(VALUES_MAX);
    true
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A value, or those between brackets.
fn values(written: &str) -> Vec<String> {
    let written = written.trim();
    if matches!(written, "" | ">" | "|" | ">-" | "|-" | ">+" | "|+" | "~" | "null") {
        return Vec::new();
    }
    if let Some(list) = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let parts = list.split(',').map(unquoted);
        return parts.filter(|part| !part.is_empty()).collect();
    }
    vec![unquoted(written)]
}

fn unquoted(written: &str) -> String {
    let written = written.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = written
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner.replace("\\\"", "\"").replace("''", "'");
        }
    }
    written.to_owned()
}

fn take(metadata: &mut Metadata, name: &str, values: Vec<String>) {
    let all = |values: Vec<String>| {
        let folded = values.iter().map(|value| fold(value, VALUE_CHARS_MAX));
        folded.filter(|value| !value.is_empty()).collect::<Vec<_>>()
    };
    let one = |values: Vec<String>| Some(all(values).join(" ")).filter(|value| !value.is_empty());
    match name {
        "title" => metadata.title = one(values).unwrap_or_default().replace('`', ""),
        "author" | "authors" | "creator" => {
            // One value may name several people.
            metadata.authors = match &all(values)[..] {
                [single] => single.split(" and ").map(|name| name.trim().to_owned()).collect(),
                names => names.to_vec(),
            };
        }
        "date" | "created" | "published" | "publish_date" => metadata.created = one(values),
        "lastmod" | "updated" | "modified" | "last_modified" => metadata.modified = one(values),
        "keywords" | "tags" | "subject" | "subjects" | "topics" => {
            metadata.keywords.extend(
                all(values)
                    .iter()
                    .flat_map(|value| value.split([',', ';']))
                    .map(|word| word.trim().to_owned())
                    .filter(|word| !word.is_empty()),
            );
        }
        "abstract" => metadata.description = one(values),
        "description" | "summary" | "excerpt" if metadata.description.is_none() => {
            metadata.description = one(values);
        }
        "lang" | "language" => metadata.language = one(values),
        "doi" | "arxiv" => metadata
            .identifiers
            .extend(one(values).map(|value| format!("{name}:{value}"))),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_taken_and_the_text_is_left() {
        let text = "---\ntitle: \"Ranges: a `tour`\"\r\nauthor:\n  - name: Ann Lee\n    email: <ann@a.test>\n  - name: Bo Ek\ntags: [one, 'two']\n\
            abstract: >\n  What is\n  said.\ndate: 2024-05-06\n---\n# First\n";
        let mut metadata = Metadata::default();
        assert_eq!(read(text, &mut metadata), "# First\n");
        assert_eq!(metadata.title, "Ranges: a tour");
        assert_eq!(metadata.authors, ["Ann Lee", "Bo Ek"]);
        assert_eq!(metadata.keywords, ["one", "two"]);
        assert_eq!(metadata.description.as_deref(), Some("What is said."));
        assert_eq!(metadata.created.as_deref(), Some("2024-05-06"));
    }

    #[test]
    fn a_rule_is_no_front_matter() {
        for text in [
            "---\nonly a rule\n",
            "---\nA note: it stands here.\n---\nmore\n",
            "text\n---\nmore\n---\n",
            "",
        ] {
            let mut metadata = Metadata::default();
            assert_eq!(read(text, &mut metadata), text);
            assert_eq!(metadata, Metadata::default());
        }
    }
}
