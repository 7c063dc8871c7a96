//! Passwords and tokens, sealed (A4, I3): `secrets.json` in the data folder. Names can be read there, values cannot.
//!
//! XChaCha20-Poly1305, a fresh nonce for each value, and the name as associated data, so that nobody can put one secret in
//! another's place. The key comes from outside: from a passphrase (Argon2id) or from a file that does not lie in the data
//! folder, so that a copy of the folder gives nothing away.

use crate::folder::writer::sync_folder;
use crate::private;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;
const NONCE_BYTES: usize = 24;
const SALT_BYTES: usize = 16;
pub const KEY_BYTES: usize = 32;

#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    #[error("the store of secrets cannot be read: {path}")]
    Read {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("the store of secrets cannot be written: {path}")]
    Write {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error(
        "the store of secrets is damaged; restore it from a copy, or remove it and set the secrets again: {path}"
    )]
    Damaged { path: PathBuf },
    #[error(
        "the store of secrets was written by a newer gleaner (format {found}, this one knows {FORMAT}): {path}"
    )]
    TooNew { path: PathBuf, found: u32 },
    #[error("the store of secrets cannot be opened with this {key}: {path}")]
    WrongKey { path: PathBuf, key: &'static str },
    #[error("there is no secret of that name; `gleaner secret list` lists all: {name}")]
    Unknown { name: String },
    #[error("the system provides no random numbers")]
    Random,
}

/// What opens the store.
pub enum Key {
    Passphrase(String),
    /// The bytes of a key file.
    Bytes([u8; KEY_BYTES]),
}

impl Key {
    /// A new one for a key file.
    pub fn random() -> Result<[u8; KEY_BYTES], SecretsError> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| SecretsError::Random)?;
        Ok(bytes)
    }

    fn word(&self) -> &'static str {
        match self {
            Key::Passphrase(_) => "passphrase",
            Key::Bytes(_) => "key",
        }
    }
}

/// As it lies in the file.
#[derive(Serialize, Deserialize, Clone)]
struct Sheet {
    format: u32,
    /// Of the passphrase.
    salt: String,
    /// A known word, sealed: tells at once whether a key is the right one.
    proof: String,
    secrets: BTreeMap<String, String>,
}

const PROOF: (&str, &str) = ("", "gleaner");

/// The store of secrets of a data folder.
pub struct Secrets {
    path: PathBuf,
    sheet: Option<Sheet>,
}

