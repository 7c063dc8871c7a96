//! The other side: a process that reads one document after the other until its input ends.

use crate::budget::Budget;
use crate::frame::{self, Answer, Ask};
use crate::here;
use crate::tools::Tools;
use gleaner_parse::documents::{Given, Unread};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

/// Address space of the process, all programs it starts included one by one (HC112).
pub(crate) const MEMORY_BYTES_MAX: u64 = 512 << 20;
/// Libraries recurse into what nests; honest documents stay far below this.
const STACK_BYTES: usize = 48 << 20;

/// Reads documents from the input and answers on the output. Returns when the input ends.
pub fn serve(memory_bytes: Option<u64>) -> ExitCode {
    confine(memory_bytes.unwrap_or(MEMORY_BYTES_MAX));
    // What a document did is told in the answer.
    std::panic::set_hook(Box::new(|_| {}));
    let served = std::thread::Builder::new()
        .name("reader".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .ok()
        .and_then(|thread| thread.join().ok());
    match served {
        Some(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::from(3),
    }
}

/// Limits that this process cannot lift again.
#[cfg(unix)]
fn confine(memory_bytes: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = |bytes: u64| Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    let _as_far_as_allowed = setrlimit(Resource::As, limit(memory_bytes));
    let _no_cores = setrlimit(Resource::Core, limit(0));
    // Whoever started us may be killed without a word; the input then ends too, but a hang would not see it.
    #[cfg(target_os = "linux")]
    let _ends_with_its_parent =
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

#[cfg(not(unix))]
fn confine(_: u64) {}

fn work() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let (found, none) = (Tools::find(), Tools::none());
    while let Some(head) = frame::read(&mut input)? {
        let Some(body) = frame::read(&mut input)? else {
            break;
        };
        let ask: Ask = serde_json::from_slice(&head).unwrap_or_default();
        let budget = Budget::begin(Duration::from_secs(ask.cpu_seconds));
        let tools = if ask.tools { &found } else { &none };
        if ask.to_pdf {
            let made = here::to_pdf(&body, &ask, tools, &budget);
            let told = made.as_ref().map(|_| ()).map_err(Clone::clone);
            frame::write(&mut output, &serde_json::to_vec(&told)?)?;
            if let Ok(bytes) = made {
                frame::write(&mut output, &bytes)?;
            }
            continue;
        }
        let answer = answer(&ask, &body, tools, &budget);
        let json = serde_json::to_vec(&answer)?;
        frame::write(&mut output, &json)?;
        output.flush()?;
    }
    Ok(())
}

fn answer(ask: &Ask, body: &[u8], tools: &Tools, budget: &Budget) -> Answer {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let given = Given {
            media_type: &ask.media_type,
            name: &ask.name,
        };
        here::read(body, &given, tools, budget)
    }));
    read.unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
        Err(Unread::Crashed(said.unwrap_or_else(|| "a panic".to_owned())))
    })
}
