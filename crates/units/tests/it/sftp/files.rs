//! Files that are refused, too large, moved, or cut off in the middle.

use super::server::{A_FILE, A_FOLDER, Door, EOF, FSTAT, FakeServer, READ, STAT, Talk};
use super::{Visitor, bytes_of, here, reason};
use gleaner_model::{Reason, Url};
use gleaner_units::{Answer, Ask, FilterVerdict, HeadFilter, Headers, Refusal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Byte `at` of every file.
fn byte(at: u64) -> u8 {
    (at / 251) as u8
}

/// Serves a file of `size` bytes until `reads` of them were answered, then hangs up.
async fn serve(talk: &mut Talk, size: u64, reads: usize) {
    let mut left = reads;
    while let Some(request) = talk.request().await {
        if talk.usual(&request, A_FILE, size).await {
            continue;
        }
        if left == 0 {
            return;
        }
        left -= 1;
        let (offset, bytes) = request.range();
        let end = size.min(offset + u64::from(bytes));
        if offset >= size {
            talk.status(request.id, EOF).await;
        } else {
            let data: Vec<u8> = (offset..end).map(byte).collect();
            talk.data(request.id, &data).await;
        }
    }
}

#[tokio::test]
async fn a_cut_file_is_gone_on_with_where_it_stopped() {
    const SIZE: u64 = 3_000_000;
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        let reads = if talk.number < 3 { 20 } else { usize::MAX };
        serve(&mut talk, SIZE, reads).await;
    })
    .await;
    let exchange = here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(bytes_of(&exchange), (0..SIZE).map(byte).collect::<Vec<u8>>());
    assert_eq!(server.connections(), 4);
    // What was there already did not come again, but for what was under way.
    assert!(exchange.wire_bytes < SIZE + SIZE / 2, "{}", exchange.wire_bytes);
}

#[tokio::test]
async fn a_file_that_changed_between_two_connections_is_read_anew() {
    // On every connection the file is of another time and has other bytes; the first one is cut.
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        let number = talk.number as u8;
        let mut reads = 0;
        while let Some(request) = talk.request().await {
            match request.kind {
                STAT | FSTAT => {
                    talk.attributes(request.id, A_FILE, 500_000, u32::from(number))
                        .await;
                    continue;
                }
                READ => {}
                _ => {
                    talk.usual(&request, A_FILE, 0).await;
                    continue;
                }
            }
            reads += 1;
            if number == 0 && reads > 5 {
                return;
            }
            match request.range() {
                (500_000, _) => talk.status(request.id, EOF).await,
                (_, bytes) => talk.data(request.id, &vec![number; bytes as usize]).await,
            }
        }
    })
    .await;
    let exchange = here(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(bytes_of(&exchange), vec![1; 500_000], "old and new are not mixed");
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_file_that_is_always_cut_is_given_up() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        serve(&mut talk, 3_000_000, 2).await;
    })
    .await;
    let told = reason(Visitor::to(server.address).fetch(&server.url("/a")).await);
    assert_eq!(told, Reason::Closed);
    assert_eq!(server.connections(), 6);
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        serve(&mut talk, 100_000, usize::MAX).await;
    })
    .await;
    let visitor = Visitor::to(server.address);
    for _ in 0..5 {
        here(visitor.fetch(&server.url("/a")).await);
    }
    assert_eq!(server.connections(), 1);
    visitor.sftp.close_idle();
    here(visitor.fetch(&server.url("/a")).await);
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_folder_has_another_address_than_a_file() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        while let Some(request) = talk.request().await {
            assert_eq!(request.kind, STAT);
            let mode = match request.rest.ends_with(b"folder") {
                true => A_FOLDER,
                false if request.rest.ends_with(b"pipe") => 0o010_644,
                false => A_FILE,
            };
            talk.attributes(request.id, mode, 5, 5).await;
        }
    })
    .await;
    let visitor = Visitor::to(server.address);
    for (asked, target) in [("/a/folder", "/a/folder/"), ("/a/file/", "/a/file")] {
        match visitor.fetch(&server.url(asked)).await {
            Answer::Moved(_, redirect) => {
                assert_eq!(redirect.target, Url::parse(&server.url(target)));
            }
            other => panic!("{other:?}"),
        }
    }
    for path in ["/a/folder/", "/a/pipe"] {
        assert_eq!(
            reason(visitor.fetch(&server.url(path)).await),
            Reason::UnwantedType
        );
    }
    assert_eq!(
        reason(visitor.fetch(&server.url("/a%2Fb")).await),
        Reason::NoSuchFile
    );
}

/// Stops what it is told to, and notes what it saw.
#[derive(Default)]
struct Picky {
    stops_at_head: bool,
    stops_at_opening: bool,
    opening_bytes: AtomicUsize,
    length: Mutex<Option<String>>,
}

fn verdict(stops: bool) -> FilterVerdict {
    if stops {
        FilterVerdict::Stop(Refusal {
            reason: Reason::UnwantedType,
            detail: "not wanted".to_owned(),
        })
    } else {
        FilterVerdict::Go
    }
}

impl HeadFilter for Picky {
    fn head(&self, status: u16, headers: &Headers) -> FilterVerdict {
        assert_eq!(status, 200);
        *self.length.lock().unwrap() = headers.get("content-length").map(str::to_owned);
        verdict(self.stops_at_head)
    }

    fn opening(&self, _: u16, _: &Headers, opening: &[u8]) -> FilterVerdict {
        self.opening_bytes.store(opening.len(), Ordering::SeqCst);
        verdict(self.stops_at_opening)
    }
}

#[tokio::test]
async fn a_filter_is_asked_before_more_is_read() {
    const SIZE: u64 = 5_000_000;
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        serve(&mut talk, SIZE, usize::MAX).await;
    })
    .await;
    let visitor = Visitor::to(server.address);
    let ask = |filter: &Arc<Picky>| Ask {
        filter: Some(Arc::clone(filter) as Arc<dyn HeadFilter>),
        ..Ask::of(Url::parse(&server.url("/a")).unwrap())
    };
    let at_head = Arc::new(Picky {
        stops_at_head: true,
        ..Picky::default()
    });
    let at_opening = Arc::new(Picky {
        stops_at_opening: true,
        ..Picky::default()
    });
    for filter in [&at_head, &at_opening] {
        match visitor.ask(ask(filter)).await {
            Answer::Refused(exchange, refusal) => {
                assert_eq!(refusal.reason, Reason::UnwantedType);
                assert!(exchange.wire_bytes < 200_000, "{}", exchange.wire_bytes);
                assert!(exchange.truncated && exchange.body.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(at_head.length.lock().unwrap().as_deref(), Some("5000000"));
    assert_eq!(at_opening.opening_bytes.load(Ordering::SeqCst), 1024);
    let content = Arc::new(Picky::default());
    assert_eq!(here(visitor.ask(ask(&content)).await).body.len(), SIZE);
    assert_eq!(server.connections(), 1, "a refusal spoils no connection");
}

#[tokio::test]
async fn a_file_over_its_limit_is_not_read() {
    let server = FakeServer::start(Door::Open, |mut talk| async move {
        serve(&mut talk, 2000, usize::MAX).await;
    })
    .await;
    let visitor = Visitor::to(server.address);
    let ask = |body_bytes_max| Ask {
        body_bytes_max,
        ..Ask::of(Url::parse(&server.url("/a")).unwrap())
    };
    assert_eq!(reason(visitor.ask(ask(1999)).await), Reason::BodyTooLarge);
    here(visitor.ask(ask(2000)).await);
}
