//! Who stands there, and what is told to them: host keys and logins.

use super::server::{A_FILE, Door, FakeServer, READ, Talk};
use super::{AMPLE, Choice, Visitor, bytes_of, here, reason, unclear};
use gleaner_model::Reason;
use gleaner_units::UnknownKey;
use gleaner_units::net::{ServerLogin, Timeouts};
use russh::Limits;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Short enough to wait for.
const SHORT: Duration = Duration::from_millis(300);

/// Every file holds five bytes.
async fn hello(mut talk: Talk) {
    while let Some(request) = talk.request().await {
        if talk.usual(&request, A_FILE, 5).await {
            continue;
        }
        assert_eq!(request.kind, READ);
        match request.range().0 {
            0 => talk.data(request.id, b"hello").await,
            _ => talk.status(request.id, super::server::EOF).await,
        }
    }
}

#[tokio::test]
async fn hc102_an_unknown_key_is_refused_before_anything_is_said() {
    let server = FakeServer::start(Door::Password("secret"), hello).await;
    let choice = Choice {
        unknown: UnknownKey::Refuse,
        ..Choice::with_password("secret")
    };
    let visitor = Visitor::new(&server.origin(), choice);
    let refused = unclear(visitor.fetch(&server.url("/a")).await);
    assert_eq!(refused.reason, Reason::HostKeyUnknown);
    assert!(refused.detail.contains("SHA256:"), "{}", refused.detail);
    assert_eq!(server.secrets(), [""; 0]);
    assert!(!visitor.known_hosts().exists());
}

#[tokio::test]
async fn hc102_a_key_is_pinned_at_first_and_must_stay() {
    let server = FakeServer::start(Door::Password("secret"), hello).await;
    let visitor = Visitor::new(&server.origin(), Choice::with_password("secret"));
    assert_eq!(bytes_of(&here(visitor.fetch(&server.url("/a")).await)), b"hello");
    let pinned = std::fs::read_to_string(visitor.known_hosts()).unwrap();
    let name = format!("[127.0.0.1]:{} ssh-ed25519 ", server.address.port());
    assert!(
        pinned.starts_with(&name) && pinned.lines().count() == 1,
        "{pinned}"
    );

    visitor.sftp.close_idle();
    here(visitor.fetch(&server.url("/a")).await);
    assert_eq!(std::fs::read_to_string(visitor.known_hosts()).unwrap(), pinned);
    assert_eq!(server.secrets().len(), 2);

    visitor.sftp.close_idle();
    server.change_key();
    let changed = unclear(visitor.fetch(&server.url("/a")).await);
    assert_eq!(changed.reason, Reason::HostKeyChanged);
    assert_eq!(changed.detail.matches("SHA256:").count(), 2, "{}", changed.detail);
    assert_eq!(
        server.secrets().len(),
        2,
        "no password before the key is accepted"
    );
    assert_eq!(std::fs::read_to_string(visitor.known_hosts()).unwrap(), pinned);
}

#[tokio::test]
async fn hc102_a_file_of_keys_that_cannot_be_used_lets_nobody_in() {
    let server = FakeServer::start(Door::Open, hello).await;
    let visitor = Visitor::to(server.address);
    std::fs::create_dir(visitor.known_hosts()).unwrap();
    let refused = unclear(visitor.fetch(&server.url("/a")).await);
    assert_eq!(refused.reason, Reason::HostKeyUnknown);
    assert!(refused.detail.contains("known_hosts"), "{}", refused.detail);
}

#[tokio::test]
async fn without_a_login_we_are_anonymous() {
    for door in [Door::Open, Door::Password("")] {
        let server = FakeServer::start(door, hello).await;
        here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    }
}

#[tokio::test]
async fn hc106_one_question_for_the_password_is_answered_and_no_other() {
    let server = FakeServer::start(Door::Questions(1, "secret"), hello).await;
    let visitor = Visitor::new(&server.origin(), Choice::with_password("secret"));
    here(visitor.fetch(&server.url("/a")).await);
    assert_eq!(server.secrets(), ["secret"]);

    for questions in [2, 100] {
        let server = FakeServer::start(Door::Questions(questions, "secret"), hello).await;
        let visitor = Visitor::new(&server.origin(), Choice::with_password("secret"));
        let answer = visitor.fetch(&server.url("/a")).await;
        assert_eq!(reason(answer), Reason::LoginRefused, "{questions}");
        assert_eq!(server.secrets(), [""; 0]);
    }
    // More questions than russh takes for one.
    let server = FakeServer::start(Door::Questions(1000, "secret"), hello).await;
    let visitor = Visitor::new(&server.origin(), Choice::with_password("secret"));
    let refused = unclear(visitor.fetch(&server.url("/a")).await);
    assert!(
        matches!(
            refused.reason,
            Reason::LoginRefused | Reason::BadReply | Reason::Closed
        ),
        "{refused:?}"
    );
    assert_eq!(server.secrets(), [""; 0]);
}

