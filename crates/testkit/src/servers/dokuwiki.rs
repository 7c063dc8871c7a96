//! What does `DokuWiki` do? A copy of the Debian package with pages of the test's own.
//!
//! Everybody reads, but not the namespace `private`: whoever is not logged in gets status 200 and a login form there. A page
//! that does not exist is answered with 200 too.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::application::{Application, ApplicationRequest, copy_folder};

const PACKAGE: &str = "/usr/share/dokuwiki";
const SETTINGS: &str = "/etc/dokuwiki";

/// A running wiki; it stops when dropped.
#[derive(Debug)]
pub struct DokuWiki {
    application: Application,
}

impl DokuWiki {
    /// May read everything and write everywhere.
    pub const USER: &'static str = "reader";
    pub const PASSWORD: &'static str = "open-sesame-1";

    /// A fresh wiki with these pages: id (`space:name`) and text. `{wiki}` in a text stands for the address of the wiki.
    pub fn start(pages: &[(String, String)]) -> Result<DokuWiki> {
        let extensions = ["xml", "mbstring"];
        let application = Application::new("DokuWiki", Path::new(PACKAGE), &extensions)?;
        let mut wiki = DokuWiki { application };
        wiki.copy_package()?;
        wiki.write_settings()?;
        for (id, text) in pages {
            let file = wiki.root().join("data/pages").join(id.replace(':', "/") + ".txt");
            if let Some(space) = file.parent() {
                std::fs::create_dir_all(space)?;
            }
            std::fs::write(file, text.replace("{wiki}", &wiki.url("")))?;
        }
        // What browsers do page by page, by asking for an image that is none.
        wiki.application
            .script(&wiki.root().join("bin/indexer.php"), &["-q"])?;
        wiki.application.serve(&wiki.root(), "/doku.php?id=start")?;
        Ok(wiki)
    }

    pub fn address(&self) -> SocketAddr {
        self.application.address()
    }

    /// A URL; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    /// All requests since the start, those of the test itself too.
    pub fn asked(&self) -> Vec<ApplicationRequest> {
        self.application.asked()
    }

    fn root(&self) -> PathBuf {
        self.application.folder().join("wiki")
    }

    /// `DokuWiki` looks for its data beside its code, and Debian's own settings point elsewhere.
    fn copy_package(&self) -> Result<()> {
        let root = self.root();
        copy_folder(Path::new(PACKAGE), &root)?;
        for debian in ["inc/preload.php", "conf", "data"] {
            let place = root.join(debian);
            if place.is_dir() {
                std::fs::remove_dir_all(place)?;
            } else if place.exists() {
                std::fs::remove_file(place)?;
            }
        }
        copy_folder(Path::new(SETTINGS), &root.join("conf"))?;
        // Debian's own data is for the web server's eyes only.
        for folder in [
            "attic",
            "cache",
            "index",
            "locks",
            "log",
            "media",
            "media_attic",
            "media_meta",
            "meta",
            "pages",
            "tmp",
        ] {
            std::fs::create_dir_all(root.join("data").join(folder))?;
        }
        Ok(())
    }

    fn write_settings(&self) -> Result<()> {
        let conf = self.root().join("conf");
        let settings = "<?php\n$conf['title'] = 'Wiki';\n$conf['useacl'] = 1;\n$conf['superuser'] = '@admin';\n\
             $conf['savedir'] = './data';\n$conf['remote'] = 1;\n$conf['remoteuser'] = '';\n";
        std::fs::write(conf.join("local.php"), settings)?;
        let users = format!(
            "<?php exit()?>\n{}:{}:Reader:reader@example.test:user\n",
            DokuWiki::USER,
            hashed(DokuWiki::PASSWORD)?
        );
        std::fs::write(conf.join("users.auth.php"), users)?;
        // 1 reads, 8 writes; the rule with the longest name counts, and of these the largest number.
        let rights = "*\t@ALL\t1\n*\t@user\t8\nprivate:*\t@ALL\t0\nprivate:*\t@user\t8\n";
        Ok(std::fs::write(conf.join("acl.auth.php"), rights)?)
    }
}

fn hashed(password: &str) -> Result<String> {
    let code = "echo password_hash($argv[1], PASSWORD_BCRYPT, ['cost' => 4]);";
    let output = Command::new("php").args(["-r", code, password]).output()?;
    ensure!(output.status.success(), "PHP makes no password hash");
    Ok(String::from_utf8(output.stdout)?)
}
