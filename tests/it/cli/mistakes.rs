//! What new users do wrong, and what they are told: each message says what, where and what to do. The snapshots are read by
//! people; `INSTA_UPDATE=always` writes them anew.

use super::world::World;
use gleaner_testkit::Gleaner;
use gleaner_testkit::program::Finished;
use std::fmt::Write as _;
use std::path::Path;

/// Compared with what was read and found good.
fn settled(name: &str, told: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, told);
    });
}

/// Each line with what came of it, in a folder of its own.
fn told(world: &World, lines: &[&str]) -> String {
    let mut all = String::new();
    for line in lines {
        let folder = world.copy();
        // Nothing is added to what is typed: the parser tells it again.
        let done = world.run_in(folder.path(), &format!("export RAW=1; {line}"));
        write(&mut all, world, folder.path(), line, &done);
    }
    all
}

fn write(all: &mut String, world: &World, folder: &Path, line: &str, done: &Finished) {
    let said = format!("{}{}", done.stdout, done.stderr);
    let said = steady(&world.there(folder, &said));
    let _never_fails = writeln!(
        all,
        "$ {line}\n{}\n[exit {}]\n",
        said.trim_end(),
        done.code().unwrap_or(-1)
    );
}

/// What differs from run to run.
fn steady(said: &str) -> String {
    let mut out = String::new();
    let is_progress = |line: &&str| line.contains(" pages/s, ");
    for line in said.lines().filter(|line| !is_progress(line)) {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for at in 1..words.len() {
            let is_unit =
                ["s", "s)", "s);", "s)\u{1b}", "kB", "B", "kB)", "min"].contains(&words[at].as_str());
            let is_number = words[at - 1].trim_start_matches('(').parse::<f64>().is_ok();
            if is_unit && is_number {
                let opened = if words[at - 1].starts_with('(') { "(N" } else { "N" };
                opened.clone_into(&mut words[at - 1]);
            }
            // The format of this program, which grows.
            if words[..at].ends_with(&["up".to_owned(), "to".to_owned()]) && words[at].ends_with(");") {
                "N);".clone_into(&mut words[at]);
            }
        }
        out.push_str(&words.join(" "));
        out.push('\n');
    }
    out
}

#[test]
fn options_and_their_order() {
    let world = World::new();
    settled(
        "options_and_their_order",
        &told(
            &world,
            &[
                "gleaner crawl",
                "gleaner https://example.com/",
                "gleaner get https://example.com/",
                "gleaner crwl https://example.com/",
                "gleaner crawl -r https://example.com/",
                "gleaner crawl https://example.com/ --depht 2",
                "gleaner crawl https://example.com/ -l 2",
                "gleaner crawl https://example.com/ --wait=2",
                "gleaner crawl https://example.com/ --mirror",
                "gleaner crawl https://example.com/ --no-check-certificate",
                "gleaner crawl https://example.com/ --password hush",
                "gleaner crawl https://example.com/ --password-file password.txt",
                "gleaner crawl https://example.com/ -q -v",
                "gleaner crawl --depth https://example.com/",
                "gleaner track https://example.com/ other",
            ],
        ),
    );
}

#[test]
fn numbers_and_words_behind_options() {
    let world = World::new();
    let crawl = |more: &str| format!("gleaner crawl https://example.com/ {more}");
    let lines: Vec<String> = [
        "--depth two",
        "--depth=-1",
        "--max-pages 1.5",
        "--max-bytes 10X",
        "--max-time soon",
        "--delay 1s",
        "--concurrency 0",
        "--types pdf",
        "--scope site",
        "--allow '('",
        "--deny '*.pdf'",
        "-A '[a'",
        "--keep 0",
        "--equality nonsense",
        "--name 'my site'",
        "--resolve example.com",
        "--proxy ftp://127.0.0.1/",
        "--ca-file missing.pem",
        "--option ftp",
        "--connect-timeout 0",
    ]
    .into_iter()
    .map(crawl)
    .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    settled("numbers_and_words_behind_options", &told(&world, &lines));
}

#[test]
fn addresses_and_files() {
    let world = World::new();
    settled(
        "addresses_and_files",
        &told(
            &world,
            &[
                "gleaner crawl htp://127.0.0.1:1/ --tries 1",
                "gleaner crawl http//127.0.0.1:1/ --tries 1",
                "gleaner crawl http://",
                "gleaner crawl nothere",
                "gleaner crawl ./nothere",
                "gleaner crawl mailto:eva@site.invalid",
                "gleaner crawl http://eva:hush@site.invalid/",
                "gleaner crawl -i missing.txt",
                "touch empty.txt && gleaner crawl -i empty.txt",
                "printf 'http://a.invalid/\\nhttp://\\n' > bad.txt && gleaner crawl bad.txt",
                "gleaner crawl -i paper.pdf",
                "gleaner crawl http://nosuchhost.invalid/ --tries 1",
                "gleaner crawl http://127.0.0.1:1/ --tries 1",
                "gleaner crawl https://example.com/gone",
                "gleaner crawl https://example.com/picture.png",
                "gleaner crawl https://example.com/private/",
                "gleaner crawl https://example.com/closed",
            ],
        ),
    );
}

