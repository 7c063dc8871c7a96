//! vsftpd, `ProFTPD` and Pure-FTPd: the same folder, in the clear and encrypted, must be told and fetched alike.

use super::server::{bytes, fetch, list, net, reason};
use gleaner_model::{Reason, Url};
use gleaner_testkit::servers::{FtpProgram, FtpSecurity, FtpServer};
use gleaner_units::{Answer, Ask, EntryKind, Ftp, FtpSettings, FtpTls, ListingEnd, Unit};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// 2019-03-01 10:00 UTC.
const OLD_S: u64 = 1_551_434_400;

fn write(site: &Path) {
    std::fs::write(site.join("file1.txt"), "data\n").unwrap();
    std::fs::write(site.join("a b.txt"), "blank").unwrap();
    std::fs::write(site.join("-dash"), "dash").unwrap();
    std::fs::write(site.join("grün.txt"), "green").unwrap();
    std::fs::write(site.join(std::ffi::OsStr::from_bytes(b"gr\xfcn.txt")), "latin").unwrap();
    std::fs::write(site.join("large"), vec![b'x'; 3_000_000]).unwrap();
    std::fs::create_dir_all(site.join("sub/deep dir")).unwrap();
    std::fs::write(site.join("sub/deep dir/x"), "x").unwrap();
    std::fs::create_dir(site.join("empty")).unwrap();
    symlink("file1.txt", site.join("link")).unwrap();
    std::fs::create_dir(site.join("locked")).unwrap();
    std::fs::write(site.join("locked/y"), "y").unwrap();
    std::fs::set_permissions(site.join("locked"), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(site.join("secret"), "s").unwrap();
    std::fs::set_permissions(site.join("secret"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(OLD_S);
    let file = std::fs::File::options()
        .write(true)
        .open(site.join("file1.txt"))
        .unwrap();
    file.set_modified(old).unwrap();
}

fn starters(security: FtpSecurity) -> Vec<(FtpProgram, FtpServer)> {
    let mut started = Vec::new();
    for program in FtpProgram::ALL {
        if (program, security) == (FtpProgram::Pureftpd, FtpSecurity::Implicit) {
            continue; // It knows no implicit TLS.
        }
        match FtpServer::start(program, security, write) {
            Ok(server) => started.push((program, server)),
            Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
        }
    }
    started
}

fn unit(server: &FtpServer, security: FtpSecurity) -> Ftp {
    let net = net(|settings| settings.extra_root_certificates = vec![server.root_certificate()]);
    let tls = match security {
        FtpSecurity::Explicit => FtpTls::Explicit,
        FtpSecurity::Plain | FtpSecurity::Implicit => FtpTls::Plain,
    };
    Ftp::on(net, FtpSettings { tls, active: false })
}

async fn is_told_and_fetched_alike(security: FtpSecurity) {
    for (name, server) in starters(security) {
        let unit = unit(&server, security);
        let at = |path: &str| Url::parse(&server.url(path)).unwrap();
        let (listed, mut entries) = list(&unit, at("/")).await;
        assert!(matches!(listed, ListingEnd::Whole), "{name:?}: {listed:?}");
        entries.sort_by(|one, two| one.url.cmp(&two.url));
        let told: Vec<String> = entries
            .iter()
            .map(|entry| format!("{} {:?} {:?}", entry.url.path(), entry.kind, entry.meta.size))
            .collect();
        let expected = [
            "/-dash File Some(4)",
            "/a%20b.txt File Some(5)",
            "/empty/ Folder None",
            "/file1.txt File Some(5)",
            "/gr%C3%BCn.txt File Some(5)",
            "/gr%FCn.txt File Some(5)",
            "/large File Some(3000000)",
            "/link Link None",
            "/locked/ Folder None",
            "/secret File Some(1)",
            "/sub/ Folder None",
        ];
        assert_eq!(told, expected, "{name:?}");
        let old = entries
            .iter()
            .find(|entry| entry.url == at("/file1.txt"))
            .unwrap();
        let modified = old.meta.modified.unwrap();
        let off = OLD_S as i64 - modified.at.0 / 1000;
        assert!(
            (0..modified.precision.as_secs() as i64).contains(&off),
            "{name:?}: {modified:?}"
        );
        for entry in entries.iter().filter(|entry| entry.kind == EntryKind::File) {
            if entry.url != at("/secret") {
                let answer = fetch(&unit, entry.url.clone()).await;
                assert!(
                    matches!(&answer, Answer::Here(_)),
                    "{name:?}: {} {answer:?}",
                    entry.url
                );
                assert_eq!(bytes(answer).len() as u64, entry.meta.size.unwrap(), "{name:?}");
            }
        }
        assert!(
            server.transfers().iter().any(|path| path == "/a b.txt"),
            "{name:?}: {:?}",
            server.transfers()
        );
        let (listed, entries) = list(&unit, at("/sub/deep%20dir/")).await;
        assert!(
            matches!(listed, ListingEnd::Whole) && entries.len() == 1,
            "{name:?}: {listed:?} {entries:?}"
        );
        let (listed, entries) = list(&unit, at("/empty/")).await;
        assert!(
            matches!(listed, ListingEnd::Whole) && entries.is_empty(),
            "{name:?}: {listed:?}"
        );
    }
}

#[tokio::test]
async fn in_the_clear() {
    is_told_and_fetched_alike(FtpSecurity::Plain).await;
}

#[tokio::test]
async fn hc101_explicitly_encrypted() {
    is_told_and_fetched_alike(FtpSecurity::Explicit).await;
}

#[tokio::test]
async fn hc101_implicitly_encrypted() {
    is_told_and_fetched_alike(FtpSecurity::Implicit).await;
}

#[tokio::test]
async fn what_is_gone_what_is_forbidden_and_what_is_a_folder() {
    for (name, server) in starters(FtpSecurity::Plain) {
        let unit = unit(&server, FtpSecurity::Plain);
        let at = |path: &str| Url::parse(&server.url(path)).unwrap();
        let answer = fetch(&unit, at("/missing")).await;
        assert!(matches!(answer, Answer::Gone(_)), "{name:?}: {answer:?}");
        assert_eq!(
            reason(fetch(&unit, at("/secret")).await),
            Reason::AccessDenied,
            "{name:?}"
        );
        assert_eq!(
            reason(fetch(&unit, at("/locked/y")).await),
            Reason::AccessDenied,
            "{name:?}"
        );
        let answer = fetch(&unit, at("/sub")).await;
        let Answer::Moved(_, redirect) = answer else {
            panic!("{name:?}: {answer:?}");
        };
        assert_eq!(redirect.target.unwrap(), at("/sub/"));
        let (listed, _) = list(&unit, at("/missing/")).await;
        assert!(matches!(listed, ListingEnd::Gone), "{name:?}: {listed:?}");
        let (listed, _) = list(&unit, at("/file1.txt/")).await;
        assert!(matches!(listed, ListingEnd::File), "{name:?}: {listed:?}");
        let (listed, entries) = list(&unit, at("/locked/")).await;
        assert!(
            matches!(listed, ListingEnd::Unclear(_)),
            "{name:?}: {listed:?} {entries:?}"
        );
        std::fs::write(server.site().join("late"), "late").unwrap();
        assert_eq!(bytes(fetch(&unit, at("/late")).await), b"late", "{name:?}");
    }
}

#[tokio::test]
async fn active_mode_works_too() {
    for (name, server) in starters(FtpSecurity::Plain) {
        let active = FtpSettings {
            active: true,
            ..FtpSettings::default()
        };
        let unit = Ftp::on(net(|_| ()), active);
        let url = Url::parse(&server.url("/file1.txt")).unwrap();
        let answer = unit.fetch(&Ask::of(url)).await.unwrap();
        assert!(matches!(&answer, Answer::Here(_)), "{name:?}: {answer:?}");
    }
}
