//! Which pages are there, where, and how do they change from epoch to epoch?
//!
//! Every answer is a pure function of (seed, page id, epoch): nothing is kept per page, so a site of ten million pages costs
//! no more than a small one. Page 0 of each host is its root; page n's children are 10n+1 to 10n+10, so all are reachable.

use std::cell::OnceCell;
use std::io::Write;

use super::dates::DAY;
use super::options::{SentValidators, SynthOptions};
use super::text::{Pools, TOPICS, h3};

pub(super) const BRANCH: u64 = 10;
pub(super) const HUB_CHUNK: u64 = 100;
pub(super) const SITEMAP_CHUNK: u64 = 10_000;
/// 2026-01-01T00:00:00Z: modification time of version v is EPOCH0 + v days.
pub(super) const EPOCH0: i64 = 1_767_225_600;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Page(u64),
    /// Redirect alias of a page.
    Alias(u64),
    WhatsNew,
    /// Listing of pages born at an epoch: (epoch, chunk).
    Hub(u64, u64),
    Robots,
    SitemapIndex,
    Sitemap(u64),
    Private(u64),
    /// Path-parameter style session area (`;jsessionid=`).
    Shop(u64),
    /// Query style session area (`PHPSESSID=`).
    Store(u64),
    Asset,
    Missing,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    New,
    UpdMinor,
    UpdMajor,
    Same,
    Missing,
    Absent,
}

pub(super) struct Site {
    pub(super) cfg: SynthOptions,
    pub(super) pools: Pools,
    upd_t: u64,
    del_t: u64,
    pub(super) new_per_epoch: u64,
    pub(super) nav: Vec<OnceCell<Vec<u8>>>,
}

pub(super) fn threshold(pct: f64) -> u64 {
    let f = (pct / 100.0).clamp(0.0, 1.0);
    if f >= 1.0 {
        u64::MAX
    } else {
        (f * u64::MAX as f64) as u64
    }
}

impl Site {
    pub(super) fn new(cfg: SynthOptions) -> Site {
        let pools = Pools::new(cfg.seed, cfg.gzip);
        let new_per_epoch = (cfg.pages as f64 * cfg.new_pct / 100.0).round() as u64;
        let nav = (0..cfg.hosts).map(|_| OnceCell::new()).collect();
        Site {
            upd_t: threshold(cfg.upd_pct),
            del_t: threshold(cfg.del_pct),
            new_per_epoch,
            pools,
            nav,
            cfg,
        }
    }
    #[inline]
    pub(super) fn h(&self, id: u64, what: u64) -> u64 {
        h3(self.cfg.seed, id, what)
    }