impl Secrets {
    /// A folder without one has none yet.
    pub fn open(data: &Path) -> Result<Secrets, SecretsError> {
        let path = data.join("secrets.json");
        let sheet = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(cause) => return Err(SecretsError::Read { path, cause }),
            Ok(bytes) => match serde_json::from_slice::<Sheet>(&bytes) {
                Err(_) => return Err(SecretsError::Damaged { path }),
                Ok(sheet) if sheet.format > FORMAT => {
                    let found = sheet.format;
                    return Err(SecretsError::TooNew { path, found });
                }
                Ok(sheet) => Some(sheet),
            },
        };
        Ok(Secrets { path, sheet })
    }

    pub fn names(&self) -> Vec<String> {
        let secrets = self.sheet.iter().flat_map(|sheet| sheet.secrets.keys());
        secrets.cloned().collect()
    }

    pub fn get(&self, name: &str, key: &Key) -> Result<String, SecretsError> {
        let unknown = || SecretsError::Unknown {
            name: name.to_owned(),
        };
        let sheet = self.sheet.as_ref().ok_or_else(unknown)?;
        let sealed = sheet.secrets.get(name).ok_or_else(unknown)?;
        let cipher = self.cipher(sheet, key)?;
        open(&cipher, name, sealed).ok_or_else(|| SecretsError::Damaged {
            path: self.path.clone(),
        })
    }

    /// Sets a secret, in the place of one of that name. The file is whole at every moment.
    pub fn set(data: &Path, name: &str, value: &str, key: &Key) -> Result<(), SecretsError> {
        let (_lock, mut secrets) = Secrets::held(data)?;
        let mut sheet = if let Some(sheet) = secrets.sheet.take() {
            sheet
        } else {
            let mut salt = [0; SALT_BYTES];
            getrandom::fill(&mut salt).map_err(|_| SecretsError::Random)?;
            let mut sheet = Sheet {
                format: FORMAT,
                salt: BASE64.encode(&salt),
                proof: String::new(),
                secrets: BTreeMap::new(),
            };
            let cipher = secrets.raw_cipher(&sheet, key)?;
            sheet.proof = seal(&cipher, PROOF.0, PROOF.1)?;
            sheet
        };
        let cipher = secrets.cipher(&sheet, key)?;
        sheet.secrets.insert(name.to_owned(), seal(&cipher, name, value)?);
        secrets.write(&sheet)
    }

    /// Needs no key: what is taken away need not be read.
    pub fn remove(data: &Path, name: &str) -> Result<(), SecretsError> {
        let (_lock, mut secrets) = Secrets::held(data)?;
        let unknown = || SecretsError::Unknown {
            name: name.to_owned(),
        };
        let mut sheet = secrets.sheet.take().ok_or_else(unknown)?;
        sheet.secrets.remove(name).ok_or_else(unknown)?;
        secrets.write(&sheet)
    }

    /// For a change: two at once would lose one. The lock is of its own, because runs hold the folder's for hours.
    fn held(data: &Path) -> Result<(File, Secrets), SecretsError> {
        let path = data.join("secrets.lock");
        let failed = |cause| SecretsError::Write {
            path: path.clone(),
            cause,
        };
        private::create_folder(data).map_err(failed)?;
        let lock = private::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok((lock, Secrets::open(data)?))
    }

    fn write(&self, sheet: &Sheet) -> Result<(), SecretsError> {
        let failed = |cause| SecretsError::Write {
            path: self.path.clone(),
            cause,
        };
        let text = serde_json::to_vec_pretty(sheet).map_err(|error| failed(error.into()))?;
        let beside = self.path.with_extension("json.new");
        let mut file = private::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&beside)
            .map_err(failed)?;
        file.write_all(&text)
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
        std::fs::rename(&beside, &self.path).map_err(failed)?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let _not_every_folder_can_be_synced = sync_folder(folder);
        Ok(())
    }

    fn cipher(&self, sheet: &Sheet, key: &Key) -> Result<XChaCha20Poly1305, SecretsError> {
        let cipher = self.raw_cipher(sheet, key)?;
        match open(&cipher, PROOF.0, &sheet.proof) {
            Some(word) if word == PROOF.1 => Ok(cipher),
            _ => Err(SecretsError::WrongKey {
                path: self.path.clone(),
                key: key.word(),
            }),
        }
    }

    fn raw_cipher(&self, sheet: &Sheet, key: &Key) -> Result<XChaCha20Poly1305, SecretsError> {
        let salt = BASE64.decode(sheet.salt.as_bytes()).ok();
        let cipher = salt.and_then(|salt| cipher_of(key, &salt));
        cipher.ok_or_else(|| SecretsError::Damaged {
            path: self.path.clone(),
        })
    }
}

/// Seals what has to lie on the disk for a while and is nobody's business, as the cookies of an open run.
pub struct Sealer {
    key: Key,
    /// Of what is sealed by this one, and the cipher that goes with it: a passphrase costs time.
    salt: [u8; SALT_BYTES],
    cipher: XChaCha20Poly1305,
}

impl Sealer {
    pub fn new(key: Key) -> Result<Sealer, SecretsError> {
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|_| SecretsError::Random)?;
        let cipher = cipher_of(&key, &salt).ok_or(SecretsError::Random)?;
        Ok(Sealer { key, salt, cipher })
    }

    /// `name` says what it is: nothing else can be put in its place.
    pub fn seal(&self, name: &str, bytes: &[u8]) -> Result<Vec<u8>, SecretsError> {
        let sealed = seal_bytes(&self.cipher, name, bytes)?;
        Ok([self.salt.as_slice(), &sealed].concat())
    }

    /// `None` where it was sealed with another key, under another name, or is damaged.
    pub fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (salt, sealed) = sealed.split_first_chunk::<SALT_BYTES>()?;
        open_bytes(&cipher_of(&self.key, salt)?, name, sealed)
    }
}

fn cipher_of(key: &Key, salt: &[u8]) -> Option<XChaCha20Poly1305> {
    let bytes = match key {
        Key::Bytes(bytes) => *bytes,
        Key::Passphrase(text) => {
            let mut bytes = [0; KEY_BYTES];
            argon2::Argon2::default()
                .hash_password_into(text.as_bytes(), salt, &mut bytes)
                .ok()?;
            bytes
        }
    };
    XChaCha20Poly1305::new_from_slice(&bytes).ok()
}

