//! The SFTP unit against OpenSSH's server and against servers that misbehave.

mod door;
mod files;
mod openssh;
mod packets;
mod proxy;
mod server;

use gleaner_model::{Reason, Url};
use gleaner_units::net::{Logins, ServerLogin, Timeouts};
use gleaner_units::{
    Answer, Ask, Exchange, ListingEnd, ListingEntry, Net, NetSettings, Sftp, SftpSettings, Unclear, Unit,
    UnknownKey,
};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Long enough never to be passed on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);

/// A unit with its own file of known hosts.
struct Visitor {
    sftp: Sftp,
    folder: TempDir,
}

/// What a test may choose.
struct Choice {
    login: Option<ServerLogin>,
    unknown: UnknownKey,
    timeouts: Timeouts,
}

impl Default for Choice {
    fn default() -> Self {
        Choice {
            login: None,
            unknown: UnknownKey::Pin,
            timeouts: Timeouts {
                connect: AMPLE,
                tls: AMPLE,
                first_byte: AMPLE,
                silence: AMPLE,
                ..Timeouts::default()
            },
        }
    }
}

impl Choice {
    fn with_password(password: &str) -> Choice {
        Choice {
            login: Some(ServerLogin {
                user: "ann".to_owned(),
                password: Some(password.to_owned()),
                key_file: None,
            }),
            ..Choice::default()
        }
    }
}

impl Visitor {
    fn new(origin: &str, choice: Choice) -> Visitor {
        let folder = tempfile::tempdir().unwrap();
        let mut logins = Logins::default();
        if let Some(login) = choice.login {
            logins.add(origin, login);
        }
        let settings = NetSettings {
            allow_private: true,
            timeouts: choice.timeouts,
            logins,
            ..NetSettings::default()
        };
        let known = SftpSettings {
            known_hosts: folder.path().join("known_hosts"),
            unknown: choice.unknown,
        };
        Visitor {
            sftp: Sftp::on(Arc::new(Net::new(settings).unwrap()), known),
            folder,
        }
    }

    /// Without a login, as those come who were never told of one.
    fn to(address: SocketAddr) -> Visitor {
        Visitor::new(&format!("sftp://{address}"), Choice::default())
    }

    fn known_hosts(&self) -> PathBuf {
        self.folder.path().join("known_hosts")
    }

    async fn fetch(&self, url: &str) -> Answer {
        self.ask(Ask::of(Url::parse(url).unwrap())).await
    }

    async fn ask(&self, ask: Ask) -> Answer {
        self.sftp.fetch(&ask).await.unwrap()
    }

    async fn list(&self, url: &str) -> (ListingEnd, Vec<ListingEntry>) {
        let mut entries = Vec::new();
        let ask = Ask::of(Url::parse(url).unwrap());
        let mut take = |entry| {
            entries.push(entry);
            true
        };
        let listed = self.sftp.list(&ask, &mut take).await.unwrap();
        (listed, entries)
    }
}

#[track_caller]
fn here(answer: Answer) -> Exchange {
    match answer {
        Answer::Here(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn unclear(answer: Answer) -> Unclear {
    match answer {
        Answer::Unclear(unclear) => unclear,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn reason(answer: Answer) -> Reason {
    unclear(answer).reason
}

#[track_caller]
fn listing_reason(listed: ListingEnd) -> Reason {
    match listed {
        ListingEnd::Unclear(unclear) => unclear.reason,
        other => panic!("{other:?}"),
    }
}

fn bytes_of(exchange: &Exchange) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut exchange.body.reader().unwrap(), &mut bytes).unwrap();
    bytes
}

/// The last name on the way to a URL, as bytes.
fn name_of(entry: &ListingEntry) -> Vec<u8> {
    let mut names = gleaner_units::listing::segments(&entry.url);
    let last = names.pop().unwrap();
    if last.is_empty() {
        names.pop().unwrap()
    } else {
        last
    }
}

fn set_modified(file: &Path, seconds: u64) {
    let at = std::time::UNIX_EPOCH + Duration::from_secs(seconds);
    std::fs::File::open(file).unwrap().set_modified(at).unwrap();
}
