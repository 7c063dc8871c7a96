//! What a URL would show: the URL without anything the site ever put into one, looked up.

use std::collections::HashMap;

use super::site::{SESSIONS, SessionSite};
use super::styles::IdStyle;

/// Fetches of a session whose nonces are known.
const FETCHES: u64 = 3;

impl SessionSite {
    pub(super) fn learn_truth(&mut self) {
        self.ids = (1..SESSIONS)
            .flat_map(|session| [self.id(session, 0), self.id(session, 1)])
            .collect();
        let mut known = HashMap::new();
        for session in 1..SESSIONS {
            for fetch in 1..=FETCHES {
                for number in 0..self.pages.len() + self.advertisements.len() {
                    let url = self.url(number, self.logical(number), session, fetch);
                    known.entry(self.erased(&url)).or_insert(number);
                }
                if !matches!(
                    self.style,
                    IdStyle::NoncePerLink | IdStyle::NonceInPath | IdStyle::SignedLinks
                ) {
                    break;
                }
            }
        }
        self.known = known;
    }

    /// The URL without any id, clock or nonce that the site ever gave out, parameters in order.
    pub(super) fn erased(&self, url: &str) -> String {
        let text = decoded(url);
        let mut parts: Vec<String> = text.split(['?', '&', ';', '/']).map(str::to_owned).collect();
        let names = [
            "jsessionid",
            "CFID",
            "CFTOKEN",
            "nonce",
            "_ts",
            "t",
            "sig",
            "pf_rd_r",
            "r",
        ];
        let is_shared = self.style == IdStyle::SharedName;
        for part in &mut parts {
            if let Some((name, value)) = part.split_once('=') {
                let is_id = names.contains(&name) || (name == self.id_name && self.style.has_id());
                let is_story = is_shared && value.len() < 6;
                if is_id && !is_story {
                    part.clear();
                    continue;
                }
            }
            if !part.contains('=') || matches!(self.style, IdStyle::GluedInValue) {
                for id in self.ids.iter().filter(|id| id.len() >= 6) {
                    if part.contains(id.as_str()) {
                        *part = part.replace(id.as_str(), "");
                    }
                }
                if self.style == IdStyle::NonceInPath
                    && part.len() == 16
                    && part.bytes().all(|b| b.is_ascii_hexdigit())
                {
                    part.clear();
                }
            }
        }
        parts.retain(|part| !matches!(part.as_str(), "" | "(S())" | "()"));
        for part in &mut parts {
            *part = part.trim_start_matches("s-").trim_start_matches('.').to_owned();
        }
        if self.style == IdStyle::Shuffled {
            parts.sort();
        }
        parts.join("/")
    }
}

pub(super) fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        let bytes = text.as_bytes();
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            let pair = bytes
                .get(at + 1..at + 3)
                .and_then(|pair| std::str::from_utf8(pair).ok());
            match (bytes[at], pair.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
                (b'%', Some(byte)) => {
                    out.push(byte);
                    at += 3;
                }
                (byte, _) => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
        text = String::from_utf8_lossy(&out).into_owned();
    }
    text
}
