//! A web server that does exactly what a test tells it, down to the byte, the pause and the reset.
//!
//! A route is a path and a reply; a reply is a well-formed [`Response`], a [`Script`] of raw [`Action`]s, a function of the
//! request, or a sequence of these. Routes can be replaced while the server runs: that is how a site heals.
//!
//! ```
//! use gleaner_testkit::hostile::{HostileServer, page, status};
//!
//! let server = HostileServer::start();
//! server.route("/", page("<a href=/a>a</a>")).route("/a", status(503));
//! server.route("/a", page("healed"));
//! ```

mod certificate;
mod connection;
mod deaf;
mod reply;
mod script;
mod server;
#[cfg(test)]
mod tests;

pub use certificate::{Certificate, Flaw, Tls};
pub use deaf::DeafPort;
pub use reply::{Reply, Response, dynamic, page, redirect, sequence, status, text};
pub use script::{Action, Gate, Script};
pub use server::{HostileServer, Request};
