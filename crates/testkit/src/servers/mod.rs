//! What do real servers do? PHP's own, Tomcat and INN, from their Debian packages, on loopback addresses of the test's own.
//!
//! A server keeps its address and its files when it is stopped and started again, and forgets every session: that is what a
//! restart does to a web site. Where the packages are missing, starting is an error and the test is skipped with that reason.

mod inn;
mod php;
mod process;
mod sshd;
mod tomcat;

pub use inn::InnServer;
pub use php::PhpServer;
pub use sshd::SshServer;
pub use tomcat::{Context, TomcatServer};
