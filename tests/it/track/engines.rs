//! Sessions as real engines write them, served by PHP: ids in the path by redirect, on a part of the links, on all but some (B4).
//!
//! No generator: each is a small application in the manner of one that is in use. Crawled once, and tracked twice after the
//! server forgot all its sessions: no page is new, gone or there twice.

use super::Story;
use gleaner_testkit::servers::PhpServer;
use std::collections::BTreeSet;

/// The pages of every application, by number.
const PAGES: usize = 12;

/// What all applications share: `text` makes a page's words, `fresh` an id that was not there before.
const COMMON: &str = r#"<?php
function text($n) {
    $words = ['harbour','lantern','orchard','willow','granite','meadow','copper','violin','thistle','pebble','saddle','marble'];
    $out = '';
    for ($i = 0; $i < 60; $i++) { $out .= $words[($n * 7 + $i * ($n + 3)) % 12] . ($i % 9 == 8 ? '. ' : ' '); }
    return "<h1>Page $n of the shop</h1><p>$out</p>";
}
function fresh() { return bin2hex(random_bytes(16)); }
"#;

/// `osCsid` on about half of the links of each page, on others on the next.
const HALF: &str = r#"<?php
require __DIR__ . '/common.php';
$id = $_GET['osCsid'] ?? fresh();
$n = (int) ($_GET['products_id'] ?? 0);
if ($n > 12) { http_response_code(404); exit('gone'); }
echo "<!DOCTYPE html><title>Shop, page $n</title>" . text($n) . '<ul>';
for ($i = 0; $i <= 12; $i++) {
    $sid = crc32("$n to $i") & 1 ? "&amp;osCsid=$id" : '';
    echo "<li><a href=\"/index.php?products_id=$i$sid\">Product $i</a></li>";
}
echo '</ul>';
"#;

/// The same on another half at every visit.
const HALF_ANEW: &str = r#"<?php
require __DIR__ . '/common.php';
$id = $_GET['osCsid'] ?? fresh();
$n = (int) ($_GET['products_id'] ?? 0);
if ($n > 12) { http_response_code(404); exit('gone'); }
echo "<!DOCTYPE html><title>Shop, page $n</title>" . text($n) . '<ul>';
for ($i = 0; $i <= 12; $i++) {
    $sid = random_int(0, 1) ? "&amp;osCsid=$id" : '';
    echo "<li><a href=\"/index.php?products_id=$i$sid\">Product $i</a></li>";
}
echo '</ul>';
"#;

/// `sid` on all links but those to the start and to the rules, as forums do for guests.
const MOST: &str = r#"<?php
require __DIR__ . '/common.php';
$id = $_GET['sid'] ?? fresh();
$n = (int) ($_GET['t'] ?? 0);
if ($n > 12) { http_response_code(404); exit('gone'); }
echo "<!DOCTYPE html><title>Forum, topic $n</title>" . text($n) . '<a href="/index.php">Board index</a> <a href="/index.php?t=1">Rules</a><ul>';
for ($i = 2; $i <= 12; $i++) { echo "<li><a href=\"./index.php?t=$i&amp;sid=$id\">Topic $i</a></li>"; }
echo '</ul>';
"#;

/// Every address without an id leads to the same with one in its path, in brackets; old ids are refused.
const REDIRECT: &str = r#"<?php
require __DIR__ . '/common.php';
$store = sys_get_temp_dir() . '/ids-' . $_SERVER['SERVER_PORT'];
@mkdir($store);
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!preg_match('#^/\(S\(([a-z0-9]+)\)\)(/.*)$#', $path, $m) || !file_exists("$store/$m[1]")) {
    $id = substr(base_convert(fresh(), 16, 36), 0, 24);
    $id = str_pad($id, 24, 'a0');
    touch("$store/$id");
    header("Location: /(S($id))" . ($m[2] ?? $path), true, 302);
    exit;
}
if (!preg_match('#^/(?:page(\d+))?$#', $m[2], $p) || ($n = (int) ($p[1] ?? 0)) > 12) { http_response_code(404); exit('gone'); }
echo "<!DOCTYPE html><title>Page $n</title>" . text($n) . '<ul>';
for ($i = 0; $i <= 12; $i++) { echo '<li><a href="' . ($i ? "page$i" : './') . "\">Page $i</a></li>"; }
echo '</ul>';
"#;

/// An id as a folder of the script, as scripts of the nineties had it; any id is taken.
const FOLDER: &str = r#"<?php
require __DIR__ . '/common.php';
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!preg_match('#^/shop/([0-9a-f]{32})/(\d+)$#', $path, $m)) {
    if ($path !== '/' && !preg_match('#^/shop/?$#', $path)) { http_response_code(404); exit('gone'); }
    $m = [0, fresh(), 0];
}
if ($m[2] > 12) { http_response_code(404); exit('gone'); }
echo "<!DOCTYPE html><title>Shop $m[2]</title>" . text((int) $m[2]) . '<ul>';
for ($i = 1; $i <= 12; $i++) { echo "<li><a href=\"/shop/$m[1]/$i\">Article $i</a></li>"; }
echo '</ul>';
"#;

/// One document a page, and still so when all sessions are new.
fn expect_one_document_a_page(name: &str, source: &str) {
    let mut server = match PhpServer::start(|site| {
        std::fs::write(site.join("common.php"), COMMON).expect("room");
        std::fs::write(site.join("index.php"), source).expect("room");
    }) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    let titles: BTreeSet<usize> = told.urls("NEW").iter().filter_map(|url| page_of(url)).collect();
    assert_eq!(titles.len(), PAGES, "{name}: pages are missing\n{told}");
    assert!(
        (PAGES..=PAGES + 2).contains(&told.count("NEW")),
        "{name}: documents twice\n{told}"
    );
    for _ in 0..2 {
        server.restart().expect("PHP starts again");
        let told = story.track(&[]);
        for state in ["NEW", "UPD", "MIS", "ERR"] {
            assert_eq!(told.count(state), 0, "{name}: {state}\n{told}");
        }
    }
}

/// The number of the page in an address; none for the start.
fn page_of(url: &str) -> Option<usize> {
    let number = |before: &str| {
        let (_, rest) = url.split_once(before)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let last = || url.rsplit_once('/')?.1.parse().ok();
    ["products_id=", "?t=", "&t=", "/page"]
        .into_iter()
        .find_map(number)
        .or_else(last)
        .filter(|page| *page > 0)
}

#[test]
fn case16_a_shop_with_ids_on_half_of_its_links() {
    expect_one_document_a_page("half", HALF);
}

#[test]
fn case16_a_shop_with_ids_on_another_half_of_its_links_at_every_visit() {
    expect_one_document_a_page("half anew", HALF_ANEW);
}

#[test]
fn case16_a_forum_with_ids_on_most_of_its_links() {
    expect_one_document_a_page("most", MOST);
}

#[test]
fn case14_ids_by_redirect_into_the_path() {
    expect_one_document_a_page("redirect", REDIRECT);
}

#[test]
fn case14_ids_as_a_folder_of_a_script() {
    expect_one_document_a_page("folder", FOLDER);
}
