//! Files that change, break, lie about their length or never end.

use super::server::{Command, Server, Visit, bytes, fetch, ftp, hasty, reason};
use crate::script::here;
use gleaner_model::Reason;
use gleaner_units::{Answer, Ask, FilterVerdict, HeadFilter, Headers, Refusal, Unit};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// 100 kB that repeat nowhere.
fn large() -> Vec<u8> {
    (0..25_000u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
        .collect()
}

/// Sends the first half, then lets both connections go.
async fn half(visit: &mut Visit, command: &Command) {
    let file = visit.file(&command.argument).unwrap();
    let rest = &file.bytes[visit.rest..];
    visit.say("150 here it comes").await;
    let mut data = visit.plain_data().await;
    data.write_all(&rest[..rest.len() / 2]).await.unwrap();
    data.shutdown().await.unwrap();
    visit.hang_up();
}

#[tokio::test]
async fn a_file_comes_with_what_is_known_of_it() {
    let server = Server::with("NEVER", async |_, _| ()).await;
    server.put("/pub/a b", &large());
    let exchange = here(fetch(&ftp(), server.url("/pub/a%20b")).await);
    assert_eq!((exchange.status, exchange.protocol), (226, "ftp"));
    assert_eq!(exchange.headers.get("content-length"), Some("100000"));
    assert_eq!(
        exchange.headers.get("last-modified"),
        Some("Thu, 02 Jan 2020 03:04:05 GMT")
    );
    assert!(exchange.request_head.is_empty() && exchange.response_head.is_empty());
    assert_eq!(exchange.body.len(), 100_000);
    assert!(exchange.wire_bytes > 100_000);
    server.put("/empty", b"");
    assert_eq!(bytes(fetch(&ftp(), server.url("/empty")).await), b"");
}

#[tokio::test]
async fn hc097_sizes_that_disagree_twice_are_a_mismatch() {
    let server = Server::with("SIZE", async |visit, _| visit.say("213 100").await).await;
    server.put("/a", &[b'x'; 80]);
    assert_eq!(
        reason(fetch(&ftp(), server.url("/a")).await),
        Reason::SizeMismatch
    );
    assert_eq!(server.count("RETR"), 2);
    // A size that is none is not known, and the end of the data proves it.
    for said in [
        "213 -1",
        "213 18446744073709551616",
        "213 many",
        "550 not in this mode",
    ] {
        let server = Server::with("SIZE", async move |visit, _| visit.say(said).await).await;
        server.put("/a", &[b'x'; 80]);
        assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await).len(), 80, "{said}");
    }
}

#[tokio::test]
async fn hc098_silence_has_an_end() {
    let nothing = Server::with("RETR", async |visit, _| {
        visit.say("150 soon").await;
        let _open = visit.plain_data().await;
        visit.command().await;
    })
    .await;
    nothing.put("/a", b"x");
    assert_eq!(
        reason(fetch(&hasty(), nothing.url("/a")).await),
        Reason::FirstByteTimeout
    );
}

#[tokio::test]
async fn hc098_without_the_last_word_only_the_size_proves_anything() {
    let start = |has_size: bool| {
        Server::start(move |mut visit| async move {
            visit.say("220 hello").await;
            while let Some(command) = visit.command().await {
                match command.verb.as_str() {
                    "SIZE" if !has_size => visit.say("500 what?").await,
                    "RETR" => {
                        visit.say("150 now").await;
                        visit.plain_data().await.write_all(b"all of it").await.unwrap();
                    }
                    _ => visit.usual(&command).await,
                }
            }
        })
    };
    let server = start(false).await;
    server.put("/a", b"all of it");
    assert_eq!(
        reason(fetch(&hasty(), server.url("/a")).await),
        Reason::SilenceTimeout
    );
    let server = start(true).await;
    server.put("/a", b"all of it");
    assert_eq!(bytes(fetch(&hasty(), server.url("/a")).await), b"all of it");
}

#[tokio::test]
async fn hc098_the_last_word_may_come_first() {
    let server = Server::with("RETR", async |visit, command| {
        let file = visit.file(&command.argument).unwrap();
        visit.say("150 now\r\n226 done already").await;
        let mut data = visit.plain_data().await;
        for piece in file.bytes.chunks(9000) {
            tokio::task::yield_now().await;
            data.write_all(piece).await.unwrap();
        }
    })
    .await;
    server.put("/a", &large());
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), large());
}

#[tokio::test]
async fn hc100_a_broken_transfer_goes_on_where_it_broke() {
    let server = Server::with("RETR", async |visit, command| match visit.number {
        0 => half(visit, command).await,
        _ => visit.usual(command).await,
    })
    .await;
    server.put("/a", &large());
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), large());
    assert!(
        server.log().contains(&"REST 45904".to_owned()),
        "{:?}",
        server.log()
    );
}

#[tokio::test]
async fn hc100_a_file_that_was_replaced_is_read_whole_again() {
    let server = Server::with("RETR", async |visit, command| {
        if visit.number > 0 {
            return visit.usual(command).await;
        }
        half(visit, command).await;
        let mut files = visit.files.lock().unwrap();
        let file = files.get_mut("/a").unwrap();
        file.bytes.reverse();
        file.modified = "20200102030406";
    })
    .await;
    server.put("/a", &large());
    let mut expected = large();
    expected.reverse();
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), expected);
    assert_eq!(server.count("REST"), 0);
}

