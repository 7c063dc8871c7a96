//! Sources that list what they have: a file is what its server says it is.

use super::super::Story;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn write(root: &Path, name: &str, text: &str) {
    std::fs::write(root.join(name), text).expect("a file");
}

fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for n in 0..6 {
        write(
            folder.path(),
            &format!("{n}.txt"),
            &format!("The text of file {n}, which is its own.\n"),
        );
    }
    let path = folder.path().canonicalize().expect("a folder");
    let url = format!("file://{}/", path.display());
    (folder, url)
}

#[test]
fn case09_case10_files_edited_to_one_text_or_to_nothing_are_updated() {
    let (folder, url) = folder();
    let mut story = Story::new();
    story.crawl(&url, &[]);
    for n in 0..4 {
        write(folder.path(), &format!("{n}.txt"), "Replaced.\n");
    }
    write(folder.path(), "4.txt", "");
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("SAM")), (5, 1), "{told}");
}

#[test]
fn case11_an_empty_root_is_not_believed_until_it_is_said() {
    let (folder, url) = folder();
    let mut story = Story::new();
    story.crawl(&url, &[]);
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    let kept = tempfile::tempdir().expect("a folder");
    let put = |from: &Path, to: &Path| {
        std::fs::copy(from, to).expect("a copy");
        std::fs::remove_file(from).expect("a file to remove");
    };
    for file in &files {
        put(file, &kept.path().join(file.file_name().expect("a name")));
    }
    for _ in 0..2 {
        let told = story.track(&[]);
        assert_eq!((told.count("ERR"), told.count("MIS")), (6, 0), "{told}");
        assert!(
            told.changes.iter().all(|change| change.reason == "empty-root"),
            "{told}"
        );
    }
    let file = &files[0];
    put(&kept.path().join(file.file_name().expect("a name")), file);
    let told = story.track(&[]);
    assert_eq!((told.count("ERR"), told.count("MIS")), (0, 5), "{told}");
    std::fs::remove_file(file).expect("a file to remove");
    let told = story.track(&["--believe-empty"]);
    assert_eq!((told.count("ERR"), told.count("MIS")), (0, 1), "{told}");
}

/// A news server of five articles that lists them all and, when it is told to, has none of them.
struct News {
    address: SocketAddr,
    has_none: Arc<AtomicBool>,
    lists_none: Arc<AtomicBool>,
}

const ARTICLES: u32 = 5;

impl News {
    fn start() -> News {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (has_none, lists_none) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let flags = (Arc::clone(&has_none), Arc::clone(&lists_none));
        // It takes connections for as long as the test runs.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (has_none, lists_none) = (Arc::clone(&flags.0), Arc::clone(&flags.1));
                std::thread::spawn(move || drop(serve(&client, &has_none, &lists_none)));
            }
        });
        News {
            address,
            has_none,
            lists_none,
        }
    }
}

fn serve(client: &TcpStream, has_none: &AtomicBool, lists_none: &AtomicBool) -> std::io::Result<()> {
    let mut out = client;
    out.write_all(b"200 hello\r\n")?;
    for line in BufReader::new(client).lines() {
        let line = line?;
        let mut words = line.split(' ');
        let command = words.next().unwrap_or_default().to_ascii_uppercase();
        let reply = match command.as_str() {
            "CAPABILITIES" => "101 can\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n".to_owned(),
            "GROUP" if lists_none.load(Ordering::Relaxed) => "211 0 1 0 local.test\r\n".to_owned(),
            "GROUP" => format!("211 {ARTICLES} 1 {ARTICLES} local.test\r\n"),
            "OVER" => {
                let overview = |n| {
                    format!(
                        "{n}\tNumber {n}\tann@a.test\tMon, 02 Mar 2026 10:00:00 +0000\t<{n}@a.test>\t\t300\t3\r\n"
                    )
                };
                let lines: Vec<String> = (1..=ARTICLES).map(overview).collect();
                let lines = lines.concat();
                format!("224 here\r\n{lines}.\r\n")
            }
            "ARTICLE" if has_none.load(Ordering::Relaxed) => "423 no article with that number\r\n".to_owned(),
            "ARTICLE" => {
                let n = words.next().unwrap_or_default();
                format!(
                    "220 {n} <{n}@a.test>\r\nFrom: ann@a.test\r\nNewsgroups: local.test\r\nSubject: Number {n}\r\n\
                     Date: Mon, 02 Mar 2026 10:00:00 +0000\r\nMessage-ID: <{n}@a.test>\r\n\r\nThe text of {n}.\r\n.\r\n"
                )
            }
            "QUIT" => return out.write_all(b"205 bye\r\n"),
            _ => "500 what?\r\n".to_owned(),
        };
        out.write_all(reply.as_bytes())?;
    }
    Ok(())
}

#[test]
fn case11_an_article_that_is_listed_and_not_there_is_not_called_gone() {
    let news = News::start();
    let mut story = Story::new();
    let told = story.crawl(&format!("nntp://{}/local.test/", news.address), &[]);
    assert_eq!(told.count("NEW"), ARTICLES as usize, "{told}");
    news.has_none.store(true, Ordering::Relaxed);
    let told = story.track(&["--verify-content"]);
    assert_eq!(
        (told.count("ERR"), told.count("MIS")),
        (ARTICLES as usize, 0),
        "{told}"
    );
    news.has_none.store(false, Ordering::Relaxed);
    let told = story.track(&["--verify-content"]);
    told.expect_all_same(ARTICLES as usize, "the articles are there again");
}

/// Folders without files are as empty as none.
#[test]
fn case11_a_root_with_nothing_but_empty_folders_is_not_believed_until_it_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).expect("folders");
    write(folder.path(), "1.txt", "The first file, at the top.\n");
    write(&inner, "2.txt", "The second file, further down.\n");
    let root = folder.path().canonicalize().expect("a folder");
    let mut story = Story::new();
    let told = story.crawl(&format!("file://{}/", root.display()), &[]);
    assert_eq!(told.count("NEW"), 2, "{told}");
    std::fs::remove_file(folder.path().join("1.txt")).expect("a file");
    let told = story.track(&[]);
    assert_eq!(
        (told.count("MIS"), told.count("SAM")),
        (1, 1),
        "a file is left\n{told}"
    );
    std::fs::remove_file(inner.join("2.txt")).expect("a file");
    for _ in 0..2 {
        let told = story.track(&[]);
        assert_eq!((told.count("ERR"), told.count("MIS")), (1, 0), "{told}");
        let text = story.report_text();
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with('!')).collect();
        assert!(lines.len() == 1 && lines[0].contains("--believe-empty"), "{text}");
    }
    // A file that nobody wants is a file.
    write(&inner, "picture.jpg", "\u{fffd}");
    let told = story.track(&[]);
    assert_eq!((told.count("ERR"), told.count("MIS")), (0, 1), "{told}");
}

/// A group that a server made anew has no articles.
#[test]
fn case11_an_empty_group_is_not_believed_until_it_is_said() {
    let news = News::start();
    let mut story = Story::new();
    story.crawl(&format!("nntp://{}/local.test/", news.address), &[]);
    news.lists_none.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let told = story.track(&[]);
        assert_eq!(
            (told.count("ERR"), told.count("MIS")),
            (ARTICLES as usize, 0),
            "{told}"
        );
    }
    let told = story.track(&["--believe-empty"]);
    assert_eq!(told.count("MIS"), ARTICLES as usize, "{told}");
}
