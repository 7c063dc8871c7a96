//! Pages built anew without an edit, and with one: manuals of our own, and real pages in frames that differ. (B6)

use gleaner_fixtures::{corpus, keep_scores};
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Learned, Side, template_of};
use gleaner_model::Url;
use gleaner_testkit::manual::{self, Build, PAGES, Theme};
use gleaner_testkit::mutate::{Edit, edits};

fn side(html: &str, digest: u8) -> Side {
    let url = Url::parse("http://site.test/section/page.html").expect("an address");
    Side::new(gleaner_parse::content::of_html(html, &url), [digest; 32])
}

fn is_same(before: &str, now: &str) -> bool {
    why(before, now, &Learned::default()).is_empty()
}

/// What counts as changed; nothing where nothing does.
fn why(before: &str, now: &str, learned: &Learned) -> String {
    let now = side(now, 1);
    let known = learned.knowledge(&template_of(now.content(), "/*"));
    let now = now.with_known(std::sync::Arc::new(known));
    let (diff, verdict) = Diff::judged(&Chain::default(), &side(before, 0), &now, None);
    if verdict.is_same() {
        return String::new();
    }
    let hunks = diff
        .shown()
        .map(|hunk| format!("{}: {:?} → {:?}", hunk.path, hunk.before, hunk.after));
    format!("{:?} {}", verdict.outcome, hunks.collect::<Vec<_>>().join("; "))
}

#[test]
fn case18_a_manual_built_anew_has_changed_where_it_was_edited() {
    let first = Build::default();
    let last = Build {
        version: "3.3rc1",
        date: "Nov 17, 2026",
        year: "2026",
        tool: "8.0.1",
        entries: 1,
        has_login: true,
        is_cut_otherwise: true,
        ..first.clone()
    };
    for theme in [Theme::Sphinx, Theme::Javadoc, Theme::Docusaurus, Theme::Jekyll] {
        // As in a run: what the other pages show is known.
        let mut learned = Learned::default();
        for number in 0..PAGES {
            let content = |build| side(&manual::page(theme, build, number), 0).content().clone();
            learned.observe_alike(number as u64, &content(&first), &content(&last));
        }
        for number in 0..PAGES {
            let before = manual::page(theme, &first, number);
            assert_eq!(
                why(&before, &manual::page(theme, &last, number), &learned),
                "",
                "{theme:?} {number}"
            );
            for edits in 1..=2 {
                let edited = Build {
                    edits,
                    ..last.clone()
                };
                let now = manual::page(theme, &edited, number);
                assert_eq!(
                    why(&before, &now, &learned).is_empty(),
                    !manual::is_edited(number),
                    "{theme:?} {number}, edit {edits}"
                );
            }
        }
    }
}

#[test]
fn case18_another_version_and_another_year_are_a_new_edition_until_another_page_shows_them() {
    let first = Build::default();
    let version = Build {
        version: "3.3",
        ..first.clone()
    };
    let year = Build {
        year: "2026",
        ..first.clone()
    };
    let both = Build {
        version: "3.3",
        ..year.clone()
    };
    let told = |theme, build, learned: &Learned| {
        let pages = (manual::page(theme, &first, 3), manual::page(theme, build, 3));
        why(&pages.0, &pages.1, learned).is_empty()
    };
    let nothing = Learned::default();
    for theme in [Theme::Sphinx, Theme::Javadoc, Theme::Docusaurus, Theme::Jekyll] {
        assert!(told(theme, &version, &nothing), "{theme:?}, another version");
        assert!(told(theme, &year, &nothing), "{theme:?}, another year");
        // Javadoc's copyright does not stand in what the page calls its footer.
        assert_eq!(
            told(theme, &both, &nothing),
            theme != Theme::Javadoc,
            "{theme:?}, both"
        );
    }
    let learned_from = |builds: &[(usize, &Build)]| {
        let mut learned = Learned::default();
        for (number, build) in builds {
            let content = |build| {
                side(&manual::page(Theme::Javadoc, build, *number), 0)
                    .content()
                    .clone()
            };
            learned.observe_alike(*number as u64, &content(&first), &content(build));
        }
        learned
    };
    for (builds, is_told) in [
        (vec![(3, &both)], false),
        (vec![(3, &both), (4, &both)], true),
        (vec![(3, &both), (4, &year)], true),
        (vec![(3, &both), (4, &version)], true),
    ] {
        let learned = learned_from(&builds);
        assert_eq!(told(Theme::Javadoc, &both, &learned), is_told, "{builds:?}");
        // What was told before is told to whoever asks later.
        let stored = serde_json::to_string(&learned).expect("JSON");
        let learned: Learned = serde_json::from_str(&stored).expect("what was stored");
        assert_eq!(
            told(Theme::Javadoc, &both, &learned),
            is_told,
            "{builds:?}, from the store"
        );
    }
}

