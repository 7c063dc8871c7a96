use super::*;

fn found_in(code: &str, kind: Code) -> Vec<String> {
    let mut out = Vec::new();
    scan(code, kind, &mut |hint| {
        out.push(match hint {
            Hint::Address(text) => text.into_owned(),
            Hint::Markup(text) => format!("markup {text}"),
        });
    });
    out
}

#[test]
fn case11_strings_that_are_plainly_addresses_are_found() {
    let cases: [(&str, &[&str]); 43] = [
        ("var a = '/menu/start';", &["/menu/start"]),
        ("var a = \"http://a.test/x\"", &["http://a.test/x"]),
        ("a('//cdn.a.test/x.js')", &["//cdn.a.test/x.js"]),
        ("x = `/menu/${id}`", &[]),
        ("x = `/menu/all`", &["/menu/all"]),
        ("location.href='next'", &["next"]),
        ("window.location = \"next.php?a=1\"", &["next.php?a=1"]),
        ("window.open('popup', 'name', 'width=3')", &["popup"]),
        ("location.replace('later')", &["later"]),
        ("text.replace('later', 'x')", &[]),
        ("x.open('GET', 'data/list')", &["data/list"]),
        ("x.open('POST', 'data/list')", &[]),
        ("fetch('api/list')", &["api/list"]),
        ("fetch('/api/list', {method: 'POST'})", &[]),
        ("a.setAttribute('href', 'there')", &["there"]),
        ("import { b } from './b.js'", &["./b.js"]),
        ("import('../lib/c.js')", &["../lib/c.js"]),
        ("go('/item/' + id)", &[]),
        ("go('/item/' + '7' + '.html')", &["/item/7.html"]),
        ("go(base + '/item')", &[]),
        ("go(location.origin + '/item')", &["/item"]),
        ("{\"url\":\"https:\\/\\/a.test\\/x\"}", &["https://a.test/x"]),
        ("'\\u002Fmenu\\x2fall'", &["/menu/all"]),
        ("{'/route/a': 1}", &[]),
        ("x ? '/yes/a' : '/no/b'", &["/yes/a", "/no/b"]),
        ("y = /['\"]/.test(x) ? '/yes/a' : 0", &["/yes/a"]),
        ("// see /docs/old/page\n", &["/docs/old/page"]),
        ("/* http://a.test/x. */", &["http://a.test/x"]),
        ("a = 1 / 2; b = '/menu/all' / 2", &["/menu/all"]),
        ("document.write('<a href=\"x\">')", &["markup <a href=\"x\">"]),
        ("m = 'text/html', n = 'application/json'", &[]),
        ("el.className = 'a/b'", &[]),
        ("el.src = 'a/b'", &["a/b"]),
        ("w = 'it is / was', v = '/'", &[]),
        ("'/user/:id'; '/user/{id}'; '/^x$/'", &[]),
        ("'?page=2'; '?'; '?x'; '?x='", &["?page=2"]),
        ("'report.pdf'; 'a.length'; 'jquery.js'", &["report.pdf"]),
        ("map.get('name'); $.get('list.php')", &["list.php"]),
        ("'../up/x.found'", &["../up/x.found"]),
        ("x = ''", &[]),
        ("'/a", &[]),
        ("\"", &[]),
        ("'unended \n '/menu/all'", &["/menu/all"]),
    ];
    for (code, want) in cases {
        assert_eq!(found_in(code, Code::Script), want, "{code}");
    }
}

#[test]
fn case11_json_gives_values_and_no_names() {
    let json = r#"{"@context":"https://schema.org","/not/this":1,"url":"shop/list","name":"Ann/Bob","to":"/go/there"}"#;
    assert_eq!(
        found_in(json, Code::Data),
        ["https://schema.org", "shop/list", "/go/there"]
    );
}

#[test]
fn case11_comments_that_close_blocks_are_no_addresses() {
    let of = |text: &str| {
        let mut out = Vec::new();
        comment(text, &mut |hint| out.push(format!("{hint:?}")));
        out
    };
    for text in [
        " /content ",
        " /.row ",
        " /wp:paragraph ",
        " #/main ",
        " 1/2 ",
        " end of nav/menu ",
    ] {
        assert!(of(text).is_empty(), "{text}: {:?}", of(text));
    }
    assert_eq!(of(" old: /a/b.html, http://x.test/c ").len(), 2);
    assert_eq!(of(" <a href='x'>y</a> ").len(), 1);
}

#[test]
fn addresses_in_text_end_where_the_sentence_goes_on() {
    let mut out = Vec::new();
    let text = "See http://a.test/x, (https://a.test/y_(z)) and HTTP://a.test/w. xhttp://no http:// ://";
    words(text, &mut |word| out.push(word.to_owned()));
    assert_eq!(
        out,
        ["http://a.test/x", "https://a.test/y_(z)", "HTTP://a.test/w"]
    );
}
