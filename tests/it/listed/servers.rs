//! The same story on real servers: one of SFTP and three of FTP, from their Debian packages.

use super::tree::Tree;
use super::{Server, tell_the_story};
use gleaner_testkit::servers::{FtpSecurity, ProftpdServer, PureftpdServer, SshServer, VsftpdServer};
use std::collections::BTreeSet;

struct Ssh {
    server: SshServer,
    seen: usize,
}

impl Server for Ssh {
    fn url(&self) -> String {
        self.server.url("/")
    }

    fn flags(&self) -> Vec<String> {
        let key = self.server.key_file().display().to_string();
        ["--user", self.server.user(), "--key-file", &key]
            .map(str::to_owned)
            .to_vec()
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        let opened = self.server.opened();
        let new = opened[self.seen..].iter().cloned().collect();
        self.seen = opened.len();
        Some(new)
    }
}

#[test]
fn b2_openssh_is_tracked_by_its_metadata() {
    match SshServer::start(|_| {}) {
        Ok(server) => {
            let tree = Tree::write(&server.site());
            tell_the_story(&mut Ssh { server, seen: 0 }, &tree);
        }
        Err(why) => println!("skipped: {why:#}"),
    }
}

/// The three FTP servers have the same face.
macro_rules! ftp_story {
    ($name:ident, $server:ident) => {
        #[test]
        fn $name() {
            struct Ftp {
                server: $server,
                seen: usize,
            }

            impl Server for Ftp {
                fn url(&self) -> String {
                    self.server.url("/")
                }

                fn transfers(&mut self) -> Option<BTreeSet<String>> {
                    let all = self.server.transfers();
                    let new = all[self.seen..]
                        .iter()
                        .map(|path| path.trim_start_matches('/').to_owned());
                    let new = new.collect();
                    self.seen = all.len();
                    Some(new)
                }
            }

            match $server::start(FtpSecurity::Plain, |_| {}) {
                Ok(server) => {
                    let tree = Tree::write(&server.site());
                    tell_the_story(&mut Ftp { server, seen: 0 }, &tree);
                }
                Err(why) => println!("skipped: {why:#}"),
            }
        }
    };
}

ftp_story!(b2_vsftpd_is_tracked_by_its_listings, VsftpdServer);
ftp_story!(b2_proftpd_is_tracked_by_its_listings, ProftpdServer);
ftp_story!(b2_pureftpd_is_tracked_by_its_listings, PureftpdServer);
