//! Replies that lead elsewhere, never end, or say no.

use super::server::{Server, bytes, fetch, ftp, hasty, list, net, reason};
use crate::script::unclear;
use gleaner_model::Reason;
use gleaner_units::net::ServerLogin;
use gleaner_units::{Answer, Ftp, FtpSettings, ListingEnd};
use std::time::Duration;
use tokio::net::TcpListener;

#[tokio::test]
async fn hc091_data_comes_from_the_control_connections_address() {
    // Another host's address at the same port: nobody may knock there.
    let elsewhere = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let port = elsewhere.local_addr().unwrap().port();
    let server = Server::start(move |mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            match command.verb.as_str() {
                "EPSV" => visit.say("500 what?").await,
                "PASV" => {
                    visit.door = Some(TcpListener::bind(("127.0.0.1", port)).await.unwrap());
                    let [high, low] = port.to_be_bytes();
                    visit.say(&format!("227 Passive (127,0,0,2,{high},{low})")).await;
                }
                _ => visit.usual(&command).await,
            }
        }
    })
    .await;
    server.put("/a", b"from here");
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), b"from here");
    let knocked = tokio::time::timeout(Duration::from_millis(50), elsewhere.accept()).await;
    assert!(knocked.is_err(), "somebody knocked elsewhere");
}

#[tokio::test]
async fn hc091_ports_that_are_none_are_bad_replies() {
    for said in [
        "229 x (|||0|)",
        "229 x (|||70000|)",
        "229 x",
        "229 x (|1|10.0.0.1|21|)",
    ] {
        let server = Server::with("EPSV", async move |visit, _| visit.say(said).await).await;
        server.put("/a", b"never");
        assert_eq!(
            reason(fetch(&ftp(), server.url("/a")).await),
            Reason::BadReply,
            "{said}"
        );
    }
    for said in [
        "227 (127,0,0,1,0,0)",
        "227 (127,0,0,1,300,1)",
        "227 x",
        "227 (1,2,3)",
    ] {
        let server = Server::start(move |mut visit| async move {
            visit.say("220 hello").await;
            while let Some(command) = visit.command().await {
                match command.verb.as_str() {
                    "EPSV" => visit.say("502 no").await,
                    "PASV" => visit.say(said).await,
                    _ => visit.usual(&command).await,
                }
            }
        })
        .await;
        server.put("/a", b"never");
        assert_eq!(
            reason(fetch(&ftp(), server.url("/a")).await),
            Reason::BadReply,
            "{said}"
        );
    }
}

#[tokio::test]
async fn hc092_endless_replies_are_cut() {
    for piece in [
        b"220-more\r\n".repeat(1000),
        vec![b'x'; 10_000],
        b"220-".to_vec(),
        b"\r\n".repeat(100),
    ] {
        let server = Server::start(move |mut visit| {
            let piece = piece.clone();
            async move { while visit.send(&piece).await {} }
        })
        .await;
        assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), Reason::BadReply);
    }
    let server = Server::start(|mut visit| async move {
        visit.say("220-and then").await;
        visit.command().await;
    })
    .await;
    assert_eq!(
        reason(fetch(&hasty(), server.url("/a")).await),
        Reason::SilenceTimeout
    );
    let server = Server::start(|mut visit| async move { visit.say("SSH-2.0-OpenSSH_9.2").await }).await;
    assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), Reason::BadReply);
}

#[tokio::test]
async fn hc099_a_full_server_is_busy_and_a_wrong_login_is_refused() {
    for (said, expected) in [
        (
            "530 Sorry, the maximum number of clients is connected",
            Reason::ServerBusy,
        ),
        ("421 Too many connections", Reason::ServerBusy),
        ("530 Login incorrect", Reason::LoginRefused),
        ("332 and the account?", Reason::LoginRefused),
    ] {
        let server = Server::with("PASS", async move |visit, _| visit.say(said).await).await;
        assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), expected, "{said}");
        let (listed, _) = list(&ftp(), server.url("/")).await;
        assert!(
            matches!(listed, ListingEnd::Unclear(unclear) if unclear.reason == expected),
            "{said}"
        );
    }
    let server = Server::start(|mut visit| async move { visit.say("421 full").await }).await;
    assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), Reason::ServerBusy);
}

