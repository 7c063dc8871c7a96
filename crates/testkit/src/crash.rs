//! What is left when the program dies at the worst moment? Kills it at its n-th writing system call, or after some time.
//!
//! `strace` counts the calls of an undisturbed run and then, run by run, ends the program with SIGKILL as it enters the
//! n-th one: the call itself is not carried out. Counts are per thread, because that is how `strace` counts.
//!
//! ```no_run
//! use gleaner_testkit::{Gleaner, crash};
//!
//! let args = ["crawl", "http://127.0.0.1:8600/"];
//! let points = crash::points(&Gleaner::new().command(&args), crash::WRITING_CALLS)?;
//! for point in crash::sample(&points, 20, 1) {
//!     let gleaner = Gleaner::new();
//!     crash::kill_at(&gleaner.command(&args), &point)?;
//!     gleaner.run(&["resume"]).expect_code(&[0]);
//! }
//! # anyhow::Ok(())
//! ```

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::program::{Finished, Running};
use crate::synth::mix;

/// The system calls after which a disk is not what it was.
pub const WRITING_CALLS: &[&str] = &[
    "write",
    "writev",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "ftruncate",
    "unlink",
    "unlinkat",
];

/// Traced programs are slow; this is for those that hang.
const DEADLINE: Duration = Duration::from_mins(5);

/// A moment to die: entering a system call for the n-th time (from 1) in one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashPoint {
    pub call: String,
    pub nth: u64,
}

/// How often each system call was made, by the thread that made it most; and in all threads together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub busiest_thread: u64,
    pub total: u64,
}

/// How a run ended that should have been killed.
#[derive(Debug)]
pub enum Ended {
    /// At the point.
    Killed(Finished),
    /// The point was not reached: runs differ a little in how often they write.
    ByItself(Finished),
}

