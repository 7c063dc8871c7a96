//! Listings with names that are none, without end, or cut short.

use super::server::{Server, Visit, fetch, ftp, hasty, list, reason};
use gleaner_model::Reason;
use gleaner_units::{EntryKind, ListingEnd};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// A server with MLSD that gives these bytes as the listing of every folder.
async fn listing(bytes: &'static [u8]) -> Server {
    Server::start(move |mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "FEAT" => visit.say("211-\r\n MLST type*;size*;\r\n UTF8\r\n211 end").await,
                "MLSD" => visit.give(bytes).await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn hc093_names_are_data() {
    let server = listing(
        b"type=cdir; .\r\ntype=pdir; ..\r\ntype=file; ..\r\ntype=file; .\r\ntype=file; a/b\r\n\
          type=file; /etc/passwd\r\ntype=file; -la\r\ntype=file;  blank\r\ntype=file; gr\xfcn\r\ntype=file; %2e%2e\r\n\
          type=dir; a b\r\n",
    )
    .await;
    let (listed, entries) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    let paths: Vec<&str> = entries.iter().map(|entry| entry.url.path()).collect();
    assert_eq!(paths, ["/-la", "/%20blank", "/gr%FCn", "/%252e%252e", "/a%20b/"]);
    assert!(server.log().contains(&"OPTS UTF8 ON".to_owned()));
}

#[tokio::test]
async fn hc093_what_would_be_a_second_command_is_never_sent() {
    let server = listing(b"type=file; a\rDELE x\r\ntype=file; nul\0\r\ntype=file; good\r\n").await;
    let unit = ftp();
    let (listed, entries) = list(&unit, server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
    assert_eq!(entries.len(), 1);
    for path in [
        "/a%0D%0ADELE%20x",
        "/a%0ADELE%20x",
        "/%00",
        "/x%0D/",
        "/..%2F..%2Fetc",
    ] {
        assert_eq!(
            reason(fetch(&unit, server.url(path.trim_end_matches('/'))).await),
            Reason::AccessDenied
        );
        let (listed, _) = list(&unit, server.url(path)).await;
        assert!(matches!(listed, ListingEnd::Unclear(_)));
    }
    assert!(!server.log().iter().any(|line| line.contains("DELE")));
}

#[tokio::test]
async fn hc093_a_name_of_ten_kibibytes_is_left_out_and_said_so() {
    let mut long = b"type=file; ".to_vec();
    long.resize(10 * 1024, b'x');
    long.extend_from_slice(b"\r\ntype=file; short\r\n");
    let server = listing(long.leak()).await;
    let (listed, entries) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Part { .. }));
    assert_eq!(entries.len(), 1);
}

#[tokio::test]
async fn hc094_each_name_is_given_once_and_links_are_links() {
    let server = Server::with("LIST", async |visit, _| {
        visit
            .give(
                b"total 3\r\nlrwxrwxrwx 1 a b 7 Mar 4 2001 up -> ..\r\ndrwxr-xr-x 1 a b 7 Mar 4 2001 up\r\n\
                  lrwxrwxrwx 1 a b 7 Mar 4 2001 self -> self\r\n",
            )
            .await;
    })
    .await;
    server.put("/x", b"x");
    let (listed, entries) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry.kind == EntryKind::Link));
    assert_eq!(entries[0].url, server.url("/up"));
}

#[tokio::test]
async fn hc095_a_listing_without_end_is_a_part() {
    let server = Server::start(|mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "FEAT" => visit.say("211-\r\n MLSD\r\n211 end").await,
                "MLSD" => repeat(&mut visit).await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    let (listed, entries) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
    assert_eq!(entries.len(), 1000);
}

/// The same thousand entries for ever.
async fn repeat(visit: &mut Visit) {
    visit.say("150 now").await;
    let mut thousand = Vec::new();
    for number in 0..1000 {
        thousand.extend_from_slice(format!("type=file; f{number}\r\n").as_bytes());
    }
    let mut data = visit.plain_data().await;
    while data.write_all(&thousand).await.is_ok() {}
}

#[tokio::test]
async fn hc095_a_listing_that_breaks_is_a_part() {
    let lines: &[u8] = b"-rw-r--r-- 1 a b 7 Mar 4 2001 one\r\n-rw-r--r-- 1 a b 7 Mar 4 2001 two\r\n-rw-r--";
    for said in ["426 broken", "451 read error", "226 Transfer complete"] {
        let server = Server::with("LIST", async move |visit, _| {
            visit.say("150 now").await;
            visit.plain_data().await.write_all(lines).await.unwrap();
            visit.say(said).await;
        })
        .await;
        server.put("/x", b"x");
        let (listed, entries) = list(&ftp(), server.url("/")).await;
        assert!(matches!(listed, ListingEnd::Part { .. }), "{said}: {listed:?}");
        assert_eq!(entries.len(), 2);
    }
    // The last word never comes.
    let server = Server::with("LIST", async move |visit, _| {
        visit.say("150 now").await;
        visit
            .plain_data()
            .await
            .write_all(b"-rw-r--r-- 1 a b 7 Mar 4 2001 one\r\n")
            .await
            .unwrap();
    })
    .await;
    server.put("/x", b"x");
    let (listed, entries) = list(&hasty(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
    assert_eq!(entries.len(), 1);
}

#[tokio::test]
async fn hc096_where_no_line_can_be_read_names_are_asked_for_one_by_one() {
    let server = Server::start(|mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "LIST" => visit.give(b"file [one] about 7 bytes, last Tuesday\r\n").await,
                "NLST" => visit.give(b"one\r\nsub\r\n").await,
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/one", b"1234567");
    server.put("/sub/x", b"x");
    let (listed, entries) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.url.path(), entry.kind, entry.meta.size))
        .collect();
    assert_eq!(
        told,
        [
            ("/one", EntryKind::File, Some(7)),
            ("/sub/", EntryKind::Folder, None)
        ]
    );
    assert!(entries[0].meta.modified.is_some());
}

#[tokio::test]
async fn a_folder_that_may_not_be_opened_is_not_an_empty_one() {
    let server = Server::with("LIST", async |visit, _| {
        visit.say("150 now").await;
        drop(visit.plain_data().await);
        visit
            .say("226 Transfer done (but failed to open directory).")
            .await;
    })
    .await;
    server.put("/x", b"x");
    let (listed, _) = list(&ftp(), server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Unclear(unclear) if unclear.reason == Reason::AccessDenied));
}

#[tokio::test]
async fn hc096_one_file_tells_how_far_printed_times_lie_behind() {
    let bytes = b"-rw-r--r-- 1 a b 7 Jan  2 2020 old.txt\r\n-rw-r--r-- 1 a b 7 2020-01-01 22:04 a.txt\r\n";
    let server = Server::with("LIST", async move |visit, _| visit.give(bytes).await).await;
    server.put("/pub/a.txt", b"1234567");
    let ftp = ftp();
    let mut precisions = Vec::new();
    for _ in 0..3 {
        let (_, entries) = list(&ftp, server.url("/pub/")).await;
        let modified = entries[1].meta.modified.unwrap();
        assert_eq!(modified.at.0, 1_577_916_240_000, "as it was printed");
        precisions.push(modified.precision);
    }
    // It was written at 03:04 on the second by UTC, so the server's clock is five hours behind; one more for the summer.
    let hours = |hours| Duration::from_hours(hours) + Duration::from_mins(1);
    assert_eq!(precisions, [hours(26), hours(6), hours(6)]);
    assert_eq!(server.count("MDTM"), 1, "one file is enough");
}
