//! One case for each place of a page that can hold a link (A8).

use crate::{html, read, shown};
use gleaner_parse::Kind;

#[test]
fn a8_every_place_gives_its_link() {
    let cases: &[(&str, &[&str])] = &[
        ("<a href=x>y</a>", &["anchor /dir/x"]),
        ("<A HREF='x'>y</A>", &["anchor /dir/x"]),
        ("<a href=\"x?a=1&amp;b=2\">", &["anchor /dir/x?a=1&b=2"]),
        ("<a href=x?a=1&copy=2>", &["anchor /dir/x?a=1&copy=2"]),
        ("<a href=x href=y>", &["anchor /dir/x"]),
        ("<a\nhref\n=\n'x'/>", &["anchor /dir/x"]),
        ("<a/href=x>", &["anchor /dir/x"]),
        ("<a class=y\thref=/x>", &["anchor /x"]),
        ("<a href='  x  '>", &["anchor /dir/x"]),
        ("<a href='x\n\ty'>", &["anchor /dir/xy"]),
        ("<a href=//other.test/z>", &["anchor http://other.test/z"]),
        ("<a href=x#frag>", &["anchor /dir/x"]),
        ("<a href=#frag>", &[]),
        ("<a href=''>", &[]),
        ("<a name=x>", &[]),
        (
            "<a href=x ping='p1 p2'>",
            &["anchor /dir/x", "other /dir/p1", "other /dir/p2"],
        ),
        ("<map><area href=x></map>", &["area /dir/x"]),
        ("<link rel=canonical href=x>", &["canonical /dir/x"]),
        ("<link rel=stylesheet href=x>", &["style /dir/x"]),
        ("<link rel='alternate stylesheet' href=x>", &["style /dir/x"]),
        (
            "<link rel=alternate type=application/rss+xml href=x>",
            &["feed /dir/x"],
        ),
        (
            "<link rel=alternate type='application/atom+xml; a=b' href=x>",
            &["feed /dir/x"],
        ),
        ("<link rel=alternate hreflang=de href=x>", &["link /dir/x"]),
        ("<link rel='shortcut icon' href=x>", &["image /dir/x"]),
        ("<link rel=apple-touch-icon href=x>", &["image /dir/x"]),
        (
            "<link rel=next href=x><link rel=prev href=y>",
            &["link /dir/x", "link /dir/y"],
        ),
        ("<link rel=preload as=script href=x>", &["script /dir/x"]),
        (
            "<link rel=preload as=image imagesrcset='x 1x, y 2x'>",
            &["image /dir/x", "image /dir/y"],
        ),
        ("<link rel=sitemap href=x>", &["sitemap /dir/x"]),
        ("<link rel=manifest href=x>", &["other /dir/x"]),
        (
            "<frameset><frame src=x longdesc=y></frameset>",
            &["frame /dir/x", "other /dir/y"],
        ),
        ("<iframe src=x></iframe>", &["iframe /dir/x"]),
        ("<iframe srcdoc='<a href=x>y</a>'></iframe>", &["anchor /dir/x"]),
        (
            "<iframe srcdoc='&lt;a href=x&amp;amp;y>'></iframe>",
            &["anchor /dir/x&y"],
        ),
        ("<img src=x longdesc=y>", &["image /dir/x", "other /dir/y"]),
        ("<img srcset='x 1x, y 2x'>", &["image /dir/x", "image /dir/y"]),
        ("<img src=x lowsrc=y>", &["image /dir/x", "image /dir/y"]),
        ("<img data-src=x>", &["other /dir/x"]),
        ("<image src=x>", &["image /dir/x"]),
        (
            "<picture><source srcset='x, y 2x'><img src=z></picture>",
            &["image /dir/x", "image /dir/y", "image /dir/z"],
        ),
        (
            "<video src=x poster=y><source src=z><track src=t></video>",
            &["media /dir/x", "image /dir/y", "media /dir/z", "media /dir/t"],
        ),
        ("<audio src=x></audio>", &["media /dir/x"]),
        ("<bgsound src=x>", &["media /dir/x"]),
        ("<script src=x></script>", &["script /dir/x"]),
        (
            "<form action=x><button formaction=y></button><input type=submit formaction=z></form>",
            &["get-form /dir/x", "get-form /dir/y", "get-form /dir/z"],
        ),
        ("<form action=x><form action=y></form>", &["get-form /dir/x"]),
        (
            "<form method=POST action=x><button formaction=y></button><button formmethod=get formaction=z></button></form>",
            &["form /dir/x", "form /dir/y", "get-form /dir/z"],
        ),
        ("<button form=f formaction=x></button>", &["form /dir/x"]),
        ("<isindex action=x>", &["get-form /dir/x"]),
        (
            "<form action=x></form><form action=y></form>",
            &["get-form /dir/x", "get-form /dir/y"],
        ),
        ("<input type=image src=x>", &["image /dir/x"]),
        ("<input type=text src=x>", &[]),
        ("<object data=x></object>", &["object /dir/x"]),
        (
            "<object codebase=/cb/ data=x archive='a b'></object>",
            &["object /cb/x", "object /cb/a", "object /cb/b", "object /cb/"],
        ),
        (
            "<applet codebase=/cb/ code=X.class archive='a.jar,b.jar'></applet>",
            &[
                "object /cb/X.class",
                "object /cb/a.jar",
                "object /cb/b.jar",
                "object /cb/",
            ],
        ),
        ("<embed src=x>", &["object /dir/x"]),
        ("<meta http-equiv=refresh content='0;url=x'>", &["refresh /dir/x"]),
        (
            "<META HTTP-EQUIV=Refresh CONTENT=\"5; URL='x'\">",
            &["refresh /dir/x"],
        ),
        ("<meta http-equiv=refresh content=5>", &[]),
        (
            "<base href=/other/><a href=x>",
            &["anchor /other/x", "in-script /other/"],
        ),
        (
            "<a href=x><base href=/other/>",
            &["anchor /other/x", "in-script /other/"],
        ),
        (
            "<base href=/one/><base href=/two/><a href=x>",
            &["anchor /one/x", "in-script /one/", "in-script /two/"],
        ),
        (
            "<base target=_top><base href=/two/><a href=x>",
            &["anchor /two/x", "in-script /two/"],
        ),
        ("<base href=/other/><a href=#f>", &["anchor /other/"]),
        ("<base href='javascript:1'><a href=x>", &["anchor /dir/x"]),
        (
            "<body background=x><table background=y><tr><td background=z>",
            &["image /dir/x", "image /dir/y", "image /dir/z"],
        ),
        ("<p style='background:url(x)'>", &["style /dir/x"]),
        ("<p style=\"background:url(&quot;x&quot;)\">", &["style /dir/x"]),
        (
            "<style>@import 'x'; a{b:url(y)}</style>",
            &["style /dir/x", "style /dir/y"],
        ),
        ("<svg><style>a{b:url(y)}</style></svg>", &["style /dir/y"]),
        (
            "<blockquote cite=x></blockquote><q cite=y></q><ins cite=z></ins><del cite=w></del>",
            &["other /dir/x", "other /dir/y", "other /dir/z", "other /dir/w"],
        ),
        ("<html manifest=x>", &["other /dir/x"]),
        (
            "<svg><a href=x>t</a><a xlink:href=y>t</a></svg>",
            &["anchor /dir/x", "anchor /dir/y"],
        ),
        (
            "<svg><image href=x /><use href='y#i'/><use xlink:href='#local'/></svg>",
            &["image /dir/x", "other /dir/y"],
        ),
        ("<svg><script href=x></script></svg>", &["script /dir/x"]),
        (
            "<noscript><a href=x></a><img src=y></noscript>",
            &["anchor /dir/x", "image /dir/y"],
        ),
        ("<template><a href=x></a></template>", &["anchor /dir/x"]),
    ];
    let mut passed = 0;
    for (body, want) in cases {
        let got = shown(&html(body));
        if got == *want {
            passed += 1;
        } else {
            println!("{body}\n  want {want:?}\n  got  {got:?}");
        }
    }
    println!("places: {passed}/{}", cases.len());
    assert_eq!(passed, cases.len());
}

