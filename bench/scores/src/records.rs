//! What a catalogue would say of documents: one line a document, for whoever has the truth about them.

use anyhow::{Context, Result};
use gleaner_library::record::BibliographicRecord;
use gleaner_parse::documents::Given;
use gleaner_readers::{Pool, ReaderLimits};
use serde_json::json;
use std::io::BufRead;
use std::time::{Duration, Instant};

/// Files by their names from the input, one a line; beside the record what is naive: the first line, and what the file says of itself.
pub(crate) fn tell() -> Result<()> {
    let files: Vec<String> = std::io::stdin().lock().lines().collect::<std::io::Result<_>>()?;
    let gleaner = std::env::current_exe()?.with_file_name("gleaner");
    let limits = ReaderLimits {
        time: Duration::from_mins(5),
        cpu: Duration::from_mins(1),
        ..ReaderLimits::default()
    };
    let pool = Pool::new(gleaner, limits);
    let lines = crate::on_all(&files, |file| -> Result<String> {
        let bytes = std::fs::read(file).with_context(|| format!("cannot be read: {file}"))?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let given = Given { media_type: "", name };
        let reading = match pool.read(&bytes, &given)? {
            Ok(reading) => reading,
            Err(unread) => return Ok(json!({ "file": file, "unread": unread.to_string() }).to_string()),
        };
        let begun = Instant::now();
        let record = BibliographicRecord::of(&reading);
        let ms = begun.elapsed().as_secs_f64() * 1000.0;
        let metadata = &reading.metadata;
        let first = reading
            .pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .find(|text| text.chars().any(char::is_alphabetic));
        let first: String = first.unwrap_or_default().chars().take(300).collect();
        Ok(json!({
            "file": file, "format": reading.format, "record": record, "ms": ms, "first": first,
            "said": { "title": metadata.title, "authors": metadata.authors, "created": metadata.created },
        })
        .to_string())
    });
    for line in lines {
        println!("{}", line?);
    }
    Ok(())
}
