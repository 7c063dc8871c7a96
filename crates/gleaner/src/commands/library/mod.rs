//! `gleaner library`: libraries and what is in them (G1 to G13). What they do is in the room `collect`; here are flags and printing.

mod by_hand;
mod classify;
mod listed;
mod open;
mod run;
mod starter;
mod told;

use crate::arguments::Library;
use crate::output::Output;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn library(data: &Path, library: &Library, output: Output) -> anyhow::Result<ExitCode> {
    match library {
        Library::New(new) => starter::new(new, output),
        Library::Check { file } => open::check(file, output),
        Library::Show { library } => listed::show(data, library.as_ref(), output),
        Library::Run(arguments) => run::run(data, arguments, output),
        Library::Fetch(stage) => run::stage(data, stage, run::Stage::Fetch, output),
        Library::Judge(stage) => run::stage(data, stage, run::Stage::Judge, output),
        Library::Analyse(stage) => run::stage(data, stage, run::Stage::Analyse, output),
        Library::Sites(which) => listed::sites(data, which, output),
        Library::Site(decision) => by_hand::site(data, decision, output),
        Library::Documents(which) => listed::documents(data, which, output),
        Library::Overrule(decision) => by_hand::overrule(data, decision, output),
        Library::Add(given) => run::add(data, given, output),
        Library::Statistics(which) => listed::statistics(data, which, output),
        Library::Cycles { library } => listed::cycles(data, library, output),
        Library::Explain { library, url } => listed::explain(data, library, url, output),
        Library::Classify(arguments) => classify::classify(arguments, output),
    }
}