    // ---- hosts -----------------------------------------------------------
    pub(super) fn host_of(&self, id: u64) -> u64 {
        if id < self.cfg.pages {
            id % self.cfg.hosts
        } else {
            (id - self.cfg.pages) % self.cfg.hosts
        }
    }
    pub(super) fn host_addr(i: u64) -> [u8; 4] {
        [127, 0, (i / 250) as u8, (1 + i % 250) as u8]
    }
    pub(super) fn host_name(&self, i: u64) -> String {
        if self.cfg.suffix.is_empty() {
            let a = Self::host_addr(i);
            format!("{}.{}.{}.{}:{}", a[0], a[1], a[2], a[3], self.cfg.port)
        } else {
            format!("h{}.{}:{}", i, self.cfg.suffix, self.cfg.port)
        }
    }
    /// Host index from a Host header or authority; unknown names are host 0.
    pub(super) fn host_index(authority: &str) -> u64 {
        let h = authority.rsplit_once(':').map_or(authority, |x| x.0);
        let i = if let Some(r) = h.strip_prefix("127.0.") {
            r.split_once('.').and_then(|(a, b)| {
                Some(a.parse::<u64>().ok()? * 250 + b.parse::<u64>().ok()?.saturating_sub(1))
            })
        } else if let Some(r) = h.strip_prefix('h') {
            r.split('.').next().and_then(|x| x.parse().ok())
        } else {
            None
        };
        i.unwrap_or(0)
    }
    pub(super) fn host_pages(&self, host: u64) -> u64 {
        (self.cfg.pages + self.cfg.hosts - 1 - host) / self.cfg.hosts
    }
    pub(super) fn local_id(&self, host: u64, local: u64) -> u64 {
        local * self.cfg.hosts + host
    }
    /// Ids born at `epoch` (>= 1) on `host`.
    pub(super) fn born_on(&self, epoch: u64, host: u64) -> impl Iterator<Item = u64> + '_ {
        let lo = (epoch - 1) * self.new_per_epoch;
        let hh = self.cfg.hosts;
        let first = lo + (host + hh - lo % hh) % hh;
        (first..epoch * self.new_per_epoch)
            .step_by(hh as usize)
            .map(move |j| self.cfg.pages + j)
    }

    // ---- life of a page ---------------------------------------------------
    pub(super) fn is_leaf(&self, id: u64) -> bool {
        id >= self.cfg.pages || {
            let local = id / self.cfg.hosts;
            local > 0 && local * BRANCH + 1 >= self.host_pages(id % self.cfg.hosts)
        }
    }
    pub(super) fn born(&self, id: u64) -> u64 {
        match id.checked_sub(self.cfg.pages) {
            None => 0,
            Some(later) => later
                .checked_div(self.new_per_epoch)
                .map_or(u64::MAX, |epoch| 1 + epoch),
        }
    }
    pub(super) fn total_ids(&self, epoch: u64) -> u64 {
        self.cfg.pages + epoch * self.new_per_epoch
    }
    pub(super) fn alive(&self, id: u64, epoch: u64) -> bool {
        let b = self.born(id);
        if b > epoch {
            return false;
        }
        if self.del_t > 0 && self.is_leaf(id) {
            for k in b + 1..=epoch {
                if self.h(id, 0xD000_0000 + k) < self.del_t {
                    return false;
                }
            }
        }
        true
    }
    /// Epoch at which the page's content last changed.
    pub(super) fn version(&self, id: u64, epoch: u64) -> u64 {
        let b = self.born(id);
        if self.upd_t > 0 {
            for k in (b + 1..=epoch).rev() {
                if self.h(id, 0xC000_0000 + k) < self.upd_t {
                    return k;
                }
            }
        }
        b
    }
    pub(super) fn is_major(&self, id: u64, v: u64) -> bool {
        self.h(id, 0xCC00_0000 + v) & 1 == 0
    }
    pub(super) fn change(&self, id: u64, from: u64, to: u64) -> Change {
        match (self.alive(id, from), self.alive(id, to)) {
            (false, false) => Change::Absent,
            (false, true) => Change::New,
            (true, false) => Change::Missing,
            (true, true) => {
                let v = self.version(id, to);
                if v <= from {
                    Change::Same
                } else if self.is_major(id, v) {
                    Change::UpdMajor
                } else {
                    Change::UpdMinor
                }
            }
        }
    }
    pub(super) fn noisy(&self, id: u64) -> bool {
        self.cfg.noise_pct > 0.0 && self.h(id, 0x4015E) < threshold(self.cfg.noise_pct)
    }
    /// (sends `ETag`, sends Last-Modified)
    pub(super) fn validators(&self, id: u64) -> (bool, bool) {
        if self.noisy(id) {
            return (false, false);
        }
        match self.cfg.validators {
            SentValidators::All => (true, true),
            SentValidators::None => (false, false),
            SentValidators::Mix => match self.h(id, 0x7A11D) % 10 {
                0..=3 => (true, true),
                4..=5 => (false, true),
                6 => (true, false),
                _ => (false, false),
            },
        }
    }
    pub(super) fn mtime(&self, id: u64, v: u64) -> i64 {
        if v == 0 {
            EPOCH0 - (self.h(id, 0x3713E) % 1000) as i64 * DAY
        } else {
            EPOCH0 + v as i64 * DAY
        }
    }

    // ---- URLs ---------------------------------------------------------------
    pub(super) fn topic(&self, id: u64) -> usize {
        let mut id = id;
        loop {
            if id >= self.cfg.pages || id / self.cfg.hosts == 0 || self.h(id, 0x70B1C) % 10 >= 8 {
                return (self.h(id, 0x70B1D) % TOPICS as u64) as usize;
            }
            id = self.local_id(id % self.cfg.hosts, (id / self.cfg.hosts - 1) / BRANCH);
        }
    }
    pub(super) fn push_path(&self, id: u64, out: &mut impl Write) {
        if id < self.cfg.hosts {
            let _ = out.write_all(b"/");
            return;
        }
        let h = self.h(id, 0x51C6);
        let _ = write!(
            out,
            "/t{}/{}-{}-{}.html",
            self.topic(id),
            self.pools.word(h),
            self.pools.word(h >> 20),
            id
        );
    }
    pub(super) fn url(&self, id: u64) -> String {
        let mut v = format!("http://{}", self.host_name(self.host_of(id))).into_bytes();
        self.push_path(id, &mut v);
        String::from_utf8(v).unwrap_or_default()
    }
    /// What a path on a host refers to. Query strings are stripped by the caller
    /// except for the query-style session area.
    pub(super) fn resolve(&self, host: u64, target: &str, epoch: u64) -> Kind {
        let (path, query) = target.split_once('?').map_or((target, ""), |x| (x.0, x.1));
        if host >= self.cfg.hosts {
            return Kind::Missing;
        }
        if path == "/" {
            return Kind::Page(host);
        }
        if path == "/index.html" {
            return Kind::Alias(host);
        }
        if let Some(r) = path.strip_prefix("/t")
            && r.strip_suffix(".html").is_some_and(|r| r.contains('/'))
        {
            if let Some(id) = tail_id(path, ".html")
                && id < self.total_ids(epoch)
                && id >= self.cfg.hosts
                && self.host_of(id) == host
            {
                let mut want = Vec::with_capacity(64);
                self.push_path(id, &mut want);
                if want == path.as_bytes() && self.alive(id, epoch) {
                    return Kind::Page(id);
                }
            }
            return Kind::Missing;
        }
        if let Some(r) = path.strip_prefix("/go/") {
            return match r.parse::<u64>() {
                Ok(id) if id < self.total_ids(epoch) && self.host_of(id) == host && self.alive(id, epoch) => {
                    Kind::Alias(id)
                }
                _ => Kind::Missing,
            };
        }
        if path == "/whatsnew.html" {
            return Kind::WhatsNew;
        }
        if let Some(r) = path
            .strip_prefix("/whatsnew-e")
            .and_then(|r| r.strip_suffix(".html"))
        {
            if let Some((e, k)) = r
                .split_once('-')
                .and_then(|(a, b)| Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?)))
                && e >= 1
                && e <= epoch
                && self.born_on(e, host).nth((k * HUB_CHUNK) as usize).is_some()
            {
                return Kind::Hub(e, k);
            }
            return Kind::Missing;
        }
        if path == "/robots.txt" {
            return Kind::Robots;
        }
        if path == "/sitemap.xml" {
            return Kind::SitemapIndex;
        }
        if let Some(k) = path
            .strip_prefix("/sitemap-")
            .and_then(|r| r.strip_suffix(".xml"))
            .and_then(|r| r.parse::<u64>().ok())
        {
            let n = self.host_pages(host)
                + (1..=epoch)
                    .map(|e| self.born_on(e, host).count() as u64)
                    .sum::<u64>();
            return if k * SITEMAP_CHUNK < n {
                Kind::Sitemap(k)
            } else {
                Kind::Missing
            };
        }
        if let Some(m) = path
            .strip_prefix("/private/p")
            .and_then(|r| r.strip_suffix(".html"))
            .and_then(|r| r.parse::<u64>().ok())
        {
            return if m < self.pool() {
                Kind::Private(m)
            } else {
                Kind::Missing
            };
        }
        if self.cfg.session_pages > 0 {
            if let Some(r) = path.strip_prefix("/shop/item-") {
                let r = r.split(';').next().unwrap_or("");
                if let Some(k) = r.strip_suffix(".html").and_then(|r| r.parse::<u64>().ok()) {
                    return if k < self.cfg.session_pages {
                        Kind::Shop(k)
                    } else {
                        Kind::Missing
                    };
                }
            }
            if path == "/store/item.php" {
                for kv in query.split('&') {
                    if let Some(k) = kv.strip_prefix("id=").and_then(|r| r.parse::<u64>().ok()) {
                        return if k < self.cfg.session_pages {
                            Kind::Store(k)
                        } else {
                            Kind::Missing
                        };
                    }
                }
            }
        }
        if self.cfg.assets && path.starts_with("/assets/") {
            return Kind::Asset;
        }
        Kind::Missing
    }
    /// Size of the pools of dead and private URLs per host.
    pub(super) fn pool(&self) -> u64 {
        (self.cfg.pages / self.cfg.hosts / 100).max(1)
    }
}

fn tail_id(path: &str, ext: &str) -> Option<u64> {
    path.strip_suffix(ext)?.rsplit_once('-')?.1.parse().ok()
}