#[tokio::test]
async fn hc106_methods_that_lead_nowhere_are_tried_once() {
    let server = FakeServer::start(Door::Shut, hello).await;
    let visitor = Visitor::new(&server.origin(), Choice::with_password("secret"));
    let refused = unclear(visitor.fetch(&server.url("/a")).await);
    assert_eq!(refused.reason, Reason::LoginRefused);
    assert!(!refused.detail.contains("secret"), "{}", refused.detail);
    assert_eq!(server.secrets(), ["secret"]);
    assert_eq!(server.connections(), 1);

    // No password was given, so none is sent, whatever is asked for.
    let server = FakeServer::start(Door::Password("secret"), hello).await;
    let login = ServerLogin {
        user: "ann".to_owned(),
        ..ServerLogin::default()
    };
    let choice = Choice {
        login: Some(login),
        ..Choice::default()
    };
    let visitor = Visitor::new(&server.origin(), choice);
    assert_eq!(
        reason(visitor.fetch(&server.url("/a")).await),
        Reason::LoginRefused
    );
    assert_eq!(server.secrets(), [""; 0]);
}

#[tokio::test]
async fn a_key_file_that_cannot_be_used_is_a_refused_login() {
    let server = FakeServer::start(Door::Shut, hello).await;
    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "a passphrase", "-f"])
        .arg(&locked)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return gleaner_fixtures::skip("ssh-keygen is not installed");
    }
    for (file, words) in [
        (locked, "passphrase"),
        (folder.path().join("missing"), "cannot be used"),
    ] {
        let login = ServerLogin {
            user: "ann".to_owned(),
            password: None,
            key_file: Some(file),
        };
        let choice = Choice {
            login: Some(login),
            ..Choice::default()
        };
        let visitor = Visitor::new(&server.origin(), choice);
        let refused = unclear(visitor.fetch(&server.url("/a")).await);
        assert_eq!(refused.reason, Reason::LoginRefused);
        assert!(refused.detail.contains(words), "{}", refused.detail);
    }
}

#[tokio::test]
async fn hc106_a_login_that_is_never_answered_has_its_time() {
    let server = FakeServer::start(Door::Mute, hello).await;
    let choice = Choice {
        timeouts: Timeouts {
            connect: SHORT,
            tls: Duration::from_secs(2),
            ..Timeouts::default()
        },
        ..Choice::with_password("secret")
    };
    let visitor = Visitor::new(&server.origin(), choice);
    let told = unclear(visitor.fetch(&server.url("/a")).await);
    assert_eq!(told.reason, Reason::FirstByteTimeout, "{told:?}");
    assert_eq!(server.secrets(), [""; 0]);
}

/// A server that says `opening` again and again, or once and then nothing.
async fn mumbler(opening: &'static [u8], is_endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let _ = stream.write_all(opening).await;
                while is_endless && stream.write_all(opening).await.is_ok() {}
                let _ = stream.read_to_end(&mut Vec::new()).await;
            });
        }
    });
    format!("sftp://{address}/a")
}

#[tokio::test]
async fn hc106_a_handshake_that_stalls_or_never_begins_has_its_time() {
    let cases: [(&'static [u8], bool, Reason); 4] = [
        (b"", false, Reason::TlsTimeout),
        (b"SSH-2.0-mute\r\n", false, Reason::TlsTimeout),
        (b"welcome, welcome\r\n", true, Reason::BadReply),
        (b"HTTP/1.1 400 Bad Request", true, Reason::BadReply),
    ];
    for (opening, is_endless, expected) in cases {
        let url = mumbler(opening, is_endless).await;
        let choice = Choice {
            timeouts: Timeouts {
                connect: SHORT,
                tls: SHORT,
                ..Timeouts::default()
            },
            ..Choice::default()
        };
        let visitor = Visitor::new("sftp://nowhere.test", choice);
        let told = unclear(visitor.fetch(&url).await);
        assert_eq!(told.reason, expected, "{}: {told:?}", opening.escape_ascii());
    }
}

#[tokio::test]
async fn hc106_constant_rekeying_does_not_go_on_for_ever() {
    let limits = Limits {
        rekey_write_limit: 1,
        rekey_read_limit: 1,
        rekey_time_limit: AMPLE,
    };
    let size = 64 * 1024 * 1024;
    let server = FakeServer::start_with(Door::Open, limits, move |mut talk| async move {
        while let Some(request) = talk.request().await {
            if !talk.usual(&request, A_FILE, size).await {
                talk.data(request.id, &[7; 100]).await;
            }
        }
    })
    .await;
    let told = unclear(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert!(
        matches!(told.reason, Reason::BadReply | Reason::Truncated),
        "{told:?}"
    );
}
