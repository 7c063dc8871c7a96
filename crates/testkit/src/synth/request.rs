//! What does the client ask for? Reads requests off a kept-alive connection, no more of them than the site needs.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

#[derive(Default)]
pub(crate) struct Req {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) host: Option<String>,
    pub(crate) inm: Option<String>,
    pub(crate) ims: Option<String>,
    pub(crate) cookie: bool,
    pub(crate) gzip: bool,
    pub(crate) close: bool,
    pub(crate) body_len: usize,
}

/// Returns (request, bytes consumed) or None when more input is needed.
fn parse(buf: &[u8]) -> Result<Option<(Req, usize)>, ()> {
    let mut hs = [httparse::EMPTY_HEADER; 64];
    let mut r = httparse::Request::new(&mut hs);
    let n = match r.parse(buf) {
        Ok(httparse::Status::Complete(n)) => n,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(()),
    };
    let mut q = Req {
        method: r.method.unwrap_or("").into(),
        target: r.path.unwrap_or("/").into(),
        close: r.version == Some(0),
        ..Req::default()
    };
    for h in r.headers.iter() {
        let v = || String::from_utf8_lossy(h.value).trim().to_string();
        let is = |n: &str| h.name.eq_ignore_ascii_case(n);
        if is("host") {
            q.host = Some(v());
        } else if is("if-none-match") {
            q.inm = Some(v());
        } else if is("if-modified-since") {
            q.ims = Some(v());
        } else if is("cookie") {
            q.cookie = v().contains("SESSID=") || v().contains("JSESSIONID=");
        } else if is("accept-encoding") {
            q.gzip = v().to_ascii_lowercase().contains("gzip");
        } else if is("connection") {
            let c = v().to_ascii_lowercase();
            q.close = c.contains("close") || (q.close && !c.contains("keep-alive"));
        } else if is("content-length") {
            q.body_len = v().parse().unwrap_or(0);
        }
    }
    if let Some(rest) = q.target.strip_prefix("http://") {
        let cut = rest.find('/').unwrap_or(rest.len());
        q.host = Some(rest[..cut].to_string());
        q.target = if cut == rest.len() {
            "/".into()
        } else {
            rest[cut..].to_string()
        };
    }
    if let Some(i) = q.target.find('#') {
        q.target.truncate(i);
    }
    Ok(Some((q, n)))
}

pub(crate) async fn read_req(s: &mut TcpStream, buf: &mut Vec<u8>) -> Option<Req> {
    loop {
        if !buf.is_empty() {
            match parse(buf) {
                Err(()) => return None,
                Ok(Some((q, n))) if buf.len() >= n + q.body_len => {
                    buf.drain(..n + q.body_len);
                    return Some(q);
                }
                _ if buf.len() > 64 * 1024 => return None,
                _ => {}
            }
        }
        buf.reserve(4096);
        match s.read_buf(buf).await {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}
