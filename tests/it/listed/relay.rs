//! Somebody in between who cuts connections: once, after some bytes.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const PIECE_BYTES: usize = 64 * 1024;

/// Passes connections on to `server`, and writes down what clients say. What a server of FTP tells of a data port is replaced by a port of our own, so that
/// data comes this way too.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    cut: Arc<Cut>,
}

/// What clients said so far.
type Asked = Arc<Mutex<Vec<u8>>>;

/// One connection is cut when so many bytes of a server have come through; then no more are.
struct Cut {
    left: AtomicU64,
    cuts: AtomicU64,
    /// All that ever came through.
    passed: AtomicU64,
    asked: Asked,
}

impl Cut {
    /// Counts; true if the connection is to be cut now.
    fn counts(&self, bytes: u64) -> bool {
        self.passed.fetch_add(bytes, Ordering::Relaxed);
        let before = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                (left > 0).then(|| left.saturating_sub(bytes))
            });
        let is_now = before.is_ok_and(|left| left <= bytes);
        if is_now {
            self.cuts.fetch_add(1, Ordering::Relaxed);
        }
        is_now
    }
}

impl Relay {
    pub(crate) fn to(server: SocketAddr, cut_after: u64) -> Relay {
        let cut = Arc::new(Cut {
            left: AtomicU64::new(cut_after),
            cuts: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            asked: Asked::default(),
        });
        let address = listen(server, Arc::clone(&cut));
        Relay { address, cut }
    }

    pub(crate) fn cuts(&self) -> u64 {
        self.cut.cuts.load(Ordering::Relaxed)
    }

    /// The commands of this name that were sent since the last call, for protocols that have them in lines.
    pub(crate) fn take_asked(&self, command: &str) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.cut.asked.lock().unwrap_or_else(PoisonError::into_inner));
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter_map(|line| line.strip_prefix(command));
        lines.map(|rest| rest.trim().to_owned()).collect()
    }

    pub(crate) fn passed(&self) -> u64 {
        self.cut.passed.load(Ordering::Relaxed)
    }
}

/// Takes connections for as long as the test runs.
fn listen(server: SocketAddr, cut: Arc<Cut>) -> SocketAddr {
    let listener = TcpListener::bind((server.ip(), 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(to) = TcpStream::connect(server) else {
                continue;
            };
            // Small pieces must not wait for each other.
            let _ = (client.set_nodelay(true), to.set_nodelay(true));
            let (Ok(client_too), Ok(to_too)) = (client.try_clone(), to.try_clone()) else {
                continue;
            };
            let asked = Arc::clone(&cut.asked);
            std::thread::spawn(move || {
                pass(&client_too, &to_too, |bytes| {
                    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
                    asked.extend_from_slice(bytes);
                    false
                });
            });
            let cut = Arc::clone(&cut);
            std::thread::spawn(move || pass_back(&to, &client, server, &cut));
        }
    });
    address
}

fn pass(mut from: &TcpStream, mut to: &TcpStream, mut is_over: impl FnMut(&mut Vec<u8>) -> bool) {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let mut bytes = piece[..count].to_vec();
        let is_cut = is_over(&mut bytes);
        if is_cut {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

fn pass_back(server: &TcpStream, client: &TcpStream, at: SocketAddr, cut: &Arc<Cut>) {
    pass(server, client, |bytes| {
        if let Some(port) = extended_passive(bytes) {
            let own = listen(SocketAddr::new(at.ip(), port), Arc::clone(cut));
            *bytes = format!("229 Entering Extended Passive Mode (|||{}|)\r\n", own.port()).into_bytes();
        }
        cut.counts(bytes.len() as u64)
    });
}

/// The port that a reply to `EPSV` names.
fn extended_passive(bytes: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(bytes).ok()?.strip_prefix("229 ")?;
    text.split('|').nth(3)?.parse().ok()
}
