//! The units against servers, real ones and those that misbehave: one test per row of the list of hostile cases.

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
mod nntp;
mod oai;
mod proxies;
mod script;
mod sftp;
mod tls;
mod toy;
mod what_servers_say;
