//! The NNTP unit against INN, and against a news server that misbehaves (HC107, HC108).

mod liar;
mod logins;

use gleaner_model::{Reason, Url};
use gleaner_testkit::servers::InnServer;
use gleaner_units::{
    Answer, Ask, EntryKind, Exchange, Expired, FilterVerdict, HeadFilter, Headers, ListingEnd, ListingEntry,
    Meta, Net, NetSettings, Nntp, NntpSettings, Refusal, Timeouts, Unclear, Unit,
};
use liar::{Liar, only, usual};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

fn settings() -> NetSettings {
    NetSettings {
        allow_private: true,
        ..NetSettings::default()
    }
}

fn unit() -> Nntp {
    Nntp::on(Arc::new(Net::new(settings()).unwrap()), NntpSettings::default())
}

fn ask(url: &str) -> Ask {
    Ask::of(Url::parse(url).unwrap())
}

async fn list(unit: &Nntp, url: &str) -> (Vec<ListingEntry>, ListingEnd) {
    let mut entries = Vec::new();
    let mut take = |entry| {
        entries.push(entry);
        true
    };
    let listed = unit.list(&ask(url), &mut take).await.unwrap();
    (entries, listed)
}

async fn here(unit: &Nntp, url: &str) -> Exchange {
    match unit.fetch(&ask(url)).await.unwrap() {
        Answer::Here(exchange) => exchange,
        other => panic!("not here: {other:?}"),
    }
}

async fn unclear(unit: &Nntp, url: &str) -> Unclear {
    match unit.fetch(&ask(url)).await.unwrap() {
        Answer::Unclear(unclear) => unclear,
        other => panic!("clear: {other:?}"),
    }
}

fn article(number: u32, body: &str) -> String {
    format!(
        "From: Ann <ann@example.test>\nNewsgroups: local.test\nSubject: number {number}\n\
         Date: Sat, 30 Sep 2023 12:34:56 +0200\nMessage-ID: <{number}@example.test>\n\n{body}"
    )
}

