//! What does the resolver say? A UDP name server whose answers a test writes, the wrong and changing ones too.
//!
//! Each name has a list of answers: one is used per question, the last one stays, so a list of two with a time to live of 0
//! is a rebinding attack. Names in no list do not exist. Questions for A and AAAA are counted apart.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const TYPE_A: u16 = 1;
const TYPE_CNAME: u16 = 5;
const TYPE_AAAA: u16 = 28;
const HEADER_BYTES: usize = 12;

/// How often the thread looks whether it should stop.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// What the server says when asked for a name.
#[derive(Clone, Debug)]
pub enum DnsAnswer {
    /// These addresses, those that fit the question's type; none of them gives an empty answer.
    Addresses { addresses: Vec<IpAddr>, ttl_s: u32 },
    /// Another name to ask for; its own answers are not added.
    Alias { name: String, ttl_s: u32 },
    /// No such name.
    NxDomain,
    /// The server failed.
    ServFail,
    /// The server will not say.
    Refused,
    /// Nothing at all.
    Silence,
    /// Bytes that are no DNS message.
    Garbage(Vec<u8>),
}

impl DnsAnswer {
    /// Addresses with a time to live of 0: asked again at every use.
    pub fn addresses(addresses: &[&str]) -> DnsAnswer {
        let parse = |address: &&str| address.parse().expect("an address in a test is well-formed");
        DnsAnswer::Addresses {
            addresses: addresses.iter().map(parse).collect(),
            ttl_s: 0,
        }
    }
}

/// A running name server; it stops when dropped.
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: HashMap<String, Vec<DnsAnswer>>,
    /// Answers used up since they were set, by name and type.
    turns: HashMap<(String, u16), usize>,
    /// Questions since the start.
    asked: HashMap<(String, u16), usize>,
}

struct Question {
    name: String,
    kind: u16,
    /// Where the question ends in the message.
    end: usize,
}

