use super::*;
use crate::shared_pace::Paces;
use gleaner_frontier::{FetchOutcome, OutcomeKind, PaceSettings};
use gleaner_model::{HostState, defaults};
use gleaner_store::leases::{Fence, HostLease};

const HOST: HostId = HostId(1);

fn reserve(pages_per_host_max: Option<u64>) -> Reserve {
    let pace = PaceSettings {
        per_host: 9,
        ..PaceSettings::default()
    };
    Reserve::new(RunPace::new(Paces::default(), pace), false, 1, pages_per_host_max)
}

/// A host is the worker's, for the first time.
pub(crate) fn lease(reserve: &mut Reserve, host: HostId) {
    reserve.leased(&lease_of(host, 1), FOR_EVER);
}

/// Longer than any test takes.
const FOR_EVER: Instant = Instant(Duration::MAX);

fn lease_of(host: HostId, fence: u64) -> HostLease {
    HostLease {
        host,
        fence: Fence(fence),
        until: Timestamp(i64::MAX),
        state: HostState::default(),
        best_score: 0,
        lapsed_at: None,
    }
}

/// More than any test takes.
fn slots() -> FetchSlots {
    FetchSlots::new(100, 1000)
}

fn page(resource: i64) -> Queued {
    queued(HOST, resource, &format!("http://a.test/{resource}"))
}

/// A row as a link of a page makes it.
pub(crate) fn queued(host: HostId, resource: i64, url: &str) -> Queued {
    Queued {
        host,
        fence: Fence(1),
        resource: ResourceId(resource),
        url: Url::parse(url).expect("a URL"),
        priority: 0,
        score: 0,
        depth: 0,
        purpose: Purpose::Page,
        hops: 0,
        chain: Vec::new(),
        tries: 0,
        due_at: Timestamp::default(),
        stamp: None,
        legs: Vec::new(),
        request: None,
        known: None,
    }
}

fn at(seconds: u64) -> Instant {
    Instant(Duration::from_secs(seconds))
}

fn next(reserve: &mut Reserve, now: Instant) -> NextStep {
    plainly(reserve, now, &mut |_, _| None)
}

/// What a first page is looked at for is no matter here.
fn plainly(
    reserve: &mut Reserve,
    now: Instant,
    refuses: &mut dyn FnMut(&Queued, u64) -> Option<Reason>,
) -> NextStep {
    match reserve.next(now, Timestamp::default(), &slots(), refuses) {
        NextStep::First { page, .. } => {
            reserve.surveyed(HOST, true);
            NextStep::Fetch(page)
        }
        other => other,
    }
}

#[test]
fn b4_the_first_page_of_a_host_is_asked_for_alone() {
    let mut reserve = reserve(None);
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    let rows = (0..3).map(page).collect();
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    let mut none = |_: &Queued, _| None;
    let first = reserve.next(at(0), Timestamp::default(), &slots(), &mut none);
    assert!(matches!(first, NextStep::First { page, .. } if page.resource.0 == 0));
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Wait(_)));
    // It was no page to learn from, so the next is tried.
    reserve.surveyed(HOST, false);
    let second = reserve.next(at(120), Timestamp::default(), &slots(), &mut none);
    assert!(matches!(second, NextStep::First { page, .. } if page.resource.0 == 1));
    reserve.surveyed(HOST, true);
    let third = reserve.next(at(180), Timestamp::default(), &slots(), &mut none);
    assert!(matches!(third, NextStep::Fetch(page) if page.resource.0 == 2));
}

#[test]
fn rows_that_come_while_others_are_loaded_are_found() {
    let mut reserve = reserve(None);
    lease(&mut reserve, HOST);
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(_)));
    // The load may have left out a page that was held then and is to be tried again now.
    reserve.has_rows(HOST);
    reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
    assert!(!reserve.is_empty());
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(_)));
    reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
    assert!(reserve.is_empty());
}

