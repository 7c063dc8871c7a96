//! Policies for coming back, beside each other: on real traces of changes, on rates that are known, and their cost.
//!
//! `revisit CORPORA` prints a JSON line for each trace and budget, for each known-rate budget, and for the costs.
#![expect(
    clippy::print_stdout,
    reason = "a command of the repository prints its figures"
)]

#[path = "revisit/cost.rs"]
mod cost;
#[path = "revisit/known.rs"]
mod known;
#[path = "revisit/policies.rs"]
mod policies;
#[path = "revisit/traces.rs"]
mod traces;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let corpora = arguments.next().unwrap_or_else(|| "../shared/corpora".to_owned());
    let wanted: Vec<String> = arguments.collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let folder = std::path::Path::new(&corpora).join("revisit-traces");
    if is_wanted("traces") && folder.is_dir() {
        for trace in traces::all(&folder) {
            for days in [60.0, 120.0] {
                println!("{}", policies::beside_each_other(&trace, days));
            }
        }
    }
    if is_wanted("known") {
        for days in [15.0, 5.0] {
            println!("{}", known::beside_each_other(days));
        }
    }
    if is_wanted("cost") {
        println!("{}", cost::of_a_million());
    }
}
