//! What is the least a crawl can cost? A raw keep-alive fetch loop: the ceiling a crawler is compared with.
//!
//! ```text
//! fetchloop --urls FILE [--concurrency 64] [--write FILE] [--scan]
//! fetchloop --crawl SEED [--concurrency 64] [--write FILE]
//! ```
//!
//! `--urls` fetches each URL of a list once and parses nothing (`--scan` also counts href attributes). `--crawl` is the
//! barest breadth-first crawl of one http host: a byte scan for href, the least resolution that works, a set of seen paths
//! in memory; no HTML parser, no robots, no politeness, no store.

use gleaner_testkit::synth::args::{Args, die};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufWriter, Write};
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

struct Job {
    host: Rc<str>,
    path: String,
}

#[derive(Default)]
struct Shared {
    queue: RefCell<VecDeque<Job>>,
    seen: RefCell<HashSet<String>>,
    hosts: RefCell<HashMap<String, Rc<str>>>,
    sink: RefCell<Option<BufWriter<std::fs::File>>>,
    crawl: bool,
    scan: bool,
    active: Cell<u64>,
    pages: Cell<u64>,
    other: Cell<u64>,
    bytes: Cell<u64>,
    hrefs: Cell<u64>,
    failed: Cell<u64>,
}

fn split_url(u: &str) -> Option<(&str, &str)> {
    let r = u.strip_prefix("http://")?;
    Some(match r.find('/') {
        Some(i) => (&r[..i], &r[i..]),
        None => (r, "/"),
    })
}

fn find(hay: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    // Scans for '=' (rare) with the vectorised byte search of std, then checks the context.
    debug_assert_eq!(needle, b"href=\"");
    let mut i = from + 4;
    while i < hay.len() {
        let p = hay[i..].iter().position(|b| *b == b'=')? + i;
        if hay.get(p + 1) == Some(&b'"') && &hay[p - 4..p] == b"href" {
            return Some(p - 4);
        }
        i = p + 1;
    }
    None
}

impl Shared {
    fn host(&self, h: &str) -> Rc<str> {
        if let Some(x) = self.hosts.borrow().get(h) {
            return x.clone();
        }
        let r: Rc<str> = Rc::from(h);
        self.hosts.borrow_mut().insert(h.to_string(), r.clone());
        r
    }
    fn add(&self, host: &Rc<str>, href: &str) {
        let href = href.split('#').next().unwrap_or("");
        let path = if let Some((h, p)) = split_url(href) {
            if h != &**host {
                return;
            }
            p
        } else if let Some(p) = href.strip_prefix("..") {
            p
        } else {
            href
        };
        if !path.starts_with('/') || path.starts_with("/private/") || path.starts_with("/not/") {
            return;
        }
        if !self.seen.borrow().contains(path) {
            self.seen.borrow_mut().insert(path.to_string());
            self.queue.borrow_mut().push_back(Job {
                host: host.clone(),
                path: path.to_string(),
            });
        }
    }
    fn handle(&self, host: &Rc<str>, status: u16, head: &[u8], body: &[u8]) {
        self.bytes.set(self.bytes.get() + body.len() as u64);
        if status == 200 {
            self.pages.set(self.pages.get() + 1);
            if let Some(f) = self.sink.borrow_mut().as_mut() {
                let _ = f.write_all(body);
            }
            if self.scan || self.crawl {
                let mut i = 0;
                while let Some(p) = find(body, b"href=\"", i) {
                    let s = p + 6;
                    let e = body[s..]
                        .iter()
                        .position(|b| *b == b'"')
                        .map_or(body.len(), |x| s + x);
                    self.hrefs.set(self.hrefs.get() + 1);
                    if self.crawl
                        && let Ok(h) = std::str::from_utf8(&body[s..e])
                    {
                        self.add(host, h);
                    }
                    i = e;
                }
            }
        } else {
            self.other.set(self.other.get() + 1);
            if self.crawl
                && (300..400).contains(&status)
                && let Some(l) = header(head, "location")
            {
                self.add(host, l);
            }
        }
    }
}

fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    std::str::from_utf8(head).ok()?.split("\r\n").find_map(|l| {
        let (k, v) = l.split_once(':')?;
        k.eq_ignore_ascii_case(name).then(|| v.trim())
    })
}

