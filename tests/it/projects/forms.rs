//! Forms of steps that hold secrets: they are sent, and written down nowhere (A4, I3).

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::commands::Desk;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page};
use std::io::Read;

const PIN: &str = "271828";

fn project(server: &HostileServer) -> String {
    format!(
        "name = \"vault\"\n[manners]\ndelay = \"0\"\nprivate = true\n[[step]]\nname = \"open\"\nurl = \"{}\"\n\
         form = \"fitting\"\nfields = {{ who = \"ann\", pin = \"env:PIN\" }}\nkeep = false\n\
         [[step]]\nname = \"papers\"\nlinks = \"a\"\n",
        server.url("/")
    )
}

/// Every byte of the data folder, archives unpacked.
fn everything(desk: &Desk) -> Vec<u8> {
    let mut all = Vec::new();
    let mut folders = vec![desk.gleaner.data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            all.extend(std::fs::read(&path).unwrap());
            if path.extension().is_some_and(|end| end == "gz") {
                let file = std::fs::File::open(&path).unwrap();
                flate2::read::MultiGzDecoder::new(file)
                    .read_to_end(&mut all)
                    .unwrap();
            }
        }
    }
    all
}

#[test]
fn i3_a_secret_in_a_form_is_sent_and_kept_nowhere() {
    let server = HostileServer::start();
    server.route(
        "/",
        page("<form action=/open method=post><input name=who><input name=pin type=password></form>"),
    );
    let open = |request: &Request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        page(if body.contains(PIN) {
            "<a href=/paper>paper</a>"
        } else {
            "<p>Closed."
        })
    };
    server.route("/open", dynamic(open));
    server.route("/paper", page("<title>Paper</title><p>Only some read this."));
    let desk = Desk::new();
    desk.write("vault.toml", &project(&server));
    for state in ["new", "same"] {
        let ran = desk.run_with(&["project", "run", "vault.toml", "--json"], &[("PIN", PIN)]);
        ran.expect_code(&[0]);
        assert_eq!(ran.json()[state], 1, "{ran}");
    }
    let all = everything(&desk);
    let holds = |text: &[u8]| all.windows(text.len()).any(|window| window == text);
    assert!(holds(b"Only some read this"), "it is the whole folder");
    assert!(!holds(PIN.as_bytes()));
}

#[test]
fn i3_a_secret_never_becomes_part_of_an_address() {
    let server = HostileServer::start();
    server.route(
        "/",
        page("<form action=/open><input name=who><input name=pin type=password></form>"),
    );
    let desk = Desk::new();
    desk.write("vault.toml", &project(&server));
    let ran = desk.run_with(&["project", "run", "vault.toml"], &[("PIN", PIN)]);
    assert!(ran.stdout.contains("would put a secret into an address"), "{ran}");
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.target.contains(PIN))
    );
    let all = everything(&desk);
    assert!(!all.windows(PIN.len()).any(|window| window == PIN.as_bytes()));
}
