//! A person at a browser, for what happens in an application between two runs: cookies are kept, redirects followed, and
//! forms sent with everything that stands in them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use gleaner_model::Url;
use gleaner_parse::Input;
use gleaner_parse::forms::{Button, FieldValue, FormRequest, Which, encode, fill, find, forms};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Longer chains of redirects are a mistake.
const REDIRECTS_MAX: usize = 5;

pub(super) struct Visitor {
    address: SocketAddr,
    cookies: BTreeMap<String, String>,
}

/// A page as it came.
#[derive(Debug)]
pub(super) struct Shown {
    url: Url,
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Visitor {
    pub(super) fn new(address: SocketAddr) -> Visitor {
        Visitor {
            address,
            cookies: BTreeMap::new(),
        }
    }

    /// `path` begins with a slash.
    pub(super) fn get(&mut self, path: &str) -> Shown {
        let url = Url::parse(&format!("http://{}{path}", self.address)).unwrap();
        self.go(url, None)
    }

    /// Fills in a form of a page and presses a button of it.
    pub(super) fn send(&mut self, on: &Shown, which: &Which, values: &[(&str, &str)], button: &str) -> Shown {
        let input = Input {
            url: &on.url,
            headers: &on.headers,
            body: on.body.as_bytes(),
            agent: "",
            is_sitemap: false,
        };
        let all = forms(&input);
        let form = find(&all, which).unwrap_or_else(|e| panic!("{e}: {on:?}"));
        let values: Vec<FieldValue> = values
            .iter()
            .map(|(name, text)| FieldValue::text(name, text))
            .collect();
        let filled = fill(form, &values, &Button::Called(button.to_owned())).unwrap();
        let request = encode(&filled).unwrap();
        self.go(request.url.clone(), Some(&request))
    }

    /// Sends a body as it is.
    pub(super) fn post(&mut self, path: &str, media_type: &str, body: &str) -> Shown {
        let url = Url::parse(&format!("http://{}{path}", self.address)).unwrap();
        let request = FormRequest {
            method: "POST",
            url: url.clone(),
            content_type: Some(media_type.to_owned()),
            body: body.as_bytes().to_vec(),
            is_secret: false,
        };
        self.go(url, Some(&request))
    }

    fn go(&mut self, mut url: Url, mut request: Option<&FormRequest>) -> Shown {
        for _ in 0..REDIRECTS_MAX {
            let shown = self.ask(url, request.filter(|request| request.method == "POST"));
            let location = shown.headers.iter().find(|(name, _)| name == "location");
            let Some((_, location)) = location.filter(|_| (300..400).contains(&shown.status)) else {
                return shown;
            };
            url = shown.url.join(location).unwrap();
            request = None;
        }
        panic!("redirect after redirect");
    }

    fn ask(&mut self, url: Url, posted: Option<&FormRequest>) -> Shown {
        let target = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut head = format!(
            "{} {target} HTTP/1.0\r\nHost: {}\r\nCookie: {}\r\nUser-Agent: a person\r\n",
            posted.map_or("GET", |request| request.method),
            self.address,
            cookies.join("; ")
        );
        if let Some(request) = posted {
            let media_type = request.content_type.as_deref().unwrap_or_default();
            write!(
                head,
                "Content-Type: {media_type}\r\nContent-Length: {}\r\n",
                request.body.len()
            )
            .unwrap();
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend(posted.map(|request| request.body.as_slice()).unwrap_or_default());
        // In one piece: PHP's server may hang up on a head that comes in bits.
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        for (_, set) in headers.iter().filter(|(name, _)| name == "set-cookie") {
            let pair = set.split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').unwrap();
            match value {
                "" | "deleted" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        Shown {
            url,
            status: status.parse().unwrap(),
            headers,
            body: body.to_owned(),
        }
    }
}