#[test]
fn hc084_what_is_not_markup_gives_no_links() {
    let cases: &[(&str, &[&str])] = &[
        (
            "<!-- <a href=no> --><a href=x>",
            &["anchor /dir/x", "in-script /dir/no"],
        ),
        ("<!--><a href=x>", &["anchor /dir/x"]),
        ("<!---><a href=x>", &["anchor /dir/x"]),
        ("<!-- --!><a href=x>", &["anchor /dir/x"]),
        ("<!-- unclosed <a href=no>", &["in-script /dir/no"]),
        ("<! bogus <a href=no><a href=x>", &["anchor /dir/x"]),
        ("<? bogus <a href=no><a href=x>", &["anchor /dir/x"]),
        ("</ bogus <a href=no><a href=x>", &["anchor /dir/x"]),
        ("<![CDATA[ <a href=no> ]]><a href=x>", &["anchor /dir/x"]),
        ("<![CDATA[ > <a href=x> ]]>", &["anchor /dir/x"]),
        (
            "<svg><![CDATA[ <a href=no> ]]></svg><a href=x>",
            &["anchor /dir/x"],
        ),
        (
            "<script>'<a href=no>'</script><a href=x>",
            &["anchor /dir/x", "in-script /dir/no"],
        ),
        (
            "<script><!-- <script> </script> <a href=no> --></script><a href=x>",
            &["anchor /dir/x"],
        ),
        ("<script><!-- </script><a href=x>", &["anchor /dir/x"]),
        ("<script>unclosed <a href=no>", &[]),
        ("<script></scripty></script ><a href=x>", &["anchor /dir/x"]),
        ("<style><a href=no></style><a href=x>", &["anchor /dir/x"]),
        ("<textarea><a href=no></textarea><a href=x>", &["anchor /dir/x"]),
        ("<title><a href=no></title><a href=x>", &["anchor /dir/x"]),
        ("<title>unclosed <a href=no>", &[]),
        ("<xmp><a href=no></xmp><a href=x>", &["anchor /dir/x"]),
        // What only browsers without frames show is meant to be seen there.
        (
            "<iframe><a href=y></iframe><a href=x>",
            &["anchor /dir/x", "anchor /dir/y"],
        ),
        (
            "<noembed><a href=y></noembed><a href=x>",
            &["anchor /dir/x", "anchor /dir/y"],
        ),
        (
            "<noframes><a href=y></noframes><a href=x>",
            &["anchor /dir/x", "anchor /dir/y"],
        ),
        ("<plaintext><a href=no></plaintext><a href=no>", &[]),
        ("<svg><title><a href=x></title></svg>", &["anchor /dir/x"]),
        ("<svg><style><a href=x></a></style></svg>", &["anchor /dir/x"]),
        ("<svg><p><style><a href=no></style><a href=x>", &["anchor /dir/x"]),
        (
            "<svg><foreignObject><style><a href=no></style></foreignObject></svg><a href=x>",
            &["anchor /dir/x"],
        ),
        ("<a\0 href=no>", &[]),
        ("<a href\0=no>", &[]),
        ("<a href='unclosed><a href=no>", &[]),
        ("<a href=x", &[]),
        ("< a href=no>", &[]),
        ("<1a href=no>", &[]),
        ("a < b <a href=x> c", &["anchor /dir/x"]),
        ("<a title='>' href=x>", &["anchor /dir/x"]),
        ("<a title=\"<a href='no'>\" href=x>", &["anchor /dir/x"]),
    ];
    let mut passed = 0;
    for (body, want) in cases {
        let got = shown(&html(body));
        if got == *want {
            passed += 1;
        } else {
            println!("{body}\n  want {want:?}\n  got  {got:?}");
        }
    }
    println!("not markup: {passed}/{}", cases.len());
    assert_eq!(passed, cases.len());
    assert_eq!(
        html("<title>one</title><title>two</title><svg><title>three</title></svg>").title,
        "one"
    );
    let swallowed = html("<title>never closed <p>text");
    assert_eq!(swallowed.title, "never closed <p>text");
}

