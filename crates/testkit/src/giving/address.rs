//! An address of a site taken apart: its path, its parameters, and the id that it carries.

use super::style::{IdPlace, LookAlike};

/// What an address says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) path: String,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) id: Option<String>,
}

impl IdPlace {
    /// Whether a parameter of this name carries the id.
    pub(super) fn is_parameter(self, name: &str, look_alike: Option<LookAlike>) -> bool {
        match self {
            IdPlace::Query => name == "sid" && look_alike != Some(LookAlike::Sid),
            IdPlace::NameAndValue => name.starts_with("ASPSESSIONID"),
            IdPlace::Name => name.starts_with("sid_"),
            IdPlace::Nowhere
            | IdPlace::Brackets
            | IdPlace::UuidSegment
            | IdPlace::Segment
            | IdPlace::Matrix => false,
        }
    }

    fn is_segment(self, segment: &str) -> bool {
        let is_masked = segment.contains("{sid}") || segment.contains("%7Bsid%7D");
        match self {
            IdPlace::Brackets => segment.starts_with("(S("),
            IdPlace::UuidSegment => is_masked || segment.len() == 36 && segment.matches('-').count() == 4,
            IdPlace::Segment => is_masked || segment.len() == 16 && !segment.contains('.'),
            _ => false,
        }
    }
}

impl Carried {
    /// `target` is what follows the host.
    pub(super) fn read(place: IdPlace, target: &str) -> Carried {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, matrix) = path.split_once(";jsessionid=").unwrap_or((path, ""));
        let mut id = (place == IdPlace::Matrix && !matrix.is_empty()).then(|| matrix.to_owned());
        let first = path[1..].split('/').next().unwrap_or("");
        let path = if place.is_segment(first) {
            let inside = first.strip_prefix("(S(").and_then(|rest| rest.strip_suffix("))"));
            id = Some(inside.unwrap_or(first).to_owned());
            match &path[1 + first.len()..] {
                "" => "/",
                rest => rest,
            }
        } else {
            path
        };
        let mut parameters = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match place {
                IdPlace::Query if name == "sid" => id = Some(value.to_owned()),
                IdPlace::NameAndValue if name.starts_with("ASPSESSIONID") => {
                    id = Some(format!("{}={value}", &name["ASPSESSIONID".len()..]));
                }
                IdPlace::Name if name.starts_with("sid_") => id = Some(name["sid_".len()..].to_owned()),
                _ => {}
            }
            parameters.push((name.to_owned(), value.to_owned()));
        }
        Carried {
            path: path.to_owned(),
            parameters,
            id,
        }
    }

    pub(super) fn write(&self, place: IdPlace) -> String {
        let mut path = self.path.clone();
        let mut parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if let Some(id) = &self.id {
            match place {
                IdPlace::Nowhere => {}
                IdPlace::Brackets => path = format!("/(S({id})){path}"),
                IdPlace::UuidSegment | IdPlace::Segment => path = format!("/{id}{path}"),
                IdPlace::Matrix => path = format!("{path};jsessionid={id}"),
                IdPlace::Query => parameters.push(format!("sid={id}")),
                IdPlace::NameAndValue => parameters.push(format!("ASPSESSIONID{id}")),
                IdPlace::Name => parameters.push(format!("sid_{id}=1")),
            }
        }
        let mark = if parameters.is_empty() { "" } else { "?" };
        format!("{path}{mark}{}", parameters.join("&"))
    }
}
