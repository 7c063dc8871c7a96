//! `gleaner cat` and `gleaner links`: one document, its bytes and its neighbours.

use super::convert;
use super::versions::choose;
use crate::arguments::{As, Cat, Links};
use crate::output::{Output, WrongUsage};
use anyhow::bail;
use data_encoding::BASE64;
use gleaner_history::compare::opened;
use gleaner_history::side::{Opened, open};
use gleaner_model::{DocumentId, VersionId};
use gleaner_parse::content::{self, Part, Repeats};
use gleaner_parse::documents::{html as to_html, to_markdown, to_text};
use gleaner_publish::text::safe;
use gleaner_publish::{listing, time};
use gleaner_readers::Unread;
use gleaner_search::Language;
use gleaner_store::ledger::LinkEnd;
use gleaner_store::{Ledger, ledger};
use gleaner_text::Maker;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn cat(data: &Path, arguments: &Cat, output: Output) -> anyhow::Result<ExitCode> {
    if arguments.form != As::Raw && (arguments.headers || arguments.encoded) {
        bail!(WrongUsage(
            "--headers and --encoded can be used with --as raw only".to_owned()
        ));
    }
    let reader = ledger::open(data)?;
    let document = reader.document_named(arguments.document.exposed())?;
    let version = match arguments.version {
        Some(number) => Some(choose(&reader.versions(document)?, number)?.id),
        None => None,
    };
    let mut out = output.writer();
    if output.json {
        writeln!(
            out,
            "{}",
            cat_object(data, &*reader, document, version, arguments)?
        )?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.form != As::Raw {
        let repeats = repeats(data, &*reader, document, arguments.form);
        let text = text_of(&opened(&*reader, document, version)?, arguments.form, &repeats)?;
        if text.is_empty() {
            output.say("the document has no text of this kind; --as text prints all there is");
        }
        out.write_all(text.as_bytes())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let content = reader.content(document, version)?;
    if arguments.headers {
        out.write_all(&content.head)?;
    }
    if arguments.encoded {
        out.write_all(&content.body)?;
    } else {
        let url = content.url.clone();
        let opened = open(content).map_err(|reason| {
            anyhow::anyhow!(
                "the content cannot be decompressed ({reason}); --encoded prints it as it was sent: {url}"
            )
        })?;
        out.write_all(&opened.body)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What the document's site says on many pages, as search and chunks know it. Where nothing can be written beside the catalog,
/// each page is read by itself.
fn repeats(data: &Path, reader: &dyn Ledger, document: DocumentId, form: As) -> Arc<Repeats> {
    if !matches!(form, As::Main | As::Html) {
        return Arc::default();
    }
    let pool = convert::pool_for_texts();
    let maker = Maker::open(reader, data, &pool);
    maker
        .and_then(|maker| maker.repeats(document))
        .unwrap_or_default()
}

/// A document in one of the forms that are text.
fn text_of(opened: &Opened, form: As, repeats: &Repeats) -> anyhow::Result<String> {
    // As search and chunks take it, so that all say the same.
    let is_page = gleaner_text::is_page(opened).unwrap_or(false);
    if let Some(text) = is_page.then(|| read_as(opened, form, repeats)).flatten() {
        return Ok(text);
    }
    match read_foreign(opened, form)? {
        Ok(text) => Ok(text),
        Err(unread) => bail!(
            "there is no text in this document ({}: {unread}); --as raw prints its bytes: {}",
            unread.reason(),
            opened.url
        ),
    }
}

/// The same for programs: one object with the content in it. Bytes that are no text are in base 64.
fn cat_object(
    data: &Path,
    reader: &dyn Ledger,
    document: DocumentId,
    version: Option<VersionId>,
    arguments: &Cat,
) -> anyhow::Result<Value> {
    let rows = reader.versions(document)?;
    let row = match version {
        Some(version) => rows.iter().find(|row| row.id == version),
        None => rows.last(),
    };
    let stored = reader.content(document, version)?;
    let (head, digest) = (stored.head.clone(), stored.digest);
    let (media_type, charset) = (stored.media_type.clone(), stored.charset.clone());
    let mut object = json!({
        "id": document, "url": stored.url, "type": media_type, "charset": charset,
        "version": row.map(|row| row.number), "run": row.map(|row| row.run),
        "fetched_at": row.map(|row| time::iso(row.fetched_at)),
        "title": row.and_then(|row| row.title.as_deref()), "sha256": listing::hex(&digest),
    });
    if arguments.headers {
        object["headers"] = String::from_utf8_lossy(&head).into();
    }
    let bytes = match arguments.form {
        As::Raw if arguments.encoded => stored.body,
        As::Raw => opened(reader, document, version)?.body,
        As::Metadata => {
            let text = text_of(
                &opened(reader, document, version)?,
                As::Metadata,
                &Repeats::default(),
            )?;
            object["metadata"] = serde_json::from_str(&text)?;
            return Ok(object);
        }
        form => {
            let repeats = repeats(data, reader, document, form);
            text_of(&opened(reader, document, version)?, form, &repeats)?.into_bytes()
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => object["content"] = text.into(),
        Err(error) => object["content_base64"] = BASE64.encode(error.as_bytes()).into(),
    }
    Ok(object)
}

/// PDF, office documents, books: all of their text is main text.
fn read_foreign(opened: &Opened, form: As) -> anyhow::Result<Result<String, Unread>> {
    let reading = convert::pool(true).read(&opened.body, &convert::given(opened))?;
    Ok(reading.map(|reading| match form {
        As::Markdown | As::MarkdownAll => to_markdown(&reading),
        As::Html => to_html(&reading),
        As::Metadata => serde_json::to_string_pretty(&reading.metadata).unwrap_or_default() + "\n",
        As::Text | As::Main | As::Paragraphs | As::Raw => to_text(&reading),
    }))
}

fn read_as(opened: &Opened, form: As, repeats: &Repeats) -> Option<String> {
    let (url, headers, body) = (&opened.url, &opened.headers, &opened.body);
    match form {
        As::Markdown => content::read_markdown(url, headers, body, Part::Main),
        As::MarkdownAll => content::read_markdown(url, headers, body, Part::Whole),
        As::Main => {
            content::read_said_among(url, headers, body, repeats).map(|page| content::main_text(&page))
        }
        As::Paragraphs => content::read(url, headers, body).map(|page| content::paragraphs(&page)),
        As::Html => content::read_said_among(url, headers, body, repeats).map(|page| content::html(&page)),
        As::Metadata => {
            let mut found = content::metadata::read(url, headers, body)?;
            let text = content::read(url, headers, body).map(|page| content::main_text(&page));
            let language = Language::of(&text.unwrap_or_default());
            found.language_found = (language != Language::UNKNOWN).then(|| language.code().to_owned());
            serde_json::to_string_pretty(&found).ok().map(|json| json + "\n")
        }
        As::Text | As::Raw => content::read(url, headers, body).map(|page| content::text(&page)),
    }
}

pub(crate) fn links(data: &Path, arguments: &Links, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let resource = reader.resource_named(arguments.document.exposed())?;
    let direction = if arguments.inward {
        LinkEnd::In
    } else {
        LinkEnd::Out
    };
    let mut out = output.writer();
    for row in reader.links(resource, direction)? {
        if output.json {
            writeln!(out, "{}", listing::link(&row))?;
            continue;
        }
        let times = if row.count > 1 {
            format!(" x{}", row.count)
        } else {
            String::new()
        };
        let anchor = row
            .anchor
            .as_deref()
            .map(|a| format!("  \"{}\"", safe(a)))
            .unwrap_or_default();
        writeln!(out, "{:9}  {}{times}{anchor}", row.kind, safe(&row.url))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
