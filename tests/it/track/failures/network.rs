//! Failures before any answer: names, addresses, ports, certificates.

use super::site::{PATHS, heal};
use super::{HERE, HOST, Story, expect_states, first_act, third_act};
use gleaner_testkit::dns::DnsAnswer;
use gleaner_testkit::hostile::{Certificate, DeafPort, Flaw, HostileServer, Tls};
use gleaner_testkit::{DnsServer, Gleaner};
use std::io::Write;

const ALL_ERR: [&[&str]; PATHS.len()] = [["ERR"].as_slice(); PATHS.len()];

/// Tracks with the name leading elsewhere, where something else is wrong; then with the name as it was.
fn led_astray(
    resolve: &str,
    reasons: &[&str],
    prepare: impl FnOnce(&HostileServer) -> Box<dyn std::any::Any>,
) {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    let there = prepare(&server);
    let told = story.track(&[resolve, "--connect-timeout", "0.5"]);
    expect_states(&told, &server, &ALL_ERR);
    expect_reasons(&told, reasons);
    drop(there);
    third_act(&mut story, &server, &[HERE]);
}

/// What keeps us from the pages keeps us from robots.txt first: either is told, and then the detail names the cause.
fn expect_reasons(told: &super::Told, reasons: &[&str]) {
    for change in &told.changes {
        let is_named = reasons
            .iter()
            .any(|reason| change.reason == *reason || change.detail.contains(reason));
        assert!(is_named, "none of {reasons:?}: {change:?}\n{told}");
    }
}

#[test]
fn connection_refused() {
    led_astray("--resolve=site.test=127.0.0.2", &["connect-refused"], |_| {
        Box::new(())
    });
}

#[test]
fn connection_never_made() {
    let reasons = ["timeout-connect"];
    led_astray("--resolve=site.test=127.0.0.3", &reasons, |server| {
        let address = (
            "127.0.0.3".parse::<std::net::IpAddr>().expect("an address"),
            server.address().port(),
        );
        Box::new(DeafPort::at(address.into()))
    });
}

/// The name leads to a stranger's server, which gives one page for every path.
#[test]
fn a_parked_domain_gives_one_page_for_all() {
    let reasons = ["same-for-all", "soft-404", "error-page"];
    led_astray("--resolve=site.test=127.0.0.4", &reasons, |server| {
        let parked = server.start_beside("127.0.0.4".parse().expect("an address"), None);
        let sale = "<!DOCTYPE html><title>site.test</title><h1>This domain is for sale</h1>\
                    <p>Buy it today. Related searches: harbour, lantern.</p>";
        parked.route("/*", gleaner_testkit::hostile::page(sale));
        Box::new(parked)
    });
}

/// A name server of the test's own, which the site's name goes through.
fn with_a_name_server(answer: DnsAnswer, reasons: &[&str]) {
    let (server, dns) = (HostileServer::start(), DnsServer::start());
    heal(&server);
    let name = "site.home.arpa";
    let here = || [DnsAnswer::addresses(&["127.0.0.1"])];
    dns.set(name, here());
    let address = dns.address().to_string();
    let flags = ["--dns-server", &address, "--allow-private"];
    let mut story = Story::new();
    let crawled = story.crawl(&server.url_as(name, "/"), &flags);
    assert_eq!(crawled.count("NEW"), PATHS.len(), "{crawled}");
    dns.set(name, [answer]);
    let told = story.track(&flags);
    assert_eq!(told.count("ERR"), PATHS.len(), "{told}");
    assert_eq!(told.changes.len(), PATHS.len(), "{told}");
    expect_reasons(&told, reasons);
    dns.set(name, here());
    story
        .track(&flags)
        .expect_all_same(PATHS.len(), "the name is back");
}

#[test]
fn dns_gone() {
    with_a_name_server(DnsAnswer::NxDomain, &["dns-not-found"]);
}

#[test]
fn dns_servfail() {
    with_a_name_server(DnsAnswer::ServFail, &["dns-failed"]);
}

#[test]
fn dns_silent() {
    with_a_name_server(DnsAnswer::Silence, &["dns-timeout", "dns-failed"]);
}

#[test]
fn dns_leads_to_a_private_address() {
    let (server, dns) = (HostileServer::start(), DnsServer::start());
    heal(&server);
    dns.set("site.home.arpa", [DnsAnswer::addresses(&["10.255.255.1"])]);
    let address = dns.address().to_string();
    let mut story = Story::new();
    let url = server.url_as("site.home.arpa", "/");
    let crawled = story.crawl(&url, &["--resolve=site.home.arpa=127.0.0.1"]);
    assert_eq!(crawled.count("NEW"), PATHS.len(), "{crawled}");
    let told = story.track(&["--dns-server", &address, "--connect-timeout", "0.5"]);
    assert_eq!((told.count("MIS"), told.count("UPD")), (0, 0), "{told}");
    assert_eq!(told.count("ERR") + told.count("OUT"), PATHS.len(), "{told}");
}

/// A site over TLS, and the authority's file for `--ca-file`.
fn secure() -> (Tls, tempfile::NamedTempFile) {
    secure_with(Flaw::None)
}

fn secure_with(flaw: Flaw) -> (Tls, tempfile::NamedTempFile) {
    let certificate = Certificate::new(flaw, &[HOST]);
    let mut authority = tempfile::NamedTempFile::new().expect("a temporary file");
    authority
        .write_all(certificate.authority_pem.as_bytes())
        .expect("room for a certificate");
    let alpn = vec![b"http/1.1".to_vec()];
    (Tls { certificate, alpn }, authority)
}

fn path_of(file: &tempfile::NamedTempFile) -> String {
    format!("--ca-file={}", file.path().display())
}

fn crawl_over_tls(server: &HostileServer, authority: &str) -> Story {
    heal(server);
    let mut story = Story::of(Gleaner::new());
    let crawled = story.crawl(&server.url_as(HOST, "/"), &[HERE, authority]);
    assert_eq!(crawled.count("NEW"), PATHS.len(), "{crawled}");
    story
}

#[test]
fn certificate_of_an_unknown_issuer() {
    let (tls, authority) = secure();
    let server = HostileServer::start_tls(&tls);
    let authority_flag = path_of(&authority);
    let mut story = crawl_over_tls(&server, &authority_flag);
    // Without the authority's file its certificate is a stranger's.
    let told = story.track(&[HERE]);
    expect_states(&told, &server, &ALL_ERR);
    expect_reasons(&told, &["tls-unknown-issuer"]);
    third_act(&mut story, &server, &[HERE, &authority_flag]);
}

#[test]
fn certificate_expired() {
    let (tls, authority) = secure();
    let server = HostileServer::start_tls(&tls);
    let authority_flag = path_of(&authority);
    let mut story = crawl_over_tls(&server, &authority_flag);
    let (old, old_authority) = secure_with(Flaw::Expired);
    let expired = server.start_beside("127.0.0.5".parse().expect("an address"), Some(&old));
    heal(&expired);
    let told = story.track(&["--resolve=site.test=127.0.0.5", &path_of(&old_authority)]);
    expect_states(&told, &server, &ALL_ERR);
    expect_reasons(&told, &["tls-expired"]);
    third_act(&mut story, &server, &[HERE, &authority_flag]);
}
