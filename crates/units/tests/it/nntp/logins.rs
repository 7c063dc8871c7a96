//! Who we are is told to the right server, and to nobody who listens on the way.

use super::liar::Liar;
use super::{article, here, list, settings, unclear};
use gleaner_model::{Reason, Url};
use gleaner_testkit::servers::{InnDoor, InnServer};
use gleaner_units::net::{Logins, ServerLogin};
use gleaner_units::{ListingEnd, Net, NetSettings, Nntp, NntpSettings, PlainLogin};
use std::net::{IpAddr, UdpSocket};
use std::sync::Arc;

/// A unit with a login for the server of `url`.
fn unit_with(url: &str, (user, password): (&str, &str), change: impl FnOnce(&mut NetSettings)) -> Nntp {
    Nntp::on(net_with(url, (user, password), change), NntpSettings::default())
}

fn net_with(url: &str, (user, password): (&str, &str), change: impl FnOnce(&mut NetSettings)) -> Arc<Net> {
    let mut settings = settings();
    let mut logins = Logins::default();
    let login = ServerLogin {
        user: user.to_owned(),
        password: Some(password.to_owned()),
        key_file: None,
    };
    logins.add(Url::parse(url).unwrap().origin(), login);
    settings.logins = logins;
    change(&mut settings);
    Arc::new(Net::new(settings).unwrap())
}

/// No name and no password was sent.
fn was_told_nothing(server: &Liar) -> bool {
    let commands = server.commands();
    commands.iter().all(|command| !command.starts_with("AUTHINFO"))
}

#[tokio::test]
async fn a_login_goes_to_its_own_server_and_is_refused_by_reply() {
    let server = Liar::start(|command| match command {
        "AUTHINFO USER ann" => Some(b"381 go on\r\n".to_vec()),
        "AUTHINFO PASS secret" => Some(b"281 welcome\r\n".to_vec()),
        "AUTHINFO PASS wrong" => Some(b"481 wrong is wrong\r\n".to_vec()),
        "ARTICLE 1" => Some(b"220 1 <1@x>\r\n\r\nhello\r\n.\r\n".to_vec()),
        _ => None,
    })
    .await;
    let url = server.url("/a.b/1");
    let with = |url: &str, password: &str| unit_with(url, ("ann", password), |_| ());
    here(&with(&url, "secret"), &url).await;
    let refused = unclear(&with(&url, "wrong"), &url).await;
    assert_eq!(refused.reason, Reason::LoginRefused);
    assert!(!refused.detail.contains("wrong"), "{}", refused.detail);
    let injected = unclear(&with(&url, "a\r\nQUIT"), &url).await;
    assert_eq!(injected.reason, Reason::LoginRefused);
    assert_eq!(server.count("QUIT"), 0);

    let before = server.commands().len();
    here(&with("nntp://elsewhere.test/", "secret"), &url).await;
    assert!(
        server.commands()[before..]
            .iter()
            .all(|command| !command.starts_with("AUTHINFO"))
    );
}

#[tokio::test]
async fn a_login_is_not_sent_where_the_promised_encryption_fails() {
    let server = Liar::start(|command| match command {
        "CAPABILITIES" => Some(b"101 follows\r\nREADER\r\nSTARTTLS\r\n.\r\n".to_vec()),
        "STARTTLS" => Some(b"382 begin\r\n281 welcome\r\n".to_vec()),
        _ => None,
    })
    .await;
    let url = server.url("/a.b/1");
    let allowed = NntpSettings {
        plain_login: PlainLogin::Allowed,
        ..NntpSettings::default()
    };
    for settings in [NntpSettings::default(), allowed] {
        let unit = Nntp::on(net_with(&url, ("ann", "secret"), |_| ()), settings);
        let unclear = unclear(&unit, &url).await;
        assert_eq!(unclear.reason, Reason::BadReply, "{}", unclear.detail);
    }
    assert!(was_told_nothing(&server));
}

