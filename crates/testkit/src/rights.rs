//! May root be kept from reading? Tests often run as root, who reads everything, and so could prove nothing about what may
//! not be read.

use std::process::Command;

/// What lets root pass by the rights of files.
const PASSES: &str = "-dac_override,-dac_read_search";

/// The program, without root's pass if this process has it: the same user, held to the rights of files.
pub fn without_pass(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let words = words_without_pass();
    let Some((first, rest)) = words.split_first() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(rest).arg(program);
    command
}

/// The words to put before a command; none where this process has no pass to give up.
pub(crate) fn words_without_pass() -> Vec<String> {
    let user = Command::new("id").arg("-u").output();
    if user.is_ok_and(|user| user.stdout == b"0\n") {
        return vec!["setpriv".to_owned(), format!("--bounding-set={PASSES}")];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_locked_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        let read = || without_pass("cat").arg(&file).output().unwrap();
        assert_eq!(read().stdout, b"text");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
        assert!(!read().status.success());
    }
}
