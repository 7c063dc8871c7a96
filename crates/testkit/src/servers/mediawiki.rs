//! What does `MediaWiki` do? The Debian package where it lies, with settings and an SQLite database of the test's own.
//!
//! Only those who logged in may read. Pages answer under `/index.php/Title`, everything else under `/index.php?title=…`.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::application::{Application, ApplicationRequest};

const PACKAGE: &str = "/usr/share/mediawiki";

/// A running wiki; it stops when dropped.
#[derive(Debug)]
pub struct MediaWiki {
    application: Application,
}

impl MediaWiki {
    /// The account that may do everything.
    pub const USER: &'static str = "Admin";
    pub const PASSWORD: &'static str = "Gleaner-test-1234";

    /// A fresh wiki with these pages: title and wikitext. `{wiki}` in a text stands for the address of the wiki.
    pub fn start(pages: &[(String, String)]) -> Result<MediaWiki> {
        let extensions = ["pdo_sqlite", "xml", "mbstring", "intl"];
        let mut application = Application::new("MediaWiki", Path::new(PACKAGE), &extensions)?;
        let folder = application.folder().to_owned();
        let settings = folder.join("LocalSettings.php");
        install(&application, &folder)?;
        permit_readers(&settings)?;
        application.set("MW_CONFIG_FILE", settings);
        let mut wiki = MediaWiki { application };
        wiki.write(pages)?;
        wiki.application
            .serve(Path::new(PACKAGE), "/index.php?title=Special:UserLogin")?;
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

    /// All pages in one process: each start of `MediaWiki` takes longer than a page.
    fn write(&mut self, pages: &[(String, String)]) -> Result<()> {
        let texts = self.application.folder().join("texts");
        std::fs::create_dir(&texts)?;
        let mut arguments: Vec<PathBuf> = vec!["--user".into(), MediaWiki::USER.into()];
        for (title, text) in pages {
            let file = texts.join(format!("{title}.txt"));
            std::fs::write(&file, text.replace("{wiki}", &self.url("")))?;
            arguments.push(file);
        }
        self.application.script(
            &Path::new(PACKAGE).join("maintenance/importTextFiles.php"),
            &arguments,
        )
    }
}

fn install(application: &Application, folder: &Path) -> Result<()> {
    let folder = folder.display().to_string();
    let server = format!("http://{}", application.address());
    let arguments = [
        "--dbtype",
        "sqlite",
        "--dbname",
        "wiki",
        "--dbpath",
        &folder,
        "--confpath",
        &folder,
        "--server",
        &server,
        "--scriptpath",
        "",
        "--pass",
        MediaWiki::PASSWORD,
        "Wiki",
        MediaWiki::USER,
    ];
    application.script(&Path::new(PACKAGE).join("maintenance/install.php"), &arguments)
}

/// Reading needs a login; the login page itself can always be read.
fn permit_readers(settings: &Path) -> Result<()> {
    let mut text = std::fs::read_to_string(settings)?;
    for line in [
        "$wgGroupPermissions['*']['read'] = false;",
        "$wgGroupPermissions['*']['edit'] = false;",
        // What an edit leads to is done before its answer comes.
        "$wgJobRunRate = 100;",
        "$wgRunJobsAsync = false;",
    ] {
        writeln!(text, "{line}")?;
    }
    Ok(std::fs::write(settings, text)?)
}
