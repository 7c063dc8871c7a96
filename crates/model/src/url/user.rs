//! What a person typed on a command line or into a form: `example.com/x` is meant to be a URL.
//!
//! Where the scheme is missing it is guessed: `http` for addresses, for names without a dot and for other ports than
//! 443, for these are test servers and devices; `https` for everything else.

use super::{Credentials, Url, UrlError, malformed, repair};

pub(super) fn read(text: &str) -> Result<(Url, Option<Credentials>), UrlError> {
    let repaired = repair::repair(text, None);
    let text = repaired.as_ref();
    if text.is_empty() {
        return Err(malformed(text, "empty"));
    }
    if text.starts_with(['/', '.', '~', '\\']) && !text.starts_with("//") {
        return Err(malformed(
            text,
            "a path; write file:///… for a folder, https://… for a page",
        ));
    }
    if let Some((scheme, rest)) = repair::scheme(text)
        && !is_port(rest)
    {
        // `name:password@host` has the look of a scheme; it is meant for the web, and its scheme is still missing.
        if rest.starts_with(['/', '\\']) || !rest.contains('@') || scheme == "mailto" {
            return Url::parse_with_credentials(text);
        }
    }
    let address = text.trim_start_matches('/');
    let (secure, credentials) = Url::parse_with_credentials(&format!("https://{address}"))?;
    let is_named = matches!(secure.parsed_host(), Some(::url::Host::Domain(name)) if name.contains('.'));
    let names_port = has_port(address);
    if !is_named
        && !names_port
        && secure.host() != "localhost"
        && matches!(secure.parsed_host(), Some(::url::Host::Domain(_)))
    {
        return Err(malformed(
            text,
            "no scheme and no dot in the host name; write http://… in front if it is one",
        ));
    }
    let is_secure =
        is_named && (!names_port || secure.port() == 443) && !secure.host().ends_with(".localhost");
    if is_secure {
        Ok((secure, credentials))
    } else {
        Url::parse_with_credentials(&format!("http://{address}"))
    }
}

/// What follows the colon of `localhost:8080/x`, rather than of `mailto:x`.
fn is_port(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && (digits == rest.len() || rest[digits..].starts_with(['/', '?', '#']))
}

fn has_port(address: &str) -> bool {
    let authority = address.split(['/', '\\', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    host.rsplit(']').next().unwrap_or("").contains(':')
}
