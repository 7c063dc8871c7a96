//! The binary: commands and wiring, nothing else. Only this room reads flags and the environment and prints.

mod arguments;
mod commands;
mod limits;
mod log;
mod mistaken;
mod output;
mod processor;
mod progress;

use arguments::{Command, Project};
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(missing) = processor::missing() {
        return Output::default().failure(&anyhow::anyhow!(missing));
    }
    limits::prepare();
    gleaner_units::registry::announce();
    let arguments = match arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => return output::wrong_arguments(&error),
    };
    let output = Output {
        json: arguments.json,
        ..Output::default()
    };
    // Children that read documents have a log of their own: what their parent says of them.
    let is_child = matches!(arguments.command, Command::ReadDocument(_));
    if !is_child && let Err(error) = log::start(&arguments.log) {
        return output.failure(&error);
    }
    let data = arguments.data;
    // What a crawl says in the end has a status, also when it never began.
    let is_run = matches!(
        arguments.command,
        Command::Crawl(_)
            | Command::Track(_)
            | Command::Resume(_)
            | Command::Project {
                project: Project::Run(_)
            }
    );
    let done = match arguments.command {
        Command::Crawl(crawl) => commands::crawl::crawl(&data, &crawl, output),
        Command::Track(track) => commands::crawl::track(&data, &track, output),
        Command::Resume(resume) => commands::crawl::resume(&data, &resume, output),
        Command::Project { project } => commands::project::project(&data, &project, output),
        Command::Secret { secret } => commands::secrets::secret(&data, &secret, output),
        Command::Runs => commands::listings::runs(&data, output),
        Command::Report(report) => commands::listings::report(&data, &report, output),
        Command::Ls(ls) => commands::listings::ls(&data, ls, output),
        Command::Cat(cat) => commands::content::cat(&data, &cat, output),
        Command::Convert(convert) => commands::convert::convert(&data, &convert, output),
        Command::Library { library } => commands::library::library(&data, &library, output),
        Command::ReadDocument(how) => return gleaner_readers::serve(how.memory),
        Command::Versions(versions) => commands::versions::versions(&data, &versions, output),
        Command::Diff(diff) => commands::diff::diff(&data, &diff, output),
        Command::Search(search) => commands::search::search(&data, &search, output),
        Command::Chunks(chunks) => commands::chunks::chunks(&data, &chunks, output),
        Command::Concepts(concepts) => commands::concepts::concepts(&data, &concepts, output),
        Command::Graph { graph } => commands::graph::graph(&data, &graph, output),
        Command::Mirror(mirror) => commands::mirror::mirror(&data, *mirror, output),
        Command::Export(export) => commands::export::export(&data, &export, output),
        Command::Reconsider(reconsider) => commands::reconsider::reconsider(&data, &reconsider, output),
        Command::FindSid(lists) => commands::find_sid::find_sid(&lists, output),
        Command::Links(links) => commands::content::links(&data, &links, output),
        Command::Explain(explain) => commands::explain::explain(&data, &explain, output),
        Command::Rules(rules) => commands::rules::rules(&data, &rules, output),
        Command::Verify(verify) => commands::verify::verify(&data, &verify, output),
        Command::Rebuild(rebuild) => commands::rebuild::rebuild(&data, &rebuild, output),
        Command::Prune(prune) => commands::prune::prune(&data, &prune, output),
        Command::Completions { shell } => output::completions(shell, output),
    };
    done.unwrap_or_else(|error| {
        if is_run {
            output.failure_of(&error, serde_json::json!({ "status": "failed" }))
        } else {
            output.failure(&error)
        }
    })
}
