//! Why did a crawl collect nothing? One sentence, from what became of the URLs it began with.

use gleaner_model::reason::Remedy;
use gleaner_model::{LinkKind, Project, Reason, RunId, Url, defaults};
use gleaner_publish::time;
use gleaner_store::Ledger;
use gleaner_store::StoreError;
use gleaner_store::ledger::LinkEnd;

/// `seconds`: how long the run took.
pub(crate) fn why(
    reader: &dyn Ledger,
    project: &Project,
    seconds: f64,
) -> Result<Option<String>, StoreError> {
    let mut first = None;
    let mut others = 0;
    for seed in project.seeds.iter().filter_map(|seed| Url::parse(seed).ok()) {
        match (&first, end_of(reader, seed)?) {
            (None, Some(end)) => first = Some(end),
            (Some(_), Some(_)) => others += 1,
            (_, None) => {}
        }
    }
    let Some((url, reason)) = first else {
        return Ok(None);
    };
    let more = match others {
        0 => String::new(),
        others => format!(" (and {})", time::count(others, "more address")),
    };
    let took = time::span(seconds);
    if reason == Reason::DnsNotFound {
        return Ok(Some(format!(
            "nothing was collected: host not found: {} (after {took}); check the spelling, and the network{more}",
            url.host()
        )));
    }
    let (meaning, cause) = match robots_failure(reader, &url, reason)? {
        Some(failure) => failure,
        None => (told(reason), String::new()),
    };
    let help = help(reason);
    Ok(Some(format!(
        "nothing was collected: {meaning} ({reason}{cause}); {help}: {url}{more}"
    )))
}

/// Pages that want a login which was not given: what is not kept with the project is to be given in every run.
pub(crate) fn login_forgotten(
    reader: &dyn Ledger,
    run: RunId,
    project: &Project,
    has_login: bool,
) -> Result<Option<String>, StoreError> {
    if has_login || project.auth.user.is_some() || project.login.is_some() {
        return Ok(None);
    }
    let (pages, example) = reader.count_of_reason(run, Reason::HttpUnauthorized)?;
    let Some(example) = example.filter(|_| pages > 0) else {
        return Ok(None);
    };
    let (pages, want) = (
        time::count(pages, "page"),
        if pages == 1 { "wants" } else { "want" },
    );
    Ok(Some(format!(
        "{pages} {want} a login (http-401), and none was given: give it in every run with --user and --password-file, \
         or store it in the project as [auth] (docs/projects.md): {example}"
    )))
}

/// The meaning of a reason in the middle of a sentence.
fn told(reason: Reason) -> String {
    let meaning = reason.meaning().trim_end_matches('.');
    let mut letters = meaning.chars();
    match letters.next() {
        // Not robots.txt, TLS, XML.
        Some(first)
            if letters
                .as_str()
                .starts_with(|c: char| c.is_lowercase() || c == ' ') =>
        {
            first.to_lowercase().chain(letters).collect()
        }
        _ => meaning.to_owned(),
    }
}

/// What a person can do about it.
fn help(reason: Reason) -> &'static str {
    match reason {
        Reason::HttpUnauthorized => "give the user name with --user, and the password with --password-file",
        Reason::RobotsDenied => "--ignore-robots is for sites you own",
        Reason::UnwantedType => "--types all accepts every type",
        Reason::OutOfScope => "a wider --scope would include it",
        Reason::HttpNotFound | Reason::HttpGone | Reason::NoSuchFile => "check the address",
        Reason::RobotsUnreachable | Reason::ConnectRefused | Reason::ConnectTimeout => {
            "check the address, or try again later"
        }
        _ => match reason.remedy() {
            Remedy::Wait => "try again later",
            Remedy::ChangeTheProject => "a setting decides this; `gleaner explain` says which",
            Remedy::TellTheSite => "check the site",
            Remedy::Nothing => "`gleaner explain` says more",
        },
    }
}

/// Why robots.txt could not be read, if that is the reason: in words, and what stands behind the code. A server that is not
/// there is no matter of robots.txt.
fn robots_failure(
    reader: &dyn Ledger,
    url: &Url,
    reason: Reason,
) -> Result<Option<(String, String)>, StoreError> {
    let robots = match reason {
        Reason::RobotsUnreachable => reader.robots_of(url)?,
        _ => None,
    };
    let Some(robots) = robots else { return Ok(None) };
    let cause = robots.reason.as_deref().map(Reason::stored);
    Ok(match (robots.status, cause) {
        (Some(status), _) => Some((told(reason), format!(": its answer had status {status}"))),
        (None, Some(cause)) => Some((told(cause), format!(": {cause}"))),
        (None, None) => None,
    })
}

/// Where the redirects of a URL end, and why there is no document there.
fn end_of(reader: &dyn Ledger, mut url: Url) -> Result<Option<(Url, Reason)>, StoreError> {
    for _ in 0..=defaults::REDIRECTS_MAX {
        let Some(resource) = reader.resource_of(&url)? else {
            return Ok(None);
        };
        let Some(visit) = reader.last_visit(resource)? else {
            return Ok(Some((url, Reason::OutOfScope)));
        };
        if let Some(reason) = visit.reason {
            return Ok(Some((url, reason)));
        }
        let links = reader.links(resource, LinkEnd::Out)?;
        let target = links
            .iter()
            .find(|link| link.kind == LinkKind::Redirect)
            .and_then(|link| Url::parse(&link.url).ok());
        match target {
            Some(target) if target != url => url = target,
            _ => return Ok(None),
        }
    }
    Ok(None)
}