#[tokio::test]
async fn hc100_two_halves_are_never_joined_unless_they_overlap() {
    // The time is kept and the content is not; only the overlap tells.
    let server = Server::with("RETR", async |visit, command| {
        if visit.number > 0 {
            return visit.usual(command).await;
        }
        half(visit, command).await;
        visit.files.lock().unwrap().get_mut("/a").unwrap().bytes.reverse();
    })
    .await;
    server.put("/a", &large());
    let mut expected = large();
    expected.reverse();
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), expected);
    assert_eq!(server.count("REST"), 1);
}

#[tokio::test]
async fn hc100_a_server_that_cannot_resume_sends_it_whole_again() {
    for said in ["502 not here", "350 of course"] {
        let server = Server::start(move |mut visit| async move {
            visit.say("220 hello").await;
            while let Some(command) = visit.command().await {
                match command.verb.as_str() {
                    "REST" => visit.say(said).await,
                    "RETR" if visit.number == 0 => half(&mut visit, &command).await,
                    _ => visit.usual(&command).await,
                }
            }
        })
        .await;
        server.put("/a", &large());
        assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), large(), "{said}");
    }
}

#[tokio::test]
async fn hc100_a_transfer_that_always_breaks_is_given_up() {
    let server = Server::with("RETR", async |visit, command| half(visit, command).await).await;
    server.put("/a", b"short");
    assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), Reason::Closed);
    assert_eq!(server.count("RETR"), 6);
}

#[tokio::test]
async fn hc100_a_file_that_is_written_all_the_time_is_not_kept() {
    let server = Server::with("RETR", async |visit, command| {
        visit.usual(command).await;
        let mut files = visit.files.lock().unwrap();
        let file = files.get_mut("/a").unwrap();
        file.modified = if file.bytes.len() == 3 {
            "20200102030407"
        } else {
            "20200102030408"
        };
        file.bytes.push(b'x');
    })
    .await;
    server.put("/a", b"abc");
    assert_eq!(
        reason(fetch(&ftp(), server.url("/a")).await),
        Reason::ChangedWhileRead
    );
    assert_eq!(server.count("RETR"), 2);
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    let server = Server::with("NEVER", async |_, _| ()).await;
    server.put("/a", &large());
    let ask = Ask {
        body_bytes_max: 99_999,
        ..Ask::of(server.url("/a"))
    };
    assert_eq!(reason(ftp().fetch(&ask).await.unwrap()), Reason::BodyTooLarge);
    assert_eq!(server.count("RETR"), 0);
    let server = Server::with("SIZE", async |visit, _| visit.say("500 what?").await).await;
    server.put("/a", &large());
    let ask = Ask {
        body_bytes_max: 99_999,
        ..Ask::of(server.url("/a"))
    };
    assert_eq!(reason(ftp().fetch(&ask).await.unwrap()), Reason::BodyTooLarge);
}

struct NoNumbers;

impl HeadFilter for NoNumbers {
    fn head(&self, status: u16, headers: &Headers) -> FilterVerdict {
        assert_eq!((status, headers.get("content-length")), (226, Some("100000")));
        FilterVerdict::Go
    }

    fn opening(&self, _: u16, _: &Headers, opening: &[u8]) -> FilterVerdict {
        assert_eq!(opening, &large()[..1024]);
        FilterVerdict::Stop(Refusal {
            reason: Reason::UnwantedType,
            detail: "numbers".into(),
        })
    }
}

#[tokio::test]
async fn the_filter_sees_the_opening() {
    let server = Server::with("NEVER", async |_, _| ()).await;
    server.put("/a", &large());
    let ask = Ask {
        filter: Some(Arc::new(NoNumbers)),
        ..Ask::of(server.url("/a"))
    };
    let Answer::Refused(exchange, refusal) = ftp().fetch(&ask).await.unwrap() else {
        panic!("refused");
    };
    assert_eq!((refusal.reason, exchange.truncated), (Reason::UnwantedType, true));
}

/// A server without SIZE that lists `/pub/a` with 80 bytes and sends so many of it, as if that were all.
async fn without_size(sent: usize) -> Server {
    let server = Server::start(move |mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "FEAT" => visit.say("211-these\r\n REST STREAM\r\n211 end").await,
                "SIZE" | "MDTM" => visit.say("500 what?").await,
                "LIST" => visit.give(b"-rw-r--r-- 1 u g 80 Jan  2  2020 a\r\n").await,
                "RETR" => visit.give(&[b'x'; 80][..sent]).await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/pub/a", b"");
    server
}

#[tokio::test]
async fn case03_what_is_shorter_than_listed_is_not_whole() {
    let server = without_size(40).await;
    assert_eq!(
        reason(fetch(&ftp(), server.url("/pub/a")).await),
        Reason::SizeMismatch
    );
    assert_eq!(server.count("RETR"), 2, "asked once more");
    let server = without_size(80).await;
    let unit = ftp();
    for _ in 0..3 {
        assert_eq!(bytes(fetch(&unit, server.url("/pub/a")).await).len(), 80);
    }
    assert_eq!(server.count("LIST"), 1, "one listing of a folder is enough");
}

#[tokio::test]
async fn case03_a_file_that_changed_since_it_was_listed_is_whole() {
    let server = without_size(80).await;
    for (listed, listings) in [(Some(80), 0), (Some(123), 1), (Some(7), 2)] {
        let ask = Ask {
            listed_bytes: listed,
            ..Ask::of(server.url("/pub/a"))
        };
        assert_eq!(bytes(ftp().fetch(&ask).await.unwrap()).len(), 80, "{listed:?}");
        assert_eq!(server.count("LIST"), listings, "{listed:?}");
    }
}
