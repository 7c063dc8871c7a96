//! What does a page of the synthetic site look like? Bodies of pages, hubs, sitemaps and robots.txt.
//!
//! In goes a page id and an epoch, out come bytes, plain or gzip. Menu, bread crumbs, popular pages and in-text links give
//! about 40 links a page, spelt in several equivalent ways; links in the script and in the comment are not links.

use std::io::Write;

use super::dates::push_iso_date;
use super::site::{BRANCH, HUB_CHUNK, SITEMAP_CHUNK, Site, threshold};
use super::text::{Frag, PER_TOPIC, TOPICS, mix};

/// Collects a body either plainly or as a gzip stream of stored + pre-deflated runs.
pub(super) struct Body<'a> {
    out: &'a mut Vec<u8>,
    gz: bool,
    pend: Vec<u8>,
    crc: crc32fast::Hasher,
    len: u64,
}

impl<'a> Body<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, gz: bool) -> Body<'a> {
        if gz {
            out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
        }
        Body {
            out,
            gz,
            pend: Vec::new(),
            crc: crc32fast::Hasher::new(),
            len: 0,
        }
    }
    #[inline]
    pub(super) fn s(&mut self, b: &[u8]) {
        if self.gz {
            self.pend.extend_from_slice(b);
        } else {
            self.out.extend_from_slice(b);
        }
    }
    pub(super) fn frag(&mut self, f: &Frag) {
        if self.gz {
            self.flush_pending();
            self.crc.update(&f.raw);
            self.len += f.raw.len() as u64;
            self.out.extend_from_slice(&f.z);
        } else {
            self.out.extend_from_slice(&f.raw);
        }
    }
    fn flush_pending(&mut self) {
        let pend = std::mem::take(&mut self.pend);
        for c in pend.chunks(65_535) {
            self.out.push(0);
            self.out.extend_from_slice(&(c.len() as u16).to_le_bytes());
            self.out.extend_from_slice(&(!(c.len() as u16)).to_le_bytes());
            self.out.extend_from_slice(c);
            self.crc.update(c);
            self.len += c.len() as u64;
        }
        self.pend = pend;
        self.pend.clear();
    }
    pub(super) fn finish(mut self) {
        if self.gz {
            self.flush_pending();
            self.out.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
            let crc = self.crc.clone().finalize();
            self.out.extend_from_slice(&crc.to_le_bytes());
            self.out.extend_from_slice(&(self.len as u32).to_le_bytes());
        }
    }
}
impl Write for Body<'_> {
    fn write(&mut self, b: &[u8]) -> std::io::Result<usize> {
        self.s(b);
        Ok(b.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Site {
    // ---- bodies -------------------------------------------------------------
    fn nav(&self, host: u64) -> &[u8] {
        self.nav[host as usize].get_or_init(|| {
            let mut v = Vec::new();
            v.extend_from_slice(b"<header><a class=\"logo\" href=\"/\">Home</a>\n<nav><ul>\n");
            for l in 1..10.min(self.host_pages(host)) {
                let id = self.local_id(host, l);
                v.extend_from_slice(b"<li class=\"menu-item\"><a href=\"");
                self.push_path(id, &mut v);
                let _ = writeln!(v, "\">{}</a></li>", self.pools.word(self.h(id, 0x4A4)));
            }
            v.extend_from_slice(b"<li class=\"menu-item\"><a href=\"/whatsnew.html\">What's new</a></li>\n</ul></nav></header>\n");
            v
        })
    }
    fn anchor_text(&self, b: &mut Body, h: u64) {
        let _ = write!(
            b,
            "{} {} {}",
            self.pools.word(h),
            self.pools.word(h >> 12),
            self.pools.word(h >> 24)
        );
    }
    /// A link to `id` written in one of several equivalent spellings.
    fn link(&self, b: &mut Body, from_host: u64, id: u64, h: u64, alias_ok: bool) {
        let host = self.host_of(id);
        b.s(b"<a href=\"");
        let form = h % 20;
        if host != from_host || form < 4 {
            let _ = write!(b, "http://{}", self.host_name(host));
        } else if form < 6 {
            b.s(b"..");
        }
        if alias_ok && id >= self.cfg.hosts && self.h(id, 0x2ED1) < threshold(self.cfg.redirect_pct) {
            let _ = write!(b, "/go/{id}");
        } else {
            self.push_path(id, b);
            if (6..9).contains(&form) {
                b.s(b"#sec11");
            }
        }
        b.s(b"\">");
        self.anchor_text(b, mix(h));
        b.s(b"</a>");
    }
    fn random_target(&self, host: u64, h: u64) -> u64 {
        // Quadratic skew towards low ids: a few pages collect many in-links.
        let (hh, n) = if self.cfg.hosts > 1 && h.is_multiple_of(20) {
            let o = mix(h) % self.cfg.hosts;
            (o, self.host_pages(o))
        } else {
            (host, self.host_pages(host))
        };
        let u = (mix(h ^ 0x55) >> 11) as f64 / (1u64 << 53) as f64;
        self.local_id(hh, ((u * u * n as f64) as u64).min(n - 1))
    }
    fn open(&self, b: &mut Body, host: u64, title: &str, canonical: Option<u64>) {
        let _ = write!(
            b,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<meta name=\"description\" content=\"{title}\">\n"
        );
        if let Some(id) = canonical {
            let _ = write!(
                b,
                "<link rel=\"canonical\" href=\"http://{}",
                self.host_name(host)
            );
            self.push_path(id, b);
            b.s(b"\">\n");
        }
        if self.cfg.assets {
            b.s(b"<link rel=\"stylesheet\" href=\"/assets/main.css\">\n<script src=\"/assets/main.js\"></script>\n");
        }
        b.frag(&self.pools.head);
        b.s(b"</head>\n<body>\n");
        b.s(self.nav(host));
    }
    pub(super) fn title(&self, id: u64) -> String {
        let h = self.h(id, 0x717E);
        let n = 4 + (h % 4);
        (0..n)
            .map(|i| self.pools.word(mix(h + i)))
            .collect::<Vec<_>>()
            .join(" ")
    }
    fn para_picks(&self, id: u64, v: u64) -> Vec<usize> {
        let t = self.topic(id);
        let u = (self.h(id, 0x512E) >> 11) as f64 / (1u64 << 53) as f64;
        let kb = self.cfg.min_kb + (self.cfg.max_kb - self.cfg.min_kb) * u * u;
        // Fixed parts weigh about 10 KB; a fragment weighs about 0.58 KB.
        let n = (((kb - 10.0) / 0.58) as i64).max(3) as usize;
        let born = self.born(id);
        let changed = v > born;
        let major = changed && self.is_major(id, v);
        let minor_at = (self.h(id, 0xCA00_0000 + v) % n as u64) as usize;
        (0..n)
            .map(|i| {
                let h = self.h(id, 0xF000 + i as u64);
                let topic = if h % 100 < 85 {
                    t
                } else {
                    (h >> 8) as usize % TOPICS
                };
                let mut k = (h >> 16) as usize % PER_TOPIC;
                let hit = if major {
                    self.h(id ^ (v << 40), 0xE000 + i as u64) & 1 == 0 || i == minor_at
                } else {
                    changed && i == minor_at
                };
                if hit {
                    k = (k + 1 + (self.h(id ^ (v << 40), 0xE800 + i as u64) as usize % (PER_TOPIC - 1)))
                        % PER_TOPIC;
                }
                topic * PER_TOPIC + k
            })
            .collect()
    }
    /// Main text of a page, without boilerplate (for extraction checks).
    pub(super) fn plain_text(&self, id: u64, epoch: u64) -> String {
        let mut s = self.title(id);
        s.push('\n');
        for k in self.para_picks(id, self.version(id, epoch)) {
            s.push_str(&self.pools.paras[k].plain);
        }
        s
    }
    pub(super) fn page(&self, id: u64, epoch: u64, noise: u64, b: &mut Body) {
        let host = self.host_of(id);
        let v = self.version(id, epoch);
        let title = self.title(id);
        self.open(b, host, &title, Some(id));
        // Breadcrumbs
        b.s(b"<div class=\"crumbs\">");
        let local = id / self.cfg.hosts;
        if id < self.cfg.pages {
            let mut l = local;
            while l > 0 {
                l = (l - 1) / BRANCH;
                self.link(b, host, self.local_id(host, l), 10, false);
                b.s(b" / ");
            }
        }
        let _ = write!(
            b,
            "</div>\n<main><article>\n<h1>{title}</h1>\n<p class=\"byline\">Revision {v}. Modified on "
        );
        push_iso_date(self.mtime(id, v), b);
        b.s(b".</p>\n");
        let picks = self.para_picks(id, v);
        let every = picks.len() / 5 + 1;
        for (i, k) in picks.iter().enumerate() {
            b.frag(&self.pools.paras[*k]);
            if self.cfg.assets && i % 8 == 3 {
                let _ = writeln!(
                    b,
                    "<img src=\"/assets/i{}.png\" alt=\"figure\">",
                    self.h(id, i as u64) % 64
                );
            }
            if i % every == every - 1 {
                b.s(b"<p>See also ");
                let h = self.h(id, 0xA000 + i as u64);
                self.link(b, host, self.random_target(host, h), h, true);
                b.s(b" for the details of this and that.</p>\n");
            }
        }
        b.s(b"</article></main>\n<aside>\n<h3>In this section</h3><ul>\n");
        let n = self.host_pages(host);
        for i in 0..10 {
            let h = self.h(id, 0xB000 + i);
            let child = local * BRANCH + 1 + i;
            b.s(b"<li>");
            if id < self.cfg.pages && child < n {
                self.link(b, host, self.local_id(host, child), h, false);
            } else {
                self.link(b, host, self.random_target(host, h), h, true);
            }
            b.s(b"</li>\n");
        }
        if id < self.cfg.hosts {
            for i in 0..BRANCH {
                let c = host * BRANCH + 1 + i;
                if c < self.cfg.hosts {
                    b.s(b"<li>");
                    self.link(b, host, c, 0, false);
                    b.s(b"</li>\n");
                }
            }
        }
        b.s(b"</ul><h3>Popular</h3><ul>\n");
        for i in 0..10 {
            let h = self.h(id, 0xB100 + i);
            b.s(b"<li>");
            self.link(b, host, self.local_id(host, h % n.min(100)), h >> 8, true);
            b.s(b"</li>\n");
        }
        b.s(b"</ul>\n");
        let h = self.h(id, 0xB200);
        if h < threshold(self.cfg.missing_pct) {
            let _ = writeln!(
                b,
                "<p><a href=\"/gone/x{}.html\">archive</a></p>",
                mix(h) % self.pool()
            );
        }
        let h = self.h(id, 0xB201);
        if h < threshold(self.cfg.private_pct) {
            let _ = writeln!(
                b,
                "<p><a href=\"/private/p{}.html\">members</a></p>",
                mix(h) % self.pool()
            );
        }
        let h = self.h(id, 0xB202);
        if self.cfg.session_pages > 0 && h.is_multiple_of(20) {
            let k = mix(h) % self.cfg.session_pages;
            let _ = writeln!(
                b,
                "<p><a href=\"/shop/item-{k}.html\">shop</a> <a href=\"/store/item.php?id={k}\">store</a></p>"
            );
        }
        b.frag(&self.pools.aside);
        if self.noisy(id) {
            let z = mix(noise);
            let _ = writeln!(
                b,
                "<div class=\"gen\">Generated in 0.{:04} s, {} visitors online, token {:016x}</div>",
                z % 10_000,
                z >> 54,
                z
            );
        }
        b.s(b"</aside>\n");
        b.frag(&self.pools.footer);
    }
    pub(super) fn whats_new(&self, host: u64, epoch: u64, b: &mut Body) {
        self.open(b, host, "What is new", None);
        b.s(b"<main><h1>What is new</h1><ul>\n");
        for e in 1..=epoch {
            let n = self.born_on(e, host).count() as u64;
            for k in 0..n.div_ceil(HUB_CHUNK) {
                let _ = writeln!(
                    b,
                    "<li><a href=\"/whatsnew-e{e}-{k}.html\">Added in round {e}, part {k}</a></li>"
                );
            }
        }
        b.s(b"</ul></main>\n");
        b.frag(&self.pools.footer);
    }
    pub(super) fn hub(&self, host: u64, e: u64, k: u64, b: &mut Body) {
        self.open(b, host, &format!("Added in round {e}, part {k}"), None);
        b.s(b"<main><ul>\n");
        for id in self
            .born_on(e, host)
            .skip((k * HUB_CHUNK) as usize)
            .take(HUB_CHUNK as usize)
        {
            b.s(b"<li>");
            self.link(b, host, id, 10, false);
            b.s(b"</li>\n");
        }
        b.s(b"</ul></main>\n");
        b.frag(&self.pools.footer);
    }
    pub(super) fn small(&self, host: u64, title: &str, b: &mut Body) {
        self.open(b, host, title, None);
        b.s(b"<main><p>Nothing of interest.</p></main>\n");
        b.frag(&self.pools.footer);
    }
    /// `sid`: session id to write into links, or None when the client holds a cookie.
    pub(super) fn session_page(&self, host: u64, k: u64, store: bool, sid: Option<u64>, b: &mut Body) {
        self.open(b, host, &format!("Item {k}"), None);
        b.s(b"<main><h1>Item</h1>\n");
        for i in 0..6 {
            b.frag(&self.pools.paras[(self.h(k, 0x5E55 + i) % (TOPICS * PER_TOPIC) as u64) as usize]);
        }
        let n = self.cfg.session_pages;
        for i in 0..10u64 {
            let t = match i {
                0 => (k + 1) % n,
                1 => (k + n - 1) % n,
                _ => self.h(k, 0x5E66 + i) % n,
            };
            let _ = match (store, sid) {
                (false, Some(s)) => writeln!(
                    b,
                    "<a href=\"/shop/item-{t}.html;jsessionid={:016X}{:016X}\">item {t}</a>",
                    mix(s),
                    mix(s ^ 1)
                ),
                (false, None) => writeln!(b, "<a href=\"/shop/item-{t}.html\">item {t}</a>"),
                (true, Some(s)) => writeln!(
                    b,
                    "<a href=\"/store/item.php?id={t}&amp;PHPSESSID={:016x}{:010x}\">item {t}</a>",
                    mix(s),
                    mix(s ^ 2) >> 24
                ),
                (true, None) => writeln!(b, "<a href=\"/store/item.php?id={t}\">item {t}</a>"),
            };
        }
        b.s(b"</main>\n");
        b.frag(&self.pools.footer);
    }
    pub(super) fn robots(&self, host: u64, b: &mut Body) {
        b.s(b"User-agent: forbidden-bot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\nDisallow: /search\n");
        if self.cfg.crawl_delay > 0.0 {
            let _ = writeln!(b, "Crawl-delay: {}", self.cfg.crawl_delay);
        }
        let _ = write!(b, "\nSitemap: http://{}/sitemap.xml\n", self.host_name(host));
    }
    fn host_ids(&self, host: u64, epoch: u64) -> impl Iterator<Item = u64> + '_ {
        (0..self.host_pages(host))
            .map(move |l| self.local_id(host, l))
            .chain((1..=epoch).flat_map(move |e| self.born_on(e, host)))
    }
    pub(super) fn sitemap_index(&self, host: u64, epoch: u64, b: &mut Body) {
        let n = self.host_pages(host)
            + (1..=epoch)
                .map(|e| self.born_on(e, host).count() as u64)
                .sum::<u64>();
        b.s(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for k in 0..n.div_ceil(SITEMAP_CHUNK) {
            let _ = writeln!(
                b,
                "<sitemap><loc>http://{}/sitemap-{k}.xml</loc></sitemap>",
                self.host_name(host)
            );
        }
        b.s(b"</sitemapindex>\n");
    }
    pub(super) fn sitemap(&self, host: u64, k: u64, epoch: u64, b: &mut Body) {
        b.s(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for id in self
            .host_ids(host, epoch)
            .skip((k * SITEMAP_CHUNK) as usize)
            .take(SITEMAP_CHUNK as usize)
        {
            if !self.alive(id, epoch) {
                continue;
            }
            let _ = write!(b, "<url><loc>http://{}", self.host_name(host));
            self.push_path(id, b);
            b.s(b"</loc><lastmod>");
            push_iso_date(self.mtime(id, self.version(id, epoch)), b);
            b.s(b"</lastmod></url>\n");
        }
        b.s(b"</urlset>\n");
    }
}
