//! What do real servers do? PHP's own with MediaWiki, DokuWiki and `WordPress`, Tomcat, Apache, nginx, INN, pyoai, OpenSSH and three of FTP, from their
//! Debian packages, on loopback addresses of the test's own.
//!
//! A server keeps its address and its files when it is stopped and started again, and forgets every session: that is what a
//! restart does to a web site. Where the packages are missing, starting is an error and the test is skipped with that reason.

mod apache;
mod application;
mod dokuwiki;
mod ftp;
mod inn;
mod mediawiki;
mod nginx;
mod oai;
mod php;
mod process;
mod proftpd;
mod pureftpd;
mod sshd;
mod tomcat;
mod vsftpd;
mod wordpress;

pub use apache::ApacheServer;
pub use application::ApplicationRequest;
pub use dokuwiki::DokuWiki;
pub use ftp::{FtpProgram, FtpSecurity, FtpServer};
pub use inn::{InnDoor, InnServer};
pub use mediawiki::MediaWiki;
pub use nginx::NginxServer;
pub use oai::OaiServer;
pub use php::PhpServer;
pub use sshd::SshServer;
pub use tomcat::{Context, TomcatServer};
pub use wordpress::WordPress;
