//! The HTTP and FTP units against servers that misbehave, one test per row of the list of hostile cases.

#![expect(
    clippy::unwrap_used,
    reason = "a failing step of a test server is a failing test"
)]

mod broken_answers;
mod connections;
mod ftp;
mod http2;
mod mutations;
mod names;
mod proxies;
mod script;
mod tls;
mod what_servers_say;
