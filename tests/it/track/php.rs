//! PHP's own server with session ids in every link (B4): a restart changes every address and no page.

use super::shop::{Shop, tell_the_story};
use gleaner_testkit::servers::PhpServer;

#[test]
fn b4_php_trans_sid_every_state_right() {
    let mut server = match PhpServer::start(|site| Shop::write(site, "php")) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let shop = Shop::at(&server.site(), "php", server.url("/"));
    let problems = tell_the_story(&shop, &[], &[], || {
        assert!(server.sessions() > 0, "pages were asked for in sessions");
        server.restart().expect("PHP starts again");
    });
    assert!(
        problems.is_empty(),
        "{} wrong:\n{}",
        problems.len(),
        problems.join("\n")
    );
}