#[tokio::test]
async fn hc099_the_end_of_a_session_in_mid_run_is_not_the_end_of_a_file() {
    let server = Server::with("RETR", async |visit, _| {
        visit.say("421 Service closing").await;
        visit.hang_up();
    })
    .await;
    server.put("/a", b"x");
    assert_eq!(reason(fetch(&ftp(), server.url("/a")).await), Reason::ServerBusy);
    assert_eq!(server.count("RETR"), 1, "no hammering");
}

#[tokio::test]
async fn a_kept_connection_that_the_server_ended_is_replaced() {
    // The second look at the time is the last thing that a fetch asks for.
    let server = Server::with("MDTM", async |visit, command| {
        visit.usual(command).await;
        visit.turns += 1;
        if visit.turns == 2 {
            visit.say("421 Timeout").await;
            visit.hang_up();
        }
    })
    .await;
    server.put("/a", b"x");
    let unit = ftp();
    for _ in 0..2 {
        assert_eq!(bytes(fetch(&unit, server.url("/a")).await), b"x");
    }
    assert_eq!(server.count("USER"), 2);
}

#[tokio::test]
async fn a_connection_that_ends_after_the_file_costs_no_second_transfer() {
    let server = Server::with("RETR", async |visit, command| {
        visit.usual(command).await;
        visit.hang_up();
    })
    .await;
    server.put("/a", b"x");
    assert_eq!(bytes(fetch(&ftp(), server.url("/a")).await), b"x");
    assert_eq!(server.count("RETR"), 1);
}

#[tokio::test]
async fn connections_are_kept_and_logins_used() {
    let server = Server::start(|mut visit| async move {
        visit.say("220 hello").await;
        while let Some(command) = visit.command().await {
            visit.usual(&command).await;
        }
    })
    .await;
    server.put("/a", b"one");
    server.put("/b", b"two");
    let origin = server.url("/").origin().to_owned();
    let with_login = net(|settings| {
        let login = ServerLogin {
            user: "ann".into(),
            password: Some("secret word".into()),
            key_file: None,
        };
        settings.logins.add(&origin, login);
    });
    let unit = Ftp::on(with_login, FtpSettings::default());
    assert_eq!(bytes(fetch(&unit, server.url("/a")).await), b"one");
    assert_eq!(bytes(fetch(&unit, server.url("/b")).await), b"two");
    let log = server.log();
    assert_eq!(server.count("USER"), 1, "{log:?}");
    assert!(log.contains(&"USER ann".to_owned()) && log.contains(&"PASS secret word".to_owned()));
}

#[tokio::test]
async fn what_is_refused_is_gone_only_if_a_listing_proves_it() {
    let server = Server::with("LIST", async |visit, _| {
        visit.give(b"-rw-r--r-- 1 a b 7 Mar 4 2001 there\r\n").await;
    })
    .await;
    server.put("/other/x", b"x");
    let unit = ftp();
    assert!(matches!(
        fetch(&unit, server.url("/missing")).await,
        Answer::Gone(_)
    ));
    let forbidden = unclear(fetch(&unit, server.url("/there")).await);
    assert_eq!(forbidden.reason, Reason::AccessDenied);
    assert_eq!(forbidden.detail, "the server says: 550 will not");
    // Hidden names are in no listing.
    assert_eq!(
        reason(fetch(&unit, server.url("/.hidden")).await),
        Reason::AccessDenied
    );
    let Answer::Moved(_, redirect) = fetch(&unit, server.url("/other")).await else {
        panic!("a folder");
    };
    assert_eq!(redirect.target.unwrap(), server.url("/other/"));
    assert!(matches!(
        list(&unit, server.url("/missing/")).await.0,
        ListingEnd::Gone
    ));
    assert!(matches!(
        list(&unit, server.url("/missing/and/more/")).await.0,
        ListingEnd::Gone
    ));
    assert!(matches!(
        list(&unit, server.url("/there/")).await.0,
        ListingEnd::Unclear(_)
    ));
    assert!(matches!(
        list(&unit, server.url("/other/x/")).await.0,
        ListingEnd::File
    ));
}
