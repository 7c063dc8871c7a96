//! The same story on real servers: one of SFTP, three of FTP and one of HTTP, from their Debian packages.

use super::tree::{Tree, put};
use super::{Server, decoded, run, tell_the_story};
use gleaner_testkit::Gleaner;
use gleaner_testkit::servers::{FtpProgram, FtpSecurity, FtpServer, NginxServer, SshServer};
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
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

struct Ftp {
    server: FtpServer,
    security: FtpSecurity,
    seen: usize,
}

impl Server for Ftp {
    fn url(&self) -> String {
        self.server.url("/")
    }

    fn flags(&self) -> Vec<String> {
        let mut flags = vec![
            "--ca-file".to_owned(),
            self.server.root_file().display().to_string(),
        ];
        if self.security == FtpSecurity::Explicit {
            flags.extend(["--option".to_owned(), "ftp.tls=explicit".to_owned()]);
        }
        flags
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

fn tell_on_ftp(program: FtpProgram, security: FtpSecurity) {
    match FtpServer::start(program, security, |_| {}) {
        Ok(server) => {
            let tree = Tree::write(&server.site());
            let mut server = Ftp {
                server,
                security,
                seen: 0,
            };
            tell_the_story(&mut server, &tree);
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

#[test]
fn b2_vsftpd_is_tracked_by_its_listings() {
    tell_on_ftp(FtpProgram::Vsftpd, FtpSecurity::Plain);
}

#[test]
fn b2_vsftpd_is_tracked_over_implicit_tls() {
    tell_on_ftp(FtpProgram::Vsftpd, FtpSecurity::Implicit);
}

#[test]
fn b2_proftpd_is_tracked_by_its_listings() {
    tell_on_ftp(FtpProgram::Proftpd, FtpSecurity::Plain);
}

#[test]
fn b2_proftpd_is_tracked_over_explicit_tls() {
    tell_on_ftp(FtpProgram::Proftpd, FtpSecurity::Explicit);
}

#[test]
fn b2_pureftpd_is_tracked_by_its_listings() {
    tell_on_ftp(FtpProgram::Pureftpd, FtpSecurity::Plain);
}

#[test]
fn b2_pureftpd_is_tracked_over_explicit_tls() {
    tell_on_ftp(FtpProgram::Pureftpd, FtpSecurity::Explicit);
}

/// Somebody who has to say who they are.
struct Member {
    server: FtpServer,
    folder: tempfile::TempDir,
}

impl Member {
    fn says(&self, password: &str) {
        std::fs::write(self.folder.path().join("password"), format!("{password}\n")).expect("a file");
    }
}

impl Server for Member {
    fn url(&self) -> String {
        self.server.url("/")
    }

    fn flags(&self) -> Vec<String> {
        let file = self.folder.path().join("password").display().to_string();
        ["--user", FtpServer::MEMBER.0, "--password-file", &file]
            .map(str::to_owned)
            .to_vec()
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        None
    }
}

#[test]
fn a4_a_member_of_an_ftp_server_logs_in() {
    let server = match FtpServer::start(FtpProgram::Proftpd, FtpSecurity::Plain, |_| {}) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    put(
        &server.members_site(),
        "minutes/may.txt",
        "Only members read this.\n",
        500,
    );
    let member = Member {
        server,
        folder: tempfile::tempdir().expect("a folder"),
    };
    let password = FtpServer::MEMBER.1;
    member.says(password);
    let gleaner = Gleaner::new().without_pass();
    let url = member.url();
    let told = run(&gleaner, &member, &["crawl", &url, "--name", "members"]);
    assert_eq!(told.states["minutes/may.txt"], "NEW");
    let stored = gleaner.run(&["cat", &format!("{url}minutes/may.txt")]);
    assert_eq!(stored.stdout, "Only members read this.\n");
    assert_eq!(run(&gleaner, &member, &["track", "members"]).count("SAM"), 1);

    // A login that failed is told as that, and nothing is gone because of it.
    member.says("wrong");
    let told = run(&gleaner, &member, &["track", "members"]);
    assert_eq!(told.states["minutes/may.txt"], "ERR");
    assert_eq!(told.reasons["minutes/may.txt"], "login-refused");
    for file in ["gleaner.db", "gleaner.db-wal"] {
        let bytes = std::fs::read(gleaner.data().join(file)).unwrap_or_default();
        let shows = bytes
            .windows(password.len())
            .any(|part| part == password.as_bytes());
        assert!(!shows, "the password is in {file}");
    }
}

struct Nginx {
    server: NginxServer,
    seen: usize,
}

impl Server for Nginx {
    fn url(&self) -> String {
        self.server.url("/")
    }

    fn flags(&self) -> Vec<String> {
        ["--delay", "0", "--per-host", "4"].map(str::to_owned).to_vec()
    }

    /// A question that is answered by "as it was" is a question all the same.
    fn is_listed(&self) -> bool {
        false
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        let all = self.server.transfers();
        let new = all[self.seen..]
            .iter()
            .map(|path| String::from_utf8_lossy(&decoded(path.trim_start_matches('/'))).into_owned());
        let new = new.collect();
        self.seen = all.len();
        Some(new)
    }
}

#[test]
fn b2_nginx_is_tracked_by_its_validators() {
    match NginxServer::start(|_| {}) {
        Ok(server) => {
            let tree = Tree::write(&server.site());
            tell_the_story(&mut Nginx { server, seen: 0 }, &tree);
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}
