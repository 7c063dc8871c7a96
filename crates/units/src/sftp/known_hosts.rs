//! Is this server the one it was? The `known_hosts` file of OpenSSH, read and appended to (HC102).
//!
//! In go a host as the file names it and the key that the server proved to have; out comes whether it is known. Lines
//! that cannot be read are passed over, as OpenSSH does. A host of which any key is known must show a known one: a key
//! of another type is a changed key too, because the types that are known are asked for first.

use data_encoding::BASE64;
use russh::keys::{Algorithm, PublicKey};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Larger is no list of hosts.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A key in the file under the host's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownKey {
    pub(super) key: PublicKey,
    pub(super) is_revoked: bool,
}

/// What the file says of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Known,
    /// Nothing is known of the host.
    Unknown,
    Revoked,
    /// The host has other keys.
    Changed(Vec<PublicKey>),
}

/// The name under which a host is written: with its port where that is not 22.
pub(super) fn name_of(host: &str, port: u16) -> String {
    match port {
        22 => host.to_owned(),
        port => format!("[{host}]:{port}"),
    }
}

/// The keys that are known of a host. No file is an empty one; a file that cannot be read is an error, because what it
/// holds might contradict.
pub(super) fn read(file: &Path, name: &str) -> io::Result<Vec<KnownKey>> {
    let file = match File::open(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| key_for(line, name)).collect())
}

pub(super) fn standing(known: &[KnownKey], key: &PublicKey) -> Standing {
    let mut same = known
        .iter()
        .filter(|known| known.key.key_data() == key.key_data())
        .peekable();
    if same.peek().is_some() {
        return if same.any(|known| known.is_revoked) {
            Standing::Revoked
        } else {
            Standing::Known
        };
    }
    let others: Vec<PublicKey> = known
        .iter()
        .filter(|known| !known.is_revoked)
        .map(|known| known.key.clone())
        .collect();
    if others.is_empty() {
        Standing::Unknown
    } else {
        Standing::Changed(others)
    }
}

/// Writes a key down for good: it is on the disk when this returns.
pub(super) fn pin(file: &Path, name: &str, key: &PublicKey) -> io::Result<()> {
    let key = key.to_openssh().map_err(io::Error::other)?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(file)?;
    let mut begin = "";
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            begin = "\n";
        }
    }
    // The key's own comment is the server's business.
    let key: Vec<&str> = key.split(' ').take(2).collect();
    let line = [begin, name, " ", &key.join(" "), "\n"].concat();
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

/// The key of a line, if the line speaks of the host.
fn key_for(line: &str, name: &str) -> Option<KnownKey> {
    let mut words = line.split_ascii_whitespace();
    let mut hosts = words.next()?;
    let mut is_revoked = false;
    match hosts {
        "@revoked" => {
            is_revoked = true;
            hosts = words.next()?;
        }
        // Certificates are not asked for, so an authority vouches for nothing here.
        other if other.starts_with(['@', '#']) => return None,
        _ => {}
    }
    if !names(hosts, name) {
        return None;
    }
    let (kind, base64) = (words.next()?, words.next()?);
    let key = PublicKey::from_openssh(&format!("{kind} {base64}")).ok()?;
    Some(KnownKey { key, is_revoked })
}

/// Whether a list of patterns names the host; one with `!` before it takes the host out.
fn names(hosts: &str, name: &str) -> bool {
    let mut found = false;
    for pattern in hosts.split(',') {
        if let Some(hashed) = pattern.strip_prefix("|1|") {
            found |= is_hash_of(hashed, name);
        } else if let Some(pattern) = pattern.strip_prefix('!') {
            if fits(pattern.as_bytes(), name.as_bytes()) {
                return false;
            }
        } else {
            found |= fits(pattern.as_bytes(), name.as_bytes());
        }
    }
    found
}

/// `salt|hash`, both in Base64: the HMAC-SHA1 of the name.
fn is_hash_of(hashed: &str, name: &str) -> bool {
    let parts = hashed.split_once('|');
    let Some((salt, hash)) = parts.and_then(|(salt, hash)| {
        Some((
            BASE64.decode(salt.as_bytes()).ok()?,
            BASE64.decode(hash.as_bytes()).ok()?,
        ))
    }) else {
        return false;
    };
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
    ring::hmac::verify(&key, name.as_bytes(), &hash).is_ok()
}

