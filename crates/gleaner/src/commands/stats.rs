//! `--stats`: what a run counted and measured, as a short table.

use gleaner_publish::time::{count, size};
use gleaner_run::Measured;
use gleaner_run::metrics::histogram::Distribution;
use std::fmt::Write as _;

/// How a value is written.
#[derive(Clone, Copy)]
enum Unit {
    /// Microseconds.
    Time,
    Number,
}

pub(super) fn table(measured: &Measured) -> String {
    let done = &measured.done;
    let mut out = String::new();
    let mut row = |name: &str, text: String| {
        let _never_fails = writeln!(out, "{name:<15} {text}");
    };
    row(
        "asked",
        format!(
            "{}, {} robots.txt, {}, {} again, {} not asked for",
            count(measured.answers, "answer"),
            measured.robots,
            count(measured.logins, "login"),
            measured.again,
            measured.refused
        ),
    );
    row("received", size(measured.bytes));
    row(
        "kept",
        format!(
            "{} new, {} updated, {} same, {} missing, {}, {} out, {} other",
            done.new,
            done.updated,
            done.same,
            done.missing,
            count(done.errors, "error"),
            done.out,
            done.other
        ),
    );
    row(
        "links",
        format!("{} found, {} queued", measured.links, measured.queued),
    );
    row("hosts given up", measured.hosts_given_up.to_string());
    let _never_fails = writeln!(
        out,
        "\n{:<15} {:>8} {:>10} {:>10} {:>10} {:>10}",
        "", "count", "mean", "median", "95 %", "most"
    );
    for (name, values, unit) in [
        ("first byte", &measured.first_byte_us, Unit::Time),
        ("fetch", &measured.fetch_us, Unit::Time),
        ("read", &measured.read_us, Unit::Time),
        ("judge", &measured.judge_us, Unit::Time),
        ("commit", &measured.commit_us, Unit::Time),
        ("pages per commit", &measured.batch_pages, Unit::Number),
        ("queue", &measured.queue_rows, Unit::Number),
    ] {
        let _never_fails = writeln!(out, "{name:<15} {}", line(values, unit));
    }
    out
}

/// The half and the 95 are bounds: as many values are not above them.
fn line(values: &Distribution, unit: Unit) -> String {
    let columns = [
        values.mean(),
        values.not_above(0.5) as f64,
        values.not_above(0.95) as f64,
        values.max as f64,
    ];
    let mut out = format!("{:>8}", values.count);
    for value in columns {
        let text = match unit {
            _ if values.count == 0 => "-".to_owned(),
            Unit::Time => span(value),
            Unit::Number => short(value),
        };
        let _never_fails = write!(out, " {text:>10}");
    }
    out
}

/// `250 us`, `120 ms`, `3.50 s`.
fn span(microseconds: f64) -> String {
    if microseconds < 999.5 {
        format!("{} us", short(microseconds))
    } else if microseconds < 999_500.0 {
        format!("{} ms", short(microseconds / 1000.0))
    } else {
        format!("{} s", short(microseconds / 1_000_000.0))
    }
}

/// Three digits, or as many as a whole number has.
fn short(value: f64) -> String {
    match value {
        value if value.fract() == 0.0 || value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_run::Metrics;
    use std::time::Duration;

    #[test]
    fn numbers_are_short() {
        for (microseconds, text) in [
            (0.0, "0 us"),
            (250.0, "250 us"),
            (12.5, "12.5 us"),
            (1000.0, "1 ms"),
            (12_340.0, "12.3 ms"),
            (123_456.0, "123 ms"),
            (999_400.0, "999 ms"),
            (999_600.0, "1.00 s"),
            (3_500_000.0, "3.50 s"),
            (400_000_000.0, "400 s"),
        ] {
            assert_eq!(span(microseconds), text);
        }
    }

    #[test]
    fn a_table_tells_all_that_was_counted() {
        let metrics = Metrics::default();
        metrics.answers.add(7);
        metrics.bytes.add(12_345);
        metrics.new.add(5);
        metrics.errors.add(1);
        metrics.fetch.record_time(Duration::from_millis(3));
        let table = table(&metrics.read());
        for text in ["7 answers", "12.3 kB", "5 new", "1 error,", "3 ms"] {
            assert!(table.contains(text), "{text}: {table}");
        }
        assert!(table.lines().all(|line| line.len() <= 80), "{table}");
        let read = table
            .lines()
            .find(|line| line.starts_with("read "))
            .expect("a line");
        assert!(
            read.split_whitespace().skip(1).eq(["0", "-", "-", "-", "-"]),
            "{read}"
        );
    }
}
