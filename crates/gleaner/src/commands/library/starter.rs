//! `gleaner library new`: a file to begin with.

use crate::arguments::NewLibrary;
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_settings::project_file::check_name;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

pub(super) fn new(arguments: &NewLibrary, output: Output) -> anyhow::Result<ExitCode> {
    let path = &arguments.file;
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if let Err((what, help)) = check_name(&stem) {
        return Err(WrongUsage(format!("the file's name is the library's, and {what}; {help}")).into());
    }
    let text = starter(&stem, arguments);
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    let mut file = match made {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            bail!("the file exists already: {}", path.display());
        }
        other => other.with_context(|| format!("the file cannot be written: {}", path.display()))?,
    };
    file.write_all(text.as_bytes())
        .with_context(|| format!("the file cannot be written: {}", path.display()))?;
    let mut out = output.writer();
    let shown = path.display();
    if output.json {
        writeln!(out, "{}", json!({ "library": stem, "file": shown.to_string() }))?;
    } else {
        writeln!(out, "{stem}: wrote {shown}")?;
        writeln!(out, "next: edit it to say what you want, then")?;
        writeln!(out, "  gleaner library check {shown}            finds mistakes")?;
        writeln!(out, "  gleaner library run {shown} --cycles 1   works on it")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn starter(name: &str, arguments: &NewLibrary) -> String {
    let mut text = String::new();
    let list = |given: &[String], usual: &str| {
        if given.is_empty() {
            return usual.to_owned();
        }
        let quoted: Vec<String> = given.iter().map(|one| quoted(one)).collect();
        quoted.join(", ")
    };
    let off = |given: &[String]| if given.is_empty() { "#" } else { "" };
    let _ = write!(
        text,
        "# A library: the good documents on a topic. docs/library.md explains every setting.\n\
         name = {}\n\
         # Words and phrases of the topic.\n{}topic = [{}]\n\
         # Good documents: files beside this one, or addresses. The filter learns the topic from them.\n{}examples = [{}]\n\
         # Where to begin: addresses, lists (one address a line), bookmark files.\nsites = [{}]\n",
        quoted(name),
        off(&arguments.topic),
        list(&arguments.topic, "\"web crawler\", \"link analysis\""),
        off(&arguments.example),
        list(&arguments.example, "\"good.pdf\""),
        list(&arguments.site, ""),
    );
    text.push_str(REST);
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

const REST: &str = r#"
# What follows is switched off and shows what is done without it. Take the # away in front of what you need.
#order = "best-first"            # best-first | breadth-first | s1
#revisit = "index"               # index | levels | levels-as-printed
#find_sites = true               # try sites that good pages link to

#[accept]
#genres = ["paper", "thesis", "technical-report", "faq-or-manual"]
#languages = ["en"]              # without it: any
#types = ["pdf", "ps", "doc", "docx", "odt", "rtf", "tex", "txt", "epub"]
#min_size = "0"
#max_size = "100M"
#filter = "model"                # model | s1
#score = 0.5                     # accepted from so much on
#topic = 0.5                     # on the topic from so much on
#uncertain = 0.1                 # this near to it a person decides

#[budget]                        # of one cycle
#pages = 10000
#pages_per_site = 1000
#time = "8h"

#[cycle]
#places = 30                     # sites
#new = 0.5                       # the share of them for new ones
#wait = "1h"                     # before the next one
#trial = 50                      # requests at a site that nobody vouches for

#[stop]                          # when a site is left
#rule = "yield"                  # yield | s1 | never
#yield = 0.5                     # accepted documents per 100 requests that pay

#[manners]
#delay = "1s"
"#;
