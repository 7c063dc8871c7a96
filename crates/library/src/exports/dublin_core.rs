//! Dublin Core, in a file by itself and as an OAI-PMH static repository: <http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm>.

use super::CatalogueEntry;
use crate::genre::Genre;
use crate::works::Relation;
use std::fmt::Write;

/// Who keeps the repository; the protocol asks for all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryName<'a> {
    pub name: &'a str,
    /// Where the gateway serves it.
    pub base_url: &'a str,
    pub admin_email: &'a str,
    /// Stands in the identifiers: `oai:library.example.org:12`.
    pub domain: &'a str,
}

const OAI_DC: &str = concat!(
    "xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" ",
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" ",
    "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\""
);

/// All records in one file.
pub fn dublin_core(entries: &[CatalogueEntry]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
    for entry in entries {
        write_dc(&mut out, entry, "  ");
    }
    out.push_str("</records>\n");
    out
}

pub fn oai_static_repository(entries: &[CatalogueEntry], repository: &RepositoryName<'_>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<Repository xmlns=\"http://www.openarchives.org/OAI/2.0/static-repository\" xmlns:oai=\"http://www.openarchives.org/OAI/2.0/\" ");
    out.push_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/static-repository ");
    out.push_str("http://www.openarchives.org/OAI/2.0/static-repository.xsd\">\n  <Identify>\n");
    let earliest = entries.iter().map(day).min().unwrap_or("1970-01-01");
    for (name, value) in [
        ("repositoryName", repository.name),
        ("baseURL", repository.base_url),
        ("protocolVersion", "2.0"),
        ("adminEmail", repository.admin_email),
        ("earliestDatestamp", earliest),
        ("deletedRecord", "no"),
        ("granularity", "YYYY-MM-DD"),
    ] {
        let _ = writeln!(out, "    <oai:{name}>{}</oai:{name}>", escaped(value));
    }
    out.push_str("  </Identify>\n  <ListMetadataFormats>\n    <oai:metadataFormat>\n      <oai:metadataPrefix>oai_dc</oai:metadataPrefix>\n");
    out.push_str("      <oai:schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</oai:schema>\n");
    out.push_str("      <oai:metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</oai:metadataNamespace>\n    </oai:metadataFormat>\n");
    out.push_str("  </ListMetadataFormats>\n  <ListRecords metadataPrefix=\"oai_dc\">\n");
    for entry in entries {
        let id = format!("oai:{}:{}", repository.domain, part_of_identifier(&entry.id));
        let _ = writeln!(
            out,
            "    <oai:record>\n      <oai:header>\n        <oai:identifier>{}</oai:identifier>",
            escaped(&id)
        );
        let _ = writeln!(
            out,
            "        <oai:datestamp>{}</oai:datestamp>\n      </oai:header>\n      <oai:metadata>",
            day(entry)
        );
        write_dc(&mut out, entry, "        ");
        out.push_str("      </oai:metadata>\n    </oai:record>\n");
    }
    out.push_str("  </ListRecords>\n</Repository>\n");
    out
}

fn day(entry: &CatalogueEntry) -> &str {
    entry.changed_at.get(..10).unwrap_or("1970-01-01")
}

fn write_dc(out: &mut String, entry: &CatalogueEntry, indent: &str) {
    let record = &entry.record;
    let _ = writeln!(out, "{indent}<oai_dc:dc {OAI_DC}>");
    let mut element = |name: &str, value: &str| {
        let value = value.trim();
        if !value.is_empty() {
            let _ = writeln!(out, "{indent}  <dc:{name}>{}</dc:{name}>", escaped(value));
        }
    };
    element("title", entry.title());
    for author in &record.authors {
        element("creator", author);
    }
    for keyword in &record.keywords {
        element("subject", keyword);
    }
    element("description", record.summary.as_deref().unwrap_or_default());
    element("date", record.date.as_deref().unwrap_or_default());
    element("type", "Text");
    element("type", entry.genre.map_or("", Genre::as_str));
    element("format", &entry.media_type);
    element("identifier", &entry.url);
    if let Some(doi) = &record.doi {
        element("identifier", &format!("doi:{doi}"));
    }
    if let Some(arxiv) = &record.arxiv {
        element("identifier", &format!("arXiv:{arxiv}"));
    }
    element("language", record.language.as_deref().unwrap_or_default());
    // Copies are the document at other addresses, the rest are documents beside it.
    for (relation, url) in &entry.others {
        element(
            if *relation == Relation::Copy {
                "identifier"
            } else {
                "relation"
            },
            url,
        );
    }
    for cited in &record.references {
        element("relation", &cited.text);
    }
    let _ = writeln!(out, "{indent}</oai_dc:dc>");
}

/// What may stand in an identifier of OAI.
fn part_of_identifier(id: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    id.chars().map(|c| if is_safe(c) { c } else { '-' }).collect()
}

/// Signs that XML cannot hold are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            sign => out.push(sign),
        }
    }
    out
}
