//! Chromium walks through a copy, from `file:` and without a net: what does a person see on each page?

use gleaner_testkit::program::Running;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Loads every page in a frame and writes down what is in it.
const WALK: &str = r"<!doctype html><meta charset=utf-8><body><script>
const pages = @PAGES@;
const wait = ms => new Promise(done => setTimeout(done, ms));
const width = src => new Promise(done => {
  const image = new Image();
  image.onload = () => done(image.naturalWidth);
  image.onerror = () => done(0);
  image.src = src;
});
async function look(page) {
  const frame = document.createElement('iframe');
  const loaded = new Promise(done => { frame.onload = done; });
  frame.src = page;
  document.body.append(frame);
  await Promise.race([loaded, wait(20000)]);
  if (frame.contentDocument.querySelector('meta[http-equiv=refresh]')) {
    await new Promise(done => { frame.onload = done; });
  }
  const inside = frame.contentDocument;
  const backgrounds = [];
  for (const element of inside.querySelectorAll('.bg')) {
    const src = frame.contentWindow.getComputedStyle(element).backgroundImage.slice(5, -2);
    backgrounds.push([src, await width(src)]);
  }
  const images = [];
  for (const image of inside.images) {
    try { await image.decode(); } catch {}
    images.push([image.currentSrc, image.naturalWidth]);
  }
  for (const image of inside.querySelectorAll('svg image')) images.push([image.href.baseVal, await width(new URL(image.href.baseVal, inside.URL))]);
  const h1 = inside.querySelector('h1');
  console.log('WALKED ' + JSON.stringify({
    page, url: inside.URL, title: inside.title, charset: inside.characterSet, text: inside.body.innerText,
    links: [...inside.querySelectorAll('a[href]')].map(a => a.href),
    forms: [...inside.forms].map(form => form.action),
    sheets: [...inside.styleSheets].map(sheet => sheet.href),
    heading: h1 ? frame.contentWindow.getComputedStyle(h1).color : null,
    images, backgrounds,
  }));
  frame.remove();
}
(async () => {
  for (const page of pages) await look(page);
  console.log('WALK ENDED');
})();
</script>";

/// What lies in a folder, paths with slashes, in order.
pub(super) fn files_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below the folder");
                found.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Every page of the copy as Chromium shows it; the reason where there is no Chromium.
pub(super) fn walk(copy: &Path) -> Result<Vec<Value>, String> {
    let program = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .ok_or("Chromium is not installed")?;
    let pages: Vec<String> = files_in(copy)
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "html"))
        .map(|name| address_of(&copy.join(name)))
        .collect();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let walk = folder.path().join("walk.html");
    let list = serde_json::to_string(&pages).map_err(|error| error.to_string())?;
    std::fs::write(&walk, WALK.replace("@PAGES@", &list)).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--disable-dev-shm-usage", "--allow-file-access-from-files"])
        // Nothing may come from elsewhere.
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        // What a page says on its console comes out here; the port keeps the browser from ending by itself.
        .args(["--enable-logging=stderr", "--remote-debugging-port=0"])
        .arg(address_of(&walk));
    let mut running = Running::start(command).map_err(|error| error.to_string())?;
    let is_ended = running.wait_for_output("WALK ENDED", Duration::from_mins(2));
    let done = running.kill9();
    assert!(is_ended, "Chromium did not come to the end of its walk: {done}");
    let told = done.stderr.lines().filter_map(|line| {
        let (_, told) = line.split_once("\"WALKED ")?;
        let (told, _) = told.rsplit_once("\", source:")?;
        Some(serde_json::from_str(told).expect("JSON"))
    });
    Ok(told.collect())
}

/// The `file:` address of a file.
pub(super) fn address_of(file: &Path) -> String {
    let path = file.to_str().expect("a path in UTF-8").bytes();
    let escaped = path.map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    format!("file://{}", escaped.collect::<String>())
}

/// The file that a `file:` address names.
pub(super) fn file_of(address: &str) -> PathBuf {
    let path = address.strip_prefix("file://").expect("a file");
    let path = path.split('#').next().unwrap_or(path);
    assert!(!path.contains('?'), "a query on a file: {address}");
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(&after[..2]).expect("two digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    PathBuf::from(String::from_utf8(bytes).expect("UTF-8"))
}
