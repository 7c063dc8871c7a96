use proptest::prelude::*;

use super::*;

fn canonical(text: &str) -> String {
    Url::parse(text)
        .unwrap_or_else(|e| panic!("{text:?}: {e}"))
        .to_string()
}

fn joined(base: &str, link: &str) -> String {
    let base = Url::parse(base).unwrap();
    base.join(link)
        .unwrap_or_else(|e| panic!("{link:?} on {base}: {e}"))
        .to_string()
}

#[test]
fn parts_are_where_they_belong() {
    let url = Url::parse("HTTPS://user:secret@Sub.Example.co.uk:8443/a/b?c=d#e").unwrap();
    assert_eq!(url.as_str(), "https://sub.example.co.uk:8443/a/b?c=d");
    assert_eq!(url.scheme(), "https");
    assert_eq!(url.host(), "sub.example.co.uk");
    assert_eq!(url.port(), 8443);
    assert_eq!(url.authority(), "sub.example.co.uk:8443");
    assert_eq!(url.origin(), "https://sub.example.co.uk:8443");
    assert_eq!(url.path(), "/a/b");
    assert_eq!(url.query(), Some("c=d"));
    assert_eq!(url.request_target(), "/a/b?c=d");
    assert_eq!(url.domain(), "example.co.uk");
    assert_eq!(url.as_inner().as_str(), url.as_str());

    let bare = Url::parse("http://example.com").unwrap();
    assert_eq!(
        (bare.path(), bare.query(), bare.port(), bare.request_target()),
        ("/", None, 80, "/")
    );
    assert_eq!(bare.authority(), "example.com");

    let file = Url::parse("file:///var/www/a.html").unwrap();
    assert_eq!(
        (file.host(), file.port(), file.path(), file.origin()),
        ("", 0, "/var/www/a.html", "file://")
    );
    assert_eq!(file.parsed_host(), None);
}

#[test]
fn addresses_have_no_registrable_domain() {
    for (text, domain) in [
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://[::1]:80/", "[::1]"),
        ("http://localhost/", "localhost"),
        ("http://co.uk/", "co.uk"),
        ("http://a.b.example.com/", "example.com"),
    ] {
        assert_eq!(Url::parse(text).unwrap().domain(), domain, "{text}");
    }
}

#[test]
fn one_address_has_one_spelling() {
    for (text, expected) in [
        (
            "HTTP://EXAMPLE.com:80/%7Ea/%2e/b/../c%2fd?#x",
            "http://example.com/~a/c%2Fd",
        ),
        ("http://example.com./", "http://example.com/"),
        ("http://example.com?a=1&", "http://example.com/?a=1"),
        (
            "http://bücher.example/ü?ü",
            "http://xn--bcher-kva.example/%C3%BC?%C3%BC",
        ),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:0443/", "https://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com/Path", "http://example.com/Path"),
        ("http://example.com//a//b", "http://example.com//a//b"),
        ("http://example.com/?b=2&a=1", "http://example.com/?b=2&a=1"),
        ("http://example.com/a|b?c|d", "http://example.com/a%7Cb?c%7Cd"),
        ("sftp://Example.COM:22", "sftp://example.com/"),
        ("sftp://0x7F.1/x", "sftp://127.0.0.1/x"),
        (
            "ftps://b%C3%BCcher.example:990/x",
            "ftps://xn--bcher-kva.example/x",
        ),
        (
            "nntp://news.example:119/comp.test",
            "nntp://news.example/comp.test",
        ),
        ("ftp://example.com:21/a;type=i", "ftp://example.com/a;type=i"),
        ("file://localhost/x", "file:///x"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(expected), expected);
    }
}