#[test]
fn a8_headers_hold_links_too() {
    let parsed = read(
        b"<base href=/base/><a href=x>",
        &[
            ("content-type", "text/html"),
            ("link", "<next>; rel=next, <c>; rel=\"canonical\""),
            ("link", "</style.css>; rel=preload"),
            ("refresh", "3; url=soon"),
            ("content-location", "page.en.html"),
        ],
    );
    let want = [
        "header /dir/next",
        "canonical /dir/c",
        "header /style.css",
        "refresh /dir/soon",
        "header /dir/page.en.html",
        "anchor /base/x",
        "in-script /base/",
    ];
    assert_eq!(shown(&parsed), want);
    assert_eq!(parsed.canonical.unwrap().as_str(), "http://site.test/dir/c");
    // Also where the body is no page.
    let parsed = read(b"%PDF-1.4", &[("link", "</paper.html>; rel=canonical")]);
    assert_eq!(
        (parsed.kind, shown(&parsed)),
        (Kind::Pdf, vec!["canonical /paper.html".to_owned()])
    );
}

#[test]
fn anchors_have_their_words() {
    let parsed = html(
        "<a href=1> two\n <b>words</b> &amp; more</a> <a href=2><img src=i alt='a picture'></a> <a href=1>later</a>\
         <a href=3></a><a href=3>second</a> <a href=4>open <a href=5>next</a> <map><area href=6 alt='a shape'></map>\
         <a href=7>x<script>no</script><!-- no -->y</a> <a href=8>fr\u{f6}hlich</a>",
    );
    let words: Vec<_> = parsed
        .links
        .iter()
        .map(|l| {
            (
                l.url.path().rsplit('/').next().unwrap(),
                l.anchor.as_str(),
                l.count,
            )
        })
        .collect();
    let want = [
        ("1", "two words & more", 2),
        ("2", "a picture", 1),
        ("i", "a picture", 1),
        ("3", "second", 2),
        ("4", "open", 1),
        ("5", "next", 1),
        ("6", "a shape", 1),
        ("7", "xy", 1),
        ("8", "fr\u{f6}hlich", 1),
    ];
    assert_eq!(words, want);
}

