//! How does a test hold a hostile server? Start it, set routes, look at what was asked, drop it.
//!
//! The server runs on a thread of its own with free ports on loopback addresses. What is not routed is 404, robots.txt
//! too. A test waits for what it expects with [`HostileServer::wait_until`], never for time to pass.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;

use super::certificate::Tls;
use super::connection::serve;
use super::reply::{Reply, status};
use super::script::Script;

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Path with query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    /// As far as `Content-Length` says and the server reads.
    pub body: Vec<u8>,
    /// When the head was complete.
    pub at: Instant,
    /// Which connection it came on, counted from 1.
    pub connection: u64,
    /// The address it came to: tells hosts apart.
    pub local: SocketAddr,
}

impl Request {
    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    /// The first field of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let field = self
            .headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.as_str())
    }
}

/// A scripted server; it stops when dropped.
pub struct HostileServer {
    shared: Arc<Shared>,
    addresses: Vec<SocketAddr>,
    scheme: &'static str,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the test and the connections both see.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    routes: HashMap<String, Route>,
    greeting: Option<Script>,
    http2: Option<Script>,
    requests: Vec<Request>,
    connections: u64,
    open: u64,
    bytes_sent: u64,
}

struct Route {
    reply: Reply,
    turns: usize,
}

impl HostileServer {
    /// Listens on a free port of 127.0.0.1.
    pub fn start() -> HostileServer {
        HostileServer::start_on(&[Ipv4Addr::LOCALHOST.into()])
    }

    /// Listens on one free port of several loopback addresses: several hosts for the client.
    pub fn start_on(addresses: &[IpAddr]) -> HostileServer {
        HostileServer::launch(addresses, 0, None)
    }

    /// Listens on a free port of 127.0.0.1 and speaks TLS.
    pub fn start_tls(tls: &Tls) -> HostileServer {
        HostileServer::launch(&[Ipv4Addr::LOCALHOST.into()], 0, Some(tls))
    }

    /// Listens on this server's port at another address: what a name leads to after its owner has moved.
    #[must_use]
    pub fn start_beside(&self, address: IpAddr, tls: Option<&Tls>) -> HostileServer {
        HostileServer::launch(&[address], self.address().port(), tls)
    }

    fn launch(addresses: &[IpAddr], port: u16, tls: Option<&Tls>) -> HostileServer {
        let shared = Arc::new(Shared::default());
        let acceptor = tls.map(Tls::acceptor);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let (ips, inside) = (addresses.to_vec(), shared.clone());
        let thread = std::thread::spawn(move || {
            let started = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("runtime");
            let runtime = match started {
                Ok(runtime) => runtime,
                Err(error) => return drop(tell.send(Err(error))),
            };
            runtime.block_on(async move {
                let listeners = match listen_all(&ips, port) {
                    Ok(listeners) => listeners,
                    Err(error) => return drop(tell.send(Err(error))),
                };
                let addresses = listeners
                    .iter()
                    .map(TcpListener::local_addr)
                    .collect::<Result<Vec<_>, _>>();
                let _ = tell.send(addresses.context("local address"));
                for listener in listeners {
                    tokio::spawn(accept(listener, inside.clone(), acceptor.clone()));
                }
                let _ = stopped.await;
            });
            // Dropping the runtime drops every connection, whatever its script waits for.
        });
        let addresses = told
            .recv()
            .expect("the server's thread tells or fails")
            .expect("the hostile server starts");
        HostileServer {
            shared,
            addresses,
            scheme,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Sets or replaces what `path` answers. A path with a query matches only that target; one that ends in `*` matches
    /// all targets that begin so, the longest first.
    pub fn route(&self, path: &str, reply: impl Into<Reply>) -> &Self {
        self.shared.lock().routes.insert(
            path.into(),
            Route {
                reply: reply.into(),
                turns: 0,
            },
        );
        self
    }

    /// Takes a route away: 404 again.
    pub fn remove(&self, path: &str) -> &Self {
        self.shared.lock().routes.remove(path);
        self
    }

    /// Runs before the first request of each new connection is read; over TLS after the handshake. `None` ends that.
    pub fn greet(&self, script: Option<Script>) -> &Self {
        self.shared.lock().greeting = script;
        self
    }

    /// Runs instead of everything else on connections that agreed on HTTP/2: such scripts speak frames themselves.
    pub fn greet_http2(&self, script: Option<Script>) -> &Self {
        self.shared.lock().http2 = script;
        self
    }

    /// The first address.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// All addresses, in the order asked for.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// A URL on the first address; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address())
    }

    /// A URL with a host name, for tests with their own resolver.
    pub fn url_as(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.address().port())
    }