/// Whether programs can be traced here; says what is missing.
pub fn available() -> Result<()> {
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=none", "true"])
        .output();
    let output = traced.context("strace is not installed")?;
    ensure!(
        output.status.success(),
        "strace may not trace here: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Runs the command undisturbed and counts its calls.
pub fn count(command: &Command, calls: &[&str]) -> Result<HashMap<String, Count>> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("calls");
    let mut traced = Command::new("strace");
    traced.args([
        "-f",
        "--seccomp-bpf",
        "-qqq",
        "-e",
        &format!("trace={}", calls.join(",")),
        "-e",
        "signal=none",
    ]);
    // Arguments are not needed, and buffers of pages would fill the disk.
    traced.args(["-s", "0", "-o"]).arg(&log).arg("--");
    wrap(&mut traced, command);
    let finished = Running::start(traced)?.wait(DEADLINE);
    ensure!(
        finished.code().is_some(),
        "the counted run was killed: {finished}"
    );
    Ok(read_counts(&std::fs::read_to_string(log)?))
}

/// Every moment at which [`kill_at`] can end the command, in the order of calls and counts.
pub fn points(command: &Command, calls: &[&str]) -> Result<Vec<CrashPoint>> {
    let counts = count(command, calls)?;
    let mut points = Vec::new();
    for &call in calls {
        let made = counts.get(call).map_or(0, |count| count.busiest_thread);
        points.extend((1..=made).map(|nth| CrashPoint {
            call: call.to_owned(),
            nth,
        }));
    }
    Ok(points)
}

/// At most `count` of the points, the same for the same seed, in their order.
pub fn sample(points: &[CrashPoint], count: usize, seed: u64) -> Vec<CrashPoint> {
    let mut drawn: Vec<usize> = (0..points.len()).collect();
    drawn.sort_by_key(|&index| mix(seed ^ mix(index as u64)));
    drawn.truncate(count);
    drawn.sort_unstable();
    drawn.into_iter().map(|index| points[index].clone()).collect()
}

/// Runs the command and kills it at the point.
pub fn kill_at(command: &Command, point: &CrashPoint) -> Result<Ended> {
    let CrashPoint { call, nth } = point;
    let mut traced = Command::new("strace");
    // Not with --seccomp-bpf, which makes counting fast: strace 6.1 then injects nothing.
    traced.args(["-f", "-qqq", "-o", "/dev/null", "-s", "0"]);
    traced.args(["-e", &format!("trace={call}")]);
    traced.args(["-e", &format!("inject={call}:signal=SIGKILL:when={nth}"), "--"]);
    wrap(&mut traced, command);
    let finished = Running::start(traced)?.wait(DEADLINE);
    // strace ends as the traced program did: without a code when that was killed.
    Ok(match finished.code() {
        None => Ended::Killed(finished),
        Some(_) => Ended::ByItself(finished),
    })
}

/// Runs the command and kills it after this time, unless it has ended by then.
pub fn kill_after(command: Command, time: Duration) -> Result<Ended> {
    let mut running = Running::start(command)?;
    // Here time is the fault itself, not a way of waiting for something.
    std::thread::sleep(time);
    if running.has_ended() {
        return Ok(Ended::ByItself(running.wait(DEADLINE)));
    }
    let finished = running.kill9();
    Ok(match finished.code() {
        None => Ended::Killed(finished),
        Some(_) => Ended::ByItself(finished),
    })
}

impl Ended {
    pub fn was_killed(&self) -> bool {
        matches!(self, Ended::Killed(_))
    }
}

fn wrap(outer: &mut Command, inner: &Command) {
    outer.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    if let Some(folder) = inner.get_current_dir() {
        outer.current_dir(folder);
    }
}

/// Lines are `<thread> <call>(...) = ...`; a call that another thread interrupts comes back as `<... call resumed>`, which
/// is not a second call.
fn read_counts(log: &str) -> HashMap<String, Count> {
    let mut by_thread: HashMap<(&str, &str), u64> = HashMap::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((call, _)) = rest.trim_start().split_once('(') else {
            continue;
        };
        *by_thread.entry((thread, call)).or_default() += 1;
    }
    let mut counts: HashMap<String, Count> = HashMap::new();
    for ((_, call), made) in by_thread {
        let count = counts.entry(call.to_owned()).or_default();
        count.busiest_thread = count.busiest_thread.max(made);
        count.total += made;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three writes to a file, one after the other.
    fn three_writes(path: &std::path::Path) -> Command {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg("for i in 1 2 3; do echo $i >> \"$OUT\"; done")
            .env("OUT", path);
        command
    }

    #[test]
    fn dies_before_each_write() {
        if let Err(why) = available() {
            gleaner_fixtures::skip(format!("{why:#}"));
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        let points = points(&three_writes(&file), WRITING_CALLS).unwrap();
        assert_eq!(points.len(), 3, "{points:?}");
        for point in &points {
            std::fs::write(&file, "").unwrap();
            assert!(kill_at(&three_writes(&file), point).unwrap().was_killed());
            let left = std::fs::read_to_string(&file).unwrap().lines().count() as u64;
            assert_eq!(left, point.nth - 1);
        }
        let beyond = CrashPoint {
            call: "write".into(),
            nth: 4,
        };
        assert!(!kill_at(&three_writes(&file), &beyond).unwrap().was_killed());
        assert_eq!(sample(&points, 2, 1).len(), 2);
        assert_eq!(sample(&points, 9, 1), points);
    }

    #[test]
    fn dies_after_some_time() {
        let mut sleeper = Command::new("sleep");
        sleeper.arg("100");
        assert!(
            kill_after(sleeper, Duration::from_millis(10))
                .unwrap()
                .was_killed()
        );
        assert!(
            !kill_after(Command::new("true"), Duration::from_millis(300))
                .unwrap()
                .was_killed()
        );
    }

    #[test]
    fn calls_are_counted_once_though_interrupted() {
        let log = "7 write(1, \"\"..., 3 <unfinished ...>\n8 fsync(3) = 0\n7 <... write resumed>) = 3\n7 write(1, \"\"..., 3) = 3\n8 write(1, \"\"..., 1) = 1\n";
        let counts = read_counts(log);
        assert_eq!(
            counts["write"],
            Count {
                busiest_thread: 2,
                total: 3
            }
        );
        assert_eq!(
            counts["fsync"],
            Count {
                busiest_thread: 1,
                total: 1
            }
        );
    }
}
