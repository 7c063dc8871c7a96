//! Files that a project speaks of. In its file they are relative to it; in the catalog they are whole, so that a run
//! finds them wherever it is started.

use gleaner_model::Project;
use gleaner_model::steps::{Filling, SecretAt, Start, Value};
use gleaner_settings::project_file::{Places, is_path};
use std::path::{Path, PathBuf};

/// A path or variable that the project needs, and where it is written.
pub(super) struct Needed {
    /// As [`Places`] names it.
    pub(super) place: String,
    pub(super) what: What,
}

pub(super) enum What {
    File(PathBuf),
    Variable(String),
}

/// Makes all paths whole. Sources become addresses.
pub(super) fn settle(project: &mut Project, base: &Path) {
    for seed in &mut project.seeds {
        if is_path(seed)
            && let Some(url) = gleaner_units::folder::url_of(&whole_source(base, seed))
        {
            *seed = url.to_string();
        }
    }
    each_file(project, &mut |_, path| {
        *path = whole(base, path).display().to_string();
    });
    each_value(project, &Places::default(), &mut |_, value| {
        if let Value::Secret(SecretAt::File(path)) | Value::Upload(path) = value {
            *path = whole(base, path).display().to_string();
        }
    });
}

/// All that must be there when the project runs.
pub(super) fn needed(project: &Project, places: &Places, base: &Path) -> Vec<Needed> {
    let mut needed = Vec::new();
    for (index, seed) in project.seeds.iter().enumerate() {
        if is_path(seed) {
            needed.push(Needed {
                place: format!("sources[{index}]"),
                what: What::File(whole(base, seed)),
            });
        }
    }
    let mut copy = project.clone();
    each_file(&mut copy, &mut |place, path| {
        needed.push(Needed {
            place: place.to_owned(),
            what: What::File(whole(base, path)),
        });
    });
    each_value(&mut copy, places, &mut |place, value| {
        let what = match value {
            Value::Secret(SecretAt::File(path)) | Value::Upload(path) => What::File(whole(base, path)),
            Value::Secret(SecretAt::Env(name)) => What::Variable(name.clone()),
            Value::Secret(SecretAt::Store(_)) | Value::Text(_) => return,
        };
        needed.push(Needed { place, what });
    });
    needed
}

fn each_file(project: &mut Project, with: &mut dyn FnMut(&str, &mut String)) {
    let files = [
        ("cookies_file", &mut project.cookies_file),
        ("auth.certificate", &mut project.auth.certificate),
        ("auth.key", &mut project.auth.key),
    ];
    for (place, file) in files {
        if let Some(path) = file {
            with(place, path);
        }
    }
}

fn each_value(project: &mut Project, places: &Places, with: &mut dyn FnMut(String, &mut Value)) {
    for (name, value) in &mut project.headers {
        with(format!("headers.{name}"), value);
    }
    for (key, value) in [
        ("auth.password", &mut project.auth.password),
        ("auth.bearer", &mut project.auth.bearer),
    ] {
        if let Some(value) = value {
            with(key.to_owned(), value);
        }
    }
    if let Some(login) = &mut project.login {
        each_field("login", &mut login.filling, with);
    }
    for (index, step) in project.steps.iter_mut().enumerate() {
        if let Start::Form(filling) = &mut step.start {
            let place = places.step(index).unwrap_or_default();
            each_field(&place, filling, with);
        }
    }
    for (index, notify) in project.notify.iter_mut().enumerate() {
        if let Some(secret) = &mut notify.secret {
            with(format!("notify[{index}].secret"), secret);
        }
    }
}

fn each_field(place: &str, filling: &mut Filling, with: &mut dyn FnMut(String, &mut Value)) {
    for (key, pairs) in [("fields", &mut filling.fields), ("extra", &mut filling.extra)] {
        for (name, value) in pairs {
            with(format!("{place}.{key}.{name}"), value);
        }
    }
}

fn whole(base: &Path, path: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => {
            let joined = base.join(path);
            std::path::absolute(&joined).unwrap_or(joined)
        }
    }
}

/// Without links and dots in it, where it is there.
fn whole_source(base: &Path, path: &str) -> PathBuf {
    let path = whole(base, path);
    path.canonicalize()
        .or_else(|_| std::path::absolute(&path))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_settings::project_file;

    const FILE: &str = "name = \"a\"\nsources = [\"/srv/docs\"]\ncookies_file = \"c.txt\"\n\
        [auth]\nuser = \"a\"\npassword = \"file:p.txt\"\nkey = \"/keys/k\"\n\
        [[step]]\nurl = \"https://a.example/\"\nform = \"fitting\"\nfields = { up = \"upload:u.pdf\", pin = \"env:PIN\" }\n";

    #[test]
    fn paths_become_whole_and_stay_so() {
        gleaner_units::registry::announce();
        let mut project = project_file::read(FILE).unwrap().project;
        settle(&mut project, Path::new("/base"));
        let settled = project_file::write(&project);
        for path in [
            "/base/c.txt",
            "file:/base/p.txt",
            "\"/keys/k\"",
            "upload:/base/u.pdf",
            "file:///srv/docs",
        ] {
            assert!(settled.contains(path), "{path}: {settled}");
        }
        settle(&mut project, Path::new("/other"));
        assert_eq!(project_file::write(&project), settled);
    }

    #[test]
    fn what_is_needed_is_known_with_its_place() {
        let file = project_file::read(FILE).unwrap();
        let found = needed(&file.project, &file.places, Path::new("/base"));
        let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
        assert_eq!(
            places,
            [
                "sources[0]",
                "cookies_file",
                "auth.key",
                "auth.password",
                "step[0].fields.up",
                "step[0].fields.pin"
            ]
        );
        for place in places {
            assert!(file.places.value(place).is_some(), "{place}");
        }
    }
}