    /// A URL on the `host`-th address.
    pub fn url_on(&self, host: usize, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.addresses[host])
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// The requests for one path, whatever their query.
    pub fn requests_to(&self, path: &str) -> Vec<Request> {
        self.requests()
            .into_iter()
            .filter(|request| request.path() == path)
            .collect()
    }

    /// How often a path was asked for, whatever the query.
    pub fn hits(&self, path: &str) -> usize {
        self.shared
            .lock()
            .requests
            .iter()
            .filter(|request| request.path() == path)
            .count()
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.shared.lock().connections
    }

    /// Connections open now.
    pub fn open(&self) -> u64 {
        self.shared.lock().open
    }

    /// Bytes handed to the network so far: shows where a client stopped an endless answer.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.lock().bytes_sent
    }

    /// Forgets requests and bytes; routes and open connections stay.
    pub fn forget(&self) {
        let mut state = self.shared.lock();
        state.requests.clear();
        state.bytes_sent = 0;
    }

    /// Waits until `holds` is true of this server; false when `deadline` passes first.
    pub fn wait_until(&self, deadline: Duration, holds: impl Fn(&HostileServer) -> bool) -> bool {
        let end = Instant::now() + deadline;
        loop {
            if holds(self) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            // Short slices: a change between the question and the wait is seen at the next one.
            let slice = left.min(Duration::from_millis(20));
            drop(self.shared.changed.wait_timeout(self.shared.lock(), slice));
        }
    }
}

impl Drop for HostileServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A reply function that panics must not take the whole test's view of the server with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Counts a new connection; returns its number and the greeting.
    pub(super) fn connected(&self) -> (u64, Option<Script>) {
        self.change(|state| {
            state.connections += 1;
            state.open += 1;
            (state.connections, state.greeting.clone())
        })
    }

    /// What is played to a client that chose HTTP/2.
    pub(super) fn http2(&self) -> Script {
        self.lock().http2.clone().unwrap_or_default()
    }

    pub(super) fn closed(&self) {
        self.change(|state| state.open -= 1);
    }

    pub(super) fn sent(&self, bytes: usize) {
        self.change(|state| state.bytes_sent += bytes as u64);
    }

    /// Logs a request and finds its script.
    pub(super) fn asked(&self, request: &Request) -> Script {
        let (reply, turn) = self.change(|state| {
            state.requests.push(request.clone());
            match state.route_for(request) {
                Some(route) => {
                    route.turns += 1;
                    (route.reply.clone(), route.turns - 1)
                }
                None => (status(404).into(), 0),
            }
        });
        // Outside the lock: a reply function may look at the server.
        reply.script(request, turn)
    }
}

impl State {
    fn route_for(&mut self, request: &Request) -> Option<&mut Route> {
        let exact = [request.target.as_str(), request.path()]
            .into_iter()
            .find(|key| self.routes.contains_key(*key));
        let key = match exact {
            Some(key) => key.to_owned(),
            None => self.longest_prefix(&request.target)?,
        };
        self.routes.get_mut(&key)
    }

    fn longest_prefix(&self, target: &str) -> Option<String> {
        let fits = |key: &&String| {
            key.strip_suffix('*')
                .is_some_and(|prefix| target.starts_with(prefix))
        };
        self.routes
            .keys()
            .filter(fits)
            .max_by_key(|key| key.len())
            .cloned()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, tls: Option<tokio_rustls::TlsAcceptor>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, shared.clone(), tls.clone()))),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// One free port on all addresses; where it is taken on one of them, another port is tried. Port 0 is any.
fn listen_all(ips: &[IpAddr], port: u16) -> Result<Vec<TcpListener>> {
    let mut last = None;
    for _ in 0..20 {
        match listen_on_one_port(ips, port) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => last = Some(error),
        }
    }
    Err(last.context("no port was tried")?)
}

fn listen_on_one_port(ips: &[IpAddr], mut port: u16) -> Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    for ip in ips {
        let socket = if ip.is_ipv4() {
            TcpSocket::new_v4()
        } else {
            TcpSocket::new_v6()
        }?;
        socket
            .bind(SocketAddr::new(*ip, port))
            .with_context(|| format!("bind {ip}:{port}"))?;
        let listener = socket.listen(1024)?;
        port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(listeners)
}
