//! Login forms of well-known programs, as they write them.

use super::{read, shown};
use crate::forms::{Button, FieldValue, Method, Which, encode, fill, find};

#[test]
fn mediawiki() {
    let html = r#"<!DOCTYPE html><html class="client-nojs" lang="en" dir="ltr"><head><meta charset="UTF-8"><title>Log in</title></head>
<body><div id="p-search"><form action="/index.php" id="searchform"><input type="search" name="search" placeholder="Search"
 accesskey="f" id="searchInput"/><input type="hidden" value="Special:Search" name="title"/><input type="submit" name="fulltext"
 value="Search" id="mw-searchButton"/><input type="submit" name="go" value="Go" id="searchButton"/></form></div>
<div id="userloginForm"><form class="mw-htmlform mw-ui-vform mw-ui-container" action="/index.php?title=Special:UserLogin&amp;returnto=Main+Page"
 method="post" name="userlogin"><div class="mw-htmlform-field-HTMLTextField loginText"><div class="mw-input"><label for="wpName1">Username</label>
<input id="wpName1" name="wpName" size="20" class="loginText" placeholder="Enter your username" tabindex="1" required="" autocomplete="username">
</div></div><div><label for="wpPassword1">Password</label><input id="wpPassword1" name="wpPassword" size="20" type="password" tabindex="2"
 placeholder="Enter your password" required="" autocomplete="current-password"></div><div class="mw-htmlform-field-HTMLCheckField">
<div class="mw-ui-checkbox"><input name="wpRemember" type="checkbox" value="1" tabindex="3" id="wpRemember">&#160;<label for="wpRemember">Keep me logged in (for up to 30 days)</label></div></div>
<div class="mw-input"><button id="wpLoginAttempt" type="submit" name="wploginattempt" value="Log in" tabindex="4" class="mw-htmlform-submit">Log in</button></div>
<div id="mw-createaccount-cta"><input id="wpEditToken" type="hidden" value="+\" name="wpEditToken"><input type="hidden" value="Special:UserLogin" name="title">
<input name="authAction" type="hidden" value="login"><input name="force" type="hidden"><input name="wpLoginToken" type="hidden"
 value="0123456789abcdef0123456789abcdef65a1b2c3+\"></div></form></div></body></html>"#;
    let forms = read(html);
    let form = find(&forms, &Which::Password).unwrap();
    assert_eq!(form.name, "userlogin");
    assert_eq!(form.method, Method::Post);
    let values = [
        FieldValue::text("Username", "Ann Example"),
        FieldValue::secret("Password", "pässword+1"),
        FieldValue::on("wpRemember"),
    ];
    let request = encode(&fill(form, &values, &Button::First).unwrap()).unwrap();
    assert_eq!(
        request.url.as_str(),
        "http://site.test/index.php?title=Special:UserLogin&returnto=Main+Page"
    );
    assert_eq!(
        shown(&request),
        "wpName=Ann+Example&wpPassword=p%C3%A4ssword%2B1&wpRemember=1&wploginattempt=Log+in&wpEditToken=%2B%5C\
         &title=Special%3AUserLogin&authAction=login&force=&wpLoginToken=0123456789abcdef0123456789abcdef65a1b2c3%2B%5C"
    );
    let search = find(&forms, &Which::Id("searchform".to_owned())).unwrap();
    let values = [FieldValue::text("search", "moss")];
    let request = encode(&fill(search, &values, &Button::Called("go".to_owned())).unwrap()).unwrap();
    assert_eq!(
        request.url.as_str(),
        "http://site.test/index.php?search=moss&title=Special%3ASearch&go=Go"
    );
}

#[test]
fn dokuwiki() {
    let html = r#"<!DOCTYPE html><html lang="en" dir="ltr" class="no-js"><head><meta charset="utf-8" /><base href="/" /></head><body>
<form action="/doku.php?id=start" method="get" role="search" class="search doku_form" id="dw__search" accept-charset="utf-8">
<input type="hidden" name="do" value="search" /><input type="hidden" name="id" value="start" /><div class="no"><input name="q" type="text"
 class="edit" title="[F]" accesskey="f" placeholder="Search" autocomplete="on" id="qsearch__in" value="" /><button value="1" type="submit" title="Search">Search</button></div></form>
<div class="centeralign"><form id="dw__login" method="post" action="" class="doku_form" accept-charset="utf-8"><input type="hidden" name="sectok" value="" />
<div class="no"><input type="hidden" name="id" value="start" /><input type="hidden" name="do" value="login" /><fieldset ><legend>Log In</legend>
<label class="block" for="focus__this"><span>Username</span> <input type="text" id="focus__this" name="u" class="edit" /></label><br />
<label class="block"><span>Password</span> <input type="password" name="p" class="edit" /></label><br />
<label class="simple" for="remember__me"><input name="r" type="checkbox" id="remember__me" value="1" /> <span>Remember me</span></label>
<button type="submit">Log In</button></fieldset></div></form></div></body></html>"#;
    let forms = read(html);
    let form = find(&forms, &Which::Password).unwrap();
    assert_eq!(form.id, "dw__login");
    let labels: Vec<&str> = form
        .controls
        .iter()
        .map(|control| control.label.as_str())
        .collect();
    assert_eq!(
        labels,
        ["", "", "", "Username", "Password", "Remember me", "Log In"]
    );
    let values = [
        FieldValue::text("u", "ann"),
        FieldValue::text("p", "secret"),
        FieldValue::text("Remember me", "1"),
    ];
    let submission = fill(form, &values, &Button::First).unwrap();
    assert!(
        submission.is_secret(),
        "what goes into a password field is secret"
    );
    let request = encode(&submission).unwrap();
    assert_eq!(
        request.url.as_str(),
        "http://site.test/dir/page.html?old=1",
        "the page itself, not its base"
    );
    assert_eq!(shown(&request), "sectok=&id=start&do=login&u=ann&p=secret&r=1");
}

#[test]
fn a_search_of_a_library_catalogue() {
    let html = "<table><form method=get action=search.asp><tr><td>Title<td><input name=ti><tr><td>Year<td><select name=yr>\
        <option value=''>any<option>2023<option>2024</select><tr><td colspan=2><input type=submit value=Find><input type=reset></form></table>";
    let forms = read(html);
    let form = find(&forms, &Which::Action("*/search.asp".to_owned())).unwrap();
    let values = [
        FieldValue::text("ti", "Flechten & Moose"),
        FieldValue::text("yr", "2024"),
    ];
    let request = encode(&fill(form, &values, &Button::First).unwrap()).unwrap();
    assert_eq!(
        request.url.as_str(),
        "http://site.test/dir/search.asp?ti=Flechten+%26+Moose&yr=2024"
    );
}
