//! `gleaner project new URL --interactive`: the few questions that matter, with what the site itself offers beside them.

mod ask;
mod look;

use crate::arguments::Network;
use crate::output::Output;
use ask::Asker;
use gleaner_model::project::ScopeKind;
use gleaner_model::steps::{Check, Filling, Login, SecretAt, Start, Step, Value, WhichForm};
use gleaner_model::{Project, Url};
use gleaner_parse::forms::{ControlKind, Form};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_settings::project_file;
use look::{Looker, Offer};

/// A project, as somebody answered the questions about it.
pub(super) fn interview(
    name: Option<&str>,
    url: &Url,
    network: &Network,
    output: Output,
) -> anyhow::Result<Project> {
    let looker = Looker::new(url, network, output)?;
    let asker = Asker;
    asker.tell(&format!("looking at {url}"));
    let offer = looker.look(url)?;
    show(&asker, &offer);
    let proposed = name.map_or_else(|| name_like(&offer.url), str::to_owned);
    let name = asker.text("the project's name", &proposed, |text| {
        project_file::check_name(text).map_err(|(what, help)| format!("{what}; {help}"))
    })?;
    let mut project = Project::new(&name, vec![offer.url.clone()]);
    project.allow_private = network.allow_private;
    if offer.url.is_web() {
        what_to_take(&asker, &offer, &mut project)?;
        login(&asker, &looker, &offer, &mut project)?;
    } else {
        project.scope = ScopeKind::Subtree;
    }
    let pages = asker.text("how many pages at most (empty: all)", "", |text| match text {
        "" => Ok(()),
        text => text
            .parse::<u64>()
            .map(drop)
            .map_err(|_| "a number is needed".to_owned()),
    })?;
    project.pages_max = pages.parse().ok();
    let contact = asker.text(
        "where can the site's owner reach you (email address or web page; empty: nowhere)",
        "",
        |_| Ok(()),
    )?;
    if !contact.is_empty() {
        let address = if contact.contains('@') && !contact.contains(':') {
            format!("mailto:{contact}")
        } else {
            contact
        };
        project.user_agent = format!("{} (+{address})", project.user_agent);
    }
    Ok(project)
}

fn show(asker: &Asker, offer: &Offer) {
    if let Some(problem) = &offer.problem {
        asker.tell(&format!("  {problem}"));
    }
    if !offer.title.is_empty() {
        asker.tell(&format!("  page      {}", safe(&offer.title)));
    }
    if offer.links > 0 {
        asker.tell(&format!(
            "  links     {} within the site, {} of them below {}",
            offer.links,
            offer.links_below,
            safe(folder_of(&offer.url))
        ));
    }
    if let Some(robots) = &offer.robots {
        asker.tell(&format!("  robots    {robots}"));
    }
    for sitemap in offer.sitemaps.iter().take(5) {
        asker.tell(&format!("  sitemap   {}", safe(sitemap)));
    }
    for feed in offer.feeds.iter().take(5) {
        asker.tell(&format!("  feed      {}", safe(feed)));
    }
    for form in offer.forms.iter().take(9) {
        let what = if form.has_password() { ", a login" } else { "" };
        asker.tell(&format!("  form      {}{what}", safe(&form.summary())));
    }
}

fn what_to_take(asker: &Asker, offer: &Offer, project: &mut Project) -> anyhow::Result<()> {
    let below = format!("everything below {}", folder_of(&offer.url));
    let mut choices = vec!["the whole site", below.as_str(), "this page and what it links to"];
    let searches: Vec<&Form> = offer.forms.iter().filter(|form| !form.has_password()).collect();
    if !searches.is_empty() {
        choices.push("what a form leads to (a search)");
    }
    match asker.choice("what do you want", &choices)? {
        0 => {}
        1 => project.scope = ScopeKind::Subtree,
        2 => project.depth_max = Some(1),
        _ => search(asker, offer, &searches, project)?,
    }
    Ok(())
}

/// A form is filled in and its results are taken.
fn search(asker: &Asker, offer: &Offer, searches: &[&Form], project: &mut Project) -> anyhow::Result<()> {
    let form = match searches {
        [form] => form,
        several => {
            let summaries: Vec<String> = several.iter().map(|form| form.summary()).collect();
            let choices: Vec<&str> = summaries.iter().map(String::as_str).collect();
            several[asker.choice("which form", &choices)?]
        }
    };
    let mut fields = Vec::new();
    for control in form
        .controls
        .iter()
        .filter(|control| is_asked(control.kind) && !control.is_disabled)
    {
        let label = if control.label.is_empty() {
            control.name.clone()
        } else {
            format!("{} ({})", control.label, control.name)
        };
        let choices: Vec<&str> = control
            .choices
            .iter()
            .map(|choice| choice.value.as_str())
            .collect();
        let hint = if choices.is_empty() {
            String::new()
        } else {
            format!(", one of {}", choices.join(" "))
        };
        let given = asker.text(
            &format!("what goes into {}{hint}", safe(&label)),
            &control.value,
            |text| {
                if choices.is_empty() || text.is_empty() || choices.contains(&text) {
                    Ok(())
                } else {
                    Err(format!("the form offers {}", choices.join(" ")))
                }
            },
        )?;
        if given != control.value {
            fields.push((control.name.clone(), Value::Text(given)));
        }
    }
    let links = asker.text(
        "which links of the answer are results (a CSS selector, such as .results a)",
        "main a, #content a, .results a",
        |text| {
            gleaner_parse::Selector::check(text)
                .map(drop)
                .map_err(|e| e.to_string())
        },
    )?;
    let depth = asker.text("how many links to follow from there", "0", |text| {
        text.parse::<u32>()
            .map(drop)
            .map_err(|_| "a number is needed".to_owned())
    })?;
    let step = |name: &str, start: Start, from: Option<usize>| Step {
        name: name.to_owned(),
        start,
        from,
        depth: 0,
        keep: false,
        rules: Vec::new(),
    };
    let filling = Filling {
        form: which(form),
        fields,
        extra: Vec::new(),
        button: None,
    };
    project.steps = vec![
        step(
            "page with the form",
            Start::Urls(vec![offer.url.to_string()]),
            None,
        ),
        step("search", Start::Form(filling), Some(0)),
        Step {
            keep: true,
            depth: depth.parse().unwrap_or(0),
            ..step("results", Start::Links(links), Some(1))
        },
    ];
    project.seeds.clear();
    Ok(())
}

