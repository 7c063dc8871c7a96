//! A small site with everything in it that makes copying hard.

use crate::crawled::links;
use gleaner_testkit::HostileServer;
use gleaner_testkit::hostile::{page, redirect, status};

/// Eight by eight pixels of red.
const PICTURE: &str = "\
    89504e470d0a1a0a0000000d49484452000000080000000808020000004b6d29dc000000114944415478da63382167831531\
    0c2d0900776c4881b7d7afcf0000000049454e44ae426082";

pub(super) fn picture() -> Vec<u8> {
    let digits = PICTURE.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).expect("two digits");
    digits.map(byte).collect()
}

fn typed(media_type: &str, body: impl AsRef<[u8]>) -> gleaner_testkit::hostile::Response {
    status(200)
        .with_header("Content-Type", media_type)
        .with_body(body)
}

/// Pages of the site by their titles, which are unique.
pub(super) const TITLES: [&str; 14] = [
    "Home",
    "Docs",
    "Deep",
    "Query one",
    "Query two",
    "Upper",
    "Lower",
    "File a",
    "File b",
    "Below data",
    "New",
    "Umlaut",
    "Latin",
    "Device",
];

pub(super) fn start() -> HostileServer {
    let server = HostileServer::start();
    let whole = |path: &str| server.url(path);
    let home = format!(
        r#"<!doctype html>
<html><head>
<title>Home</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'self'">
<link rel="canonical" href="/">
<link rel=stylesheet href="/style.css?v=1" integrity="sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" crossorigin>
<style>.inner {{ background: url("/img/inner.png") }}</style>
</head><body>
<h1>Home</h1>
{links}
<p><img src="/img/one.png" alt=one><img srcset="img/two.png 1x, img/two.png?large=1&amp;x=y 2x" src=img/two.png>
<img src="{absolute}" alt="absolute">
<span class="bg outer">outer</span> <span class="bg inner">inner</span>
<span class=bg style='background:url(&quot;/img/styled.png&quot;)'>styled</span></p>
<svg width=8 height=8><image xlink:href="/img/one.png" width=8 height=8 /></svg>
<form action="/search"><input name=q></form>
<a href="//offsite.example.com/y">other</a>
</body></html>"#,
        links = links([
            "docs/",
            "docs/#part",
            "/page.php?id=1",
            "/page.php?id=2&amp;x=a/b",
            "Case.html",
            "case.html",
            "/a",
            "/a/b",
            "/data",
            "/data/x.html",
            "/old?from=home#here",
            "/umlaut%20%C3%BC%2Fx.html",
            "/latin",
            "/con",
            "/missing",
            "https://offsite.example.com/x",
            "mailto:someone@example.com",
            "#top",
        ]),
        absolute = whole("/img/absolute.png"),
    );
    server
        .route("/", page(home))
        .route(
            "/docs/",
            page(
                "<!doctype html><title>Docs</title><base href=\"/docs/deep/\"><p id=part>Docs</p>\
                 <a href=\"x.html\">deep</a> <a href=\"/\">home</a><img src=\"../picture.png\">",
            ),
        )
        .route("/docs/deep/x.html", page("<!doctype html><title>Deep</title><a href=\"../../docs/\">docs</a> <a href='/latin'>latin</a>"))
        .route("/page.php?id=1", page("<!doctype html><title>Query one</title><a href=\"?id=2&x=a/b\">two</a>"))
        .route("/page.php?id=2&x=a/b", page("<!doctype html><title>Query two</title><a href=\"?id=1\">one</a>"))
        .route("/Case.html", page("<!doctype html><title>Upper</title><a href=case.html>lower</a>"))
        .route("/case.html", page("<!doctype html><title>Lower</title><a href=Case.html>upper</a>"))
        .route("/a", page("<!doctype html><title>File a</title><a href=a/b>b</a>"))
        .route("/a/b", page("<!doctype html><title>File b</title><a href=../a>a</a>"))
        .route("/data", typed("application/octet-stream", [0, 1, 2, 3, 254, 255]))
        .route("/data/x.html", page("<!doctype html><title>Below data</title><a href='../data'>data</a>"))
        .route("/old?from=home", redirect("/older"))
        .route("/older", redirect("/new.html").with_status(301))
        .route("/new.html", page("<!doctype html><title>New</title><p id=here>here</p><a href='/old?from=home'>me</a>"))
        .route("/umlaut%20%C3%BC%2Fx.html", page("<!doctype html><title>Umlaut</title><a href='/'>home</a>"))
        .route(
            "/latin",
            typed("text/html; charset=windows-1252", b"<!doctype html><html><head><title>Latin</title></head><p id=text>Gr\xFC\xDFe \x80</p><a href='/'>home</a>"),
        )
        .route("/con", page("<!doctype html><title>Device</title><a href='/'>home</a>"))
        .route(
            "/style.css?v=1",
            typed("text/css", "@import 'more.css';\n.outer { background: url(img/outer.png) }\n.bg { display: inline-block; padding: 9px }"),
        )
        .route("/more.css", typed("text/css", "h1 { color: rgb(1, 2, 3) }"));
    for name in ["one", "two", "inner", "outer", "styled", "absolute"] {
        server.route(&format!("/img/{name}.png"), typed("image/png", picture()));
    }
    server
        .route("/img/two.png?large=1&x=y", typed("image/png", picture()))
        .route("/docs/picture.png", typed("image/png", picture()));
    server
}