fn seal(cipher: &XChaCha20Poly1305, name: &str, value: &str) -> Result<String, SecretsError> {
    Ok(BASE64.encode(&seal_bytes(cipher, name, value.as_bytes())?))
}

fn open(cipher: &XChaCha20Poly1305, name: &str, sealed: &str) -> Option<String> {
    let bytes = BASE64.decode(sealed.as_bytes()).ok()?;
    String::from_utf8(open_bytes(cipher, name, &bytes)?).ok()
}

fn seal_bytes(cipher: &XChaCha20Poly1305, name: &str, msg: &[u8]) -> Result<Vec<u8>, SecretsError> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|_| SecretsError::Random)?;
    let aad = name.as_bytes();
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), Payload { msg, aad })
        .map_err(|_| SecretsError::Random)?;
    Ok([nonce.as_slice(), &sealed].concat())
}

fn open_bytes(cipher: &XChaCha20Poly1305, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, msg) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let aad = name.as_bytes();
    cipher.decrypt(&XNonce::from(*nonce), Payload { msg, aad }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i3_secrets_come_back_with_their_key_and_not_without() {
        let data = tempfile::tempdir().unwrap();
        let key = Key::Bytes(Key::random().unwrap());
        Secrets::set(data.path(), "wiki", "open sesame", &key).unwrap();
        Secrets::set(data.path(), "board", "ä'\"\n", &key).unwrap();
        Secrets::set(data.path(), "wiki", "open barley", &key).unwrap();
        let secrets = Secrets::open(data.path()).unwrap();
        assert_eq!(secrets.names(), ["board", "wiki"]);
        assert_eq!(secrets.get("wiki", &key).unwrap(), "open barley");
        assert_eq!(secrets.get("board", &key).unwrap(), "ä'\"\n");
        let other = Key::Bytes(Key::random().unwrap());
        assert!(matches!(
            secrets.get("wiki", &other),
            Err(SecretsError::WrongKey { .. })
        ));
        assert!(
            Secrets::set(data.path(), "new", "x", &other).is_err(),
            "two keys in one file"
        );
        let text = std::fs::read_to_string(data.path().join("secrets.json")).unwrap();
        assert!(
            !text.contains("open") && !text.contains(&BASE64.encode(b"open barley")),
            "{text}"
        );
        Secrets::remove(data.path(), "board").unwrap();
        assert!(matches!(
            Secrets::remove(data.path(), "board"),
            Err(SecretsError::Unknown { .. })
        ));
        assert_eq!(Secrets::open(data.path()).unwrap().names(), ["wiki"]);
    }

    #[test]
    fn case04_what_is_sealed_opens_with_its_key_under_its_name() {
        for key in [
            || Key::Bytes([7; KEY_BYTES]),
            || Key::Passphrase("correct horse".to_owned()),
        ] {
            let sealed = Sealer::new(key()).unwrap().seal("run 1", b"sid=secret").unwrap();
            assert!(!sealed.windows(6).any(|piece| piece == b"secret"));
            // Another process has the key and nothing else.
            let later = Sealer::new(key()).unwrap();
            assert_eq!(later.open("run 1", &sealed).unwrap(), b"sid=secret");
            assert_eq!(later.open("run 2", &sealed), None);
            assert_eq!(later.open("run 1", b"[sid=secret]"), None);
            let other = Sealer::new(Key::Bytes([8; KEY_BYTES])).unwrap();
            assert_eq!(other.open("run 1", &sealed), None);
        }
    }

    #[test]
    fn i3_a_secret_cannot_take_anothers_place() {
        let data = tempfile::tempdir().unwrap();
        let key = Key::Passphrase("correct horse".to_owned());
        Secrets::set(data.path(), "a", "one", &key).unwrap();
        Secrets::set(data.path(), "b", "two", &key).unwrap();
        let path = data.path().join("secrets.json");
        let mut sheet: Sheet = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let b = sheet.secrets["b"].clone();
        sheet.secrets.insert("a".to_owned(), b);
        std::fs::write(&path, serde_json::to_vec(&sheet).unwrap()).unwrap();
        let secrets = Secrets::open(data.path()).unwrap();
        assert!(matches!(
            secrets.get("a", &key),
            Err(SecretsError::Damaged { .. })
        ));
        assert_eq!(secrets.get("b", &key).unwrap(), "two");
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(
            Secrets::open(data.path()),
            Err(SecretsError::Damaged { .. })
        ));
    }
}