#[tokio::test]
async fn b2_a_real_server_is_listed_and_read() {
    let server = match InnServer::start(&["local.test", "local.empty"]) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    server.post(&article(1, "first\n.\n..two\n")).unwrap();
    server.post(&article(2, "second\n")).unwrap();
    let unit = unit();

    let (groups, listed) = list(&unit, &server.url("/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    for group in ["/local.test/", "/local.empty/"] {
        let found = groups
            .iter()
            .find(|entry| entry.url.as_str() == server.url(group));
        assert_eq!(found.unwrap().kind, EntryKind::Folder);
    }

    let (articles, listed) = list(&unit, &server.url("/local.test/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    let urls: Vec<&str> = articles.iter().map(|entry| entry.url.as_str()).collect();
    assert_eq!(urls, [server.url("/local.test/1"), server.url("/local.test/2")]);
    let meta = &articles[0].meta;
    assert_eq!(meta.id.as_deref(), Some("<1@example.test>"));
    assert_eq!(meta.modified.unwrap().at.0, 1_696_070_096_000);

    let exchange = here(&unit, articles[0].url.as_str()).await;
    let text = std::str::from_utf8(exchange.body.as_slice().unwrap()).unwrap();
    assert!(text.contains("\r\nSubject: number 1\r\n"), "{text}");
    assert!(text.ends_with("\r\n\r\nfirst\r\n.\r\n..two\r\n"), "{text:?}");
    assert_eq!(
        meta.size,
        Some(exchange.body.len()),
        "the overview tells the truth"
    );
    assert_eq!((exchange.status, exchange.protocol), (220, "nntp"));
    assert!(exchange.request_head.is_empty() && exchange.response_head.is_empty());
    assert_eq!(exchange.headers.get("content-type"), Some("message/rfc822"));
    assert_eq!(
        exchange.headers.get("last-modified"),
        Some("Sat, 30 Sep 2023 10:34:56 GMT")
    );
    assert_eq!(exchange.headers.get("etag"), None);
    assert!(exchange.wire_bytes > exchange.body.len());

    let (none, listed) = list(&unit, &server.url("/local.empty/")).await;
    assert!(
        none.is_empty() && matches!(listed, ListingEnd::Whole),
        "{listed:?}"
    );
    let (_, listed) = list(&unit, &server.url("/local.nothing/")).await;
    assert!(matches!(listed, ListingEnd::Gone), "{listed:?}");
    server.cancel("<1@example.test>").unwrap();
    for gone in ["/local.test/1", "/local.test/77", "/local.nothing/1"] {
        let answer = unit.fetch(&ask(&server.url(gone))).await.unwrap();
        assert!(matches!(answer, Answer::Gone(_)), "{gone}: {answer:?}");
    }
    let answer = unit.fetch(&ask(&server.url("/local.test"))).await.unwrap();
    let Answer::Moved(_, redirect) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(redirect.target.unwrap().as_str(), server.url("/local.test/"));
}

fn numbers(entries: &[ListingEntry]) -> Vec<u64> {
    let number = |entry: &ListingEntry| entry.url.path().rsplit('/').next().unwrap().parse().unwrap();
    entries.iter().map(number).collect()
}

#[tokio::test]
async fn hc107_ranges_that_make_no_sense_are_bounded() {
    let empty = ["211 0 0 0 a.b", "211 0 1 0 a.b"];
    for reply in empty {
        let server = Liar::start(only("GROUP a.b", format!("{reply}\r\n"))).await;
        let (entries, listed) = list(&unit(), &server.url("/a.b/")).await;
        assert!(
            entries.is_empty() && !matches!(listed, ListingEnd::Unclear(_)),
            "{listed:?}"
        );
    }
    for reply in [
        "211 5 9 3 a.b",
        "211 -1 1 3 a.b",
        "211 1 x 3",
        "211",
        "211 1 1 99999999999999999999999",
    ] {
        let server = Liar::start(only("GROUP a.b", format!("{reply}\r\n"))).await;
        let (_, listed) = list(&unit(), &server.url("/a.b/")).await;
        let ListingEnd::Unclear(unclear) = listed else {
            panic!("{reply}: {listed:?}");
        };
        assert_eq!(unclear.reason, Reason::BadReply, "{reply}");
    }
    // Every number there is, and nearly nothing in it.
    let server = Liar::start(|command| {
        if command == "GROUP a.b" {
            return Some(format!("211 1 1 {} a.b\r\n", u64::MAX).into_bytes());
        }
        command.starts_with("OVER ").then(|| b"423 none\r\n".to_vec())
    })
    .await;
    let (entries, listed) = list(&unit(), &server.url("/a.b/")).await;
    assert!(
        entries.is_empty() && matches!(listed, ListingEnd::Whole),
        "{listed:?}"
    );
    assert!(server.commands().len() < 1100, "{}", server.commands().len());
}

#[tokio::test]
async fn hc107_numbers_that_jump_or_repeat_and_lines_without_end_are_left_out() {
    let mut overview = b"224 follows\r\n".to_vec();
    overview.extend_from_slice(b"3\tthree\tme\tdate\t<3@x>\t\t100\t1\r\n");
    overview.extend_from_slice(
        b"1\r\n1\tagain\r\n0\tbelow\r\n18446744073709551615\tabove\r\n18446744073709551616\r\n",
    );
    overview.extend_from_slice(b"2\t");
    overview.resize(overview.len() + 3 * 1024 * 1024, b'x');
    overview.extend_from_slice(b"\r\n\r\nnonsense\r\n.\r\n");
    let server = Liar::start(only("OVER 1-3", overview)).await;
    let unit = unit();
    let (entries, listed) = list(&unit, &server.url("/a.b/")).await;
    assert_eq!(numbers(&entries), [3, 1]);
    assert_eq!(entries[0].meta.id.as_deref(), Some("<3@x>"));
    assert_eq!(entries[1].meta, Meta::default());
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
    list(&unit, &server.url("/a.b/")).await;
    assert_eq!(server.count("CAPABILITIES"), 1, "the connection is used again");
}

#[tokio::test]
async fn hc107_what_expired_is_not_gone() {
    let server = Liar::start(|command| match command {
        "GROUP a.b" => Some(b"211 1 900 900 a.b\r\n".to_vec()),
        "OVER 900-900" => Some(b"224 follows\r\n900\r\n.\r\n".to_vec()),
        _ => None,
    })
    .await;
    let (entries, listed) = list(&unit(), &server.url("/a.b/")).await;
    assert_eq!(numbers(&entries), [900]);
    assert!(
        matches!(listed, ListingEnd::WholeFrom { oldest: 900 }),
        "{listed:?}"
    );
    // Asked for, they are gone like any other.
    let gone = NntpSettings {
        expired: Expired::Gone,
        ..NntpSettings::default()
    };
    let unit = Nntp::on(Arc::new(Net::new(settings()).unwrap()), gone);
    let (_, listed) = list(&unit, &server.url("/a.b/")).await;
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
}

#[tokio::test]
async fn hc107_an_empty_group_tells_its_mark_or_nothing() {
    let listed_after = async |reply: &'static str| {
        let server = Liar::start(only("GROUP a.b", format!("{reply}\r\n"))).await;
        list(&unit(), &server.url("/a.b/")).await.1
    };
    let fresh = listed_after("211 0 1 0 a.b").await;
    assert!(matches!(fresh, ListingEnd::Whole), "{fresh:?}");
    let emptied = listed_after("211 0 8 7 a.b").await;
    assert!(
        matches!(emptied, ListingEnd::WholeFrom { oldest: 8 }),
        "{emptied:?}"
    );
    let silent = listed_after("211 0 0 0 a.b").await;
    assert!(matches!(silent, ListingEnd::Part { .. }), "{silent:?}");
}

#[tokio::test]
async fn hc107_a_listing_that_never_ends_is_cut() {
    let server = Liar::start(|command| {
        let lines = command
            .starts_with("LIST ")
            .then(|| "a.b 1 1 y\r\n".repeat(1_000_100));
        lines.map(|lines| format!("215 follows\r\n{lines}").into_bytes())
    })
    .await;
    let mut count = 0;
    let mut take = |_| {
        count += 1;
        true
    };
    let listed = unit().list(&ask(&server.url("/")), &mut take).await.unwrap();
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
    assert_eq!(count, 1_000_000);
    // A caller that wants no more is not given more.
    let listed = unit().list(&ask(&server.url("/")), &mut |_| false).await.unwrap();
    assert!(matches!(listed, ListingEnd::Part { .. }), "{listed:?}");
}

#[tokio::test]
async fn a_server_without_overviews_gives_its_numbers() {
    let server = Liar::start(|command| match command {
        "CAPABILITIES" => Some(b"500 what?\r\n".to_vec()),
        "MODE READER" => Some(b"201 read only\r\n".to_vec()),
        "LISTGROUP a.b" => Some(b"211 3 1 3 a.b\r\n1\r\n3\r\n4\r\n.\r\n".to_vec()),
        _ => None,
    })
    .await;
    let (entries, listed) = list(&unit(), &server.url("/a.b/")).await;
    assert_eq!(
        numbers(&entries),
        [1, 3],
        "4 was posted after the group was asked for"
    );
    assert!(entries.iter().all(|entry| entry.meta == Meta::default()));
    assert!(matches!(listed, ListingEnd::Whole), "{listed:?}");
    assert_eq!(server.count("XOVER 1-3"), 1);
}

#[tokio::test]
async fn hc108_an_article_is_kept_as_sent_or_not_at_all() {
    let raw = b"220 1 <1@x>\r\n.\x00..\r\n..dot\r\nbare\rcr\nlf\n.\nstill\r\r\n\r\n....\r\n.\r\n";
    let server = Liar::start(only("ARTICLE 1", raw.as_slice())).await;
    let unit1 = unit();
    for _ in 0..2 {
        let exchange = here(&unit1, &server.url("/a.b/1")).await;
        assert_eq!(
            exchange.body.as_slice().unwrap(),
            b"\x00..\r\n.dot\r\nbare\rcr\nlf\n.\nstill\r\r\n\r\n...\r\n"
        );
    }
    assert_eq!(server.count("GROUP a.b"), 1, "the group is still selected");

    for cut in [
        &raw[..raw.len() - 3],
        &raw[..raw.len() - 1],
        &raw[..20],
        b"220 1 <1@x>\r\n",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("nntp://{}/a.b/1", listener.local_addr().unwrap());
        let cut = cut.to_vec();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut command = "(greeting)".to_owned();
            while command != "ARTICLE 1" {
                stream.get_mut().write_all(&usual(&command)).await.unwrap();
                command.clear();
                stream.read_line(&mut command).await.unwrap();
                command.truncate(command.trim_end().len());
            }
            stream.get_mut().write_all(&cut).await.unwrap();
        });
        assert_eq!(unclear(&unit(), &url).await.reason, Reason::Truncated);
    }
}

