//! Whatever a server sends, and in whatever pieces: the fetch ends, and its outcome depends on the bytes alone.

use crate::script::{Server, fetch, http};
use gleaner_units::Answer;
use proptest::prelude::*;
use tokio::io::AsyncWriteExt;

const BASES: &[&str] = &[
    "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: text/html\r\n\r\nhello world",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.0 200 OK\nServer: old\n\nhello world",
    "HTTP/1.1 103 Early\r\nLink: <x>\r\n\r\nHTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 4\r\n\r\nbusy",
];

#[derive(Debug, Clone)]
enum Mutation {
    Replace(usize, u8),
    Insert(usize, u8),
    Delete(usize),
    Cut(usize),
    Repeat(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    // Bytes that mean something to the parser come up more often than others.
    let byte = prop_oneof![
        any::<u8>(),
        prop::sample::select(b"\r\n:; 0123456789aF-,\0\t".to_vec())
    ];
    prop_oneof![
        (any::<usize>(), byte.clone()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (any::<usize>(), byte).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        any::<usize>().prop_map(Mutation::Delete),
        any::<usize>().prop_map(Mutation::Cut),
        (any::<usize>(), 1..40usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
    ]
}

fn mutated(base: &str, mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = base.as_bytes().to_vec();
    for mutation in mutations {
        let place = |at: usize, length: usize| at % length.max(1);
        match *mutation {
            _ if bytes.is_empty() => return bytes,
            Mutation::Replace(at, byte) => {
                let at = place(at, bytes.len());
                bytes[at] = byte;
            }
            Mutation::Insert(at, byte) => bytes.insert(place(at, bytes.len()), byte),
            Mutation::Delete(at) => drop(bytes.remove(place(at, bytes.len()))),
            Mutation::Cut(at) => bytes.truncate(place(at, bytes.len())),
            Mutation::Repeat(at, length) => {
                let at = place(at, bytes.len());
                let end = (at + length).min(bytes.len());
                bytes.extend_from_within(at..end);
            }
        }
    }
    bytes
}

/// What a caller sees of an answer.
fn outcome(answer: &Answer) -> String {
    let kind = match answer {
        Answer::Unclear(unclear) => unclear.reason.to_string(),
        Answer::Moved(_, redirect) => format!("moved {:?}", redirect.target),
        Answer::Here(_) => "here".into(),
        Answer::Gone(_) => "gone".into(),
        Answer::Unchanged(_) => "unchanged".into(),
        Answer::Refused(..) => "refused".into(),
        Answer::Folder(_) => "folder".into(),
    };
    match answer.exchange() {
        Some(exchange) => format!(
            "{kind} {:?} {:?} {:?}",
            exchange.headers, exchange.response_head, exchange.body
        ),
        None => kind,
    }
}

async fn ask(bytes: Vec<u8>, piece: usize) -> String {
    let server = Server::start(move |mut visit| {
        let bytes = bytes.clone();
        async move {
            visit.stream.set_nodelay(true).unwrap();
            visit.request().await;
            for piece in bytes.chunks(piece) {
                visit.send(piece).await;
                tokio::task::yield_now().await;
            }
            // The end is told, but the connection not torn down: a reset would race with the last bytes.
            let _ = visit.stream.shutdown().await;
            visit.until_left().await;
        }
    })
    .await;
    let answer = fetch(&http(), server.url("/")).await;
    // Every port is another origin: what names it does not count.
    outcome(&answer).replace(&server.address.to_string(), "server")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_ends_and_means_the_same_in_pieces(
        base in prop::sample::select(BASES),
        mutations in prop::collection::vec(mutation(), 0..4),
        piece in 1..20usize,
    ) {
        let bytes = mutated(base, &mutations);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (whole, pieces) = runtime.block_on(async {
            tokio::join!(ask(bytes.clone(), usize::MAX), ask(bytes.clone(), piece))
        });
        prop_assert_eq!(whole, pieces, "{:?}", String::from_utf8_lossy(&bytes));
    }
}

#[tokio::test]
async fn healthy_answers_come_through_in_single_bytes() {
    for base in BASES {
        let server = Server::start(move |mut visit| async move {
            visit.stream.set_nodelay(true).unwrap();
            visit.request().await;
            for byte in base.as_bytes() {
                visit.send([*byte]).await;
                tokio::task::yield_now().await;
            }
        })
        .await;
        let answer = fetch(&http(), server.url("/")).await;
        assert!(answer.exchange().is_some(), "{base}: {answer:?}");
    }
}
