//! The places. `@` stands for the address; in whole documents `#` for the origin.

/// Where an address stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPlace {
    Head(&'static str),
    Body(&'static str),
    /// A header field and its value.
    Field(&'static str, &'static str),
    /// A document of this type.
    Document(&'static str, &'static str),
    /// A whole page, with nothing put around it.
    Page(&'static str),
}

use LinkPlace::{Body, Document, Field, Head, Page};

/// Places that a program can read without understanding code.
pub const STATIC: &[(&str, LinkPlace)] = &[
    ("a", Body("<a href=\"@\">on</a>")),
    ("a-unquoted", Body("<A HREF=@>on</A>")),
    ("a-spaced", Body("<a\n href = '\n@ '>on</a>")),
    (
        "a-nested",
        Body("<div><p><b><a class=x href='@'><i>on</i></b></a>"),
    ),
    ("a-ping", Body("<a href='/' ping='@'>on</a>")),
    ("a-ping-second", Body("<a href='/' ping='/ @'>on</a>")),
    (
        "area",
        Body("<map name=m><area shape=rect coords='0,0,9,9' href='@'></map>"),
    ),
    ("area-ping", Body("<map name=m><area href='/' ping='@'></map>")),
    ("img", Body("<img src='@' alt=''>")),
    ("img-srcset", Body("<img srcset='/a.png 1x, @ 2x'>")),
    ("img-longdesc", Body("<img src='/a.png' longdesc='@'>")),
    ("img-lowsrc", Body("<img src='/a.png' lowsrc='@'>")),
    ("img-dynsrc", Body("<img src='/a.png' dynsrc='@'>")),
    ("img-data-src", Body("<img data-src='@'>")),
    ("image", Body("<image src='@'>")),
    (
        "picture-source",
        Body("<picture><source srcset='@ 100w'><img src='/a.png'></picture>"),
    ),
    ("video", Body("<video src='@'></video>")),
    ("video-poster", Body("<video poster='@'></video>")),
    (
        "video-source",
        Body("<video><source src='@' type='video/mp4'></video>"),
    ),
    ("video-track", Body("<video src='/a.png'><track src='@'></video>")),
    ("audio", Body("<audio src='@'></audio>")),
    ("audio-source", Body("<audio><source src='@'></audio>")),
    ("bgsound", Body("<bgsound src='@'>")),
    ("embed", Body("<embed src='@'>")),
    ("embed-pluginspage", Body("<embed src='/a.png' pluginspage='@'>")),
    ("object-data", Body("<object data='@'></object>")),
    ("object-classid", Body("<object classid='@'></object>")),
    ("object-archive", Body("<object archive='/a.png @'></object>")),
    (
        "object-param-movie",
        Body("<object><param name='movie' value='@'></object>"),
    ),
    (
        "object-param-src",
        Body("<object><PARAM NAME=src VALUE='@'></object>"),
    ),
    ("object-codebase", Body("<object codebase='@'></object>")),
    (
        "applet-archive",
        Body("<applet code='A.class' archive='@'></applet>"),
    ),
    ("iframe", Body("<iframe src='@'></iframe>")),
    (
        "iframe-longdesc",
        Body("<iframe src='/a.png' longdesc='@'></iframe>"),
    ),
    (
        "iframe-srcdoc",
        Body("<iframe srcdoc='<p><a href=\"@\">on</a>'></iframe>"),
    ),
    (
        "iframe-srcdoc-escaped",
        Body("<iframe srcdoc='&lt;a href=&quot;@&quot;&gt;on&lt;/a&gt;'></iframe>"),
    ),
    (
        "iframe-fallback",
        Body("<iframe src='/a.png'><a href='@'>on</a></iframe>"),
    ),
    (
        "frame",
        Page("<!DOCTYPE html><title>f</title><frameset cols='*'><frame src='@'></frameset>"),
    ),
    (
        "frame-longdesc",
        Page("<title>f</title><frameset cols='*'><frame src='/a.png' longdesc='@'></frameset>"),
    ),
    (
        "noframes",
        Page(
            "<title>f</title><frameset><frame src='/a.png'><noframes><a href='@'>on</a></noframes></frameset>",
        ),
    ),
    ("layer", Body("<layer src='@'></layer>")),
    ("ilayer", Body("<ilayer src='@'></ilayer>")),
    (
        "form-get",
        Body("<form action='@'><input name=q><input type=submit></form>"),
    ),
    (
        "form-get-named",
        Body("<form method=GET action='@'><input name=q></form>"),
    ),
    (
        "button-formaction",
        Body("<form action='/'><button formaction='@'>go</button></form>"),
    ),
    (
        "input-formaction",
        Body("<form><input type=submit formaction='@'></form>"),
    ),
    (
        "button-formmethod",
        Body("<form method=post action='/p'><button formmethod=get formaction='@'>go</button></form>"),
    ),
    (
        "input-image",
        Body("<form action='/'><input type=image src='@'></form>"),
    ),
    ("isindex", Head("<isindex action='@'>")),
    ("script-src", Head("<script src='@'></script>")),
    ("script-module", Head("<script type=module src='@'></script>")),
    (
        "import-map",
        Head("<script type='importmap'>{\"imports\": {\"x\": \"@\"}}</script>"),
    ),
    (
        "import-map-scope",
        Head("<script type='importmap'>{\"scopes\": {\"/a/\": {\"x\": \"@\"}}}</script>"),
    ),
    (
        "speculation-rules",
        Head("<script type='speculationrules'>{\"prefetch\":[{\"urls\":[\"@\"]}]}</script>"),
    ),
    ("link-stylesheet", Head("<link rel=stylesheet href='@'>")),
    (
        "link-alternate",
        Head("<link rel=alternate hreflang=de href='@'>"),
    ),
    ("link-next", Head("<link rel='next' href='@'>")),
    ("link-icon", Head("<link rel='shortcut icon' href='@'>")),
    ("link-manifest", Head("<link rel=manifest href='@'>")),
    ("link-modulepreload", Head("<link rel=modulepreload href='@'>")),
    ("link-preload", Head("<link rel=preload as=fetch href='@'>")),
    (
        "link-imagesrcset",
        Head("<link rel=preload as=image imagesrcset='/a.png 1x, @ 2x'>"),
    ),
    ("link-canonical", Head("<link rel=canonical href='@'>")),
    (
        "link-unknown",
        Head("<link rel='https://api.example/rel' href='@'>"),
    ),
    ("link-import", Head("<link rel=import href='@'>")),
    ("ie-import", Head("<import namespace=n implementation='@'>")),
    (
        "meta-refresh",
        Head("<meta http-equiv=refresh content='60; url=@'>"),
    ),
    (
        "meta-refresh-odd",
        Head("<META CONTENT=\"90,URL='@'\" HTTP-EQUIV=ReFresh>"),
    ),
    (
        "meta-refresh-bare",
        Head("<meta http-equiv=refresh content='99 @'>"),
    ),
    ("meta-og-url", Head("<meta property='og:url' content='@'>")),
    ("meta-og-image", Head("<meta property='og:image' content='@'>")),
    (
        "meta-twitter-player",
        Head("<meta name='twitter:player' content='@'>"),
    ),
    (
        "meta-citation",
        Head("<meta name='citation_pdf_url' content='@'>"),
    ),
    (
        "meta-itemprop",
        Body("<div itemscope><meta itemprop='url' content='@'></div>"),
    ),
    (
        "meta-task",
        Head("<meta name='msapplication-task' content='name=News; action-uri=@; icon-uri=/a.png'>"),
    ),
    (
        "meta-tile",
        Head("<meta name='msapplication-TileImage' content='@'>"),
    ),
    (
        "meta-csp",
        Head("<meta http-equiv='Content-Security-Policy' content=\"img-src *; report-uri @\">"),
    ),
    (
        "meta-markup",
        Head("<meta name=copyright content=\"<img src='@'>\">"),
    ),
    ("base-itself", Head("<base href='@'>")),
    (
        "base-late",
        Page("<title>b</title><body><a href='@'>on</a><p>text<base href='/'>"),
    ),
    (
        "html-manifest",
        Page("<!DOCTYPE html><html manifest='@'><title>m</title>text"),
    ),
    (
        "head-profile",
        Page("<!DOCTYPE html><html><head profile='@'><title>p</title>text"),
    ),
    (
        "body-background",
        Page("<title>b</title><body background='@'>text"),
    ),
    (
        "table-background",
        Body("<table background='@'><tr><td>x</table>"),
    ),
    ("td-background", Body("<table><tr><td background='@'>x</table>")),
    ("blockquote", Body("<blockquote cite='@'>x</blockquote>")),
    ("q", Body("<q cite='@'>x</q>")),
    ("ins", Body("<ins cite='@'>x</ins>")),
    ("del", Body("<del cite='@'>x</del>")),
    ("noscript", Body("<noscript><a href='@'>on</a></noscript>")),
    ("noscript-img", Head("<noscript><img src='@'></noscript>")),
    ("template", Body("<template><a href='@'>on</a></template>")),
    (
        "conditional-comment",
        Head("<!--[if lt IE 9]><script src='@'></script><![endif]-->"),
    ),
    (
        "conditional-revealed",
        Head("<!--[if !IE]> --><link rel=next href='@'><!-- <![endif]-->"),
    ),
    (
        "data-document",
        Body("<iframe src=\"data:text/html,%3Ca href='@'%3Eon%3C/a%3E\"></iframe>"),
    ),
    (
        "data-svg",
        Body(
            "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='@'/></svg>\">",
        ),
    ),
    ("svg-a", Body("<svg><a href='@'><text>on</text></a></svg>")),
    (
        "svg-a-xlink",
        Body("<svg><a xlink:href='@'><text>on</text></a></svg>"),
    ),
    ("svg-image", Body("<svg><image href='@'/></svg>")),
    ("svg-image-xlink", Body("<svg><image xlink:href='@'/></svg>")),
    ("svg-use", Body("<svg><use href='@#part'/></svg>")),
    ("svg-script", Body("<svg><script xlink:href='@'/></svg>")),
    ("svg-fill", Body("<svg><rect fill='url(@#g)'/></svg>")),
    ("mathml", Body("<math><mi href='@'>x</mi></math>")),
    ("style-element", Head("<style>p{background:url('@')}</style>")),
    ("style-import", Head("<style>@@import \"@\";</style>")),
    (
        "style-image-set",
        Head("<style>p{background:image-set('@' 1x)}</style>"),
    ),
    (
        "style-font",
        Head("<style>@@font-face{font-family:f;src:url(@)}</style>"),
    ),
    ("style-attribute", Body("<p style=\"background:url(@)\">x</p>")),
    ("field-link", Field("Link", "<@>; rel=\"next\"")),
    (
        "field-link-second",
        Field("Link", "</>; rel=home, <@>; rel=prefetch"),
    ),
    ("field-refresh", Field("Refresh", "60; url=@")),
    ("field-content-location", Field("Content-Location", "@")),
    (
        "field-csp",
        Field("Content-Security-Policy", "img-src *; report-uri @"),
    ),
    ("field-endpoints", Field("Reporting-Endpoints", "main=\"@\"")),
    (
        "rss-channel",
        Document(
            "application/rss+xml",
            "<rss version='2.0'><channel><title>r</title><link>@</link></channel></rss>",
        ),
    ),
    (
        "rss-item",
        Document(
            "application/rss+xml",
            "<rss version='2.0'><channel><title>r</title><link>#/</link><item><title>i</title><link>@</link></item></channel></rss>",
        ),
    ),
    (
        "rss-image",
        Document(
            "application/rss+xml",
            "<rss version='2.0'><channel><title>r</title><link>#/</link><image><url>@</url><title>i</title><link>#/</link></image></channel></rss>",
        ),
    ),
    (
        "rss-enclosure",
        Document(
            "application/rss+xml",
            "<rss version='2.0'><channel><title>r</title><item><title>i</title><enclosure url='@' length='1' type='audio/mpeg'/></item></channel></rss>",
        ),
    ),
    (
        "atom-entry",
        Document(
            "application/atom+xml",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>a</title><entry><title>e</title><link href='@'/></entry></feed>",
        ),
    ),
    (
        "atom-content",
        Document(
            "application/atom+xml",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>a</title><entry><title>e</title><content type='html'>&lt;a href='@'&gt;on&lt;/a&gt;</content></entry></feed>",
        ),
    ),
    (
        "opml",
        Document(
            "text/xml",
            "<opml version='2.0'><body><outline text='x' xmlUrl='@'/></body></opml>",
        ),
    ),
    (
        "xml-stylesheet",
        Document(
            "text/xml",
            "<?xml version='1.0'?><?xml-stylesheet href='@' type='text/css'?><r/>",
        ),
    ),
    ("text-list", Document("text/plain", "#/\n@\n")),
];

/// Places that only code reads, and what nobody is shown.
pub const SCRIPTED: &[(&str, LinkPlace)] = &[
    ("doctype", Page("<!DOCTYPE html SYSTEM '@'><title>d</title>text")),
    (
        "onclick-location",
        Body("<span onclick=\"window.location='@'\">on</span>"),
    ),
    (
        "onclick-href",
        Body("<td onclick=\"document.location.href = '@';return false\">on</td>"),
    ),
    (
        "onmouseover-open",
        Body("<div onmouseover='window.open(\"@\",\"w\",\"width=9\")'>on</div>"),
    ),
    (
        "onchange-own",
        Body("<select onchange=\"if(this.value)go('@')\"><option>a</select>"),
    ),
    (
        "onsubmit",
        Body("<form method=post onsubmit=\"this.action='@'\"></form>"),
    ),
    (
        "onload",
        Page("<title>o</title><body onload=\"location.replace('@')\">text"),
    ),
    (
        "onclick-escaped",
        Body("<b onclick=\"location.assign(&quot;@&quot;)\">on</b>"),
    ),
    ("onkeydown", Body("<input onkeydown='fetch(\"@\")'>")),
    (
        "ontouchstart",
        Body("<i ontouchstart=\"top.location.href=`@`\">on</i>"),
    ),
    (
        "javascript-open",
        Body("<a href=\"javascript:window.open('@')\">on</a>"),
    ),
    (
        "javascript-call",
        Body("<a href=\"JavaScript: show('@', 3)\">on</a>"),
    ),
    (
        "javascript-void",
        Body("<a href=\"javascript:void(location.href='@')\">on</a>"),
    ),
    (
        "javascript-escaped",
        Body("<a href=\"javascript:location%3D%27@%27\">on</a>"),
    ),
    (
        "javascript-form",
        Body("<form action=\"javascript:go('@')\"></form>"),
    ),
    (
        "option-value",
        Body("<select onchange='location=this.value'><option value=''>-<option value='@'>on</select>"),
    ),
    ("data-href", Body("<tr data-href='@'><td>on</tr>")),
    ("data-url", Body("<div data-url='@'>on</div>")),
    (
        "data-json",
        Body("<div data-options='{\"url\":\"@\",\"n\":1}'>on</div>"),
    ),
    (
        "data-long-name",
        Body("<div data-background-image-address='@'>on</div>"),
    ),
    ("hx-get", Body("<button hx-get='@'>on</button>")),
    ("custom-element", Body("<turbo-frame src='@'></turbo-frame>")),
    ("custom-link", Body("<my-link href='@'>on</my-link>")),
    ("comment-markup", Body("<!-- <a href='@'>old</a> -->")),
    ("comment-image", Body("<!--<p>was: <img src=\"@\" alt=x></p>-->")),
    ("comment-word", Body("<!-- moved to @ last year -->")),
    ("script-string", Body("<script>var next = '@';</script>")),
    ("script-double", Body("<script>var next = \"@\", n = 3;</script>")),
    (
        "script-template-literal",
        Body("<script>const next = `@`;</script>"),
    ),
    (
        "script-location",
        Body("<script>setTimeout(function () { location.href = '@'; }, 9e9);</script>"),
    ),
    (
        "script-ajax",
        Body("<script>$.get('@', function (d) { show(d); });</script>"),
    ),
    (
        "script-fetch",
        Body("<script>fetch('@').then(r => r.text())</script>"),
    ),
    (
        "script-xhr",
        Body("<script>var x = new XMLHttpRequest(); x.open('GET', '@', true); x.send();</script>"),
    ),
    (
        "script-attribute",
        Body("<script>a.setAttribute('href', '@');</script>"),
    ),
    (
        "script-element",
        Body("<script>var a = document.createElement('a'); a.href = '@'; b.appendChild(a);</script>"),
    ),
    (
        "script-write",
        Body("<script>document.write('<a href=\"@\">on<\\/a>');</script>"),
    ),
    (
        "script-joined",
        Body("<script>document.write('<a h' + 'ref=\"@\">' + 'on</a>');</script>"),
    ),
    (
        "script-array",
        Body("<script>var pages = ['/', '@', 'a b'];</script>"),
    ),
    (
        "script-object",
        Body("<script>var o = {name: 'x', link: '@'};</script>"),
    ),
    (
        "script-escaped",
        Body("<script>var u = '@'.replace(/[\"']/g, '');</script>"),
    ),
    ("script-choice", Body("<script>go(big ? '@' : '/');</script>")),
    (
        "script-import",
        Body("<script type=module>import x from '@';</script>"),
    ),
    ("script-comment", Body("<script>// see @\nvar a = 1;</script>")),
    (
        "script-block-comment",
        Body("<script>/* <a href=\"@\"> */ var a = 1;</script>"),
    ),
    (
        "script-origin",
        Body("<script>go(location.origin + '@');</script>"),
    ),
    (
        "script-json",
        Body("<script type='application/json'>{\"next\": \"@\"}</script>"),
    ),
    (
        "script-json-ld",
        Body("<script type='application/ld+json'>{\"@@type\":\"Thing\",\"url\":\"@\"}</script>"),
    ),
    (
        "script-html-template",
        Body("<script type='text/x-template'><a href='@'>on</a></script>"),
    ),
    ("script-in-svg", Body("<svg><script>var a = '@';</script></svg>")),
    (
        "script-old-comment",
        Body("<script><!--\nvar a = '@';\n//--></script>"),
    ),
    (
        "json-document",
        Document(
            "application/json",
            "{\"items\": [{\"title\": \"x\", \"url\": \"@\"}]}",
        ),
    ),
];
