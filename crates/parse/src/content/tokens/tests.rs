//! Our tokens against those of the standard's tokenizer: the same builder makes the same tree of both.

use super::super::arena::Arena;
use super::super::guard::{Guard, build_arena};
use super::super::made::{MadeElement, MadeNode, MadeTree};
use gleaner_fixtures::corpus;
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, CommentToken, ParseError, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use std::cell::RefCell;
use std::fmt::Write;
use std::fs;

/// Tells the guard what the standard's tokenizer says.
struct Standard(RefCell<Guard<Arena>>);

impl TokenSink for Standard {
    type Handle = u32;

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<u32> {
        match token {
            TagToken(tag) => self.0.borrow_mut().tell_tag(tag),
            CommentToken(_) | ParseError(_) => TokenSinkResult::Continue,
            token => {
                self.0.borrow().tell(token);
                TokenSinkResult::Continue
            }
        }
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().is_foreign()
    }
}

fn by_the_standard(html: &str) -> String {
    let sink = Standard(RefCell::new(Guard::default()));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    shown(&tokenizer.sink.0.into_inner().into_sink())
}

fn by_us(html: &str) -> String {
    shown(&build_arena(html).0)
}

/// The tree as text. What scripts and styles hold is left out: nobody reads it.
fn shown(arena: &Arena) -> String {
    let mut out = String::new();
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut next = arena.first();
    while let Some(id) = next {
        let is_unread = open.last().is_some_and(|(_, is_unread)| *is_unread);
        let step = arena.look(id, |node, near| {
            let mut hides = false;
            let is_element = match node {
                MadeNode::Element(element) => {
                    let name = element.name();
                    hides = matches!(&*name.local, "script" | "style") && !is_linked_data(element);
                    let _ = write!(out, "<{} {}", name.ns, name.local);
                    for (name, value) in element.attributes() {
                        let _ = write!(out, " {name}={value:?}");
                    }
                    out.push('>');
                    true
                }
                MadeNode::Text(text) => {
                    if !is_unread {
                        let _ = write!(out, "{text:?}");
                    }
                    false
                }
                MadeNode::Other => return (near, None),
            };
            (near, Some((is_element, hides)))
        });
        let (near, seen) = step.expect("a place in the tree");
        if let (Some(child), Some((true, hides))) = (near.child, seen) {
            open.push((id, hides));
            next = Some(child);
            continue;
        }
        if let Some((true, _)) = seen {
            out.push_str("</>");
        }
        next = near.sibling;
        while next.is_none() {
            let Some((closed, _)) = open.pop() else { break };
            out.push_str("</>");
            next = arena.look(closed, |_, near| near.sibling).flatten();
        }
    }
    out
}

fn is_linked_data(element: &impl MadeElement) -> bool {
    let mut attributes = element.attributes();
    attributes.any(|(name, value)| &**name == "type" && value.contains("ld+json"))
}

fn same(html: &str) {
    assert_eq!(by_us(html), by_the_standard(html), "{html:?}");
}

#[test]
fn what_is_odd_is_read_as_the_standard_reads_it() {
    for html in [
        "",
        "\u{feff}<p>a",
        "a\r\nb\rc<pre>\r\n\r\nd</pre>",
        "<p>a\0b<svg>c\0d</svg><title>e\0f</title><p a\0b=c\0d><x\0y>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2//EN\"><p><table><td>a",
        "<!doctype html><p><table><td>a",
        "<!doctype html",
        "<!doctype",
        "<!doctype html SYSTEM 'a>b'><p><table>",
        "<title>a<b>&amp;</title x><p>b",
        "<textarea>\n\na</textarea><textarea>&lt;",
        "<script>if (a<b) '</scrip'</script ><p>a<script><!--<script></script>--></script>b",
        "<style><!-- </style> --></style>a",
        "<script type='application/ld+json'>{\"a\":\"<!--\"}</script>",
        "<svg><title><b>a</b></title><![CDATA[<p>&amp;]]><style>a<b></b></style></svg><![CDATA[b]]>",
        "<math><annotation-xml encoding='text/html'><p>a</annotation-xml><mi><p>b",
        "<a href='?a=1&copy=2&lt;&amp=3&notit;' href=b A=B a=c b=\"&#x80;&#0;\">&notin;&noti</a>",
        "<p/a=b/ c =d e= f g==h =i \"j\"=k 'l><",
        "<a b='c",
        "a</",
        "a<",
        "</>a</ b>c<?d?>e<!f>g<!-->h--><!--i--!>j<!---->k<!--l",
        "<plaintext>a</plaintext>&amp;",
        "<noscript><p>a</p></noscript><iframe><p>a</p></iframe><xmp>&amp;</xmp><noframes><a></noframes>",
        "<template><td>a</template><table><template><tr></template><tr><td>b",
        "<select><option>a<option>b<input>c",
        "<table>a<b>c<tr>d</table><frameset>",
        "<form><table><form><tr><td><input></form></form>",
        "<b><p>a</b>b</p><a>c<div><a>d</a></div></a><nobr>e<nobr>f",
        "<p>é<Ünïcode Ä='ö'>&eacute;&Eacute;</p>&ampamp;",
    ] {
        same(html);
    }
}

#[test]
fn pieces_in_any_order_are_read_as_the_standard_reads_them() {
    const PIECES: &[&str] = &[
        "<p>",
        "</p>",
        "<div class='a b'>",
        "</div>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "a",
        " ",
        "\n",
        "\r\n",
        "&amp;",
        "&",
        "&#",
        "&#x41",
        ";",
        "=",
        "<",
        ">",
        "/",
        "!",
        "--",
        "\"",
        "'",
        "\0",
        "<!--",
        "-->",
        "<svg>",
        "</svg>",
        "<math>",
        "<mi>",
        "<title>",
        "</title>",
        "<script>",
        "</script>",
        "<style>",
        "</style>",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE html>",
        "<!doctype x>",
        "<a href=x&y=1>",
        "</a>",
        "<b>",
        "</b>",
        "<select>",
        "<option>",
        "</select>",
        "<template>",
        "</template>",
        "<textarea>",
        "</textarea>",
        "<form>",
        "</form>",
        "<input type=hidden>",
        "<br/>",
        "<noscript>",
        "</noscript>",
        "<body x=y>",
        "<html z=w>",
        "<frameset>",
        "<li>",
        "<ul>",
        "</ul>",
        "<h1>",
        "</h2>",
        "<button>",
        "é",
        "漢",
        "<P ID=X id=y>",
        "<pre>",
        "<x-y>",
        "</x-y>",
        "<object>",
        "<plaintext>",
        "<foreignObject>",
    ];
    // Always the same pages, each drawn from the one before (xorshift).
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut below = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most as u64) as usize
    };
    for _ in 0..20_000 {
        let count = below(24);
        let html: String = (0..count).map(|_| PIECES[below(PIECES.len())]).collect();
        same(&html);
    }
}

#[test]
fn the_standards_own_tests_are_read_as_the_standard_reads_them() {
    let Some(folder) = corpus("html5lib-tests/tree-construction") else {
        return;
    };
    let mut count = 0;
    for file in fs::read_dir(folder).expect("a folder").flatten() {
        let Ok(text) = fs::read_to_string(file.path()) else {
            continue;
        };
        for test in text.split("#data\n").skip(1) {
            let html = test.split("\n#errors").next().unwrap_or_default();
            same(html);
            count += 1;
        }
    }
    assert!(count > 1000, "{count} tests");
}