/// An address of this machine that others could see; nothing is sent to find it.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[tokio::test]
async fn without_encryption_a_login_is_sent_only_if_the_user_says_so() {
    let Some(address) = own_address() else {
        return gleaner_fixtures::skip("this machine has no address but loopback");
    };
    let reply = |command: &str| match command {
        "AUTHINFO USER ann" => Some(b"281 welcome\r\n".to_vec()),
        "ARTICLE 1" => Some(b"220 1 <1@x>\r\n\r\nhello\r\n.\r\n".to_vec()),
        _ => None,
    };
    let server = Liar::start_at(address, reply).await;
    let url = server.url("/a.b/1");
    let net = || net_with(&url, ("ann", "secret"), |_| ());
    let refused = unclear(&Nntp::on(net(), NntpSettings::default()), &url).await;
    assert_eq!(refused.reason, Reason::NoEncryption);
    assert!(
        refused.detail.contains("nntp.plain_login=yes"),
        "it says what helps: {}",
        refused.detail
    );
    assert!(was_told_nothing(&server));
    let allowed = NntpSettings {
        plain_login: PlainLogin::Allowed,
        ..NntpSettings::default()
    };
    here(&Nntp::on(net(), allowed), &url).await;
    // Who has no login has nothing to hide.
    let nobody = Nntp::on(Arc::new(Net::new(settings()).unwrap()), NntpSettings::default());
    here(&nobody, &url).await;
}

fn start(door: InnDoor) -> Option<InnServer> {
    match InnServer::start_behind(door, &["local.test"]) {
        Ok(server) => Some(server),
        Err(why) => {
            gleaner_fixtures::skip(format!("{why:#}"));
            None
        }
    }
}

#[tokio::test]
async fn a_real_server_that_offers_encryption_and_has_no_certificate_is_told_nothing() {
    let Some(server) = start(InnDoor::Login) else {
        return;
    };
    let url = server.url("/local.test/1");
    let allowed = NntpSettings {
        plain_login: PlainLogin::Allowed,
        ..NntpSettings::default()
    };
    for settings in [NntpSettings::default(), allowed] {
        let unit = Nntp::on(net_with(&url, InnServer::LOGIN, |_| ()), settings);
        let refused = unclear(&unit, &url).await;
        assert_eq!(refused.reason, Reason::NoEncryption, "{}", refused.detail);
    }
    let stranger = Nntp::on(Arc::new(Net::new(settings()).unwrap()), NntpSettings::default());
    assert_eq!(unclear(&stranger, &url).await.reason, Reason::LoginRefused);
}

#[tokio::test]
async fn a_real_server_encrypts_after_starttls_and_from_the_first_byte() {
    let Some(server) = start(InnDoor::SecureLogin) else {
        return;
    };
    server.post(&article(1, "first\n")).unwrap();
    let addresses = [Some(server.url("/")), server.secure_url("/")];
    for base in addresses.into_iter().flatten() {
        let url = format!("{base}local.test/1");
        let trusting = |settings: &mut NetSettings| {
            settings.extra_root_certificates = vec![server.root_certificate()];
        };
        let unit = unit_with(&url, InnServer::LOGIN, trusting);
        let (entries, listed) = list(&unit, &format!("{base}local.test/")).await;
        assert!(matches!(listed, ListingEnd::Whole), "{base}: {listed:?}");
        assert_eq!(entries[0].url.as_str(), url);
        let exchange = here(&unit, &url).await;
        assert!(exchange.body.len() > 100, "{base}");
        let wrong = unclear(&unit_with(&url, ("ann", "wrong"), trusting), &url).await;
        assert_eq!(wrong.reason, Reason::LoginRefused, "{base}: {}", wrong.detail);
        // Whose certificate nobody vouches for is told no password.
        let doubting = unclear(&unit_with(&url, InnServer::LOGIN, |_| ()), &url).await;
        assert_eq!(
            doubting.reason,
            Reason::TlsUnknownIssuer,
            "{base}: {}",
            doubting.detail
        );
    }
}
