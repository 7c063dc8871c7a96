//! How are the pages served? One thread, HTTP/1.1 with keep-alive, loopback only.
//!
//! Crawl traffic goes to one port on 127.0.x.y; control and truth are on a second port of 127.0.0.1 and never touch the
//! counters. Ports are bound before the site is made, because its pages carry the port in their links.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{LocalSet, spawn_local};

use super::admin::serve_admin;
use super::counters::{Stats, set_bit};
use super::dates::{http_date, parse_http_date};
use super::options::SynthOptions;
use super::pages::Body;
use super::request::{Req, read_req};
use super::site::{Kind, Site};
use super::text::mix;

/// The running site: what it is and what has been asked of it. One thread, so cells suffice.
pub(super) struct App {
    pub(super) site: Site,
    pub(super) epoch: Cell<u64>,
    pub(super) latency: Cell<f64>,
    pub(super) jitter: Cell<f64>,
    pub(super) serial: Cell<u64>,
    pub(super) st: RefCell<Stats>,
}

/// Where a started site listens.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The root of host 0.
    pub seed_url: String,
    /// The control port.
    pub admin: SocketAddr,
}

/// Serves the site described by `options` on this thread until `stop` is sent or dropped; calls `ready` once it listens.
pub fn serve_until(
    mut options: SynthOptions,
    stop: oneshot::Receiver<()>,
    ready: impl FnOnce(&Ready),
) -> Result<()> {
    ensure!(
        options.hosts >= 1 && options.hosts <= 60_000 && options.pages >= options.hosts,
        "need 1 <= hosts <= 60000 and pages >= hosts"
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async move {
        let listeners = listen_all(&mut options)?;
        let admin = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, options.admin_port)))?;
        let app = Rc::new(App {
            epoch: Cell::new(options.epoch),
            latency: Cell::new(options.latency_ms),
            jitter: Cell::new(options.jitter_ms),
            serial: Cell::new(1),
            st: RefCell::new(Stats::default()),
            site: Site::new(options),
        });
        let admin_address = admin.local_addr()?;
        for (host, listener) in listeners.into_iter().enumerate() {
            spawn_local(accept_loop(listener, app.clone(), Some(host as u64)));
        }
        spawn_local(accept_loop(admin, app.clone(), None));
        ready(&Ready {
            seed_url: format!("http://{}/", app.site.host_name(0)),
            admin: admin_address,
        });
        let _ = stop.await;
        Ok(())
    })
}

/// Binds all hosts to one port. With port 0 the first host chooses; where another host's is taken, a new one is tried.
fn listen_all(options: &mut SynthOptions) -> Result<Vec<TcpListener>> {
    let hosts = if options.suffix.is_empty() {
        options.hosts
    } else {
        1
    };
    let tries = if options.port == 0 { 20 } else { 1 };
    let mut last = None;
    for _ in 0..tries {
        match listen_on_one_port(hosts, options.port) {
            Ok((port, listeners)) => {
                options.port = port;
                return Ok(listeners);
            }
            Err(error) => last = Some(error),
        }
    }
    Err(last.context("no port was tried")?)
}

fn listen_on_one_port(hosts: u64, mut port: u16) -> Result<(u16, Vec<TcpListener>)> {
    let mut listeners = Vec::new();
    for host in 0..hosts {
        let listener = listen(SocketAddr::from((Ipv4Addr::from(Site::host_addr(host)), port)))?;
        port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok((port, listeners))
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address).with_context(|| format!("bind {address}"))?;
    Ok(socket.listen(4096)?)
}

