//! How a run speaks to the network: what the command line and the project say about it, made ready.

use super::engine::Job;
use crate::arguments::Network;
use crate::log;
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_model::measure::count;
use gleaner_model::steps::Value;
use gleaner_model::{Project, Url, defaults};
use gleaner_units::http::ProxySettings;
use gleaner_units::net::{Identity, Login, Logins, NetSettings, Timeouts};
use gleaner_units::{Http, HttpSettings};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the parser of arguments cannot know to be wrong, found before anything is opened.
pub(super) fn check_network(network: &Network) -> anyhow::Result<()> {
    if let Some(proxy) = &network.proxy {
        ProxySettings::parse(proxy).map_err(|error| WrongUsage(error.to_string()))?;
    }
    if let Some(path) = &network.ca_file {
        certificates(path)?;
    }
    Ok(())
}

/// `homes` are the addresses where the project is at home: nobody else is told who we are (HC064).
pub(super) fn http_settings(job: &Job<'_>, homes: &[Url], spool: PathBuf) -> anyhow::Result<HttpSettings> {
    let Job { project, network, .. } = job;
    let connect = Duration::from_secs_f64(network.connect_timeout.clamp(0.001, 3600.0));
    let read = Duration::from_secs_f64(network.read_timeout.clamp(0.001, 86_400.0));
    let roots = match &network.ca_file {
        Some(path) => certificates(path)?,
        None => Vec::new(),
    };
    let net = NetSettings {
        allow_private: project.allow_private,
        private_hosts_allowed: homes
            .iter()
            .filter(|url| is_plainly_private(url))
            .map(|url| url.host().to_owned())
            .collect(),
        extra_root_certificates: roots,
        bandwidth_bytes_per_s: project.bandwidth_bytes_per_s,
        timeouts: Timeouts {
            connect,
            tls: connect,
            resolve: connect.min(defaults::RESOLVE_TIMEOUT),
            first_byte: read,
            silence: read,
            fetch: Duration::from_secs_f64(network.fetch_timeout.clamp(0.001, 86_400.0 * 7.0)),
            ..Timeouts::default()
        },
        spool_folder: spool,
        resolve_overrides: network.resolve.clone(),
        dns_server: network.dns_server,
        logins: logins(job, homes)?,
        identity: identity(project, homes)?,
        clock: Arc::clone(&job.company.clock),
    };
    if let Some(proxy) = &network.proxy
        && let Ok((_, Some(credentials))) = Url::parse_with_credentials(proxy)
    {
        log::hide(&credentials.password);
    }
    Ok(HttpSettings {
        net,
        user_agent: project.user_agent.clone(),
        accept_http2: !network.no_http2,
        accept_cookies: true,
        proxy: network.proxy.as_deref().map(ProxySettings::parse).transpose()?,
    })
}

/// The login that was given on the command line or else in the project, for each server where the project is at home.
fn logins(job: &Job<'_>, homes: &[Url]) -> anyhow::Result<Logins> {
    let Job { project, network, .. } = job;
    let mut logins = Logins::default();
    let auth = &project.auth;
    let login = match (&network.user, &auth.user) {
        (Some(user), _) => Login {
            user: user.clone(),
            password: match &network.password_file {
                Some(path) => first_line(path)?,
                None => std::env::var("GLEANER_PASSWORD").ok(),
            },
            key_file: network.key_file.clone(),
        },
        (None, Some(user)) => Login {
            user: user.clone(),
            password: match &auth.password {
                None => None,
                Some(Value::Text(text) | Value::Upload(text)) => Some(text.clone()),
                Some(Value::Secret(at)) => Some((job.secrets)(at).map_err(anyhow::Error::msg)?),
            },
            key_file: auth.key.as_ref().map(PathBuf::from),
        },
        (None, None) => return Ok(logins),
    };
    login.password.iter().for_each(|password| log::hide(password));
    for home in homes {
        logins.add(home.origin(), login.clone());
    }
    Ok(logins)
}

fn first_line(path: &Path) -> anyhow::Result<Option<String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the password cannot be read: {}", path.display()))?;
    Ok(text.lines().next().map(str::to_owned))
}

/// The certificate that the project shows to servers that ask for one.
fn identity(project: &Project, homes: &[Url]) -> anyhow::Result<Option<Identity>> {
    let auth = &project.auth;
    let Some(certificate) = &auth.certificate else {
        return Ok(None);
    };
    let read = |path: &str| {
        std::fs::read(path).with_context(|| format!("the client certificate cannot be read: {path}"))
    };
    let text = read(certificate)?;
    let key = match &auth.key {
        Some(path) => read(path)?,
        None => text.clone(),
    };
    let origins = homes.iter().map(|home| home.origin().to_owned()).collect();
    let identity = Identity::read(&text, &key, origins);
    Ok(Some(identity.with_context(|| certificate.clone())?))
}

/// A run begins with the cookies that the project brings.
pub(super) fn take_cookies(
    http: &Http,
    project: &Project,
    homes: &[Url],
    output: Output,
) -> anyhow::Result<()> {
    let Some(path) = &project.cookies_file else {
        return Ok(());
    };
    let text =
        std::fs::read_to_string(path).with_context(|| format!("the cookies cannot be read: {path}"))?;
    let taken = http
        .take_cookies_file(&text, homes)
        .with_context(|| format!("the cookies cannot be read: {path}"))?;
    if let Some(first) = taken.skipped.first() {
        let lines = count(taken.skipped.len() as u64, "line");
        output.say(&format!("skipped {lines} without a cookie: {path}, line {first}"));
    }
    Ok(())
}

/// A URL that can only mean a machine of one's own: an address, `localhost`, or a name that no public DNS has.
/// A public name that happens to lead to a private address is not that (I4).
fn is_plainly_private(url: &Url) -> bool {
    let host = url.host().trim_end_matches('.');
    let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
    let last = host.rsplit('.').next().unwrap_or(host);
    is_address
        || !host.contains('.')
        || matches!(
            last,
            "localhost" | "local" | "internal" | "lan" | "home" | "corp" | "intranet" | "test"
        )
        || host.ends_with(".home.arpa")
}

fn certificates(path: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let text = std::fs::read(path)
        .with_context(|| format!("the certificates cannot be read: {}", path.display()))?;
    let found: Vec<Vec<u8>> = CertificateDer::pem_slice_iter(&text)
        .flatten()
        .map(|certificate| certificate.to_vec())
        .collect();
    if found.is_empty() {
        bail!("no certificate found, a PEM file is needed: {}", path.display());
    }
    Ok(found)
}
