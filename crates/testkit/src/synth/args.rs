//! Which options were given? A tiny reader of `--key value`, `--key=value` and `--flag`, for the two programs of this crate.

use std::collections::HashMap;
use std::str::FromStr;

/// The options not yet asked for.
pub struct Args {
    map: HashMap<String, String>,
    /// What is no option.
    pub rest: Vec<String>,
}

impl Args {
    /// `flags` are the options that take no value.
    pub fn parse(flags: &[&str]) -> Args {
        let mut map = HashMap::new();
        let mut rest = Vec::new();
        let mut it = std::env::args().skip(1).peekable();
        while let Some(a) = it.next() {
            if let Some(key) = a.strip_prefix("--") {
                if let Some((k, v)) = key.split_once('=') {
                    map.insert(k.to_string(), v.to_string());
                } else if flags.contains(&key) {
                    map.insert(key.to_string(), "1".to_string());
                } else {
                    let v = it
                        .next()
                        .unwrap_or_else(|| die(&format!("--{key} needs a value")));
                    map.insert(key.to_string(), v);
                }
            } else {
                rest.push(a);
            }
        }
        Args { map, rest }
    }

    /// Whether an option without a value was given.
    pub fn flag(&mut self, k: &str) -> bool {
        self.map.remove(k).is_some()
    }

    /// The value of an option, or the default; a value that cannot be read ends the program.
    pub fn get<T: FromStr>(&mut self, k: &str, default: T) -> T {
        match self.map.remove(k) {
            None => default,
            Some(v) => v
                .parse()
                .unwrap_or_else(|_| die(&format!("bad value for --{k}: {v}"))),
        }
    }

    /// Call last: refuses options nobody asked for.
    pub fn finish(&self) {
        if let Some(k) = self.map.keys().next() {
            die::<()>(&format!("unknown option --{k}"));
        }
    }
}

/// Says what is wrong with the call and ends with exit code 2 (wrong usage).
pub fn die<T>(msg: &str) -> T {
    eprintln!("error: {msg}");
    std::process::exit(2)
}