fn login(asker: &Asker, looker: &Looker, offer: &Offer, project: &mut Project) -> anyhow::Result<()> {
    let has_form = offer.forms.iter().any(Form::has_password);
    if !asker.yes("do you have to log in", has_form)? {
        return Ok(());
    }
    let proposed = match (has_form, &offer.login) {
        (false, Some(login)) => login.clone(),
        _ => offer.url.to_string(),
    };
    let (url, found) = loop {
        let address = asker.text("the page with the login form", &proposed, |text| {
            Url::from_user(text).map(drop).map_err(|e| e.to_string())
        })?;
        let url = Url::from_user(&address)?;
        let found = if url == offer.url {
            offer.clone()
        } else {
            looker.look(&url)?
        };
        if found.forms.iter().any(Form::has_password) {
            break (url, found);
        }
        show(asker, &found);
        asker.tell("  there is no form that asks for a password");
    };
    let Some(form) = found.forms.iter().find(|form| form.has_password()) else {
        return Ok(());
    };
    asker.tell(&format!("  form      {}", safe(&form.summary())));
    let mut fields = Vec::new();
    for control in form.controls.iter().filter(|control| !control.is_disabled) {
        let name = &control.name;
        match control.kind {
            ControlKind::Password => {
                let variable = format!(
                    "{}_PASSWORD",
                    project
                        .name
                        .to_uppercase()
                        .replace(|c: char| !c.is_ascii_alphanumeric(), "_")
                );
                let at = asker.text(
                    "where is the password stored (env:NAME, file:PATH or secret:NAME; never the password itself)",
                    &format!("env:{variable}"),
                    |text| match Value::from(text) {
                        Value::Secret(_) => Ok(()),
                        _ => Err("begin with env:, file: or secret:".to_owned()),
                    },
                )?;
                fields.push((name.clone(), Value::from(at.as_str())));
                remind(asker, &fields);
            }
            ControlKind::Text | ControlKind::Email => {
                let given = asker.text(&format!("what goes into {}", safe(name)), &control.value, |_| {
                    Ok(())
                })?;
                fields.push((name.clone(), Value::Text(given)));
            }
            _ => {}
        }
    }
    let words = asker.text(
        "words that only a logged-in visitor sees (empty: any page without the form)",
        "",
        |_| Ok(()),
    )?;
    let (mut must_have, mut must_not_have) = (Vec::new(), Vec::new());
    if words.is_empty() {
        must_not_have.push(Check::Selector("input[type=password]".to_owned()));
    } else {
        must_have.push(Check::Text(words));
    }
    project.login = Some(Login {
        url: url.to_string(),
        filling: Filling {
            form: which(form),
            fields,
            extra: Vec::new(),
            button: None,
        },
        must_have,
        must_not_have,
    });
    Ok(())
}

fn remind(asker: &Asker, fields: &[(String, Value)]) {
    if let Some((_, Value::Secret(SecretAt::Store(name)))) = fields.last() {
        asker.tell(&format!("  `gleaner secret set {name}` stores it"));
    }
}

fn is_asked(kind: ControlKind) -> bool {
    let no = [
        ControlKind::Hidden,
        ControlKind::Password,
        ControlKind::Checkbox,
        ControlKind::Radio,
        ControlKind::File,
        ControlKind::Reset,
        ControlKind::Button,
    ];
    !kind.is_button() && !no.contains(&kind)
}

/// The surest way to find a form again.
fn which(form: &Form) -> WhichForm {
    if !form.id.is_empty() {
        return WhichForm::Id(form.id.clone());
    }
    match &form.action {
        Ok(action) => WhichForm::Action(format!("*{}", action.path())),
        Err(_) => WhichForm::Number(form.number),
    }
}

fn folder_of(url: &Url) -> &str {
    let path = url.path();
    &path[..=path.rfind('/').unwrap_or(0)]
}

/// A name that a project may have, after the host.
fn name_like(url: &Url) -> String {
    let name = match url.host() {
        "" => "files",
        host => host,
    };
    name.trim_start_matches("www.")
        .replace(|c: char| !c.is_alphanumeric(), "-")
        .trim_matches('-')
        .to_owned()
}

/// What was agreed on, in one sentence.
pub(super) fn agreed(project: &Project) -> String {
    match project.steps.len() {
        0 => format!(
            "{} from {}",
            project.name,
            time::count(project.seeds.len() as u64, "source")
        ),
        steps => format!("{} in {}", project.name, time::count(steps as u64, "step")),
    }
}