#[test]
fn e1_repeats_are_counted_and_nofollow_needs_every_occurrence() {
    let parsed = html(
        "<a href=x rel=nofollow></a><a href='/dir/x'></a><a href='./x#y' rel='ugc nofollow'></a><img src=x>\
         <a href=y rel='NOFOLLOW me'></a><a href=y rel=nofollow></a><a href=z rel=sponsored></a>",
    );
    let got: Vec<_> = parsed
        .links
        .iter()
        .map(|l| (l.kind.as_str(), l.url.path(), l.count, l.nofollow))
        .collect();
    let want = [
        ("anchor", "/dir/x", 3, false),
        ("image", "/dir/x", 1, false),
        ("anchor", "/dir/y", 2, true),
        ("anchor", "/dir/z", 1, false),
    ];
    assert_eq!(got, want);
}

#[test]
fn hc054_robots_of_header_and_page_add_up() {
    let parsed = read(
        b"<meta name=robots content=nofollow><meta name=otherbot content=noarchive>",
        &[
            ("content-type", "text/html"),
            ("x-robots-tag", "gleaner: noindex"),
            ("x-robots-tag", "otherbot: nosnippet"),
        ],
    );
    let robots = parsed.robots;
    assert!(robots.noindex && robots.nofollow && !robots.noarchive && !robots.nosnippet);
}

#[test]
fn hc032_other_schemes_are_counted_not_kept() {
    let parsed = html(
        "<a href='javascript:void(0)'><a href=' JAVA\tSCRIPT:x'><a href=mailto:a@b><img src='data:image/gif;base64,R0'>\
         <a href=file:///etc/passwd><a href=about:blank><a href=blob:x><a href=tel:1><a href=weird+x:1><a href=ok>",
    );
    assert_eq!(shown(&parsed), ["anchor /dir/ok"]);
    let schemes: Vec<_> = parsed
        .other_schemes
        .iter()
        .map(|(s, n)| (s.as_str(), *n))
        .collect();
    let want = [
        ("javascript", 2),
        ("mailto", 1),
        ("data", 1),
        ("file", 1),
        ("about", 1),
        ("blob", 1),
        ("tel", 1),
        ("weird+x", 1),
    ];
    assert_eq!(schemes, want);
    let many: String = (0..1000).map(|i| format!("<a href=s{i}:x>")).collect();
    let parsed = html(&many);
    assert!(parsed.other_schemes.len() <= 32);
    assert_eq!(parsed.other_schemes.iter().map(|(_, n)| n).sum::<u32>(), 1000);
}

