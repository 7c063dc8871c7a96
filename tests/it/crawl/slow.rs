//! A web half of which is slow: the other half is crawled as if it were alone (C3, HC001–HC003).

use crate::crawled::{arguments, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Action, HostileServer, Reply, Request, Script, dynamic, page};
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

/// No crawl of the healthy half has a reason to take longer, on the slowest machine.
const SOON: Duration = Duration::from_mins(2);

struct Web {
    hosts: usize,
    pages: usize,
    places: &'static str,
    latency: Duration,
}

impl Web {
    /// Hosts with odd numbers say nothing, or a byte now and then; the others answer after a moment.
    fn start(&self) -> HostileServer {
        let addresses: Vec<IpAddr> = (0..self.hosts)
            .map(|n| Ipv4Addr::new(127, 3, (n / 200) as u8, 1 + (n % 200) as u8).into())
            .collect();
        let server = HostileServer::start_on(&addresses);
        let (latency, pages) = (self.latency, self.pages);
        let answer = move |request: &Request| -> Reply {
            if let Some(kind) = slowness(request) {
                let rarely = Duration::from_secs(10);
                return match kind {
                    0 => Script::new().wait_close(),
                    1 => Script::new().drip("HTTP/1.1 200 OK\r\n", rarely),
                    _ => Script::new()
                        .send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n")
                        .drip("x".repeat(5000), Duration::from_secs(1)),
                }
                .into();
            }
            let all = (0..pages).map(|n| format!("/{n}"));
            let body = match request.path() {
                "/robots.txt" => String::new(),
                "/" => links(all),
                path => format!("this is {path}"),
            };
            let script = Script::new().then(Action::Wait(latency));
            script.send(page(body).to_bytes("GET")).into()
        };
        server.route("/*", dynamic(answer));
        server
    }

    /// How long the healthy hosts took to be asked for everything they have.
    fn time(&self, server: &HostileServer, with_slow: bool) -> Duration {
        server.forget();
        let seeds: Vec<String> = (0..self.hosts)
            .filter(|host| with_slow || host % 2 == 0)
            .map(|host| server.url_on(host, "/"))
            .collect();
        let mut more: Vec<&str> = seeds[1..].iter().map(String::as_str).collect();
        more.extend([
            "--concurrency",
            self.places,
            "--read-timeout",
            "60",
            "--fetch-timeout",
            "600",
        ]);
        let gleaner = Gleaner::new();
        let running = gleaner.spawn(&arguments(&seeds[0], &more));
        let wanted = self.hosts / 2 * (self.pages + 2);
        let count = |server: &HostileServer| moments(server).count();
        let is_done = server.wait_until(SOON, |server| count(server) >= wanted);
        running.kill9();
        assert!(is_done, "{} of {wanted} were asked for", count(server));
        let (first, last) = (moments(server).min(), moments(server).max());
        last.expect("one at least") - first.expect("one at least")
    }

    /// The rate of the healthy half beside slow ones, as a share of its rate alone. A machine with other work only ever
    /// makes a time longer, so the shortest of some are compared.
    #[expect(clippy::print_stdout, reason = "a figure for whoever runs it by hand")]
    fn share(&self, rounds: usize) -> f64 {
        let server = self.start();
        let (mut alone, mut beside, mut share) = (Duration::MAX, Duration::MAX, 0.0);
        for _ in 0..rounds {
            alone = alone.min(self.time(&server, false));
            beside = beside.min(self.time(&server, true));
            share = alone.as_secs_f64() / beside.as_secs_f64();
            println!("{share:.2}: {alone:?} alone, {beside:?} beside slow hosts");
            if share >= 0.9 {
                break;
            }
        }
        share
    }
}

fn slowness(request: &Request) -> Option<usize> {
    let IpAddr::V4(address) = request.local.ip() else {
        return None;
    };
    let [_, _, block, last] = address.octets();
    let number = usize::from(block) * 200 + usize::from(last) - 1;
    (number % 2 == 1).then_some(number / 2 % 3)
}

/// When healthy hosts were asked.
fn moments(server: &HostileServer) -> impl Iterator<Item = Instant> {
    let requests = server.requests().into_iter();
    requests
        .filter(|request| slowness(request).is_none())
        .map(|request| request.at)
}

#[test]
fn case22_slow_hosts_do_not_hold_up_the_others() {
    let web = Web {
        hosts: 80,
        pages: 14,
        places: "16",
        latency: Duration::from_millis(40),
    };
    let share = web.share(4);
    assert!(share >= 0.9, "the healthy half keeps {share:.2} of its rate");
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_case22_a_thousand_hosts_half_of_them_slow() {
    let web = Web {
        hosts: 1000,
        pages: 8,
        places: "64",
        latency: Duration::ZERO,
    };
    let share = web.share(3);
    assert!(share >= 0.9, "the healthy half keeps {share:.2} of its rate");
}
