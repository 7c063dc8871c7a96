//! What a site says instead of its pages, and pages that only sound like it (B1): honest pages are never dropped and never
//! frozen, and a site that is away has nothing gone.

mod away;
mod believed;
mod honest;
mod listed;

use super::{Change, Story, Told};
use gleaner_testkit::HostileServer;
use gleaner_testkit::away::{Site, SiteRequest};
use gleaner_testkit::hostile::{Reply, dynamic};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Many sites on one server, each at an address of its own, in a phase that the test sets.
struct Sites {
    server: HostileServer,
    phase: Arc<AtomicU64>,
}

impl Sites {
    /// `answer` is what a site says in a phase.
    fn start(count: usize, answer: impl Fn(&SiteRequest, u64) -> Reply + Send + Sync + 'static) -> Sites {
        let addresses: Vec<IpAddr> = (0..count).map(|n| [127, 1, 1, n as u8 + 1].into()).collect();
        let server = HostileServer::start_on(&addresses);
        let phase = Arc::new(AtomicU64::new(0));
        let turns = AtomicU64::new(0);
        let now = Arc::clone(&phase);
        server.route(
            "/*",
            dynamic(move |request| {
                let IpAddr::V4(address) = request.local.ip() else {
                    panic!("the sites have IPv4 addresses");
                };
                let site = Site(u64::from(address.octets()[3]) - 1);
                let turn = turns.fetch_add(1, Ordering::Relaxed);
                answer(&SiteRequest::of(request, site, turn), now.load(Ordering::Relaxed))
            }),
        );
        Sites { server, phase }
    }

    fn set(&self, phase: u64) {
        self.phase.store(phase, Ordering::Relaxed);
    }

    fn crawl(&self, story: &mut Story) -> Told {
        let urls: Vec<String> = (0..self.server.addresses().len())
            .map(|host| self.server.url_on(host, "/"))
            .collect();
        let mut more: Vec<&str> = urls[1..].iter().map(String::as_str).collect();
        more.extend(["--concurrency", "32", "--per-host", "4"]);
        story.crawl(&urls[0], &more)
    }

    /// Which site a URL belongs to.
    fn of(&self, change: &Change) -> usize {
        let origins = (0..self.server.addresses().len()).map(|host| self.server.url_on(host, "/"));
        let mut hosts = origins.enumerate();
        let found = hosts.find(|(_, origin)| change.url.starts_with(origin.as_str()));
        found.map_or(usize::MAX, |(host, _)| host)
    }
}

/// The usual flags of a track over many hosts.
const MANY: [&str; 4] = ["--concurrency", "32", "--per-host", "4"];
