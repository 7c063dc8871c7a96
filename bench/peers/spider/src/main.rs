//! The `spider` crate at its leanest, as a peer: crawls one site and keeps nothing but a count.
//!
//! `spider-peer SEED CONCURRENCY`. Robots rules are not asked for, no delay is kept, links of a page are not returned and
//! no page is subscribed to: its fastest setting, so that a comparison never flatters us.

use spider::website::Website;

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let seed = args.next().expect("usage: spider-peer SEED CONCURRENCY");
    let concurrency: usize = args
        .next()
        .and_then(|n| n.parse().ok())
        .expect("CONCURRENCY is a number");
    let mut site = Website::new(&seed);
    site.with_respect_robots_txt(false)
        .with_delay(0)
        .with_concurrency_limit(Some(concurrency))
        .with_no_control_thread(true)
        .with_user_agent(Some("spider-peer"));
    // No limit on pages or depth: the whole site has to be found.
    site.with_limit(0).with_depth(0);
    site.crawl_raw().await;
    println!("{{\"pages\":{}}}", site.get_size().await);
}