#[test]
fn credentials_are_handed_over_apart() {
    let (url, credentials) = Url::parse_with_credentials("ftp://me%40home:s%3Acret@example.com/x").unwrap();
    assert_eq!(url.as_str(), "ftp://example.com/x");
    let credentials = credentials.unwrap();
    assert_eq!(
        (credentials.user.as_str(), credentials.password.as_str()),
        ("me@home", "s:cret")
    );
    assert!(!format!("{credentials:?}").contains("cret"));
    assert_eq!(
        Url::parse_with_credentials("http://example.com/a@b").unwrap().1,
        None
    );
    for text in [
        "http://me:secret@exa mple/",
        "http://me:secret@[::1/",
        "me:secret@@",
    ] {
        let shown = Url::parse(text).unwrap_err().to_string();
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[test]
fn a_scheme_left_out_by_a_person_is_guessed() {
    for (text, expected) in [
        ("example.com", "https://example.com/"),
        ("  example.com/x?y#z ", "https://example.com/x?y"),
        ("Example.com:443/", "https://example.com/"),
        ("example.com:8080/x", "http://example.com:8080/x"),
        ("localhost", "http://localhost/"),
        ("localhost:3000/a:b", "http://localhost:3000/a:b"),
        ("intranet:80", "http://intranet/"),
        ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("//example.com/x", "https://example.com/x"),
        ("me:secret@example.com/x", "https://example.com/x"),
        ("http://example.com", "http://example.com/"),
        ("http:/example.com", "http://example.com/"),
        ("http//example.com/x", "http://example.com/x"),
        ("\"https://example.com/x\"", "https://example.com/x"),
        ("ftp://example.com/", "ftp://example.com/"),
        ("file:///srv/data", "file:///srv/data"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
    ] {
        let url = Url::from_user(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        assert_eq!(url.as_str(), expected, "{text}");
    }
    for (text, word) in [
        ("", "empty"),
        ("   ", "empty"),
        ("./site", "file:///"),
        ("/srv/site", "file:///"),
        ("example", "no dot"),
        ("mailto:a@example.com", "mailto"),
        ("gopher://example.com/", "gopher"),
        ("http://", "empty host"),
        ("two words", "not a URL"),
    ] {
        let shown = Url::from_user(text).unwrap_err().to_string();
        assert!(shown.contains(word), "{text:?}: {shown}");
    }
}

#[test]
fn hc028_private_addresses_have_one_spelling() {
    for text in [
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://0x7F000001/",
        "http://127.1/",
        "http://127.0.1/",
        "http://127.0.0.1./",
        "http://%31%32%37.0.0.1/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "sftp://2130706433/",
        "nntp://0x7f.1./",
        "ftp://017700000001/",
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!(url.host(), "127.0.0.1", "{text}");
        assert!(
            matches!(url.parsed_host(), Some(::url::Host::Ipv4(a)) if a.is_loopback()),
            "{text}"
        );
    }
    for text in [
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::0001]/",
        "sftp://[0::1]/",
    ] {
        let url = Url::parse(text).unwrap();
        assert!(
            matches!(url.parsed_host(), Some(::url::Host::Ipv6(a)) if a.is_loopback()),
            "{text}"
        );
        assert_eq!(url.host(), "[::1]");
    }
    for text in ["http://[::ffff:127.0.0.1]/", "http://[::FFFF:7f00:1]/"] {
        assert_eq!(Url::parse(text).unwrap().host(), "[::ffff:7f00:1]", "{text}");
    }
    for text in [
        "http://LOCALHOST/",
        "http://localhost./",
        "http://lOcAlHoSt:80/",
        "http://%6cocalhost/",
    ] {
        assert_eq!(Url::parse(text).unwrap().host(), "localhost", "{text}");
    }
}

#[test]
fn hc032_other_schemes_are_told_by_name() {
    let base = Url::parse("http://example.com/").unwrap();
    for (text, scheme) in [
        ("javascript:void(0)", "javascript"),
        (" JavaScript:alert('x')", "javascript"),
        ("java\nscript:alert(1)", "javascript"),
        ("data:text/html,<b>x</b>", "data"),
        ("mailto:a@b.example", "mailto"),
        ("about:blank", "about"),
        ("blob:http://example.com/1-2", "blob"),
        ("tel:+49123", "tel"),
        ("whatsapp://send?text=x", "whatsapp"),
        ("news:comp.test", "news"),
        ("ws://example.com/", "ws"),
        ("\"javascript:x\"", "javascript"),
    ] {
        let expected = Err(UrlError::Scheme {
            scheme: scheme.to_owned(),
        });
        assert_eq!(base.join(text), expected, "{text}");
        assert_eq!(Url::parse(text), expected, "{text}");
    }
    // `file:` parses: whether it may be fetched is for the folder source to say, by its scheme.
    assert_eq!(base.join("file:///etc/passwd").unwrap().scheme(), "file");
}

#[test]
fn hc033_mistakes_are_repaired_without_changing_hosts() {
    for (text, expected) in [
        ("http:/x.example/a", "http://x.example/a"),
        ("http:///x.example/a", "http://x.example/a"),
        ("http:////x.example/a", "http://x.example/a"),
        ("http:x.example/a", "http://x.example/a"),
        ("http:\\\\x.example\\y\\z", "http://x.example/y/z"),
        ("http//x.example/a", "http://x.example/a"),
        ("http;//x.example/a", "http://x.example/a"),
        ("http:://x.example/a", "http://x.example/a"),
        ("https//x.example/a", "https://x.example/a"),
        ("htp://x.example/a", "http://x.example/a"),
        ("HTPS://x.example/a", "https://x.example/a"),
        ("http://http://x.example/a", "http://x.example/a"),
        ("http://https://x.example/a", "https://x.example/a"),
        ("http:// x.example/a", "http://x.example/a"),
        ("\"http://x.example/a\"", "http://x.example/a"),
        ("\"http://x.example/a", "http://x.example/a"),
        ("http://x.example/a\"", "http://x.example/a"),
        ("'http://x.example/a'", "http://x.example/a"),
        ("“http://x.example/a”", "http://x.example/a"),
        ("„http://x.example/a“", "http://x.example/a"),
        ("‘http://x.example/a’", "http://x.example/a"),
        ("&quot;http://x.example/a&quot;", "http://x.example/a"),
        ("<http://x.example/a>", "http://x.example/a"),
        ("<URL:http://x.example/a>", "http://x.example/a"),
        (
            " \t\u{a0}\u{feff}http://x.example/a\u{200b}\r\n",
            "http://x.example/a",
        ),
        ("http://x.exa\nmple/a\tb", "http://x.example/ab"),
        ("http://x.example/a b c ", "http://x.example/a%20b%20c"),
        // What is not a mistake stays.
        (
            "http://x.example/?q=\"two words\"",
            "http://x.example/?q=%22two%20words%22",
        ),
        ("http://x.example/it's'", "http://x.example/it's'"),
        ("http://x.example/>", "http://x.example/%3E"),
        ("http://x.example/a&quot;", "http://x.example/a&quot;"),
        ("http://http/", "http://http/"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
    }
    let base = "http://page.example/dir/page";
    for (link, expected) in [
        ("http:/x.example/a", "http://page.example/x.example/a"),
        ("http:x.example/a", "http://page.example/dir/x.example/a"),
        ("http//x.example/a", "http://page.example/dir/http//x.example/a"),
        ("https:/x.example/a", "https://x.example/a"),
        ("http:/page.example/a", "http://page.example/a"),
        ("http:page.example/a", "http://page.example/a"),
        ("http//PAGE.example/a", "http://page.example/a"),
        ("https//page.example/a", "https://page.example/a"),
        // Before an `@` stands a name, not the host of the page: no repair may lead from one host to another.
        (
            "http:/page.example@x.example/a",
            "http://page.example/page.example@x.example/a",
        ),
        ("htp://x.example/a", "http://x.example/a"),
        ("htpp://page.example@x.example/a", "http://x.example/a"),
        ("ttps:\\\\x.example\\a", "https://x.example/a"),
        ("\\a\\b", "http://page.example/a/b"),
        ("\\\\x.example\\b", "http://x.example/b"),
        ("\"/a b\"", "http://page.example/a%20b"),
        ("'tis.html", "http://page.example/dir/'tis.html"),
        ("www.x.example/a", "http://page.example/dir/www.x.example/a"),
    ] {
        assert_eq!(joined(base, link), expected, "{link}");
    }
}

#[test]
fn hc033_misspelt_schemes_are_mended_only_where_a_host_follows() {
    for scheme in [
        "htp", "ttp", "htt", "htpp", "hhtp", "httpp", "htttp", "hhttp", "thtp", "HTP", "Hptt",
    ] {
        assert_eq!(
            canonical(&format!("{scheme}://x.example/a")),
            "http://x.example/a"
        );
        assert_eq!(
            canonical(&format!("{scheme}s://x.example/a")),
            "https://x.example/a"
        );
        assert!(Url::mends_scheme(&format!(" {scheme}://x.example/a")), "{scheme}");
        for no_host in ["x.example/a", "/x.example/a", ""] {
            let text = format!("{scheme}:{no_host}");
            assert!(Url::parse(&text).is_err() && !Url::mends_scheme(&text), "{text}");
        }
    }
    assert!(Url::mends_scheme("URL:http://x.example/"));
    for other in [
        "shttp://x.example/",
        "httpu://x.example/",
        "tftp://x.example/",
        "smtp://x.example/",
        "http://x.example/",
        "ftp://x.example/",
        "mailto:a@x.example",
        "javascript://x.example/",
        "url:x",
        "/a",
        "",
    ] {
        assert!(!Url::mends_scheme(other), "{other}");
    }
}

#[test]
fn hc033_only_mistakes_are_noted() {
    let page = Url::parse("http://page.example/dir/page").unwrap();
    for (link, mistaken) in [
        ("htp://x.example/a", Mistaken::Yes),
        ("http:/page.example/a", Mistaken::Yes),
        ("https:/x.example/a", Mistaken::Yes),
        ("http:///x.example/a", Mistaken::Yes),
        ("\\a\\b", Mistaken::Yes),
        ("/a b", Mistaken::Yes),
        ("/a\nb", Mistaken::Yes),
        ("\"/a\"", Mistaken::Yes),
        ("http://http://x.example/a", Mistaken::Yes),
        ("<http://x.example/a>", Mistaken::Yes),
        ("///x.example/a", Mistaken::Yes),
        ("  /a  ", Mistaken::No),
        ("/a", Mistaken::No),
        ("a/../b?x=1&&y#z w", Mistaken::No),
        ("http://X.example:80/%7e", Mistaken::No),
        ("HTTP://x.example/", Mistaken::No),
        ("//x.example/a", Mistaken::No),
        ("?q=a\\b", Mistaken::No),
        ("http://bücher.example/ä", Mistaken::No),
        ("http://127.1/", Mistaken::No),
        ("ftp://x.example/a", Mistaken::No),
        ("'tis.html", Mistaken::No),
    ] {
        let (url, noted) = page.join_noting(link).unwrap();
        assert_eq!(noted, mistaken, "{link}");
        assert_eq!(url, page.join(link).unwrap(), "{link}");
    }
}

#[test]
fn hc034_one_parser_decides_the_host() {
    for (text, host) in [
        ("http://good.example@bad.example/", "bad.example"),
        ("http://good.example:80@bad.example/", "bad.example"),
        ("http://good.example;x@bad.example/", "bad.example"),
        (
            "http://good.example%40bad.example@worse.example/",
            "worse.example",
        ),
        ("http://bad.example\\@good.example/", "bad.example"),
        ("http://bad.example/@good.example/", "bad.example"),
        ("http://bad.example?@good.example/", "bad.example"),
        ("http://bad.example#@good.example/", "bad.example"),
        ("http://a@b@c.example/", "c.example"),
        ("http://good.example:@bad.example/", "bad.example"),
        ("sftp://good.example@bad.example/", "bad.example"),
    ] {
        let url = Url::parse(text).unwrap();
        // What is shown, what rules read, and what an HTTP library would connect to.
        assert_eq!(url.host(), host, "{text}");
        assert_eq!(url.as_inner().host_str(), Some(host), "{text}");
        assert_eq!(url.parsed_host(), Some(::url::Host::Domain(host)), "{text}");
        assert!(!url.as_str().split('/').nth(2).unwrap().contains('@'), "{text}");
    }
    assert!(Url::parse("http://good.example%40bad.example/").is_err());
}

#[test]
fn hc035_escaped_separators_in_hosts_are_refused() {
    for host in [
        "a%2Fb",
        "a%2fb.example",
        "a%00b",
        "%00",
        "a%3Ab",
        "a%40b",
        "a%23b",
        "a%3Fb",
        "a%5Cb",
        "a%20b",
        "a%25b",
        "%zz",
    ] {
        for scheme in ["http", "https", "ftp", "sftp", "nntp", "nntps", "ftps"] {
            let text = format!("{scheme}://{host}/x");
            assert!(
                matches!(Url::parse(&text), Err(UrlError::Malformed { .. })),
                "{text}"
            );
        }
    }
    // An escaped dot is a dot, and makes no empty labels.
    for text in [
        "http://%2e%2e/x",
        "http://a%2e%2eb.test/",
        "sftp://%2E/",
        "https://a.test%2e%2e/",
    ] {
        assert!(
            matches!(Url::parse(text), Err(UrlError::Malformed { .. })),
            "{text}"
        );
    }
    assert_eq!(Url::parse("http://a%2Etest/").unwrap().host(), "a.test");
}

#[test]
fn hc036_long_urls_are_refused_and_many_parameters_are_not_slow() {
    let base = Url::parse("http://example.com/").unwrap();
    for length in [100 * 1024, 10 * 1024 * 1024] {
        let long = "a".repeat(length);
        for text in [
            format!("http://example.com/{long}"),
            format!("/{long}"),
            long.clone(),
            format!("?{long}"),
        ] {
            assert!(matches!(
                base.join(&text),
                Err(UrlError::TooLong {
                    limit: URL_BYTES_MAX,
                    ..
                })
            ));
        }
        assert!(matches!(
            base.join(&format!("data:{long}")),
            Err(UrlError::Scheme { .. })
        ));
    }
    let many = "?a=b&".repeat(10_000);
    assert!(matches!(base.join(&many), Err(UrlError::TooLong { .. })));
    // The limit is on the canonical form, to the byte, on both ways.
    for (filler, written) in [("a", 1), ("%61", 1), ("[", 3), ("é", 6)] {
        let room = URL_BYTES_MAX - base.as_str().len();
        assert!(
            base.join(&format!("/{}", filler.repeat(room / written))).is_ok(),
            "{filler}"
        );
        assert!(
            base.join(&format!("/{}", filler.repeat(room / written + 1)))
                .is_err(),
            "{filler}"
        );
    }
}

#[test]
fn hc037_one_rule_for_odd_hosts() {
    let long = "a".repeat(64);
    for (spellings, host) in [
        (
            vec!["http://ex_ample.test/", "http://EX_AMPLE.test./"],
            "ex_ample.test".to_owned(),
        ),
        (vec![&*format!("http://{long}.test/")], format!("{long}.test")),
        (
            vec![
                "http://bücher.test/",
                "http://BÜCHER.test/",
                "http://xn--bcher-kva.test/",
                "http://b%C3%BCcher.test",
            ],
            "xn--bcher-kva.test".to_owned(),
        ),
        (
            vec!["http://faß.test/", "http://xn--fa-hia.test/"],
            "xn--fa-hia.test".to_owned(),
        ),
        (vec!["http://fass.test/"], "fass.test".to_owned()),
        // Cyrillic а among Latin letters: another host than the one it looks like, and shown as such.
        (vec!["http://p\u{430}ypal.test/"], "xn--pypal-4ve.test".to_owned()),
        (
            vec!["http://a\u{ad}b.test/", "http://ab.test/"],
            "ab.test".to_owned(),
        ),
        (vec!["http://ａｂ.test/"], "ab.test".to_owned()),
    ] {
        for text in spellings {
            assert_eq!(Url::parse(text).unwrap().host(), host, "{text}");
        }
    }
    for text in [
        "http://xn--/",
        "http://a..b.test/",
        "http://a.test../",
        "http://.a.test/",
        "http://./",
        "http://xn--a-.test/",
        "http://xn--example-.test/",
        "http://exa%6dple.test:99999/",
        "http://1.2.3.256/",
        "http://1.2.3.4.5/",
        "http://a b/",
        "http://[::1%25eth0]/",
        "http://\u{ad}/",
    ] {
        assert!(Url::parse(text).is_err(), "{text}: {:?}", Url::parse(text));
    }
}

#[test]
fn hc038_broken_escapes_have_a_stable_form() {
    for (text, expected) in [
        ("http://x.test/%", "http://x.test/%25"),
        ("http://x.test/%zz?%", "http://x.test/%25zz?%25"),
        ("http://x.test/%2", "http://x.test/%252"),
        ("http://x.test/%2541", "http://x.test/%2541"),
        ("http://x.test/%252541", "http://x.test/%252541"),
        ("http://x.test/%25%34%31", "http://x.test/%2541"),
        ("http://x.test/%ff%fe", "http://x.test/%FF%FE"),
        ("http://x.test/%c3", "http://x.test/%C3"),
        ("http://x.test/\u{fffd}", "http://x.test/%EF%BF%BD"),
        ("http://x.test/%2e%2E/%2e./a%2e%2e", "http://x.test/a.."),
        ("http://x.test/?a=%26&b=%3D%2b+", "http://x.test/?a=%26&b=%3D%2B+"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(expected), expected, "{text}");
    }
}

#[test]
fn hc044_identifiers_stay() {
    let texts = [
        "http://x.test/blob/0cc175b9c0f1b6a831c399e269772661",
        "http://x.test/blob/92eb5ffee6ae2fec3ad71c777531578f",
        "http://x.test/item?id=0cc175b9c0f1b6a831c399e269772661",
        "http://x.test/item?id=0cc175b9c0f1b6a831c399e269772662",
        "http://x.test/item;jsessionid=0CC175B9?id=1",
        "http://x.test/item;jsessionid=0CC175BA?id=1",
    ];
    let keys: std::collections::HashSet<UrlKey> =
        texts.iter().map(|text| Url::parse(text).unwrap().key()).collect();
    assert_eq!(keys.len(), texts.len());
    for text in texts {
        assert_eq!(canonical(text), text);
    }
}

/// Pieces of which links, good and bad, are made.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z0-9]{1,4}",
        1 => "[ -~]{1,3}",
        1 => "\\PC{1,2}",
        1 => any::<char>().prop_map(String::from),
        6 => prop::sample::select(vec![
            "http", "https", "ftp", "sftp", "file", "htp", "javascript", ":", "://", "//", "/", "\\", "?", "#", "&",
            "=", "@", ".", "..", "/./", "/../", "../", "./", "%", "%2e", "%2E%2e", "%7E", "%2f", "%41", "%25", "%zz",
            "%u0041", "\"", "'", "“", "”", "&quot;", "<", ">", " ", "\t", "\n", "|", "[", "]", "[::1]", "127.0.0.1", "0.1.2.255",
            "0x7f.1", "01.2.3.4", "256.1.1.1", "xn--", "xn--bcher-kva", "bücher", "a.test", "page.test", "page.test.", ":80", ":443", ":8080",
            ":", ";", "C:", "C|", "url:", "localhost", "&&", "?&", "é",
        ]).prop_map(str::to_owned),
    ]
}

fn link() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(piece(), 0..10).prop_map(|pieces| pieces.concat()),
        1 => (prop::sample::select(vec!["http://", "https://", "//", "/", "?", "ftp://", "ftps://", "sftp://", "sftp://a.test/", "nntp://", "nntps://", "file:///", "http:/", "\"http://"]),
              prop::collection::vec(piece(), 0..10)).prop_map(|(head, pieces)| head.to_owned() + &pieces.concat()),
        1 => any::<String>(),
    ]
}