#[test]
fn a12_pages_under_way_count_against_the_limit_of_their_host() {
    let mut reserve = reserve(Some(2));
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    reserve.loaded(
        HOST,
        (0..5).map(page).collect(),
        true,
        None,
        Timestamp::default(),
        at(0),
    );
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Fetch(page) if page.resource.0 == 0));
    assert!(matches!(next(&mut reserve, at(100)), NextStep::Fetch(page) if page.resource.0 == 1));
    assert!(matches!(next(&mut reserve, at(200)), NextStep::Wait(_)));
    // The first was a dead link and makes room for another; then the host has given its two.
    reserve.kept(&Done {
        host: HOST,
        resource: ResourceId(0),
        end: End::Other,
    });
    assert!(matches!(next(&mut reserve, at(300)), NextStep::Fetch(page) if page.resource.0 == 2));
    reserve.kept(&Done {
        host: HOST,
        resource: ResourceId(1),
        end: End::Document,
    });
    reserve.kept(&Done {
        host: HOST,
        resource: ResourceId(2),
        end: End::Document,
    });
    assert!(matches!(
        next(&mut reserve, at(400)),
        NextStep::GiveUp {
            reason: Reason::LimitPages,
            ..
        }
    ));
    assert!(reserve.is_empty());
}

#[test]
fn a_refused_page_costs_its_host_no_turn() {
    let mut reserve = reserve(None);
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    reserve.loaded(
        HOST,
        (0..3).map(page).collect(),
        true,
        None,
        Timestamp::default(),
        at(0),
    );
    for refused in [0, 1] {
        let mut traps = |_: &Queued, _| Some(Reason::TrapCopies);
        let NextStep::Refuse { page, .. } = reserve.next(at(0), Timestamp::default(), &slots(), &mut traps)
        else {
            panic!("page {refused} was not refused");
        };
        assert_eq!(page.resource.0, refused);
    }
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Fetch(page) if page.resource.0 == 2));
}

#[test]
fn hc045_robots_that_failed_are_asked_for_after_a_pause() {
    let mut reserve = reserve(None);
    (reserve.obey_robots, reserve.tries_max) = (true, 2);
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    reserve.loaded(HOST, vec![page(0)], true, None, Timestamp::default(), at(0));
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Robots { .. }));
    let outcome = FetchOutcome {
        response_time: Duration::ZERO,
        kind: OutcomeKind::Answered,
        jitter: 0.5,
    };
    let failed = || RobotsState::of_failure(Reason::Reset);
    reserve.robots_answered(HOST, failed(), "reset".to_owned(), at(1));
    reserve.answered(HOST, None, at(1), outcome, false);
    assert!(matches!(next(&mut reserve, at(2)), NextStep::Wait(_)));
    assert!(matches!(next(&mut reserve, at(4)), NextStep::Robots { .. }));
    reserve.robots_answered(HOST, failed(), "reset: by the peer".to_owned(), at(5));
    assert!(matches!(
        next(&mut reserve, at(9)),
        NextStep::GiveUp {
            reason: Reason::RobotsUnreachable,
            detail: Some(why),
            ..
        } if why == "reset: by the peer"
    ));
}

#[test]
fn hc053_what_is_queued_obeys_the_robots_of_the_next_refresh() {
    let mut reserve = reserve(None);
    reserve.obey_robots = true;
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    let rows = (0..5).map(page).collect();
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    let answered = |reserve: &mut Reserve, now, robots: &[u8]| {
        let state = RobotsState::of_answer(200, robots, defaults::AGENT_TOKEN);
        reserve.robots_answered(HOST, state, String::new(), now);
        let outcome = FetchOutcome {
            response_time: Duration::ZERO,
            kind: OutcomeKind::Answered,
            jitter: 0.5,
        };
        reserve.answered(HOST, None, now, outcome, false);
    };
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Robots { .. }));
    answered(&mut reserve, at(1), b"User-agent: *\nDisallow:\n");
    assert!(matches!(next(&mut reserve, at(10)), NextStep::Fetch(page) if page.resource.0 == 0));
    // To the last second of a day the file is believed; then it is asked for before any page.
    let day = defaults::ROBOTS_CACHE.as_secs();
    assert!(day <= 24 * 3600);
    assert!(matches!(next(&mut reserve, at(day)), NextStep::Fetch(page) if page.resource.0 == 1));
    assert!(matches!(
        next(&mut reserve, at(day + 20)),
        NextStep::Robots { .. }
    ));
    answered(
        &mut reserve,
        at(day + 21),
        b"User-agent: *\nDisallow: /2\nDisallow: /3\n",
    );
    for refused in [2, 3] {
        let NextStep::Refuse { page, reason } = next(&mut reserve, at(day + 40)) else {
            panic!("page {refused} was not refused");
        };
        assert_eq!((page.resource.0, reason), (refused, Reason::RobotsDenied));
    }
    assert!(matches!(next(&mut reserve, at(day + 40)), NextStep::Fetch(page) if page.resource.0 == 4));
}

