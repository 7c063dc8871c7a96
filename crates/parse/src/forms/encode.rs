//! A submission as the bytes of a request (HTML 4.10.22.6 to 4.10.22.8, URL 5.2, RFC 7578).
//!
//! The same submission gives the same bytes: the boundary of multipart is a hash of what it parts.

use super::error::EncodeError;
use super::form::{Enctype, Method};
use super::submission::{FormField, FormPayload, Submission};
use encoding_rs::Encoding;
use gleaner_model::Url;
use gleaner_model::defaults::URL_BYTES_MAX;
use std::borrow::Cow;
use std::fmt;

/// What to send.
#[derive(Clone, PartialEq, Eq)]
pub struct FormRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    pub url: Url,
    /// For those with a body.
    pub content_type: Option<String>,
    pub body: Vec<u8>,
    /// The body, or the query of a GET, holds what nobody may see: it is neither logged nor stored.
    pub is_secret: bool,
}

impl fmt::Debug for FormRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Request({} {}{}",
            self.method,
            self.url.origin(),
            self.url.path()
        )?;
        match self.url.query() {
            Some(_) if self.is_secret => f.write_str("?(hidden)")?,
            Some(query) => write!(f, "?{query}")?,
            None => {}
        }
        write!(f, ", {} bytes)", self.body.len())
    }
}

/// Writes a submission as a request. The query of a GET replaces that of the action.
pub fn encode(submission: &Submission) -> Result<FormRequest, EncodeError> {
    let mut request = FormRequest {
        method: submission.method.as_str(),
        url: submission.url.clone(),
        content_type: None,
        body: Vec::new(),
        is_secret: submission.is_secret(),
    };
    let entries = &submission.entries;
    if submission.method != Method::Post {
        let url = &submission.url;
        let query = urlencoded(entries, submission.charset);
        let text = format!("{}{}?{query}", url.origin(), url.path());
        request.method = Method::Get.as_str();
        request.url = Url::parse(&text).map_err(|_| EncodeError::Address { limit: URL_BYTES_MAX })?;
        return Ok(request);
    }
    let content_type = submission.enctype.as_str();
    (request.body, request.content_type) = match submission.enctype {
        Enctype::UrlEncoded => (
            urlencoded(entries, submission.charset).into_bytes(),
            Some(content_type.to_owned()),
        ),
        Enctype::Plain => (plain(entries, submission.charset), Some(content_type.to_owned())),
        Enctype::Multipart => {
            let parts = parts(entries, submission.charset);
            let boundary = boundary(&parts);
            (
                joined(&parts, &boundary),
                Some(format!("{content_type}; boundary={boundary}")),
            )
        }
    };
    Ok(request)
}

/// A text in the form's charset; what that cannot write becomes `&#N;`.
fn bytes_of<'t>(text: &'t str, charset: &'static Encoding) -> Cow<'t, [u8]> {
    charset.encode(text).0
}

/// Every line break as CR LF, whatever it was.
fn with_crlf(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\n']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        out.push_str(&rest[..at]);
        out.push_str("\r\n");
        let width = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + width..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Only multipart sends files; the others send their names.
fn pair(entry: &FormField) -> (Cow<'_, str>, Cow<'_, str>) {
    let value = match &entry.payload {
        FormPayload::Text(text) => with_crlf(text),
        FormPayload::File(file) => with_crlf(&file.name),
    };
    (with_crlf(&entry.name), value)
}

fn urlencoded(entries: &[FormField], charset: &'static Encoding) -> String {
    let mut out = String::new();
    for (place, entry) in entries.iter().enumerate() {
        if place > 0 {
            out.push('&');
        }
        let (name, value) = pair(entry);
        push_escaped(&mut out, &bytes_of(&name, charset));
        out.push('=');
        push_escaped(&mut out, &bytes_of(&value, charset));
    }
    out
}

fn push_escaped(out: &mut String, bytes: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        match byte {
            b' ' => out.push('+'),
            b'*' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => {
                out.push('%');
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
}

fn plain(entries: &[FormField], charset: &'static Encoding) -> Vec<u8> {
    let mut out = String::new();
    for entry in entries {
        let (name, value) = pair(entry);
        out.push_str(&name);
        out.push('=');
        out.push_str(&value);
        out.push_str("\r\n");
    }
    bytes_of(&out, charset).into_owned()
}

/// The parts of a multipart body, each from its headers to its end.
fn parts(entries: &[FormField], charset: &'static Encoding) -> Vec<Vec<u8>> {
    let mut parts = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut part = b"Content-Disposition: form-data; name=\"".to_vec();
        push_quoted(&mut part, &bytes_of(&with_crlf(&entry.name), charset));
        match &entry.payload {
            FormPayload::Text(text) => {
                part.extend_from_slice(b"\"\r\n\r\n");
                part.extend_from_slice(&bytes_of(&with_crlf(text), charset));
            }
            FormPayload::File(file) => {
                part.extend_from_slice(b"\"; filename=\"");
                push_quoted(&mut part, &bytes_of(&file.name, charset));
                part.extend_from_slice(b"\"\r\nContent-Type: ");
                part.extend_from_slice(media_type(&file.media_type).as_bytes());
                part.extend_from_slice(b"\r\n\r\n");
                part.extend_from_slice(&file.bytes);
            }
        }
        parts.push(part);
    }
    parts
}

/// A header of its own must not grow out of a media type.
fn media_type(text: &str) -> &str {
    let is_fit = text.contains('/') && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_fit { text } else { "application/octet-stream" }
}

/// Names as browsers quote them, which is not as RFC 7578 does: HTML 4.10.22.7.
fn push_quoted(out: &mut Vec<u8>, name: &[u8]) {
    for &byte in name {
        match byte {
            b'\n' => out.extend_from_slice(b"%0A"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'"' => out.extend_from_slice(b"%22"),
            _ => out.push(byte),
        }
    }
}

/// A text that occurs in no part. By chance it never does; a file that quotes the boundary of itself is tried again.
fn boundary(parts: &[Vec<u8>]) -> String {
    for round in 0u32.. {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&round.to_le_bytes());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let boundary = format!("----gleaner{}", &hasher.finalize().to_hex()[..32]);
        let finder = memchr::memmem::Finder::new(boundary.as_bytes());
        if parts.iter().all(|part| finder.find(part).is_none()) {
            return boundary;
        }
    }
    unreachable!("some of four thousand million hashes does not occur")
}

fn joined(parts: &[Vec<u8>], boundary: &str) -> Vec<u8> {
    let bytes: usize = parts.iter().map(|part| part.len() + boundary.len() + 6).sum();
    let mut body = Vec::with_capacity(bytes + boundary.len() + 6);
    for part in parts {
        body.extend_from_slice(b"--");
        body.extend_from_slice(boundary.as_bytes());
        body.extend_from_slice(b"\r\n");
        body.extend_from_slice(part);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--");
    body.extend_from_slice(boundary.as_bytes());
    body.extend_from_slice(b"--\r\n");
    body
}
