//! What is the answer to a request? Well-formed responses with short builders, scripts, functions and sequences.

use std::sync::Arc;

use super::script::{Action, Script};
use super::server::Request;

/// What a route answers.
#[derive(Clone)]
pub enum Reply {
    Response(Response),
    Script(Script),
    Dynamic(Arc<dyn Fn(&Request) -> Reply + Send + Sync>),
    /// One reply per request; the last one stays.
    Sequence(Vec<Reply>),
}

/// A well-formed response; `Content-Length` is added unless the test frames the body itself.
#[derive(Clone, Debug)]
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    chunked: bool,
}

/// 200 with HTML.
pub fn page(html: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", "text/html; charset=utf-8")
        .with_body(html)
}

/// 200 with plain text, as for robots.txt.
pub fn text(text: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", "text/plain; charset=utf-8")
        .with_body(text)
}

/// A status and nothing else.
pub fn status(status: u16) -> Response {
    Response {
        status,
        headers: Vec::new(),
        body: Vec::new(),
        chunked: false,
    }
}

/// 302 to `to`.
pub fn redirect(to: &str) -> Response {
    status(302).with_header("Location", to)
}

/// A reply made for each request.
pub fn dynamic<R: Into<Reply>>(make: impl Fn(&Request) -> R + Send + Sync + 'static) -> Reply {
    Reply::Dynamic(Arc::new(move |request| make(request).into()))
}

/// The first reply for the first request, and so on; the last one stays.
pub fn sequence(replies: impl IntoIterator<Item = impl Into<Reply>>) -> Reply {
    Reply::Sequence(replies.into_iter().map(Into::into).collect())
}

impl Response {
    /// Adds a header field; the same name twice gives two fields.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Response {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl AsRef<[u8]>) -> Response {
        self.body = body.as_ref().to_vec();
        self
    }

    /// Sets another status, as for a permanent redirect.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Response {
        self.status = status;
        self
    }

    /// Sends the body in chunks.
    #[must_use]
    pub fn chunked(mut self) -> Response {
        self.chunked = true;
        self
    }

    /// The bytes on the wire for a request with this method.
    pub fn to_bytes(&self, method: &str) -> Vec<u8> {
        let mut out = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        for (name, value) in &self.headers {
            out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        let bodiless = matches!(self.status, 100..=199 | 204 | 304);
        if self.chunked {
            out.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
        } else if !bodiless && !self.frames_itself() {
            out.extend_from_slice(format!("Content-Length: {}\r\n", self.body.len()).as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        if method == "HEAD" || bodiless {
            return out;
        }
        if !self.chunked {
            out.extend_from_slice(&self.body);
            return out;
        }
        for chunk in self.body.chunks(1000) {
            out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
        out
    }

    fn frames_itself(&self) -> bool {
        self.headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
        })
    }
}

impl Reply {
    /// The script for the `turn`-th request (from 0) to this route.
    pub(super) fn script(&self, request: &Request, turn: usize) -> Script {
        match self {
            Reply::Response(response) => {
                let mut script = Script::new().send(response.to_bytes(&request.method));
                if request
                    .header("connection")
                    .is_some_and(|value| value.eq_ignore_ascii_case("close"))
                {
                    script.0.push(Action::Close);
                }
                script
            }
            Reply::Script(script) => script.clone(),
            Reply::Dynamic(make) => make(request).script(request, turn),
            Reply::Sequence(replies) => match replies.get(turn).or(replies.last()) {
                Some(reply) => reply.script(request, 0),
                None => Script::new().close(),
            },
        }
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Reply {
        Reply::Response(response)
    }
}

impl From<Script> for Reply {
    fn from(script: Script) -> Reply {
        Reply::Script(script)
    }
}

impl From<Vec<Action>> for Reply {
    fn from(actions: Vec<Action>) -> Reply {
        Reply::Script(Script(actions))
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