#[test]
fn a8_a_host_gives_one_sitemap_at_a_time_and_its_pages_do_not_wait() {
    let mut reserve = reserve(None);
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    let sitemap = |resource| Queued {
        purpose: Purpose::Sitemap,
        ..page(resource)
    };
    let rows = vec![sitemap(0), sitemap(1), page(2)];
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Fetch(page) if page.resource.0 == 0));
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Fetch(page) if page.resource.0 == 2));
    assert!(matches!(next(&mut reserve, at(120)), NextStep::Wait(_)));
    reserve.kept(&Done {
        host: HOST,
        resource: ResourceId(0),
        end: End::Other,
    });
    assert!(matches!(next(&mut reserve, at(180)), NextStep::Fetch(page) if page.resource.0 == 1));
    assert!(reserve.is_empty());
}

#[test]
fn case10_a_guessed_list_waits_until_its_host_is_large_or_has_nothing_else() {
    for (pages, is_asked) in [(49, false), (50, true), (60, true)] {
        let mut reserve = reserve(None);
        lease(&mut reserve, HOST);
        next(&mut reserve, at(0));
        let guessed = Queued {
            purpose: Purpose::GuessedSitemap,
            ..page(100)
        };
        let rows = std::iter::once(guessed).chain((0..pages).map(page)).collect();
        reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
        let mut small = |page: &Queued, documents| {
            let waits = page.purpose == Purpose::GuessedSitemap && documents < 50;
            waits.then_some(Reason::AsBefore)
        };
        let (mut asked_behind, mut refused_behind) = (None, None);
        let mut done = 0;
        let answered = |reserve: &mut Reserve, now| {
            let outcome = FetchOutcome {
                response_time: Duration::ZERO,
                kind: OutcomeKind::Answered,
                jitter: 0.5,
            };
            reserve.answered(HOST, None, now, outcome, false);
        };
        for now in (0..500).map(|number| at(number * 10)) {
            match plainly(&mut reserve, now, &mut small) {
                NextStep::Fetch(page) if page.purpose.is_page() => {
                    answered(&mut reserve, now);
                    let (host, resource, end) = (HOST, page.resource, End::Document);
                    reserve.kept(&Done { host, resource, end });
                    done += 1;
                }
                NextStep::Fetch(page) => {
                    asked_behind = Some(done);
                    answered(&mut reserve, now);
                    reserve.kept(&self::done(HOST, page.resource.0));
                }
                NextStep::Refuse { page, .. } => {
                    if let Some(page) = reserve.put_off(page) {
                        refused_behind = Some(done);
                        reserve.kept(&self::done(HOST, page.resource.0));
                    }
                }
                _ => {}
            }
        }
        assert_eq!(done, pages);
        assert!(reserve.is_empty());
        assert_eq!(asked_behind, is_asked.then_some(50), "{pages} pages");
        assert_eq!(refused_behind, (!is_asked).then_some(pages), "{pages} pages");
    }
}

fn list(resource: i64) -> Queued {
    Queued {
        purpose: Purpose::Sitemap,
        priority: -1,
        ..page(resource)
    }
}

fn done(host: HostId, resource: i64) -> Done {
    Done {
        host,
        resource: ResourceId(resource),
        end: End::Other,
    }
}

/// A host whose pages wait, with three of them in memory.
fn waiting() -> Reserve {
    let mut reserve = reserve(None);
    reserve.set_waiters(Waiters::These(HashSet::from([HOST])));
    lease(&mut reserve, HOST);
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(load) if !load.lists_only));
    let rows = (0..3).map(page).collect();
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    reserve
}

