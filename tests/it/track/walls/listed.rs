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
    is_empty: Arc<AtomicBool>,
}

const ARTICLES: u32 = 5;

impl News {
    fn start() -> News {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let is_empty = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_empty);
        // It takes connections for as long as the test runs.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let flag = Arc::clone(&flag);
                std::thread::spawn(move || drop(serve(&client, &flag)));
            }
        });
        News { address, is_empty }
    }
}

fn serve(client: &TcpStream, is_empty: &AtomicBool) -> std::io::Result<()> {
    let mut out = client;
    out.write_all(b"200 hello\r\n")?;
    for line in BufReader::new(client).lines() {
        let line = line?;
        let mut words = line.split(' ');
        let command = words.next().unwrap_or_default().to_ascii_uppercase();
        let reply = match command.as_str() {
            "CAPABILITIES" => "101 can\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n".to_owned(),
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
            "ARTICLE" if is_empty.load(Ordering::Relaxed) => "423 no article with that number\r\n".to_owned(),
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
    news.is_empty.store(true, Ordering::Relaxed);
    let told = story.track(&["--verify-content"]);
    assert_eq!(
        (told.count("ERR"), told.count("MIS")),
        (ARTICLES as usize, 0),
        "{told}"
    );
    news.is_empty.store(false, Ordering::Relaxed);
    let told = story.track(&["--verify-content"]);
    told.expect_all_same(ARTICLES as usize, "the articles are there again");
}
