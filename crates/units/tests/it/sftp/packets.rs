//! Replies that are none, listings without end, files that do not come (HC103–HC105).

use super::server::{
    A_FILE, A_FOLDER, CLOSE, Door, EOF, FAILURE, FSTAT, FakeServer, NO_SUCH_FILE, OPENDIR, PERMISSION_DENIED,
    READ, READDIR, STAT, Talk, string,
};
use super::{Choice, Visitor, bytes_of, here, listing_reason, name_of, reason, unclear};
use gleaner_model::Reason;
use gleaner_units::net::Timeouts;
use gleaner_units::{Answer, EntryKind, ListingEnd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// Replies to the first request with `play`, and tells when the client has gone.
async fn answering(play: fn(u32) -> Vec<u8>) -> (FakeServer, Arc<Notify>) {
    let gone = Arc::new(Notify::new());
    let left = Arc::clone(&gone);
    let server = FakeServer::start(Door::Open, move |mut talk: Talk| {
        let left = Arc::clone(&left);
        async move {
            let request = talk.request().await.unwrap();
            talk.raw(&play(request.id)).await;
            while talk.request().await.is_some() {}
            left.notify_one();
        }
    })
    .await;
    (server, gone)
}

fn packet(kind: u8, id: u32, rest: &[u8]) -> Vec<u8> {
    let length = (rest.len() + 5) as u32;
    [&length.to_be_bytes()[..], &[kind], &id.to_be_bytes(), rest].concat()
}

#[tokio::test]
async fn hc103_a_reply_that_makes_no_sense_ends_the_connection() {
    type Make = fn(u32) -> Vec<u8>;
    let cases: [(&str, Make); 9] = [
        ("packet of 4 GiB", |_| {
            [u32::MAX.to_be_bytes(), [105, 0, 0, 0]].concat()
        }),
        ("packet of nothing", |_| vec![0; 4]),
        ("packet without an id", |_| vec![0, 0, 0, 2, 101, 0]),
        ("string beyond the packet", |id| {
            packet(102, id, &[0xff, 0xff, 0xff, 0xff, b'h'])
        }),
        ("message beyond the packet", |id| {
            packet(101, id, &[0, 0, 0, 2, 0, 0, 1, 0, b'm'])
        }),
        ("reply to another request", |id| {
            packet(105, id + 7, &[0, 0, 0, 0])
        }),
        ("unknown kind", |id| packet(200, id, &[])),
        ("data in place of attributes", |id| packet(103, id, &string(b"x"))),
        ("all is well, and no more", |id| packet(101, id, &[0; 12])),
    ];
    for (what, make) in cases {
        let (server, gone) = answering(make).await;
        let visitor = Visitor::to(server.address);
        let told = unclear(visitor.fetch(&server.url("/a")).await);
        assert_eq!(told.reason, Reason::BadReply, "{what}: {told:?}");
        gone.notified().await;
        let (listed, _) = visitor.list(&server.url("/a/")).await;
        assert_eq!(listing_reason(listed), Reason::BadReply, "{what}");
    }
}

#[tokio::test]
async fn hc103_a_reply_that_nobody_waits_for_ends_the_connection() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        while let Some(request) = talk.request().await {
            if request.kind == CLOSE {
                talk.status(request.id, 0).await;
                talk.status(request.id, 0).await;
            } else if !talk.usual(&request, A_FILE, 0).await {
                talk.status(request.id, EOF).await;
            }
        }
    })
    .await;
    let visitor = Visitor::to(server.address);
    here(visitor.fetch(&server.url("/a")).await);
    // Either it came in time to spoil the connection, or it spoils the next ask.
    match visitor.fetch(&server.url("/b")).await {
        Answer::Here(_) => assert_eq!(server.connections(), 2),
        other => assert_eq!(reason(other), Reason::BadReply),
    }
}

#[tokio::test]
async fn hc104_names_are_data() {
    let names: Vec<(&'static [u8], u32)> = vec![
        (b".", A_FOLDER),
        (b"..", A_FOLDER),
        (b"good", A_FILE),
        (b"", A_FILE),
        (b"../../etc/passwd", A_FILE),
        (b"/etc/passwd", A_FILE),
        (b"nul\0byte", A_FILE),
        (b"\x1b[31mred\x07\r\n", A_FILE),
        (b"folder", A_FOLDER),
        (b"good", A_FILE),
        (b"link", 0o120_777),
        (b"pipe", 0o010_644),
        (b"\xff\xfe", A_FILE),
    ];
    let server = FakeServer::start(Door::Open, move |mut talk| {
        let names = names.clone();
        async move {
            let mut is_first = true;
            while let Some(request) = talk.request().await {
                if talk.usual(&request, A_FOLDER, 0).await {
                    continue;
                }
                assert_eq!(request.kind, READDIR);
                if std::mem::take(&mut is_first) {
                    talk.names(request.id, &names).await;
                } else {
                    talk.status(request.id, EOF).await;
                }
            }
        }
    })
    .await;
    let (listed, entries) = Visitor::to(server.address).list(&server.url("/in/")).await;
    let found: Vec<(Vec<u8>, EntryKind)> = entries.iter().map(|entry| (name_of(entry), entry.kind)).collect();
    let expected: Vec<(Vec<u8>, EntryKind)> = vec![
        (b"good".to_vec(), EntryKind::File),
        (b"\x1b[31mred\x07\r\n".to_vec(), EntryKind::File),
        (b"folder".to_vec(), EntryKind::Folder),
        (b"link".to_vec(), EntryKind::Link),
        (b"pipe".to_vec(), EntryKind::Other),
        (b"\xff\xfe".to_vec(), EntryKind::File),
    ];
    assert_eq!(found, expected);
    assert!(entries.iter().all(|entry| entry.url.path().starts_with("/in/")));
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
}