#[test]
fn b2_pages_wait_until_their_lists_are_read() {
    let mut reserve = waiting();
    assert!(reserve.awaits_lists(HOST));
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(load) if load.lists_only));
    let rows = vec![list(7), list(8)];
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    for (seconds, resource) in [(10, 7), (20, 8)] {
        assert!(
            matches!(next(&mut reserve, at(seconds)), NextStep::Fetch(page) if page.resource.0 == resource)
        );
        assert!(
            matches!(next(&mut reserve, at(seconds + 5)), NextStep::Wait(_)),
            "nothing else meanwhile"
        );
        reserve.kept(&done(HOST, resource));
    }
    assert!(matches!(
        next(&mut reserve, at(30)),
        NextStep::Lists { host: HOST, .. }
    ));
    assert!(
        matches!(next(&mut reserve, at(31)), NextStep::Wait(_)),
        "asked once"
    );
    assert!(!reserve.is_empty());
    reserve.lists_read(HOST, 2);
    assert!(!reserve.awaits_lists(HOST));
    // Two of the three rows went.
    assert!(
        matches!(next(&mut reserve, at(32)), NextStep::Load(load) if !load.lists_only && load.held.is_empty())
    );
    reserve.loaded(HOST, vec![page(1)], true, None, Timestamp::default(), at(32));
    assert!(matches!(next(&mut reserve, at(40)), NextStep::Fetch(page) if page.resource.0 == 1));
    reserve.kept(&done(HOST, 1));
    assert!(reserve.is_empty());
}

#[test]
fn b2_a_list_elsewhere_is_waited_for_until_it_is_read_or_given_up() {
    let other = HostId(2);
    let mut reserve = waiting();
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(load) if load.lists_only));
    reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
    assert!(matches!(next(&mut reserve, at(1)), NextStep::Lists { .. }));
    reserve.list_open(HOST, ResourceId(9));
    assert!(matches!(next(&mut reserve, at(2)), NextStep::Wait(_)));
    lease(&mut reserve, other);
    next(&mut reserve, at(2));
    reserve.loaded(other, Vec::new(), true, None, Timestamp::default(), at(2));
    // Refused by robots.txt or read: either way it is done.
    reserve.kept(&done(other, 9));
    assert!(matches!(next(&mut reserve, at(3)), NextStep::Lists { .. }));
    reserve.list_open(HOST, ResourceId(10));
    assert!(matches!(next(&mut reserve, at(4)), NextStep::Wait(_)));
    reserve.ask_for_lists_again();
    assert!(matches!(next(&mut reserve, at(5)), NextStep::Lists { .. }));
}

#[test]
fn b2_lists_that_come_late_are_loaded_behind_waiting_pages() {
    let mut reserve = waiting();
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(load) if load.lists_only));
    // An index was kept in the meantime and named others.
    reserve.has_rows(HOST);
    reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(0));
    assert!(matches!(next(&mut reserve, at(1)), NextStep::Load(load) if load.lists_only));
    reserve.loaded(HOST, vec![list(7)], false, None, Timestamp::default(), at(1));
    assert!(matches!(next(&mut reserve, at(10)), NextStep::Fetch(page) if page.resource.0 == 7));
    reserve.kept(&done(HOST, 7));
    assert!(
        matches!(next(&mut reserve, at(20)), NextStep::Load(load) if load.lists_only),
        "there were more"
    );
    reserve.loaded(HOST, Vec::new(), true, None, Timestamp::default(), at(20));
    assert!(matches!(next(&mut reserve, at(30)), NextStep::Lists { .. }));
}

#[test]
fn rows_of_hosts_that_are_not_held_are_asked_for_and_not_loaded() {
    let mut reserve = reserve(None);
    reserve.has_rows(HOST);
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Wait(None)));
    assert!(reserve.wants_hosts() && !reserve.is_empty());
    reserve.set_wants_hosts(false);
    lease(&mut reserve, HOST);
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Load(load) if load.fence == Fence(1)));
    assert_eq!(reserve.hosts_count(), 1);
}