/// A real page as a tool would publish it, by a date, a version and a way of writing both.
fn published(html: &str, way: usize, is_later: bool) -> String {
    let pick = |early: &'static str, late: &'static str| if is_later { late } else { early };
    let version = pick("2.7", "2.7.1");
    let footer = match way % 9 {
        0 => format!(
            "<div class=\"footer\">Last updated on {}</div>",
            pick("2024-03-01", "2026-11-17")
        ),
        1 => format!(
            "<div id=\"footer\"><p>Zuletzt geändert am {}</p></div>",
            pick("3. März 2024", "17. November 2026")
        ),
        2 => format!(
            "<footer><p>© {} The Authors. All rights reserved by those who wrote all of this text here.</p></footer>",
            pick("2019–2024", "2019–2026")
        ),
        3 => format!(
            "<p>Dernière mise à jour : {}</p>",
            pick("1er mars 2024", "17 novembre 2026")
        ),
        4 => format!(
            "<hr><p>Generated on {} by doxygen {}</p>",
            pick("Tue Mar 1 2022 10:00:01", "Wed Nov 4 2026 09:10:00"),
            pick("1.8.13", "1.9.8")
        ),
        5 => format!(
            "<div role=\"contentinfo\">Version {version} | Built with Sphinx {}</div>",
            pick("7.2.6", "8.0.1")
        ),
        6 => format!(
            "<p>Última actualización: {}</p>",
            pick("3 de mayo de 2024", "17 de noviembre de 2026")
        ),
        7 => format!("<p>最后更新：{}</p>", pick("2024年3月1日", "2026年11月17日")),
        _ => format!(
            "<div class=\"copyright\">Copyright {} A. Person</div>",
            pick("2024", "2026")
        ),
    };
    let header = match way % 4 {
        0 => pick("", "<div class=\"login\"><a href=\"/in\">Sign in</a></div>").to_owned(),
        1 => format!("<div class=\"topbar\">Docs v{version}</div>"),
        2 => pick(
            "<nav><a href=\"/a\">A</a></nav>",
            "<nav><a href=\"/a\">A</a> <a href=\"/b\">B</a></nav>",
        )
        .to_owned(),
        _ => pick(
            "",
            "<form><input type=\"password\"><input type=\"submit\" value=\"Log in\"></form>",
        )
        .to_owned(),
    };
    let head = format!(
        "<meta name=\"generator\" content=\"Tool {version}\"><script src=\"/app.{}.js\"></script></head>",
        pick("8f3a90bc", "77ab01ce")
    );
    let title = format!(" — Docs {version}</title>");
    let with = |html: String, tag: &str, before: &str, after: &str| match html.find(tag) {
        Some(at) => format!("{}{before}{tag}{after}{}", &html[..at], &html[at + tag.len()..]),
        None => html,
    };
    let page = with(html.to_owned(), "</head>", head.trim_end_matches("</head>"), "");
    let page = match page.find("</title>") {
        Some(at) => format!("{}{title}{}", &page[..at], &page[at + "</title>".len()..]),
        None => page,
    };
    let page = match page
        .find("<body")
        .and_then(|at| Some(at + page[at..].find('>')? + 1))
    {
        Some(at) => format!("{}{header}{}", &page[..at], &page[at..]),
        None => page,
    };
    match page.rfind("</body>") {
        Some(at) => format!("{}{footer}{}", &page[..at], &page[at..]),
        None => page + &footer,
    }
}

#[test]
fn case18_real_pages_published_anew() {
    let Some(folder) = corpus("wcxb") else {
        return;
    };
    let mut names: Vec<_> = std::fs::read_dir(folder.join("html"))
        .expect("pages")
        .map(|entry| entry.expect("a page").path())
        .collect();
    names.sort();
    let (mut silent, mut rebuilt, mut seen, mut edited) = (0, 0, 0, 0);
    for (at, name) in names.iter().enumerate().step_by(2) {
        let Ok(html) = String::from_utf8(crate::unpacked(name)) else {
            continue;
        };
        let before = published(&html, at / 2, false);
        rebuilt += 1;
        let is_silent = is_same(&before, &published(&html, at / 2, true));
        silent += usize::from(is_silent);
        if !is_silent && std::env::var_os("GLEANER_SHOW").is_some() {
            eprintln!(
                "loud {name:?}: {:.400}",
                why(&before, &published(&html, at / 2, true), &Learned::default())
            );
        }
        let id = name.file_name().and_then(|name| name.to_str()).expect("a name");
        let id = id.split('.').next().expect("an id");
        let truth =
            std::fs::read_to_string(folder.join(format!("ground-truth/{id}.json"))).expect("the truth");
        let truth: serde_json::Value = serde_json::from_str(&truth).expect("JSON");
        let matters = truth["ground_truth"]["main_content"].as_str().expect("a text");
        let kinds = edits::KINDS.iter().cycle().skip(at).take(edits::KINDS.len());
        let mut kinds = kinds.filter_map(|kind| Edit::make(&html, matters, *kind, at as u64));
        let Some(edit) = kinds.next() else { continue };
        let shown = |html: &str| gleaner_judge::equality::visible_digest(side(html, 0).content());
        if shown(&html) == shown(&edit.html) && edit.kind != edits::EditKind::LinkTarget {
            continue;
        }
        edited += 1;
        let is_seen = !is_same(&before, &published(&edit.html, at / 2, true));
        seen += usize::from(is_seen);
        if !is_seen && std::env::var_os("GLEANER_SHOW").is_some() {
            eprintln!("unseen {name:?} {:?}: {}", edit.kind, edit.shown);
        }
    }
    let line = format!("real pages published anew: SAM {silent}/{rebuilt}, with an edit UPD {seen}/{edited}");
    eprintln!("{line}");
    keep_scores("published-anew", &[line]);
    assert!(silent * 100 >= rebuilt * 90, "{silent}/{rebuilt}");
    assert!(seen * 100 >= edited * 98, "{seen}/{edited}");
}