#[tokio::test]
async fn hc104_a_folder_without_end_is_cut() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        // Fifteen thousand times the same name, without attributes.
        let count = 15_000u32.to_be_bytes().to_vec();
        let name = [string(b"a"), string(b""), vec![0; 4]].concat();
        let many = [count, name.repeat(15_000)].concat();
        while let Some(request) = talk.request().await {
            if !talk.usual(&request, A_FOLDER, 0).await {
                talk.send(104, request.id, &many).await;
            }
        }
    })
    .await;
    let visitor = Visitor::to(server.address);
    let (listed, entries) = visitor.list(&server.url("/")).await;
    let ListingEnd::Part { detail } = listed else {
        panic!("{listed:?}");
    };
    assert!(detail.contains("1000000"), "{detail}");
    assert_eq!(entries.len(), 1);

    // Replies without names are no end either.
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        while let Some(request) = talk.request().await {
            if !talk.usual(&request, A_FOLDER, 0).await {
                talk.names(request.id, &[]).await;
            }
        }
    })
    .await;
    let (listed, _) = Visitor::to(server.address).list(&server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
}

#[tokio::test]
async fn hc104_a_folder_that_comes_drop_by_drop_has_its_time() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        let mut number = 0u32;
        while let Some(request) = talk.request().await {
            if !talk.usual(&request, A_FOLDER, 0).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
                number += 1;
                talk.names(request.id, &[(number.to_string().as_bytes(), A_FILE)])
                    .await;
            }
        }
    })
    .await;
    let choice = Choice {
        timeouts: Timeouts {
            fetch: Duration::from_millis(1500),
            ..Choice::default().timeouts
        },
        ..Choice::default()
    };
    let visitor = Visitor::new(&server.origin(), choice);
    let (listed, entries) = visitor.list(&server.url("/")).await;
    assert_eq!(listing_reason(listed), Reason::FetchTimeout);
    assert!(!entries.is_empty());
}

#[tokio::test]
async fn what_a_folder_is_not_is_told_apart() {
    // What opening the folder says, what asking for it says, and what that means.
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        while let Some(request) = talk.request().await {
            let path = String::from_utf8_lossy(&request.rest).into_owned();
            let (open, stat) = match &path {
                path if path.contains("gone") => (NO_SUCH_FILE, Err(NO_SUCH_FILE)),
                path if path.contains("denied") => (PERMISSION_DENIED, Ok(A_FOLDER)),
                path if path.contains("file") => (FAILURE, Ok(A_FILE)),
                path if path.contains("liar") => (NO_SUCH_FILE, Ok(A_FOLDER)),
                _ => (FAILURE, Err(FAILURE)),
            };
            match request.kind {
                OPENDIR => talk.status(request.id, open).await,
                STAT => match stat {
                    Ok(mode) => talk.attributes(request.id, mode, 0, 0).await,
                    Err(code) => talk.status(request.id, code).await,
                },
                other => panic!("request {other}"),
            }
        }
    })
    .await;
    let visitor = Visitor::to(server.address);
    let listed = async |path: &str| visitor.list(&server.url(path)).await.0;
    assert!(matches!(listed("/gone/").await, ListingEnd::Gone));
    assert!(matches!(listed("/file/").await, ListingEnd::File));
    for path in ["/denied/", "/liar/", "/broken/"] {
        assert_eq!(listing_reason(listed(path).await), Reason::AccessDenied, "{path}");
    }
    assert!(matches!(
        visitor.fetch(&server.url("/gone")).await,
        Answer::Gone(_)
    ));
    assert_eq!(
        reason(visitor.fetch(&server.url("/broken")).await),
        Reason::AccessDenied
    );
    assert_eq!(server.connections(), 1, "a refusal spoils no connection");
}