/// `*` stands for any characters, `?` for one. Without recursion: a pattern of a thousand stars costs no more than time.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte.eq_ignore_ascii_case(&name[in_name]) => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    in_name = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// The order in which key types are asked for: those that are known of the host first. DSA and RSA with SHA-1 are not
/// among them (HC102).
pub(super) fn key_types(known: &[KnownKey]) -> Vec<Algorithm> {
    let strong = russh::Preferred::DEFAULT.key;
    let mut types: Vec<Algorithm> = strong
        .iter()
        .filter(|kind| !matches!(kind, Algorithm::Dsa | Algorithm::Rsa { hash: None }))
        .cloned()
        .collect();
    let is_known = |kind: &Algorithm| {
        known.iter().any(|known| {
            let known = known.key.algorithm();
            known == *kind || matches!((&known, kind), (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }))
        })
    };
    types.sort_by_key(|kind| !is_known(kind));
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
    const TWO: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const P256: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3JLC4JbLMrM49vGd00j3e1CB7ZXG7dO/1ZrckpYdA9SiJ7Jw+QBOx8vH9oWg7FkLyzXOIpnOJp+kkNuyGYI5k=";

    fn key(text: &str) -> PublicKey {
        PublicKey::from_openssh(text).unwrap()
    }

    fn found(lines: &str, name: &str) -> Vec<PublicKey> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known_hosts");
        std::fs::write(&file, lines).unwrap();
        let known = read(&file, name).unwrap();
        known.into_iter().map(|known| known.key).collect()
    }

    #[test]
    fn hc102_names_are_found_in_every_form() {
        let cases = [
            ("a.test", "a.test", true),
            ("A.TEST", "a.test", true),
            ("b.test,a.test,1.2.3.4", "a.test", true),
            ("a.test", "[a.test]:2222", false),
            ("[a.test]:2222", "[a.test]:2222", true),
            ("[a.test]:2222", "a.test", false),
            ("*.test", "a.test", true),
            ("?.test", "ab.test", false),
            ("*.test,!a.test", "a.test", false),
            ("**********a*", "a.test", true),
            // ssh-keygen -H of a.test.
            (
                "|1|yaYP3vlbqvpmAkulMGTYWyanaTs=|M59c5pdjJ+c2tLyVVGT93ulrNlA=",
                "a.test",
                true,
            ),
            (
                "|1|yaYP3vlbqvpmAkulMGTYWyanaTs=|M59c5pdjJ+c2tLyVVGT93ulrNlA=",
                "b.test",
                false,
            ),
            ("|1|nonsense", "a.test", false),
            ("#a.test", "a.test", false),
            ("@cert-authority a.test", "a.test", false),
        ];
        for (hosts, name, is_found) in cases {
            let lines =
                format!("\n# a comment\n{hosts} {ONE} me@here\nbroken line\na.test ssh-ed25519 AAAA\n");
            let expected = if is_found { vec![key(ONE)] } else { vec![] };
            assert_eq!(found(&lines, name), expected, "{hosts} for {name}");
        }
    }

    #[test]
    fn hc102_a_pinned_key_is_known_and_any_other_is_a_changed_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/known_hosts");
        let name = name_of("::1", 2222);
        assert_eq!(name, "[::1]:2222");
        assert_eq!(read(&file, &name).unwrap(), []);
        assert_eq!(standing(&[], &key(ONE)), Standing::Unknown);
        pin(&file, &name, &key(&format!("{ONE} a comment"))).unwrap();
        let known = read(&file, &name).unwrap();
        assert_eq!(standing(&known, &key(ONE)), Standing::Known);
        assert_eq!(standing(&known, &key(TWO)), Standing::Changed(vec![key(ONE)]));

        // A last line without its end is not glued to ours.
        std::fs::write(&file, format!("@revoked * {TWO}")).unwrap();
        pin(&file, &name, &key(ONE)).unwrap();
        let known = read(&file, &name).unwrap();
        assert_eq!(known.len(), 2);
        assert_eq!(standing(&known, &key(TWO)), Standing::Revoked);
        assert_eq!(standing(&known, &key(ONE)), Standing::Known);
    }

    #[test]
    fn hc102_known_types_are_asked_for_first_and_weak_ones_never() {
        let plain = key_types(&[]);
        assert!(!plain.contains(&Algorithm::Dsa));
        assert!(!plain.contains(&Algorithm::Rsa { hash: None }));
        assert_eq!(plain[0], Algorithm::Ed25519);
        assert_eq!(plain.len(), 6);
        let known = KnownKey {
            key: key(P256),
            is_revoked: false,
        };
        let types = key_types(&[known]);
        assert_eq!(types[0], key(P256).algorithm());
        assert_eq!(types.len(), 6);
    }
}