#[test]
fn a_host_is_given_back_when_all_that_came_of_it_is_kept() {
    let mut reserve = reserve(None);
    let now = (at(0), Timestamp::default());
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    assert!(
        reserve.release_idle(true, now).is_empty(),
        "rows are on their way"
    );
    reserve.loaded(HOST, vec![page(0)], true, None, now.1, now.0);
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Fetch(_)));
    assert!(reserve.release_idle(true, now).is_empty(), "a page is on its way");
    let end = End::Document;
    let resource = ResourceId(0);
    let host = HOST;
    reserve.kept(&Done { host, resource, end });
    assert!(
        reserve.release_idle(false, now).is_empty(),
        "one is not worth a write"
    );
    reserve.gives_up(HOST);
    assert!(
        reserve.release_idle(true, now).is_empty(),
        "its rows are being ended"
    );
    reserve.gave_up(HOST);
    let released = reserve.release_idle(true, now);
    let [(lease, state)] = released.as_slice() else {
        panic!("{} hosts", released.len());
    };
    assert_eq!((lease.host, lease.fence), (HOST, Fence(1)));
    assert_eq!((state.documents, state.survey_tries_left), (1, Some(0)));
    assert!(reserve.release_idle(true, now).is_empty(), "once");
    // What this worker remembers is right as long as nobody else had the host.
    assert!(!reserve.leased(&lease_of(HOST, 2), FOR_EVER));
    reserve.release_all(now);
    let other = HostState {
        documents: 5,
        survey_tries_left: Some(1),
        ..HostState::default()
    };
    let again = HostLease {
        state: other.clone(),
        ..lease_of(HOST, 4)
    };
    assert!(reserve.leased(&again, FOR_EVER));
    assert_eq!(reserve.release_all(now)[0].1.documents, other.documents);
    assert_eq!(reserve.hosts_count(), 1);
}

#[test]
fn rows_of_a_lost_host_are_dropped() {
    let mut reserve = reserve(None);
    lease(&mut reserve, HOST);
    next(&mut reserve, at(0));
    let rows = (0..3).map(page).collect();
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(0));
    assert!(matches!(next(&mut reserve, at(0)), NextStep::Fetch(_)));
    let leases = reserve.leases();
    reserve.lost(&leases);
    assert!(reserve.leases().is_empty());
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Wait(_)));
    // Its page comes back unkept; rows that were asked for before are nothing to this worker.
    let (host, resource, end) = (HOST, ResourceId(0), End::Late);
    reserve.kept(&Done { host, resource, end });
    reserve.loaded(HOST, vec![page(1)], true, None, Timestamp::default(), at(60));
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Wait(_)));
    // The host lapsed there, too: the same page is asked for again, under the new lease.
    reserve.leased(&lease_of(HOST, 3), FOR_EVER);
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Load(load) if load.held.is_empty()));
    let fence = Fence(3);
    let rows = vec![Queued { fence, ..page(0) }];
    reserve.loaded(HOST, rows, true, None, Timestamp::default(), at(60));
    assert!(matches!(next(&mut reserve, at(60)), NextStep::Fetch(page) if page.fence == fence));
}

#[test]
fn a_host_whose_lease_has_lapsed_is_not_asked_until_it_is_renewed() {
    let mut reserve = reserve(None);
    reserve.leased(&lease_of(HOST, 1), at(1));
    next(&mut reserve, at(0));
    reserve.loaded(HOST, vec![page(0)], true, None, Timestamp::default(), at(0));
    let mut none = |_: &Queued, _| None;
    // Whatever the clock on the wall is set to.
    let mut ask =
        |reserve: &mut Reserve, seconds| reserve.next(at(seconds), Timestamp::default(), &slots(), &mut none);
    assert!(matches!(ask(&mut reserve, 1), NextStep::Wait(Some(_))));
    assert!(reserve.take_lapsed() && !reserve.take_lapsed());
    reserve.renewed(&reserve.leases(), at(5));
    assert!(matches!(ask(&mut reserve, 2), NextStep::First { .. }));
}