/// Serves a file of `size` bytes whose reads are answered by `play`.
async fn reading<F>(size: u64, play: F) -> FakeServer
where
    F: Fn(u64, u32) -> Option<Vec<u8>> + Clone + Send + Sync + 'static,
{
    FakeServer::start(Door::Open, move |mut talk| {
        let play = play.clone();
        async move {
            while let Some(request) = talk.request().await {
                if talk.usual(&request, A_FILE, size).await {
                    continue;
                }
                assert_eq!(request.kind, READ);
                let (offset, bytes) = request.range();
                match play(offset, bytes) {
                    Some(data) => talk.data(request.id, &data).await,
                    None => talk.status(request.id, EOF).await,
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn hc105_reads_that_give_nothing_or_ever_less_do_not_go_on() {
    const SIZE: u64 = 1024 * 1024;
    let nothing = reading(SIZE, |_, _| Some(Vec::new())).await;
    let fewer = reading(SIZE, |_, bytes| Some(vec![7; bytes as usize / 2])).await;
    let drops = reading(SIZE, |_, _| Some(vec![7; 1])).await;
    let early_end = reading(SIZE, |offset, bytes| {
        (offset < 100_000).then(|| vec![7; bytes as usize])
    })
    .await;
    for (server, what) in [
        (nothing, "nothing"),
        (fewer, "fewer"),
        (drops, "drops"),
        (early_end, "early end"),
    ] {
        let told = unclear(Visitor::to(server.address).fetch(&server.url("/a")).await);
        assert_eq!(told.reason, Reason::Truncated, "{what}: {told:?}");
    }

    let more = reading(10, |_, bytes| Some(vec![7; bytes as usize])).await;
    let told = reason(Visitor::to(more.address).fetch(&more.url("/a")).await);
    assert_eq!(told, Reason::SizeMismatch);
    let too_much = reading(10, |_, bytes| Some(vec![7; bytes as usize + 1])).await;
    let told = reason(Visitor::to(too_much.address).fetch(&too_much.url("/a")).await);
    assert_eq!(told, Reason::BadReply);
}

#[tokio::test]
async fn short_reads_are_put_together() {
    let truth: Vec<u8> = (0..200_000u32).map(|at| (at / 7) as u8).collect();
    let file = truth.clone();
    let server = reading(truth.len() as u64, move |offset, bytes| {
        let from = &file[(offset as usize).min(file.len())..];
        let some = from.len().min(bytes as usize).min(5000);
        (some > 0).then(|| from[..some].to_vec())
    })
    .await;
    let exchange = here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(bytes_of(&exchange), truth);
}

#[tokio::test]
async fn replies_in_any_order_make_the_same_file() {
    let truth: Vec<u8> = (0..300_000u32).map(|at| (at / 11) as u8).collect();
    let file = truth.clone();
    let server = FakeServer::start(Door::Open, move |mut talk| {
        let file = file.clone();
        async move {
            let mut held: Option<(u32, Vec<u8>)> = None;
            while let Some(request) = talk.request().await {
                if talk.usual(&request, A_FILE, file.len() as u64).await {
                    continue;
                }
                let (offset, bytes) = request.range();
                let from = (offset as usize).min(file.len());
                let to = (from + bytes as usize).min(file.len());
                // Two by two the other way round; the client has at least two under way until the end.
                if let Some((id, data)) = held.take() {
                    if from == to {
                        talk.status(request.id, EOF).await;
                    } else {
                        talk.data(request.id, &file[from..to]).await;
                    }
                    talk.data(id, &data).await;
                } else if from == to {
                    talk.status(request.id, EOF).await;
                } else if offset == 0 || to < file.len() {
                    held = Some((request.id, file[from..to].to_vec()));
                } else {
                    talk.data(request.id, &file[from..to]).await;
                }
            }
        }
    })
    .await;
    let exchange = here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(bytes_of(&exchange), truth);
}

/// Serves five bytes that are of another time at each of the first looks.
async fn restless(changes: usize) -> FakeServer {
    let looks = Arc::new(AtomicUsize::new(0));
    FakeServer::start(Door::Open, move |mut talk| {
        let looks = Arc::clone(&looks);
        async move {
            while let Some(request) = talk.request().await {
                match request.kind {
                    STAT | FSTAT => {
                        let time = looks.fetch_add(1, Ordering::SeqCst).min(changes) as u32;
                        talk.attributes(request.id, A_FILE, 5, time).await;
                    }
                    READ if request.range().0 == 0 => talk.data(request.id, b"hello").await,
                    READ => talk.status(request.id, EOF).await,
                    _ => {
                        talk.usual(&request, A_FILE, 5).await;
                    }
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_file_written_while_it_is_read_is_read_once_more() {
    let server = restless(1).await;
    let exchange = here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(bytes_of(&exchange), b"hello");
    assert_eq!(
        exchange.headers.get("last-modified"),
        Some("Thu, 01 Jan 1970 00:00:01 GMT")
    );

    let server = restless(usize::MAX).await;
    let told = reason(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(told, Reason::ChangedWhileRead);
}

#[tokio::test]
async fn silence_in_the_middle_is_noticed() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        while let Some(request) = talk.request().await {
            if talk.usual(&request, A_FILE, 100_000).await {
                continue;
            }
            if request.range().0 == 0 {
                talk.data(request.id, &[7; 1000]).await;
            }
        }
    })
    .await;
    let choice = Choice {
        timeouts: Timeouts {
            silence: Duration::from_millis(500),
            ..Choice::default().timeouts
        },
        ..Choice::default()
    };
    let visitor = Visitor::new(&server.origin(), choice);
    assert_eq!(
        reason(visitor.fetch(&server.url("/a")).await),
        Reason::SilenceTimeout
    );
}