#[test]
fn folders_and_names() {
    let world = World::collected();
    settled(
        "folders_and_names",
        &told(
            &world,
            &[
                "gleaner track --data nothing",
                "gleaner report --data nothing",
                "gleaner ls --data paper.pdf",
                "gleaner crawl https://example.com/ --data paper.pdf",
                "mkdir other && echo mine > other/notes.txt && gleaner ls --data other",
                "mkdir other && echo mine > other/gleaner.db && gleaner ls --data other",
                "gleaner track",
                "gleaner track nosuch",
                "gleaner report 99",
                "gleaner report last",
                "gleaner cat 9999",
                "gleaner cat https://example.com/never",
                "gleaner versions nosuch",
                "gleaner diff 17 7 9",
                "gleaner resume 1",
                "gleaner resume 99",
                "gleaner mirror manual bin",
                "gleaner export manual --as markdown",
                "gleaner export manual --as jsonl",
                "gleaner export nosuch out --as text",
                "gleaner explain https://example.com/ --project nosuch",
                "gleaner prune --keep none",
                "gleaner rules --project manual --forget 9",
                "gleaner reconsider nosuch --equality main",
            ],
        ),
    );
}

#[test]
fn projects_and_what_is_asked_of_them() {
    let world = World::collected();
    let broken = "printf 'name = \"my board\"\\nsources = [\"https://a.invalid/\"]\\ncolour = 1\\n[[rule]]\\ndeny = \"regex:(\"\\n' > broken.toml";
    let no_toml = "printf 'name = board\\n' > broken.toml";
    let lines = [
        format!("{broken} && gleaner project check broken.toml"),
        format!("{no_toml} && gleaner project run broken.toml"),
        "gleaner project run missing.toml".to_owned(),
        "gleaner project run board".to_owned(),
        "gleaner project new board".to_owned(),
        "gleaner project import board.toml && gleaner project import board.toml".to_owned(),
        "gleaner project rename manual 'my manual'".to_owned(),
        "gleaner project rename manual site".to_owned(),
        "gleaner project remove nosuch --yes".to_owned(),
        "gleaner secret remove nosuch".to_owned(),
        "gleaner secret set 'a b'".to_owned(),
        "gleaner search '\"harbour'".to_owned(),
        "gleaner search --since yesterday harbour".to_owned(),
        "gleaner search --vanished=3 harbour".to_owned(),
        "gleaner graph draw --to web.png".to_owned(),
        "gleaner graph path https://example.com/ https://example.com/never".to_owned(),
        "gleaner graph compare 1 99".to_owned(),
        "gleaner convert missing.pdf".to_owned(),
        "gleaner find-sid missing.txt".to_owned(),
        "gleaner concepts nosuch".to_owned(),
        "gleaner chunks manual --since nonsense".to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    settled("projects_and_what_is_asked_of_them", &told(&world, &lines));
}

/// What happens to people who did nothing wrong on the command line.
#[test]
fn folders_in_use_of_others_and_of_other_versions() {
    let world = World::collected();
    let mut all = String::new();
    let mut with = |line: &str, folder: &Path, run: &str| {
        let done = world.run_in(folder, run);
        write(&mut all, &world, folder, line, &done);
    };
    let newer = world.copy();
    let catalog =
        rusqlite::Connection::open(newer.path().join("gleaner-data/gleaner.db")).expect("a catalog");
    catalog
        .pragma_update(None, "user_version", 9999)
        .expect("another version");
    drop(catalog);
    std::fs::remove_file(newer.path().join("gleaner-data/gleaner.db-sums")).ok();
    with(
        "gleaner ls   # a folder of a newer version",
        newer.path(),
        "gleaner ls",
    );
    with(
        "gleaner track manual   # the same",
        newer.path(),
        "gleaner track manual",
    );

    let used = world.copy();
    let folder = used.path().join("gleaner-data");
    let holder = Gleaner::in_folder(&folder);
    let mut running = holder.spawn(&[
        "crawl",
        &world.server.url("/slow/"),
        "--name",
        "long",
        "--delay",
        "60000",
    ]);
    let before = world.server.requests_to("/slow/").len();
    while world.server.requests_to("/slow/").len() == before && !running.has_ended() {
        std::thread::yield_now();
    }
    with(
        "gleaner track manual   # while another works there",
        used.path(),
        "gleaner track manual 2>&1 | sed 's/process [0-9]*/process N/'",
    );
    running.kill9();

    let full = world.copy();
    with(
        "gleaner track manual   # where no file may grow (ulimit -f)",
        full.path(),
        "ulimit -f 8; gleaner track manual 2>&1",
    );
    settled("folders_in_use_of_others_and_of_other_versions", &all);
}

/// A name that was given to the first run is not given to the next.
#[test]
fn row1_a_forgotten_login_is_named() {
    use gleaner_testkit::hostile::{dynamic, page, status};
    let world = World::new();
    world.server.route(
        "/members/",
        dynamic(|request| match request.header("authorization") {
            Some(_) => page("<title>Members</title>in <a href=/members/list>list</a>"),
            None => status(401).with_header("www-authenticate", "Basic realm=\"club\""),
        }),
    );
    world
        .server
        .route("/open/", page("<title>Open</title><a href=/members/>members</a>"));
    let folder = world.path();
    let crawled = world.run_in(
        folder,
        "gleaner crawl https://example.com/open/ --name club --user eva --password-file password.txt",
    );
    crawled.expect_code(&[0]);
    assert!(!crawled.stderr.contains("login"), "{crawled}");
    let tracked = world.run_in(folder, "gleaner track club");
    assert!(
        tracked.stderr.contains("1 page wants a login (http-401)") && tracked.stderr.contains("--user"),
        "{tracked}"
    );
    let again = world.run_in(
        folder,
        "gleaner track club --user eva --password-file password.txt",
    );
    assert!(!again.stderr.contains("login"), "{again}");
}
