//! Answers of a search and chunks, as lines for people and objects for programs.

use crate::text::{Colour, Paint, safe};
use crate::time::iso;
use gleaner_model::State;
use gleaner_search::Snippet;
use gleaner_text::chunks::Line;
use gleaner_text::{Happening, SearchHit, Turn};
use serde_json::{Value, json};

/// One line of `gleaner search --json`.
pub fn listed(answer: &SearchHit) -> Value {
    let standing = &answer.standing;
    json!({
        "id": standing.document,
        "url": standing.url,
        "title": answer.title,
        "score": round(answer.score),
        "snippet": marked(&answer.snippet),
        "version": answer.version,
        "run": standing.run,
        "project": standing.project_name,
        "type": standing.media_type,
        "state": standing.state.map(State::as_str),
        "fetched_at": iso(standing.fetched_at),
        "cursor": answer.cursor,
    })
}

/// The same for a person.
pub fn listed_text(answer: &SearchHit, paint: Paint) -> String {
    let standing = &answer.standing;
    let number = standing.document;
    let head = title(&answer.title, &standing.url, paint);
    let mut text = format!("{number:>7}  {head}\n");
    if !answer.title.trim().is_empty() {
        text.push_str("         ");
        text.push_str(&safe(&standing.url));
        text.push('\n');
    }
    push_snippet(&answer.snippet, paint, &mut text);
    text
}

/// One line of `gleaner search --appeared --json`.
pub fn happening(one: &Happening) -> Value {
    let standing = &one.standing;
    json!({
        "event": word(one.turn),
        "run": one.run,
        "at": iso(one.at),
        "id": standing.document,
        "url": standing.url,
        "title": one.title,
        "snippet": marked(&one.snippet),
        "version": one.version,
        "project": standing.project_name,
    })
}

/// The same for a person.
pub fn happening_text(one: &Happening, paint: Paint) -> String {
    let colour = match one.turn {
        Turn::Appeared => Colour::Green,
        Turn::Vanished => Colour::Magenta,
    };
    let turn = paint.put(colour, word(one.turn));
    let head = title(&one.title, &one.standing.url, paint);
    let mut text = format!(
        "{turn} in run {} ({}): {head}\n         {}\n",
        one.run,
        iso(one.at),
        safe(&one.standing.url)
    );
    push_snippet(&one.snippet, paint, &mut text);
    text
}

fn word(turn: Turn) -> &'static str {
    match turn {
        Turn::Appeared => "appeared",
        Turn::Vanished => "vanished",
    }
}

fn title(title: &str, url: &str, paint: Paint) -> String {
    let title = if title.trim().is_empty() { url } else { title };
    paint.put(Colour::Bold, &safe(title)).into_owned()
}

fn push_snippet(snippet: &Snippet, paint: Paint, text: &mut String) {
    if snippet.text.is_empty() {
        return;
    }
    text.push_str("         ");
    let quiet = |piece: &str| safe(&piece.replace('\n', " "));
    let loud = |piece: &str| paint.put(Colour::Yellow, &safe(piece)).into_owned();
    text.push_str(&around(snippet, quiet, loud));
    text.push('\n');
}

/// As HTML: what was asked for in `<mark>`, everything else escaped.
fn marked(snippet: &Snippet) -> String {
    let escaped = |piece: &str| {
        let piece = piece.replace('&', "&amp;");
        piece.replace('<', "&lt;").replace('>', "&gt;")
    };
    around(snippet, escaped, |piece| {
        format!("<mark>{}</mark>", escaped(piece))
    })
}

fn around(snippet: &Snippet, quiet: impl Fn(&str) -> String, loud: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    if snippet.is_cut.0 {
        out.push('…');
    }
    let mut at = 0;
    for range in &snippet.marks {
        out.push_str(&quiet(&snippet.text[at..range.start]));
        out.push_str(&loud(&snippet.text[range.clone()]));
        at = range.end;
    }
    out.push_str(&quiet(&snippet.text[at..]));
    if snippet.is_cut.1 {
        out.push('…');
    }
    out
}

fn round(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

/// One line of `gleaner chunks`.
pub fn chunk_line(line: &Line<'_>) -> Value {
    match line {
        Line::Came {
            document,
            title,
            chunk,
        } => json!({
            "id": chunk.id,
            "document": document.document,
            "version": document.version,
            "url": document.url,
            "title": title,
            "headings": chunk.headings,
            "ordinal": chunk.ordinal,
            "tokens": chunk.tokens,
            "text": chunk.text,
        }),
        Line::Went { document, url, id } => {
            json!({ "gone": true, "id": id, "document": document, "url": url })
        }
        Line::AllWent { document, url } => json!({ "gone": true, "document": document, "url": url }),
        Line::End(cursor) => json!({ "cursor": cursor.to_string() }),
    }
}
