//! What is sent to a project's own sites with every request: header fields, a token (A4). A name and a
//! password are sent when the server asks for them, by the units.
//!
//! Bound to the origins of its sources and steps, so that nobody else is told (HC064).

use crate::error::RunError;
use crate::forms::SecretLookup;
use gleaner_model::steps::Value;
use gleaner_model::{Project, Url};
use gleaner_units::BoundHeader;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The fields for every origin of the project.
pub(crate) fn headers(
    project: &Project,
    homes: &[Url],
    secrets: &SecretLookup,
) -> Result<Arc<[BoundHeader]>, RunError> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in &project.headers {
        fields.push((name.clone(), text(value, secrets)?));
    }
    let auth = &project.auth;
    if let Some(bearer) = &auth.bearer {
        fields.push((
            "Authorization".to_owned(),
            format!("Bearer {}", text(bearer, secrets)?),
        ));
    }
    let web = homes.iter().filter(|home| home.is_web());
    let mut origins: BTreeSet<String> = web.map(|home| home.origin().to_owned()).collect();
    if let Some(login) = project
        .login
        .as_ref()
        .and_then(|login| Url::parse(&login.url).ok())
    {
        origins.insert(login.origin().to_owned());
    }
    let bound = origins.iter().flat_map(|origin| {
        fields.iter().map(|(name, value)| BoundHeader {
            origin: origin.clone(),
            name: name.clone(),
            value: value.clone(),
        })
    });
    Ok(bound.collect())
}

fn text(value: &Value, secrets: &SecretLookup) -> Result<String, RunError> {
    match value {
        Value::Text(text) | Value::Upload(text) => Ok(text.clone()),
        Value::Secret(at) => secrets(at).map_err(|why| RunError::Step {
            step: "auth".to_owned(),
            why,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_credentials_go_home_and_nowhere_else() {
        let mut project = Project::new("p", vec![Url::parse("http://a.test/x").unwrap()]);
        project.auth.bearer = Some(Value::from("env:TOKEN"));
        project.headers.push(("X-Key".to_owned(), Value::from("7")));
        let homes = crate::way::homes(&project).unwrap();
        let bound = headers(&project, &homes, &|_| Ok("open sesame".to_owned())).unwrap();
        let told: Vec<(&str, &str, &str)> = (bound.iter())
            .map(|header| (&*header.origin, &*header.name, &*header.value))
            .collect();
        assert_eq!(
            told,
            [
                ("http://a.test", "X-Key", "7"),
                ("http://a.test", "Authorization", "Bearer open sesame"),
            ]
        );
        assert!(headers(&project, &homes, &|_| Err("not set".to_owned())).is_err());
    }
}
