//! Writes the links of a synthetic web: `linkgraph PAGES LINKS_EACH SEED binary|text FILE`.
//!
//! `linkgraph 1000000 10 1 binary links.bin` makes a million pages and ten million links.

use anyhow::{Context as _, bail};
use gleaner_testkit::links::CopyingWeb;
use std::io::Write as _;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [pages, links_each, seed, form, file] = words.as_slice() else {
        bail!("usage: linkgraph PAGES LINKS_EACH SEED binary|text FILE");
    };
    let seed: u64 = seed.parse().context("the seed is no number")?;
    let pages = pages.parse().context("the number of pages is no number")?;
    let links_each = links_each.parse().context("the number of links is no number")?;
    let web = CopyingWeb::new(pages, links_each, seed);
    let created = std::fs::File::create(file).with_context(|| format!("cannot write: {file}"))?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, created);
    match form.as_str() {
        "binary" => web.write_binary(seed, &mut out)?,
        "text" => web.write_text(seed, &mut out)?,
        _ => bail!("the form is binary or text: {form}"),
    }
    out.flush().with_context(|| format!("cannot write: {file}"))
}