#[test]
fn legacy_pages_keep_their_characters() {
    let parsed = read(
        b"<meta charset=windows-1251><title>\xCF\xF0\xE8\xE2\xE5\xF2</title><a href='/\xEF?q=\xEF'>\xEC\xE8\xF0</a>",
        &[("content-type", "text/html")],
    );
    assert_eq!(parsed.title, "Привет");
    assert_eq!(parsed.links[0].anchor, "мир");
    assert_eq!(parsed.links[0].url.as_str(), "http://site.test/%D0%BF?q=%EF");
    let sjis = encoding_rs::SHIFT_JIS
        .encode("<title>表示</title><a href='表.html'>ソース</a>")
        .0
        .into_owned();
    let parsed = read(&sjis, &[("content-type", "text/html; charset=shift_jis")]);
    assert_eq!(
        (parsed.title.as_str(), parsed.links[0].anchor.as_str()),
        ("表示", "ソース")
    );
    let utf16: Vec<u8> = "\u{feff}<title>ü</title><a href=x>y</a>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let parsed = read(&utf16, &[("content-type", "text/html")]);
    assert_eq!(
        (parsed.title.as_str(), shown(&parsed)),
        ("ü", vec!["anchor /dir/x".to_owned()])
    );
}

#[test]
fn xhtml_is_read_as_xml() {
    let parsed = read(
        b"<?xml version='1.0'?><?xml-stylesheet href='s.css'?><!DOCTYPE html [<!ENTITY x '<a href=no>'>]>\
          <html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title><script src='a.js'/><style/></head>\
          <body><a name='n'/><a href='x'>w</a><![CDATA[<a href='no'>]]><h:img xmlns:h='x' src='y'/></body></html>",
        &[("content-type", "application/xhtml+xml")],
    );
    assert_eq!(parsed.kind, Kind::Xhtml);
    assert_eq!(parsed.title, "T");
    assert_eq!(
        shown(&parsed),
        [
            "style /dir/s.css",
            "script /dir/a.js",
            "anchor /dir/x",
            "image /dir/y"
        ]
    );
}

#[test]
fn style_sheets_are_read() {
    let parsed = read(
        b"@charset \"utf-8\"; @import url(a.css); b{c:url('d.png')}",
        &[("content-type", "text/css")],
    );
    assert_eq!(parsed.kind, Kind::Css);
    assert_eq!(shown(&parsed), ["style /dir/a.css", "style /dir/d.png"]);
}

#[test]
fn hc033_misspelt_schemes_are_links_and_their_originals_are_kept() {
    let parsed = read(
        b"<a href='htp://other.test/a'>1</a><a href='/plain'>2</a><a href=' \\b c '>3</a><a href='/b%20c'>4</a>\
          <a href='mailto:x@y.test'>5</a><a href='httpu://other.test/'>6</a><a href='ttps://other.test/&amp;d'>7</a>",
        &[("content-type", "text/html")],
    );
    let urls: Vec<&str> = parsed.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "http://other.test/a",
            "http://site.test/plain",
            "http://site.test/b%20c",
            "https://other.test/&d"
        ]
    );
    let originals: Vec<(u32, &str)> = parsed.originals.iter().map(|o| (o.link, &*o.text)).collect();
    assert_eq!(
        originals,
        [
            (0, "htp://other.test/a"),
            (2, "\\b c"),
            (3, "ttps://other.test/&d")
        ]
    );
    assert_eq!(
        parsed.other_schemes,
        [("mailto".to_owned(), 1), ("httpu".to_owned(), 1)]
    );
}

