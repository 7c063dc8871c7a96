//! Which events are logged: a level for all, and others for single rooms.

use std::str::FromStr;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// The rooms that tell something, with the names of their crates.
const ROOMS: [(&str, &str); 4] = [
    ("run", "gleaner_run"),
    ("units", "gleaner_units"),
    ("store", "gleaner_store"),
    ("readers", "gleaner_readers"),
];

const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// How much each room may tell, in the order of [`ROOMS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter([LevelFilter; ROOMS.len()]);

impl Filter {
    pub(crate) const INFO: Filter = Filter([LevelFilter::INFO; ROOMS.len()]);

    pub(crate) fn is_off(&self) -> bool {
        self.0.iter().all(|level| *level == LevelFilter::OFF)
    }

    /// What is not named is not heard.
    pub(crate) fn targets(&self) -> Targets {
        let rooms = ROOMS.iter().zip(self.0);
        Targets::new().with_targets(rooms.map(|((_, name), level)| (*name, level)))
    }
}

/// As people write it: `debug`, `info,units=trace`, `store=debug`; a room that is not named tells what the level without a
/// room says, or nothing.
impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Filter, String> {
        let mut all = None;
        let mut rooms = [None; ROOMS.len()];
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                None => all = Some(level(part)?),
                Some((name, of_room)) => rooms[room(name.trim())?] = Some(level(of_room.trim())?),
            }
        }
        let all = all.unwrap_or(LevelFilter::OFF);
        Ok(Filter(rooms.map(|level| level.unwrap_or(all))))
    }
}

fn level(text: &str) -> Result<LevelFilter, String> {
    let found = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, level)| *level).ok_or_else(|| {
        format!("there is no level '{text}'; use off, error, warn, info, debug or trace, also as PART=LEVEL")
    })
}

fn room(text: &str) -> Result<usize, String> {
    let is_meant = |(name, whole): &(&str, &str)| text == *name || text == *whole;
    ROOMS.iter().position(is_meant).ok_or_else(|| {
        let names: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
        format!(
            "there is no part '{text}' that logs; there are {}",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let Filter(levels) = text.parse()?;
        Ok(levels.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_filter_is_read_as_it_is_meant() {
        assert_eq!(read("debug"), read("DEBUG,"));
        assert_eq!(
            read("info, units=trace").unwrap(),
            ["info", "trace", "info", "info"]
        );
        assert_eq!(
            read("gleaner_store=debug,warn").unwrap(),
            ["warn", "warn", "debug", "warn"]
        );
        assert_eq!(read("run=info").unwrap(), ["info", "off", "off", "off"]);
        assert!("".parse::<Filter>().unwrap().is_off() && "off,run=off".parse::<Filter>().unwrap().is_off());
        assert_eq!("info".parse(), Ok(Filter::INFO));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, told) in [
            ("loud", "no level 'loud'"),
            ("run=", "no level ''"),
            (
                "info,h2=trace",
                "no part 'h2' that logs; there are run, units, store, readers",
            ),
            ("run=debug=x", "no level 'debug=x'"),
        ] {
            let error = text.parse::<Filter>().unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn only_our_own_rooms_are_heard() {
        let targets = "trace".parse::<Filter>().unwrap().targets();
        for (target, is_heard) in [
            ("gleaner_run::scheduler", true),
            ("gleaner_units::net::connect", true),
            ("h2::codec", false),
            ("hickory_resolver", false),
            ("rustls::client", false),
            ("russh", false),
        ] {
            assert_eq!(
                targets.would_enable(target, &tracing::Level::ERROR),
                is_heard,
                "{target}"
            );
        }
    }
}
