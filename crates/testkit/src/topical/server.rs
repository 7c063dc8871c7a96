//! How is the web served? One thread, HTTP/1.1 with keep-alive, loopback only: one port for all sites, one for the search service,
//! one for the truth, which counts nothing.

use std::cell::{Cell, OnceCell, RefCell};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{LocalSet, spawn_local};

use super::admin::serve_admin;
use super::corpus::Corpus;
use super::formats::{content_type, written};
use super::hosts::Hosts;
use super::page::{Asked, mixed, page};
use super::search::{Index, SearchMode, serve_search};
use super::site::{FORMATS, NodeKind, Serving, Site};
use super::spec::TopicSpec;
use super::titles::calendar;
use super::truth::{Target, resolve};
use super::web::Web;
use crate::synth::request::{Req, read_req};

/// What a web is made of, and where it listens. Ports may be 0: then the system chooses.
#[derive(Debug, Clone)]
pub struct TopicOptions {
    pub spec: TopicSpec,
    pub seed: u64,
    /// A topic of the corpora; otherwise the seed chooses one.
    pub topic: Option<String>,
    /// A folder laid out as the corpora are.
    pub corpora: PathBuf,
    pub port: u16,
    pub admin_port: u16,
    pub search_port: u16,
    /// Hosts are `s<i>.SUFFIX` instead of addresses; empty for addresses.
    pub suffix: String,
}

/// Where a started web listens.
#[derive(Clone, Debug)]
pub struct TopicReady {
    /// The truth.
    pub admin: SocketAddr,
    /// The search service.
    pub search: SocketAddr,
}

/// One answered request.
pub(super) struct Served {
    pub(super) site: u16,
    pub(super) target: String,
    /// The page that stands there; `None` for what no site has.
    pub(super) node: Option<u32>,
    pub(super) status: u16,
}

pub(super) struct TopicApp {
    pub(super) web: Web,
    pub(super) hosts: Hosts,
    pub(super) epoch: Cell<u8>,
    pub(super) log: RefCell<Vec<Served>>,
    pub(super) searches: Cell<u64>,
    pub(super) index: OnceCell<Index>,
    pub(super) search_mode: Cell<SearchMode>,
    pub(super) search_address: SocketAddr,
}

/// Serves the web on this thread until `stop` is sent or dropped; calls `ready` once it listens.
pub fn serve_topics_until(
    options: TopicOptions,
    stop: oneshot::Receiver<()>,
    ready: impl FnOnce(&TopicReady),
) -> Result<()> {
    let web = grown(&options)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async move {
        let (port, listeners) = listen_all(&web, &options)?;
        let admin = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, options.admin_port)))?;
        let search = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, options.search_port)))?;
        let told = TopicReady {
            admin: admin.local_addr()?,
            search: search.local_addr()?,
        };
        let app = Rc::new(TopicApp {
            web,
            hosts: Hosts {
                port,
                suffix: options.suffix,
            },
            epoch: Cell::new(0),
            log: RefCell::default(),
            searches: Cell::new(0),
            index: OnceCell::new(),
            search_mode: Cell::new(SearchMode::Works),
            search_address: told.search,
        });
        for (site, listener) in listeners {
            spawn_local(accept(listener, app.clone(), Port::Site(site)));
        }
        spawn_local(accept(admin, app.clone(), Port::Admin));
        spawn_local(accept(search, app.clone(), Port::Search));
        ready(&told);
        let _ = stop.await;
        Ok(())
    })
}

/// The web by itself, not served.
pub(super) fn grown(options: &TopicOptions) -> Result<Web> {
    let corpus = Corpus::read(&options.corpora)?;
    Web::grown(
        options.spec.clone(),
        options.seed,
        corpus,
        options.topic.as_deref(),
    )
}

#[derive(Clone, Copy)]
enum Port {
    Site(u16),
    Admin,
    Search,
}

