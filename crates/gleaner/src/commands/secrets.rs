//! `gleaner secret`, and what references to secrets stand for: the environment, a file, the sealed store. Nothing of it is
//! ever printed.

use crate::arguments::Secret;
use crate::log;
use crate::output::Output;
use anyhow::{Context, bail};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use gleaner_model::steps::SecretAt;
use gleaner_publish::report::safe;
use gleaner_run::forms::SecretLookup as Reading;
use gleaner_store::secrets::{KEY_BYTES, Key, Secrets};
use serde_json::json;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const PASSPHRASE: &str = "GLEANER_PASSPHRASE";
const KEY_FILE: &str = "GLEANER_KEY_FILE";
const SECRETS_KEY: &str = "secrets.key";
const SESSIONS_KEY: &str = "sessions.key";

/// How a run in this data folder reads secrets.
pub(super) fn reader(data: &Path) -> Arc<Reading> {
    let data = data.to_owned();
    Arc::new(move |at: &SecretAt| read(&data, at).inspect(|secret| log::hide(secret)))
}

/// A secret, or one sentence why there is none.
fn read(data: &Path, at: &SecretAt) -> Result<String, String> {
    match at {
        SecretAt::Env(name) => {
            std::env::var(name).map_err(|_| format!("the variable {name} is not set; set it, or change {at}"))
        }
        SecretAt::File(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| format!("{path} cannot be read: {e}"))?;
            Ok(text.lines().next().unwrap_or_default().to_owned())
        }
        SecretAt::Store(name) => {
            let found = Secrets::open(data)
                .map_err(anyhow::Error::from)
                .and_then(|secrets| {
                    if !secrets.names().contains(name) {
                        bail!(
                            "there is no such secret; `gleaner secret set {name}` stores it: secret:{name}"
                        );
                    }
                    let key = key(Missing::Refused)?;
                    Ok(secrets.get(name, &key)?)
                });
            found.map_err(|error| format!("{error:#}"))
        }
    }
}

pub(crate) fn secret(data: &Path, action: &Secret, output: Output) -> anyhow::Result<ExitCode> {
    let mut out = output.writer();
    match action {
        Secret::Set { name } => {
            let value = ask(name)?;
            Secrets::set(data, name, &value, &key(Missing::Made(output))?)?;
            if output.json {
                writeln!(out, "{}", json!({ "secret": name }))?;
            } else {
                writeln!(
                    out,
                    "{}: stored; in a project it is secret:{}",
                    safe(name),
                    safe(name)
                )?;
            }
        }
        Secret::List => {
            let names = Secrets::open(data)?.names();
            if names.is_empty() && !output.json {
                writeln!(out, "there are no secrets; `gleaner secret set NAME` stores one")?;
            }
            for name in names {
                if output.json {
                    writeln!(out, "{}", json!({ "secret": name }))?;
                } else {
                    writeln!(out, "{}", safe(&name))?;
                }
            }
        }
        Secret::Remove { name } => {
            Secrets::remove(data, name)?;
            if output.json {
                writeln!(out, "{}", json!({ "secret": name, "removed": true }))?;
            } else {
                writeln!(out, "{}: removed", safe(name))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The value comes from the terminal, unseen, or from a pipe; never from the command line, which others can read.
fn ask(name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    if std::io::stdin().is_terminal() {
        text = hidden_line(&format!("secret for {name} (what you type is not shown): "))?;
    } else {
        std::io::stdin()
            .take(64 * 1024)
            .read_to_string(&mut text)
            .context("the secret cannot be read from standard input")?;
    }
    let value = text.trim_end_matches(['\r', '\n']);
    if value.is_empty() {
        bail!("nothing was given, so nothing was stored: {name}");
    }
    Ok(value.to_owned())
}

#[cfg(unix)]
fn hidden_line(prompt: &str) -> anyhow::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let before = tcgetattr(&terminal)?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    eprint!("{prompt}");
    tcsetattr(&terminal, OptionalActions::Now, &quiet)?;
    let mut line = String::new();
    let read = terminal.read_line(&mut line);
    tcsetattr(&terminal, OptionalActions::Now, &before)?;
    eprintln!();
    read?;
    Ok(line)
}

#[cfg(not(unix))]
fn hidden_line(prompt: &str) -> anyhow::Result<String> {
    eprint!("{prompt}");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line)
}

#[derive(Clone, Copy)]
enum Missing {
    Refused,
    Made(Output),
    /// What it opens is not worth a copy of the key.
    MadeQuietly,
}

/// A passphrase, or the key in a file that lies outside the data folder.
fn key(missing: Missing) -> anyhow::Result<Key> {
    match passphrase() {
        Some(key) => Ok(key),
        None => key_in(&key_file(SECRETS_KEY)?, missing),
    }
}

/// What the cookies of open runs are sealed with: the same where somebody chose one, else a key of its own, made when it is
/// needed and of no use once the runs have ended.
pub(super) fn session_key() -> anyhow::Result<Key> {
    match passphrase() {
        Some(key) => Ok(key),
        None => key_in(&key_file(SESSIONS_KEY)?, Missing::MadeQuietly),
    }
}

fn passphrase() -> Option<Key> {
    let passphrase = std::env::var(PASSPHRASE).ok()?;
    (!passphrase.is_empty()).then_some(Key::Passphrase(passphrase))
}

fn key_in(path: &Path, missing: Missing) -> anyhow::Result<Key> {
    let shown = path.display();
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let bytes = HEX.decode(text.trim().as_bytes()).ok();
            let bytes: Option<[u8; KEY_BYTES]> = bytes.and_then(|bytes| bytes.try_into().ok());
            let bytes = bytes.with_context(|| {
                format!(
                    "this is not a Gleaner key ({} hex digits): {shown}",
                    KEY_BYTES * 2
                )
            })?;
            Ok(Key::Bytes(bytes))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => match missing {
            Missing::Refused => bail!(
                "the key to the secrets is missing; restore it, or set {PASSPHRASE} or {KEY_FILE}: {shown}"
            ),
            Missing::MadeQuietly => make_key(path),
            Missing::Made(output) => {
                let key = make_key(path)?;
                output.say(&format!(
                    "created a key; the secrets cannot be read without it, so keep a copy: {shown}"
                ));
                Ok(key)
            }
        },
        Err(error) => Err(error).with_context(|| format!("the key to the secrets cannot be read: {shown}")),
    }
}

fn key_file(name: &str) -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os(KEY_FILE).filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folder = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(home);
    let folder = folder
        .with_context(|| format!("there is no home folder for a key; set {PASSPHRASE} or {KEY_FILE}"))?;
    Ok(folder.join("gleaner").join(name))
}

fn make_key(path: &Path) -> anyhow::Result<Key> {
    let failed = || format!("the key to the secrets cannot be written: {}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    let bytes = Key::random()?;
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        // Another run was first.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return key_in(path, Missing::Refused),
        opened => opened.with_context(failed)?,
    };
    writeln!(file, "{}", HEX.encode(&bytes)).with_context(failed)?;
    file.sync_all().with_context(failed)?;
    Ok(Key::Bytes(bytes))
}