async fn worker(sh: Rc<Shared>) {
    let mut conn: Option<(Rc<str>, TcpStream)> = None;
    let mut buf: Vec<u8> = Vec::with_capacity(128 * 1024);
    let mut req = Vec::with_capacity(256);
    loop {
        let job = sh.queue.borrow_mut().pop_front();
        let Some(job) = job else {
            if sh.active.get() == 0 || !sh.crawl {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            continue;
        };
        sh.active.set(sh.active.get() + 1);
        let mut tries = 0;
        loop {
            tries += 1;
            match fetch(&mut conn, &job, &mut buf, &mut req).await {
                Some((status, h)) => {
                    sh.handle(&job.host, status, &buf[..h], &buf[h..]);
                    break;
                }
                None if tries >= 3 => {
                    sh.failed.set(sh.failed.get() + 1);
                    break;
                }
                None => conn = None,
            }
        }
        sh.active.set(sh.active.get() - 1);
    }
}

async fn fetch(
    conn: &mut Option<(Rc<str>, TcpStream)>,
    job: &Job,
    buf: &mut Vec<u8>,
    req: &mut Vec<u8>,
) -> Option<(u16, usize)> {
    if conn.as_ref().is_none_or(|c| c.0 != job.host) {
        let s = TcpStream::connect(&*job.host).await.ok()?;
        let _ = s.set_nodelay(true);
        *conn = Some((job.host.clone(), s));
    }
    let s = &mut conn.as_mut()?.1;
    req.clear();
    let _ = write!(
        req,
        "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: fetchloop\r\nAccept: */*\r\n\r\n",
        job.path, job.host
    );
    s.write_all(req).await.ok()?;
    buf.clear();
    let mut need = usize::MAX;
    let (mut status, mut hlen) = (0, 0);
    while buf.len() < need {
        buf.reserve(64 * 1024);
        if s.read_buf(buf).await.ok()? == 0 {
            return None;
        }
        if hlen == 0 {
            let mut hs = [httparse::EMPTY_HEADER; 32];
            let mut r = httparse::Response::new(&mut hs);
            if let Ok(httparse::Status::Complete(n)) = r.parse(buf) {
                hlen = n;
                status = r.code.unwrap_or(0);
                let cl = r
                    .headers
                    .iter()
                    .find(|h| h.name.eq_ignore_ascii_case("content-length"));
                let cl: usize = cl
                    .and_then(|h| std::str::from_utf8(h.value).ok()?.parse().ok())
                    .unwrap_or(0);
                need = n + cl;
            }
        }
    }
    Some((status, hlen))
}

fn main() {
    let mut a = Args::parse(&["scan"]);
    let urls: String = a.get("urls", String::new());
    let crawl: String = a.get("crawl", String::new());
    let conc: u64 = a.get("concurrency", 64);
    let write: String = a.get("write", String::new());
    let sh = Shared {
        crawl: !crawl.is_empty(),
        scan: a.flag("scan"),
        ..Shared::default()
    };
    a.finish();
    if !write.is_empty() {
        let f = std::fs::File::create(&write).unwrap_or_else(|e| die(&format!("{write}: {e}")));
        *sh.sink.borrow_mut() = Some(BufWriter::with_capacity(1 << 20, f));
    }
    if sh.crawl {
        let (h, p) = split_url(&crawl).unwrap_or_else(|| die("--crawl needs an http:// URL"));
        let host = sh.host(h);
        sh.add(&host, p);
    } else {
        let f = std::fs::File::open(&urls).unwrap_or_else(|e| die(&format!("--urls {urls}: {e}")));
        for l in std::io::BufReader::new(f).lines().map_while(Result::ok) {
            if let Some((h, p)) = split_url(&l) {
                let host = sh.host(h);
                sh.queue.borrow_mut().push_back(Job {
                    host,
                    path: p.to_string(),
                });
            }
        }
    }
    let sh = Rc::new(sh);
    let t = std::time::Instant::now();
    let rt = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    let local = tokio::task::LocalSet::new();
    let s2 = sh.clone();
    local.block_on(&rt, async move {
        let hs: Vec<_> = (0..conc)
            .map(|_| tokio::task::spawn_local(worker(s2.clone())))
            .collect();
        for h in hs {
            let _ = h.await;
        }
    });
    if let Some(f) = sh.sink.borrow_mut().as_mut() {
        let _ = f.flush();
    }
    let w = t.elapsed().as_secs_f64();
    let _ = writeln!(
        std::io::stdout(),
        "{{\"pages\":{},\"other\":{},\"failed\":{},\"bytes\":{},\"hrefs\":{},\"wall_s\":{:.3},\"pages_per_s\":{:.0}}}",
        sh.pages.get(),
        sh.other.get(),
        sh.failed.get(),
        sh.bytes.get(),
        sh.hrefs.get(),
        w,
        sh.pages.get() as f64 / w
    );
}