/// One listener a site; those that refuse connections have none. With port 0 the first site chooses.
fn listen_all(web: &Web, options: &TopicOptions) -> Result<(u16, Vec<(u16, TcpListener)>)> {
    if !options.suffix.is_empty() {
        let listener = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)))?;
        return Ok((listener.local_addr()?.port(), vec![(0, listener)]));
    }
    let mut last = None;
    for _ in 0..if options.port == 0 { 20 } else { 1 } {
        match listen_on_one_port(web, options.port) {
            Ok(all) => return Ok(all),
            Err(error) => last = Some(error),
        }
    }
    Err(last.context("no port was tried")?)
}

fn listen_on_one_port(web: &Web, mut port: u16) -> Result<(u16, Vec<(u16, TcpListener)>)> {
    let mut listeners = Vec::new();
    for site in web.sites.iter().filter(|site| site.serving != Serving::Refuses) {
        let listener = listen(SocketAddr::from((
            Ipv4Addr::from(Hosts::address(site.index)),
            port,
        )))?;
        port = listener.local_addr()?.port();
        listeners.push((site.index, listener));
    }
    Ok((port, listeners))
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address).with_context(|| format!("bind {address}"))?;
    Ok(socket.listen(1024)?)
}

async fn accept(listener: TcpListener, app: Rc<TopicApp>, port: Port) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let app = app.clone();
        spawn_local(async move {
            let _ = match port {
                Port::Site(site) => serve(stream, &app, site).await,
                Port::Admin => serve_admin(stream, &app).await,
                Port::Search => serve_search(stream, &app).await,
            };
        });
    }
}

async fn serve(mut stream: TcpStream, app: &TopicApp, listener: u16) -> std::io::Result<()> {
    let mut buffer = Vec::with_capacity(4096);
    while let Some(asked) = read_req(&mut stream, &mut buffer).await {
        let named = asked.host.as_deref().and_then(Hosts::site);
        let site = named
            .filter(|site| usize::from(*site) < app.web.sites.len())
            .unwrap_or(listener);
        let latency = app.web.sites[usize::from(site)].latency_ms;
        if latency > 0 {
            tokio::time::sleep(Duration::from_millis(latency)).await;
        }
        if app.web.sites[usize::from(site)].serving == Serving::Refuses {
            return Ok(());
        }
        let reply = respond(app, site, &asked);
        app.log.borrow_mut().push(Served {
            site,
            target: asked.target.clone(),
            node: reply.node,
            status: reply.status,
        });
        stream.write_all(&reply.bytes(asked.method == "HEAD")).await?;
        if asked.close {
            break;
        }
    }
    Ok(())
}

/// An answer before it is bytes.
pub(super) struct Reply {
    pub(super) status: u16,
    node: Option<u32>,
    content_type: &'static str,
    /// Further header lines.
    headers: String,
    pub(super) body: Vec<u8>,
}

impl Reply {
    pub(super) fn of(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            node: None,
            content_type,
            headers: String::new(),
            body: body.into(),
        }
    }

    pub(super) fn bytes(&self, is_head: bool) -> Vec<u8> {
        let words = match self.status {
            200 => "OK",
            301 => "Moved Permanently",
            304 => "Not Modified",
            404 => "Not Found",
            410 => "Gone",
            _ => "Service Unavailable",
        };
        let mut out = Vec::with_capacity(self.body.len() + 300);
        let _ = write!(
            out,
            "HTTP/1.1 {} {words}\r\nServer: topicweb\r\n{}",
            self.status, self.headers
        );
        if self.status != 304 {
            let _ = write!(
                out,
                "Content-Type: {}\r\nContent-Length: {}\r\n",
                self.content_type,
                self.body.len()
            );
        }
        out.extend_from_slice(b"\r\n");
        if !is_head && self.status != 304 {
            out.extend_from_slice(&self.body);
        }
        out
    }
}

fn missing() -> Reply {
    let body = "<html><head><title>Not found</title></head><body><h1>Not found</h1><p>This page does not exist.</p></body></html>\n";
    Reply::of(404, "text/html; charset=utf-8", body)
}