#[test]
fn case10_places_that_older_browsers_and_machines_read() {
    let cases: &[(&str, &[&str])] = &[
        ("<object><param name=Movie value=x></object>", &["object /dir/x"]),
        ("<object><param name=quality value=high></object>", &[]),
        (
            "<object><param name=flag value='/a/b'></object>",
            &["in-script /a/b"],
        ),
        ("<object classid='clsid:12'></object>", &[]),
        ("<embed src=x pluginspage=y>", &["object /dir/x", "other /dir/y"]),
        ("<head profile='x y'>", &["other /dir/x", "other /dir/y"]),
        ("<img lowsrc=x dynsrc=y>", &["image /dir/x", "image /dir/y"]),
        ("<meta property=og:image content=x.png>", &["image /dir/x.png"]),
        ("<meta property=og:url content=http://site.test/x>", &["other /x"]),
        ("<meta name=description content='a/b or c.d'>", &[]),
        (
            "<meta name=generator content='https://x.test/'>",
            &["other https://x.test/"],
        ),
        (
            "<meta name=msapplication-task content='name=A;action-uri=./x;icon-uri=y'>",
            &["other /dir/x", "image /dir/y"],
        ),
        (
            "<meta http-equiv=content-security-policy content='a b; report-uri /x /y'>",
            &["in-script /x", "in-script /y"],
        ),
        (
            "<!--[if IE]><script src=x></script><![endif]-->",
            &["script /dir/x"],
        ),
        (
            "<script type=importmap>{\"imports\":{\"a\":\"/x.js\"}}</script>",
            &["script /x.js"],
        ),
        (
            "<iframe src=\"data:text/html,<a href='/x'>\"></iframe>",
            &["anchor /x"],
        ),
        (
            "<object data='data:text/html;base64,PGEgaHJlZj0iL3giPm9uPC9hPg=='></object>",
            &["anchor /x"],
        ),
        ("<noframes><a href=x></noframes>", &["anchor /dir/x"]),
        ("<p><base href=/b/><a href=x>", &["anchor /b/x", "in-script /b/"]),
        ("<!DOCTYPE html SYSTEM '/x/y'>", &["in-script /x/y"]),
        (
            "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'>",
            &[],
        ),
        ("<svg><rect fill='url(x.svg#a)'></svg>", &["style /dir/x.svg"]),
        ("<svg><rect fill='url(#a)'></svg>", &[]),
        ("<math><mglyph src=x></math>", &["image /dir/x"]),
    ];
    for (body, want) in cases {
        assert_eq!(shown(&html(body)), *want, "{body}");
    }
}

#[test]
fn case11_addresses_of_scripts_attributes_and_comments_are_guesses() {
    let cases: &[(&str, &[&str])] = &[
        ("<b onclick=\"location='xy'\">", &["in-script /dir/xy"]),
        ("<b onclick=\"location=&quot;xy&quot;\">", &["in-script /dir/xy"]),
        ("<b onclick='go(1)' only='/a/b'>", &[]),
        ("<a href=\"javascript:open('xy')\">", &["in-script /dir/xy"]),
        (
            "<a href=\" j&#97;vascript:open(%27xy%27)\">",
            &["in-script /dir/xy"],
        ),
        ("<tr data-href=/a/b>", &["in-script /a/b"]),
        ("<tr data-toggle=.menu data-id=7>", &[]),
        ("<div data-x='{\"url\":\"/a/b\"}'>", &["in-script /a/b"]),
        ("<option value=/a/b><option value=7>", &["in-script /a/b"]),
        ("<my-link href=/a/b>", &["in-script /a/b"]),
        ("<script>f('/a/b')</script>", &["in-script /a/b"]),
        ("<script>f('/a/b')</script><a href=/a/b>", &["anchor /a/b"]),
        (
            "<script type=text/x-template><a href=/a/b></script>",
            &["in-script /a/b"],
        ),
        ("<script type=text/plain>'/a/b'</script>", &[]),
        (
            "<script>document.write('<form method=post action=/a/b>')</script>",
            &[],
        ),
        ("<!-- /content --><!-- /.row --><!-- 3/4 -->", &[]),
        ("<textarea><a href=no></textarea>", &[]),
    ];
    for (body, want) in cases {
        assert_eq!(shown(&html(body)), *want, "{body}");
    }
}
