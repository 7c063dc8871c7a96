//! Who are we there? A key, then a password, each only if the user gave it and the server asks for it (HC106).
//!
//! Straight on, without loops: whatever a server answers, each secret is sent once at most.

use super::line::LineState;
use super::packet::shown;
use super::ssh::Watcher;
use crate::net::ServerLogin;
use crate::net::failure::Failure;
use gleaner_model::Reason;
use russh::client::{AuthResult, Handle, KeyboardInteractiveAuthResponse};
use russh::keys::{HashAlg, PrivateKey, PrivateKeyWithHashAlg};
use russh::{MethodKind, MethodSet};
use std::path::Path;
use std::sync::Arc;

const ANONYMOUS: &str = "anonymous";
/// Empty rounds that a server may put before or after its one question.
const ROUNDS_MAX: usize = 3;

/// How far the login has come.
enum Step {
    In,
    /// The server wants one of these.
    Wants(MethodSet),
}

pub(super) async fn log_in(
    handle: &mut Handle<Watcher>,
    login: Option<&ServerLogin>,
    line: &LineState,
) -> Result<(), Failure> {
    let user = login.map_or(ANONYMOUS, |login| login.user.as_str());
    let password = match login {
        Some(login) => login.password.as_deref(),
        None => Some(""),
    };
    // Asks for nothing, and tells which methods there are.
    let mut step = heard(handle.authenticate_none(user).await, handle, line)?;
    if let (Step::Wants(wanted), Some(file)) = (&step, login.and_then(|login| login.key_file.as_deref()))
        && wanted.contains(&MethodKind::PublicKey)
    {
        step = by_key(handle, user, file, line).await?;
    }
    if let (Step::Wants(wanted), Some(password)) = (&step, password) {
        if wanted.contains(&MethodKind::Password) {
            let answer = handle.authenticate_password(user, password).await;
            step = heard(answer, handle, line)?;
        } else if wanted.contains(&MethodKind::KeyboardInteractive) {
            step = by_question(handle, user, password, line).await?;
        }
    }
    match step {
        Step::In => Ok(()),
        Step::Wants(wanted) => {
            let methods: Vec<&str> = wanted.iter().map(<&str>::from).collect();
            let methods = methods.join(" ");
            Err(refused(format!("user {user}; the server takes: {methods}")))
        }
    }
}

fn refused(detail: impl Into<String>) -> Failure {
    Failure::new(Reason::LoginRefused, detail)
}

fn heard(
    answer: Result<AuthResult, russh::Error>,
    handle: &Handle<Watcher>,
    line: &LineState,
) -> Result<Step, Failure> {
    match answer {
        Ok(AuthResult::Success) => Ok(Step::In),
        // This is also what is said when the connection has gone.
        Ok(AuthResult::Failure { .. }) | Err(_) if handle.is_closed() => Err(line.failure()),
        Ok(AuthResult::Failure {
            remaining_methods, ..
        }) => Ok(Step::Wants(remaining_methods)),
        Err(error) => Err(error.into()),
    }
}

async fn by_key(
    handle: &mut Handle<Watcher>,
    user: &str,
    file: &Path,
    line: &LineState,
) -> Result<Step, Failure> {
    let key = key_in(file).await?;
    let hash = if key.algorithm().is_rsa() {
        match handle.best_supported_rsa_hash().await {
            Ok(Some(None)) => return Err(refused("the server takes RSA keys with SHA-1 only")),
            Ok(Some(hash)) => hash,
            // It does not say; what every server of the last ten years takes is tried.
            Ok(None) => Some(HashAlg::Sha512),
            Err(_) => return Err(line.failure()),
        }
    } else {
        None
    };
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), hash);
    let answer = handle.authenticate_publickey(user, key).await;
    heard(answer, handle, line)
}

async fn key_in(file: &Path) -> Result<PrivateKey, Failure> {
    let path = file.to_owned();
    let loaded = tokio::task::spawn_blocking(move || russh::keys::load_secret_key(path, None)).await;
    let file = file.display();
    match loaded {
        Ok(Ok(key)) if key.is_encrypted() => Err(encrypted(&file.to_string())),
        Ok(Ok(key)) => Ok(key),
        Ok(Err(russh::keys::Error::KeyIsEncrypted)) => Err(encrypted(&file.to_string())),
        Ok(Err(error)) => Err(refused(format!("the key file cannot be used ({error}): {file}"))),
        Err(_) => Err(refused(format!("the key file cannot be used: {file}"))),
    }
}

fn encrypted(file: &str) -> Failure {
    refused(format!(
        "the key is locked with a passphrase; give a file without one: {file}"
    ))
}

/// Answers the one question for a password, and no other.
async fn by_question(
    handle: &mut Handle<Watcher>,
    user: &str,
    password: &str,
    line: &LineState,
) -> Result<Step, Failure> {
    let mut unsent = Some(password);
    let mut answer = handle.authenticate_keyboard_interactive_start(user, None).await;
    for _ in 0..=ROUNDS_MAX {
        let responses = match answer {
            Ok(KeyboardInteractiveAuthResponse::Success) => return Ok(Step::In),
            Ok(KeyboardInteractiveAuthResponse::Failure { .. }) | Err(_) if handle.is_closed() => {
                return Err(line.failure());
            }
            Ok(KeyboardInteractiveAuthResponse::Failure {
                remaining_methods, ..
            }) => {
                return Ok(Step::Wants(remaining_methods));
            }
            Ok(KeyboardInteractiveAuthResponse::InfoRequest { prompts, .. }) => match prompts.as_slice() {
                [] => Vec::new(),
                // What is shown while it is typed is no password.
                [only] if !only.echo => match unsent.take() {
                    Some(password) => vec![password.to_owned()],
                    None => return Err(refused("the server asks for the password again and again")),
                },
                [first, ..] => {
                    return Err(refused(format!(
                        "the server asks {} questions, the first: {}",
                        prompts.len(),
                        shown(&first.prompt)
                    )));
                }
            },
            Err(error) => return Err(error.into()),
        };
        answer = handle.authenticate_keyboard_interactive_respond(responses).await;
    }
    Err(refused("the server's questions do not end"))
}