fn respond(app: &TopicApp, host: u16, asked: &Req) -> Reply {
    let web = &app.web;
    let epoch = app.epoch.get();
    match web.sites[usize::from(host)].serving {
        Serving::Unavailable | Serving::Refuses => return Reply::of(503, "text/plain", "out of order\n"),
        Serving::MovedTo(other) => {
            let target = if web.sites[usize::from(other)].at(&asked.target).is_some() {
                asked.target.as_str()
            } else {
                "/"
            };
            let mut reply = Reply::of(301, "text/plain", "moved\n");
            reply.headers = format!("Location: http://{}{target}\r\n", app.hosts.authority(other));
            return reply;
        }
        Serving::Pages | Serving::As(_) => {}
    }
    let site = web.shown(host);
    match resolve(site, &asked.target) {
        Target::Robots => Reply::of(200, "text/plain", "User-agent: *\nDisallow: /cgi-bin/\n"),
        Target::Calendar { month, day } => {
            Reply::of(200, "text/html; charset=utf-8", calendar(site, month, day))
        }
        Target::Node {
            node,
            session,
            number,
        } if site.is_alive(node, epoch) => {
            let mut reply = node_reply(
                app,
                site,
                node,
                Asked {
                    epoch,
                    session,
                    number,
                },
                asked,
            );
            reply.node = Some(node);
            reply
        }
        Target::Node { .. } | Target::Missing => missing(),
    }
}

fn node_reply(app: &TopicApp, site: &Site, node: u32, how: Asked, asked: &Req) -> Reply {
    let web = &app.web;
    // Whatever changes the bytes is in the tag; pages change with their children.
    let state = match site.nodes[node as usize].kind {
        NodeKind::Document { work, .. } => u64::from(web.works.all[work as usize].version(how.epoch)),
        _ => u64::from(how.epoch) + (how.number << 8),
    };
    let tag = format!("\"{:x}-{state:x}\"", mixed(site.salt, u64::from(node)));
    let mut reply = if asked.inm.as_deref() == Some(tag.as_str()) {
        Reply::of(304, "text/plain", "")
    } else {
        let (kind, body) = body(web, &app.hosts, site, node, how);
        Reply::of(200, kind, body)
    };
    reply.headers = format!("ETag: {tag}\r\n");
    reply
}

/// The bytes of a page or document.
pub(super) fn body(web: &Web, hosts: &Hosts, site: &Site, node: u32, how: Asked) -> (&'static str, Vec<u8>) {
    match site.nodes[node as usize].kind {
        NodeKind::Document { work, format } => {
            let work = &web.works.all[work as usize];
            let format = FORMATS[usize::from(format)];
            (
                content_type(format),
                written(&work.draft(&web.corpus, work.version(how.epoch)), format),
            )
        }
        NodeKind::File(at) => {
            let file = &web.corpus.files[at as usize];
            let format = if file.format == "ps" && file.is_gzipped {
                "ps.gz"
            } else {
                file.format.as_str()
            };
            (content_type(format), file.bytes().unwrap_or_default())
        }
        NodeKind::Junk(sort) => junk(sort),
        _ => (
            "text/html; charset=utf-8",
            page(web, hosts, site, node, how).into_bytes(),
        ),
    }
}

/// What is called a PDF and is none.
fn junk(sort: u8) -> (&'static str, Vec<u8>) {
    match sort {
        0 => ("application/pdf", Vec::new()),
        1 => ("text/html", b"<html><head><title>Error</title></head><body><h1>You are not allowed to see this document</h1></body></html>".to_vec()),
        2 => ("application/pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pag".to_vec()),
        3 => ("application/pdf", (0..3000u32).map(|at| (mixed(7, u64::from(at)) & 0xff) as u8).collect()),
        // A scan: a page without text.
        _ => ("application/pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>\nendobj\ntrailer\n<< /Size 4 /Root 1 0 R >>\n%%EOF\n".to_vec()),
    }
}