fn offsets(url: &Url) -> [u16; 4] {
    [url.scheme_end, url.host_end, url.path_start, url.path_end]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn canonicalising_twice_changes_nothing(text in link()) {
        if let Ok(once) = Url::parse(&text) {
            let twice = Url::parse(once.as_str()).expect("canonical text is a URL");
            prop_assert_eq!(twice.as_str(), once.as_str());
            prop_assert_eq!(offsets(&twice), offsets(&once));
            let (slowly, credentials) = Url::parse_with_credentials(once.as_str()).expect("the same on the long way");
            prop_assert_eq!(slowly.as_str(), once.as_str());
            prop_assert_eq!(credentials, None);
            let inner = once.as_inner();
            prop_assert_eq!(once.host(), inner.host_str().unwrap_or(""));
            prop_assert_eq!(once.path(), inner.path());
            prop_assert_eq!(once.query(), inner.query());
            prop_assert_eq!(Url::from_user(once.as_str()).expect("a person may type it"), once);
        }
    }

    #[test]
    fn the_short_way_equals_the_long_way(
        text in link(),
        base in prop::sample::select(vec![
            "http://page.test/", "https://page.test/dir/page.html?q=1", "http://page.test:8080/a/b/", "http://127.0.0.1/x//y",
            "https://xn--bcher-kva.test/a;b/c", "file:///C:/a/b", "sftp://page.test/a/b",
        ]),
    ) {
        let base = Url::parse(base).unwrap();
        let text = repair::trim_plain(&text);
        if let Some(short) = fast::join(&base, text) {
            let long = canonical::resolve(Some(&base), text, None).map(|(url, _)| url);
            prop_assert_eq!(short.as_ref().map(offsets).ok(), long.as_ref().map(offsets).ok());
            prop_assert_eq!(short, long);
        }
        if let Some(short) = fast::parse(text) {
            prop_assert_eq!(short, canonical::resolve(None, text, None).map(|(url, _)| url));
        }
        if let Ok(url) = base.join(text) {
            prop_assert_eq!(Url::parse(url.as_str()).expect("joined URLs are canonical"), url);
        }
    }

    #[test]
    fn a_link_never_leaves_the_page_for_a_host_it_does_not_name(path in "[a-z0-9./%-]{0,20}") {
        let base = Url::parse("http://page.test/a/b").unwrap();
        if path.starts_with("//") {
            return Ok(());
        }
        let url = base.join(&path).expect("harmless");
        prop_assert_eq!(url.host(), "page.test");
    }
}