async fn accept_loop(l: TcpListener, app: Rc<App>, host: Option<u64>) {
    loop {
        match l.accept().await {
            Ok((s, _)) => {
                let _ = s.set_nodelay(true);
                let app = app.clone();
                spawn_local(async move {
                    if let Some(h) = host {
                        {
                            let mut st = app.st.borrow_mut();
                            st.connections += 1;
                            st.open += 1;
                            st.max_open = st.max_open.max(st.open);
                        }
                        let _ = serve(s, &app, h).await;
                        app.st.borrow_mut().open -= 1;
                    } else {
                        let _ = serve_admin(s, &app).await;
                    }
                });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

const PAD: usize = 512;

async fn serve(mut s: TcpStream, app: &App, listener_host: u64) -> std::io::Result<()> {
    let mut buf = Vec::with_capacity(4096);
    let mut out: Vec<u8> = Vec::with_capacity(96 * 1024);
    while let Some(q) = read_req(&mut s, &mut buf).await {
        let host = q.host.as_deref().map_or(listener_host, Site::host_index);
        let hx = host as usize;
        {
            let mut st = app.st.borrow_mut();
            st.requests += 1;
            st.inflight += 1;
            st.max_inflight = st.max_inflight.max(st.inflight);
            if st.host_inflight.len() <= hx && host < app.site.cfg.hosts {
                st.host_inflight.resize(hx + 1, 0);
            }
            if let Some(c) = st.host_inflight.get_mut(hx) {
                *c += 1;
                let c = u64::from(*c);
                st.max_host_inflight = st.max_host_inflight.max(c);
            }
            if host < app.site.cfg.hosts && set_bit(&mut st.hosts_seen, host) {
                st.hosts_distinct += 1;
            }
            let now = Instant::now();
            st.first.get_or_insert(now);
            st.last = Some(now);
        }
        let serial = app.serial.get();
        app.serial.set(serial + 1);
        let mut wait = app.latency.get();
        if app.jitter.get() > 0.0 {
            wait += app.jitter.get() * (mix(serial) >> 11) as f64 / (1u64 << 53) as f64;
        }
        if wait > 0.0 {
            tokio::time::sleep(Duration::from_secs_f64(wait / 1000.0)).await;
        }
        let start = respond(app, host, &q, serial, &mut out);
        let sent = out.len() - start;
        let r = s.write_all(&out[start..]).await;
        {
            let mut st = app.st.borrow_mut();
            st.inflight = st.inflight.saturating_sub(1);
            if let Some(c) = st.host_inflight.get_mut(hx) {
                *c = c.saturating_sub(1);
            }
            st.bytes_out += sent as u64;
            st.last = Some(Instant::now());
        }
        r?;
        if q.close {
            break;
        }
    }
    Ok(())
}

/// Builds the response in `out`; returns the offset where it starts.
fn respond(app: &App, host: u64, q: &Req, serial: u64, out: &mut Vec<u8>) -> usize {
    let site = &app.site;
    let epoch = app.epoch.get();
    let st = &mut *app.st.borrow_mut();
    let gz = site.cfg.gzip && q.gzip;
    out.clear();
    out.resize(PAD, 0);
    let (mut status, mut ctype, mut extra, mut body_gz) =
        ("200 OK", "text/html; charset=utf-8", String::new(), gz);
    if q.method == "HEAD" {
        st.head += 1;
    } else if q.method != "GET" {
        status = "405 Method Not Allowed";
        body_gz = false;
    }
    if status.starts_with("200") {
        let mut b = Body::new(out, gz);
        let mut conditional = |etag: String, mtime: i64, v: (bool, bool)| -> bool {
            if v.0 {
                extra.extend(["ETag: ", &etag, "\r\n"]);
            }
            if v.1 {
                extra.extend(["Last-Modified: ", &http_date(mtime), "\r\n"]);
            }
            match (&q.inm, &q.ims) {
                (Some(x), _) if v.0 => x
                    .split(',')
                    .any(|e| e.trim().trim_start_matches("W/") == etag || e.trim() == "*"),
                (_, Some(d)) if v.1 => parse_http_date(d).is_some_and(|t| t >= mtime),
                _ => false,
            }
        };
        match site.resolve(host, &q.target, epoch) {
            Kind::Page(id) => {
                let v = site.version(id, epoch);
                if conditional(
                    format!("\"{id:x}-{v:x}\""),
                    site.mtime(id, v),
                    site.validators(id),
                ) {
                    status = "304 Not Modified";
                    st.not_modified += 1;
                } else {
                    if q.method == "GET" {
                        st.pages_200 += 1;
                        if set_bit(&mut st.seen, id) {
                            st.distinct += 1;
                        }
                    }
                    site.page(id, epoch, serial, &mut b);
                }
            }
            Kind::Alias(id) => {
                status = if id % 2 == 0 {
                    "301 Moved Permanently"
                } else {
                    "302 Found"
                };
                extra = format!("Location: {}\r\n", site.url(id));
                st.redirects += 1;
            }
            Kind::WhatsNew => {
                // Changes at every epoch that brings pages to this host.
                let v = (1..=epoch)
                    .rev()
                    .find(|e| site.born_on(*e, host).next().is_some())
                    .unwrap_or(0);
                if conditional(format!("\"w-{host:x}-{v:x}\""), site.mtime(host, v), (true, true)) {
                    status = "304 Not Modified";
                    st.not_modified += 1;
                } else {
                    st.hubs_200 += 1;
                    site.whats_new(host, epoch, &mut b);
                }
            }
            Kind::Hub(e, k) => {
                if conditional(
                    format!("\"n-{host:x}-{e:x}-{k:x}\""),
                    site.mtime(host, e),
                    (true, true),
                ) {
                    status = "304 Not Modified";
                    st.not_modified += 1;
                } else {
                    st.hubs_200 += 1;
                    site.hub(host, e, k, &mut b);
                }
            }
            Kind::Robots => {
                st.robots += 1;
                ctype = "text/plain";
                site.robots(host, &mut b);
            }
            Kind::SitemapIndex => {
                st.sitemaps += 1;
                ctype = "application/xml";
                site.sitemap_index(host, epoch, &mut b);
            }
            Kind::Sitemap(k) => {
                st.sitemaps += 1;
                ctype = "application/xml";
                site.sitemap(host, k, epoch, &mut b);
            }
            Kind::Private(_) => {
                st.private_hits += 1;
                site.small(host, "Members only", &mut b);
            }
            k @ (Kind::Shop(n) | Kind::Store(n)) => {
                let store = matches!(k, Kind::Store(_));
                st.session_requests += 1;
                if set_bit(
                    &mut st.session_seen,
                    (n * 2 + u64::from(store)) * site.cfg.hosts + host,
                ) {
                    st.session_distinct += 1;
                }
                // A request carrying an id keeps that session; without one a new session starts.
                let t = q.target.to_ascii_lowercase();
                let carried = t
                    .split_once(if store { "phpsessid=" } else { "jsessionid=" })
                    .map(|x| x.1.bytes().fold(7u64, |a, c| mix(a ^ u64::from(c))));
                let sid = if q.cookie {
                    None
                } else {
                    Some(carried.unwrap_or(serial))
                };
                if let Some(s) = sid {
                    extra = if store {
                        format!("Set-Cookie: PHPSESSID={:016x}; path=/store\r\n", mix(s))
                    } else {
                        format!("Set-Cookie: JSESSIONID={:016X}; Path=/shop\r\n", mix(s))
                    };
                }
                site.session_page(host, n, store, sid, &mut b);
            }
            Kind::Asset => {
                st.assets += 1;
                ctype = "application/octet-stream";
                b.s(&[b'x'; 2048]);
            }
            Kind::Missing => {
                st.not_found += 1;
                status = if mix(q.target.len() as u64).is_multiple_of(4) {
                    "410 Gone"
                } else {
                    "404 Not Found"
                };
                b.s(b"<html><head><title>Not found</title></head><body><h1>Not found</h1></body></html>\n");
            }
        }
        b.finish();
        if status.starts_with('3') {
            out.truncate(PAD);
            body_gz = false;
        }
    }
    let blen = out.len() - PAD;
    let mut head = Vec::with_capacity(PAD);
    let _ = write!(
        head,
        "HTTP/1.1 {status}\r\nServer: synthsite\r\nContent-Type: {ctype}\r\n{extra}"
    );
    if !status.starts_with("304") {
        let _ = write!(head, "Content-Length: {blen}\r\n");
    }
    if site.cfg.gzip {
        head.extend_from_slice(b"Vary: Accept-Encoding\r\n");
    }
    if body_gz {
        head.extend_from_slice(b"Content-Encoding: gzip\r\n");
    }
    head.extend_from_slice(if q.close {
        b"Connection: close\r\n\r\n"
    } else {
        b"Connection: keep-alive\r\n\r\n"
    });
    assert!(head.len() <= PAD, "header too long");
    let start = PAD - head.len();
    out[start..PAD].copy_from_slice(&head);
    if q.method == "HEAD" {
        out.truncate(PAD);
    }
    start
}