impl DnsServer {
    /// Answers on a free UDP port of 127.0.0.1.
    pub fn start() -> DnsServer {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free UDP port");
        socket.set_read_timeout(Some(STOP_CHECK)).expect("a read timeout");
        let address = socket.local_addr().expect("a bound address");
        let shared = Arc::new(Shared::default());
        let inside = shared.clone();
        let thread = std::thread::spawn(move || inside.serve(&socket));
        DnsServer {
            address,
            shared,
            thread: Some(thread),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets what `name` answers from now on. `*.example.test` stands for all names below.
    pub fn set(&self, name: &str, answers: impl IntoIterator<Item = DnsAnswer>) -> &Self {
        let mut state = self.shared.lock();
        state.turns.retain(|(asked, _), _| asked != name);
        state
            .answers
            .insert(name.to_ascii_lowercase(), answers.into_iter().collect());
        drop(state);
        self
    }

    /// How often a name was asked for, as A and as AAAA.
    pub fn questions(&self, name: &str) -> (usize, usize) {
        let state = self.shared.lock();
        let count = |kind| {
            state
                .turns
                .get(&(name.to_ascii_lowercase(), kind))
                .copied()
                .unwrap_or(0)
        };
        (count(TYPE_A), count(TYPE_AAAA))
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, socket: &UdpSocket) {
        let mut message = [0; 4096];
        while !self.stop.load(Ordering::Relaxed) {
            // A timeout is the moment to look at `stop`; other errors are of one packet only.
            let Ok((length, from)) = socket.recv_from(&mut message) else {
                continue;
            };
            if let Some(reply) = self.reply(&message[..length]) {
                let _ = socket.send_to(&reply, from);
            }
        }
    }

    fn reply(&self, message: &[u8]) -> Option<Vec<u8>> {
        let question = read_question(message)?;
        let answer = self.lock().answer(&question.name, question.kind);
        match answer {
            DnsAnswer::Silence => None,
            DnsAnswer::Garbage(bytes) => Some(bytes),
            DnsAnswer::NxDomain => Some(write_reply(message, &question, 3, &[])),
            DnsAnswer::ServFail => Some(write_reply(message, &question, 2, &[])),
            DnsAnswer::Refused => Some(write_reply(message, &question, 5, &[])),
            DnsAnswer::Alias { name, ttl_s } => {
                let record = record(TYPE_CNAME, ttl_s, &write_name(&name));
                Some(write_reply(message, &question, 0, &[record]))
            }
            DnsAnswer::Addresses { addresses, ttl_s } => {
                let fitting = addresses
                    .iter()
                    .filter_map(|address| match (address, question.kind) {
                        (IpAddr::V4(address), TYPE_A) => Some(record(TYPE_A, ttl_s, &address.octets())),
                        (IpAddr::V6(address), TYPE_AAAA) => Some(record(TYPE_AAAA, ttl_s, &address.octets())),
                        _ => None,
                    });
                Some(write_reply(message, &question, 0, &fitting.collect::<Vec<_>>()))
            }
        }
    }
}

impl State {
    fn answer(&mut self, name: &str, kind: u16) -> DnsAnswer {
        *self.asked.entry((name.to_owned(), kind)).or_default() += 1;
        let turn = self.turns.entry((name.to_owned(), kind)).or_default();
        *turn += 1;
        let wildcard = || {
            let below = name
                .match_indices('.')
                .map(|(dot, _)| format!("*{}", &name[dot..]));
            below.into_iter().find_map(|pattern| self.answers.get(&pattern))
        };
        let answers = self.answers.get(name).or_else(wildcard);
        let answer = answers.and_then(|answers| answers.get(*turn - 1).or(answers.last()));
        answer.cloned().unwrap_or(DnsAnswer::NxDomain)
    }
}

/// The first question of a query; names in questions are not compressed.
fn read_question(message: &[u8]) -> Option<Question> {
    let mut at = HEADER_BYTES;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        let label = message.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes([*message.get(at)?, *message.get(at + 1)?]);
    message.get(at + 3)?;
    Some(Question {
        name: labels.join("."),
        kind,
        end: at + 4,
    })
}

/// Header with the query's id, the question as it came, the records. What else the query held (EDNS) is left out.
fn write_reply(message: &[u8], question: &Question, code: u8, records: &[Vec<u8>]) -> Vec<u8> {
    let mut out = message[..2].to_vec();
    // Answer, authoritative, the query's "recursion desired"; recursion available and the response code.
    out.extend_from_slice(&[0x84 | (message[2] & 1), 0x80 | code]);
    out.extend_from_slice(&[0, 1]);
    out.extend_from_slice(&(records.len() as u16).to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&message[HEADER_BYTES..question.end]);
    for record in records {
        out.extend_from_slice(record);
    }
    out
}

/// A record whose name points back to the question.
fn record(kind: u16, ttl_s: u32, content: &[u8]) -> Vec<u8> {
    let mut out = vec![0xc0, HEADER_BYTES as u8];
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&1u16.to_be_bytes());
    out.extend_from_slice(&ttl_s.to_be_bytes());
    out.extend_from_slice(&(content.len() as u16).to_be_bytes());
    out.extend_from_slice(content);
    out
}

fn write_name(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for label in name.trim_end_matches('.').split('.') {
        let label = &label.as_bytes()[..label.len().min(63)];
        out.push(label.len() as u8);
        out.extend_from_slice(label);
    }
    out.push(0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(server: &DnsServer, name: &str, kind: u16) -> Option<Vec<u8>> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut message = vec![7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        message.extend_from_slice(&write_name(name));
        message.extend_from_slice(&kind.to_be_bytes());
        message.extend_from_slice(&[0, 1]);
        socket.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        socket.send_to(&message, server.address()).unwrap();
        let mut reply = [0; 512];
        let (length, _) = socket.recv_from(&mut reply).ok()?;
        Some(reply[..length].to_vec())
    }

    #[test]
    fn answers_as_told() {
        let server = DnsServer::start();
        server.set(
            "a.test",
            [
                DnsAnswer::addresses(&["192.0.2.7", "2001:db8::1"]),
                DnsAnswer::addresses(&["127.0.0.1"]),
            ],
        );
        server
            .set("broken.test", [DnsAnswer::ServFail])
            .set("mute.test", [DnsAnswer::Silence]);
        server.set("*.wild.test", [DnsAnswer::addresses(&["127.0.0.9"])]);
        let first = query(&server, "A.test", TYPE_A).unwrap();
        assert_eq!((first[0], first[3] & 15, first[7]), (7, 0, 1));
        assert!(first.ends_with(&[192, 0, 2, 7]));
        assert!(
            query(&server, "a.test", TYPE_A)
                .unwrap()
                .ends_with(&[127, 0, 0, 1])
        );
        assert!(
            query(&server, "a.test", TYPE_A)
                .unwrap()
                .ends_with(&[127, 0, 0, 1])
        );
        assert_eq!(query(&server, "a.test", TYPE_AAAA).unwrap()[7], 1);
        assert_eq!(server.questions("a.test"), (3, 1));
        assert_eq!(query(&server, "broken.test", TYPE_A).unwrap()[3] & 15, 2);
        assert_eq!(query(&server, "none.test", TYPE_A).unwrap()[3] & 15, 3);
        assert!(
            query(&server, "x.y.wild.test", TYPE_A)
                .unwrap()
                .ends_with(&[127, 0, 0, 9])
        );
        assert_eq!(query(&server, "mute.test", TYPE_A), None);
        assert_eq!(server.questions("mute.test"), (1, 0));
    }
}
