//! The SFTP unit against OpenSSH's own server.

use super::proxy::Proxy;
use super::{Choice, Visitor, bytes_of, here, name_of, reason, set_modified, unclear};
use gleaner_model::{Reason, Timestamp};
use gleaner_testkit::servers::SshServer;
use gleaner_units::net::ServerLogin;
use gleaner_units::{Answer, EntryKind, ListingEnd, UnknownKey};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// 2001-09-09 01:46:40.
const BILLION: u64 = 1_000_000_000;

fn large() -> Vec<u8> {
    (0..5 * 1024 * 1024u32).map(|at| (at / 257) as u8).collect()
}

fn write(site: &Path) {
    std::fs::write(site.join("empty"), b"").unwrap();
    std::fs::write(site.join("small"), b"hello").unwrap();
    set_modified(&site.join("small"), BILLION);
    std::fs::write(site.join("large"), large()).unwrap();
    std::fs::create_dir(site.join("folder")).unwrap();
    std::fs::write(site.join("folder/inside"), b"in").unwrap();
    std::os::unix::fs::symlink("small", site.join("link")).unwrap();
    std::os::unix::fs::symlink("folder", site.join("to-folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", site.join("broken")).unwrap();
    for name in ODD {
        std::fs::write(site.join(OsStr::from_bytes(name)), name).unwrap();
    }
}

const ODD: [&[u8]; 6] = [
    b"new\nline",
    b"gr\xfcn",
    b"two  blanks ",
    b"100%41#?;",
    b"-rf",
    b"\x01\x7f\"'\\",
];

fn choice(server: &SshServer) -> Choice {
    Choice {
        login: Some(ServerLogin {
            user: server.user().to_owned(),
            password: None,
            key_file: Some(server.key_file()),
        }),
        ..Choice::default()
    }
}

fn new_visitor(server: &SshServer) -> Visitor {
    visitor_at(server, server.address())
}

fn visitor_at(server: &SshServer, address: SocketAddr) -> Visitor {
    Visitor::new(&format!("sftp://{address}"), choice(server))
}

#[tokio::test]
async fn a_folder_is_listed_with_every_name_and_nothing_is_opened() {
    let server = match SshServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let visitor = new_visitor(&server);
    let (listed, entries) = visitor.list(&server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    let found: BTreeMap<Vec<u8>, _> = entries.iter().map(|entry| (name_of(entry), entry)).collect();
    assert_eq!(found.len(), entries.len());
    assert_eq!(found.len(), 7 + ODD.len());
    let kind = |name: &str| found[name.as_bytes()].kind;
    assert_eq!(kind("folder"), EntryKind::Folder);
    assert_eq!(kind("empty"), EntryKind::File);
    for link in ["link", "to-folder", "broken"] {
        assert_eq!(kind(link), EntryKind::Link);
    }
    let small = &found[b"small".as_slice()].meta;
    assert_eq!(small.size, Some(5));
    let modified = small.modified.unwrap();
    assert_eq!(modified.at, Timestamp(BILLION as i64 * 1000));
    assert_eq!(modified.precision, Duration::from_secs(1));
    assert_eq!(server.opened(), [""; 0]);

    // Every name leads to its own file.
    for name in ODD {
        let exchange = here(visitor.fetch(found[name].url.as_str()).await);
        assert_eq!(bytes_of(&exchange), name, "{}", name.escape_ascii());
    }
    let (listed, entries) = visitor.list(found[b"folder".as_slice()].url.as_str()).await;
    assert!(matches!(listed, ListingEnd::Whole));
    assert_eq!(entries.iter().map(name_of).collect::<Vec<_>>(), [b"inside"]);
}

#[tokio::test]
async fn files_come_whole_with_their_time() {
    let server = match SshServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let visitor = new_visitor(&server);
    let small = here(visitor.fetch(&server.url("/small")).await);
    assert_eq!(bytes_of(&small), b"hello");
    assert_eq!(
        small.headers.get("last-modified"),
        Some("Sun, 09 Sep 2001 01:46:40 GMT")
    );
    assert_eq!(small.headers.get("content-length"), Some("5"));
    assert_eq!((small.status, small.protocol), (0, "sftp"));
    assert!(small.request_head.is_empty() && small.response_head.is_empty());
    assert_eq!(small.address, Some(server.address().ip()));

    assert_eq!(here(visitor.fetch(&server.url("/empty")).await).body.len(), 0);
    let large_one = here(visitor.fetch(&server.url("/large")).await);
    assert!(bytes_of(&large_one) == large());
    assert!(large_one.wire_bytes > large_one.body.len());
    // A link's own address leads to what it links to.
    assert_eq!(
        bytes_of(&here(visitor.fetch(&server.url("/link")).await)),
        b"hello"
    );
    assert_eq!(server.opened(), ["small", "empty", "large", "link"]);

    for path in ["/none", "/broken", "/small/below"] {
        let answer = visitor.fetch(&server.url(path)).await;
        assert!(matches!(answer, Answer::Gone(_)), "{path}: {answer:?}");
    }
    for path in ["/folder", "/to-folder"] {
        match visitor.fetch(&server.url(path)).await {
            Answer::Moved(_, redirect) => {
                assert_eq!(redirect.location, server.url(&format!("{path}/")));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        visitor.list(&server.url("/none/")).await.0,
        ListingEnd::Gone
    ));
    assert!(matches!(
        visitor.list(&server.url("/small/")).await.0,
        ListingEnd::File
    ));
}

#[tokio::test]
async fn a_cut_connection_is_taken_up_again() {
    let server = match SshServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let proxy = Proxy::start(server.address(), vec![1_000_000, 2_000_000, 100_000]).await;
    let visitor = visitor_at(&server, proxy.address);
    let url = server.url_at(proxy.address, "/large");
    let exchange = here(visitor.fetch(&url).await);
    assert!(bytes_of(&exchange) == large());
    assert_eq!(proxy.connections(), 4);
    assert!(
        exchange.wire_bytes < exchange.body.len() * 4 / 3,
        "{}",
        exchange.wire_bytes
    );

    // A listing is asked for again on a connection that still stands.
    let (listed, _) = visitor.list(&server.url_at(proxy.address, "/")).await;
    assert!(matches!(listed, ListingEnd::Whole));
}

#[tokio::test]
async fn hc102_a_changed_or_weak_key_of_a_real_server_is_refused() {
    let mut server = match SshServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let url = server.url("/small");
    let careful = Visitor::new(
        &format!("sftp://{}", server.address()),
        Choice {
            unknown: UnknownKey::Refuse,
            ..choice(&server)
        },
    );
    assert_eq!(reason(careful.fetch(&url).await), Reason::HostKeyUnknown);
    // Written down by hand, it is believed.
    let name = format!("[{}]:{}", server.address().ip(), server.address().port());
    let line = format!("{name} {}", server.host_key().unwrap());
    std::fs::write(careful.known_hosts(), line).unwrap();
    here(careful.fetch(&url).await);

    let pinning = new_visitor(&server);
    here(pinning.fetch(&url).await);
    pinning.sftp.close_idle();
    careful.sftp.close_idle();
    server.change_key(&["-t", "rsa", "-b", "2048"], "").unwrap();
    for visitor in [&pinning, &careful] {
        let told = unclear(visitor.fetch(&url).await);
        assert_eq!(told.reason, Reason::HostKeyChanged);
        assert_eq!(told.detail.matches("SHA256:").count(), 2, "{}", told.detail);
    }
    // Somebody new may pin it.
    here(new_visitor(&server).fetch(&url).await);

    server
        .change_key(&["-t", "rsa", "-b", "1024"], "RequiredRSASize 1024\n")
        .unwrap();
    let told = unclear(new_visitor(&server).fetch(&url).await);
    assert_eq!(told.reason, Reason::HostKeyUnknown, "{told:?}");
    assert!(told.detail.contains("1024"), "{}", told.detail);

    server
        .change_key(&["-t", "rsa", "-b", "2048"], "HostKeyAlgorithms ssh-rsa\n")
        .unwrap();
    let told = unclear(new_visitor(&server).fetch(&url).await);
    assert_eq!(told.reason, Reason::HostKeyUnknown, "{told:?}");
    assert!(told.detail.contains("ssh-rsa"), "{}", told.detail);
}

#[tokio::test]
async fn a_login_that_is_not_let_in_is_refused() {
    let server = match SshServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let answer = Visitor::to(server.address()).fetch(&server.url("/small")).await;
    assert_eq!(reason(answer), Reason::LoginRefused);
}

#[tokio::test]
async fn a_password_lets_in_and_a_wrong_one_does_not() {
    let server = match SshServer::start_with_password(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let (user, password) = server.login_by_password().unwrap();
    let visitor = |password: &str| by_password(&server, user, password);
    let exchange = here(visitor(password).fetch(&server.url("/small")).await);
    assert_eq!(bytes_of(&exchange), b"hello");
    assert_eq!(server.passwords_heard(), 1);

    let refused = unclear(visitor("wrong").fetch(&server.url("/small")).await);
    assert_eq!(refused.reason, Reason::LoginRefused);
    assert!(!refused.detail.contains("wrong"), "{}", refused.detail);
    assert_eq!(server.passwords_heard(), 2, "it is sent once");
    let nobody = by_password(&server, "nobody-here", password);
    assert_eq!(
        reason(nobody.fetch(&server.url("/small")).await),
        Reason::LoginRefused
    );
}

#[tokio::test]
async fn hc102_no_password_is_told_to_a_server_whose_key_changed() {
    let mut server = match SshServer::start_with_password(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let (user, password) = server.login_by_password().unwrap();
    let visitor = by_password(&server, user, password);
    here(visitor.fetch(&server.url("/small")).await);
    visitor.sftp.close_idle();
    server.change_key(&["-t", "ed25519"], "").unwrap();
    let changed = visitor.fetch(&server.url("/small")).await;
    assert_eq!(reason(changed), Reason::HostKeyChanged);
    assert_eq!(server.passwords_heard(), 0);
}

fn by_password(server: &SshServer, user: &str, password: &str) -> Visitor {
    let login = ServerLogin {
        user: user.to_owned(),
        password: Some(password.to_owned()),
        key_file: None,
    };
    let choice = Choice {
        login: Some(login),
        ..Choice::default()
    };
    Visitor::new(&format!("sftp://{}", server.address()), choice)
}
