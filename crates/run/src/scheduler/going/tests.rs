//! A web in virtual time: half of its hosts answer, the other half never does.

use super::*;
use crate::news::{Done, End};
use crate::shared_pace::{Paces, RunPace};
use crate::stages::reserve::tests::{lease, queued};
use crate::stages::reserve::{NextStep, Reserve};
use gleaner_frontier::{FetchOutcome, OutcomeKind, PaceSettings};
use gleaner_model::Timestamp;
use gleaner_store::work::Queued;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

const PAGES: i64 = 10;
/// What one answer costs the server and us: they come one after the other.
const WORK: Duration = Duration::from_millis(1);
const NEVER: Duration = Duration::from_secs(30);

struct Web {
    hosts: i64,
    /// Every second one never answers.
    has_slow_half: bool,
    places: usize,
    latency: Duration,
}

impl Web {
    fn is_slow(&self, host: HostId) -> bool {
        self.has_slow_half && host.0 % 2 == 1
    }

    fn rows(host: HostId) -> Vec<Queued> {
        (0..PAGES).map(|n| page(host, n)).collect()
    }

    /// How long it takes to ask the hosts with even numbers for all they have.
    fn time(&self) -> Duration {
        let settings = PaceSettings {
            delay: Duration::ZERO,
            ..PaceSettings::default()
        };
        let mut reserve = Reserve::new(RunPace::new(Paces::default(), settings), false, 3, None);
        let mut going = Going::new(FetchSlots::new(self.places, 4096));
        let mut ends = BinaryHeap::new();
        let (mut now, mut last_end) = (Instant::default(), Instant::default());
        let hosts: Vec<HostId> = (0..self.hosts)
            .filter(|n| self.has_slow_half || n % 2 == 0)
            .map(HostId)
            .collect();
        let mut missing = self.hosts / 2 * PAGES;
        for host in &hosts {
            lease(&mut reserve, *host);
        }
        while missing > 0 {
            for host in going.look(now) {
                reserve.keeps_waiting(host);
            }
            let wait = loop {
                if !going.slots.has_any() {
                    break None;
                }
                let wall = Timestamp::default();
                let (page, errand) = match reserve.next(now, wall, &going.slots, &mut |_, _| None) {
                    NextStep::Fetch(page) => (page, Errand::Page),
                    NextStep::First { page, .. } => (page, Errand::First),
                    NextStep::Load(load) => {
                        reserve.loaded(load.host, Web::rows(load.host), true, None, wall, now);
                        continue;
                    }
                    NextStep::Wait(until) => break until,
                    _ => panic!("nothing else can happen here"),
                };
                let (ticket, pulse) = going.begin(page.host, errand, reserve.manner(page.host), now);
                let end = if self.is_slow(page.host) {
                    now.after(NEVER)
                } else {
                    last_end = last_end.after(WORK).max(now.after(self.latency));
                    last_end
                };
                ends.push(Reverse((end, page.host, page.resource, ticket)));
                drop(pulse);
            };
            let end = ends.peek().map(|Reverse((at, ..))| *at);
            now = [end, wait, going.next_look()]
                .into_iter()
                .flatten()
                .min()
                .expect("something is awaited")
                .max(now);
            while let Some(Reverse((at, host, resource, ticket))) = ends.peek().copied()
                && at <= now
            {
                ends.pop();
                let kept_waiting = going.ended(ticket);
                let kind = if self.is_slow(host) {
                    OutcomeKind::Failed
                } else {
                    missing -= 1;
                    OutcomeKind::Answered
                };
                let outcome = FetchOutcome {
                    response_time: self.latency,
                    kind,
                    jitter: 0.5,
                };
                reserve.answered(host, None, now, outcome, kept_waiting);
                reserve.surveyed(host, true);
                reserve.kept(&Done {
                    host,
                    resource,
                    end: End::Document,
                });
            }
        }
        now.since(Instant::default())
    }
}

fn page(host: HostId, number: i64) -> Queued {
    let url = format!("http://h{}.test/{number}", host.0);
    queued(host, host.0 * PAGES + number, &url)
}

#[test]
fn case22_the_healthy_half_keeps_nine_tenths_of_its_rate() {
    let mut poor = Vec::new();
    for (hosts, all_places) in [(1000, [16, 64]), (200, [8, 16])] {
        for places in all_places {
            for latency_ms in [10, 50, 300] {
                let web = Web {
                    hosts,
                    has_slow_half: true,
                    places,
                    latency: Duration::from_millis(latency_ms),
                };
                let with_slow = web.time();
                let alone = Web {
                    has_slow_half: false,
                    ..web
                }
                .time();
                let share = alone.as_secs_f64() / with_slow.as_secs_f64();
                let told = format!(
                    "{hosts} hosts, {places} places, {latency_ms} ms: {share:.2}, {with_slow:?} instead of {alone:?}"
                );
                println!("{told}");
                if share < 0.9 {
                    poor.push(told);
                }
            }
        }
    }
    assert!(poor.is_empty(), "{poor:#?}");
}
