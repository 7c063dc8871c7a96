//! What do real servers do? PHP's own, Tomcat, INN, OpenSSH and three of FTP, from their Debian packages, on loopback addresses of the test's own.
//!
//! A server keeps its address and its files when it is stopped and started again, and forgets every session: that is what a
//! restart does to a web site. Where the packages are missing, starting is an error and the test is skipped with that reason.

mod ftp;
mod inn;
mod php;
mod process;
mod proftpd;
mod pureftpd;
mod sshd;
mod tomcat;
mod vsftpd;

pub use ftp::FtpSecurity;
pub use inn::InnServer;
pub use php::PhpServer;
pub use proftpd::ProftpdServer;
pub use pureftpd::PureftpdServer;
pub use sshd::SshServer;
pub use tomcat::{Context, TomcatServer};
pub use vsftpd::VsftpdServer;