#[tokio::test]
async fn hc108_an_article_beyond_its_limit_or_in_silence_is_given_up() {
    let mut raw = b"220 1 <1@x>\r\n".to_vec();
    raw.resize(raw.len() + 3 * 1024 * 1024, b'x');
    let server = Liar::start(only("ARTICLE 1", raw)).await;
    let mut small = ask(&server.url("/a.b/1"));
    small.body_bytes_max = 1_000_000;
    let answer = unit().fetch(&small).await.unwrap();
    assert!(
        matches!(&answer, Answer::Unclear(unclear) if unclear.reason == Reason::BodyTooLarge),
        "{answer:?}"
    );
    let short = NetSettings {
        timeouts: Timeouts {
            silence: Duration::from_millis(300),
            ..Timeouts::default()
        },
        ..settings()
    };
    let short = Nntp::on(Arc::new(Net::new(short).unwrap()), NntpSettings::default());
    assert_eq!(
        unclear(&short, &server.url("/a.b/1")).await.reason,
        Reason::SilenceTimeout
    );
}

#[tokio::test]
async fn replies_that_are_none_and_refusals_have_their_reasons() {
    let cases: [(&'static str, Vec<u8>, Reason); 9] = [
        (
            "(greeting)",
            b"HTTP/1.1 400 Bad Request\r\n".to_vec(),
            Reason::BadReply,
        ),
        ("(greeting)", vec![b'2'; 20_000], Reason::BadReply),
        ("(greeting)", b"200 ready\n".to_vec(), Reason::BadReply),
        ("(greeting)", b"400 busy\r\n".to_vec(), Reason::ServerBusy),
        ("(greeting)", b"502 go away\r\n".to_vec(), Reason::AccessDenied),
        ("(greeting)", Vec::new(), Reason::Closed),
        (
            "GROUP a.b",
            b"480 who are you?\r\n".to_vec(),
            Reason::LoginRefused,
        ),
        ("GROUP a.b", b"224 what?\r\n".to_vec(), Reason::BadReply),
        (
            "CAPABILITIES",
            [b"101 follows\r\n".to_vec(), b"MANY\r\n".repeat(20_000)].concat(),
            Reason::BadReply,
        ),
    ];
    for (command, answer, reason) in cases {
        let server = Liar::start(only(command, answer)).await;
        let found = unclear(&unit(), &server.url("/a.b/1")).await;
        assert_eq!(found.reason, reason, "{command}: {}", found.detail);
    }
    // Nothing of this ever reaches a server.
    let server = Liar::start(|_| None).await;
    for path in [
        "/a%0D%0AQUIT/1",
        "/a%20b/1",
        "/a%00/1",
        "/a.b/x",
        "/a.b/1/2",
        "/a.b/",
    ] {
        assert_eq!(
            unclear(&unit(), &server.url(path)).await.reason,
            Reason::NoSuchFile
        );
    }
    assert_eq!(server.commands(), [""; 0]);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_is_forgiven() {
    let served = Mutex::new(0);
    let server = Liar::start(move |command| {
        if command != "ARTICLE 1" {
            return None;
        }
        let mut served = served.lock().unwrap();
        *served += 1;
        // The second question finds the connection closed.
        Some(if *served == 2 {
            Vec::new()
        } else {
            b"220 1 <1@x>\r\n\r\nhello\r\n.\r\n".to_vec()
        })
    })
    .await;
    let unit = unit();
    for _ in 0..3 {
        here(&unit, &server.url("/a.b/1")).await;
    }
    assert_eq!(server.count("CAPABILITIES"), 2);
}

struct Picky {
    at_head: bool,
}

impl HeadFilter for Picky {
    fn head(&self, status: u16, headers: &Headers) -> FilterVerdict {
        assert_eq!(
            (status, headers.get("content-type")),
            (220, Some("message/rfc822"))
        );
        if self.at_head { stop() } else { FilterVerdict::Go }
    }

    fn opening(&self, _: u16, _: &Headers, opening: &[u8]) -> FilterVerdict {
        assert!(opening.len() <= 1024);
        if opening.windows(4).any(|word| word == b"spam") {
            stop()
        } else {
            FilterVerdict::Go
        }
    }
}

fn stop() -> FilterVerdict {
    FilterVerdict::Stop(Refusal {
        reason: Reason::UnwantedType,
        detail: String::new(),
    })
}

#[tokio::test]
async fn a6_a_filter_sees_head_and_opening() {
    let server = Liar::start(|command| match command {
        "ARTICLE 1" => Some(b"220 1 <1@x>\r\n\r\nspam\r\n.\r\n".to_vec()),
        "ARTICLE 2" => Some(
            [
                b"220 2 <2@x>\r\n\r\n".to_vec(),
                b"ham\r\n".repeat(1000),
                b"spam\r\n.\r\n".to_vec(),
            ]
            .concat(),
        ),
        _ => None,
    })
    .await;
    let unit = unit();
    for (path, at_head, is_refused) in [
        ("/a.b/1", false, true),
        ("/a.b/2", false, false),
        ("/a.b/2", true, true),
    ] {
        let mut ask = ask(&server.url(path));
        ask.filter = Some(Arc::new(Picky { at_head }));
        let answer = unit.fetch(&ask).await.unwrap();
        assert_eq!(
            matches!(answer, Answer::Refused(..)),
            is_refused,
            "{path}: {answer:?}"
        );
    }
}
