//! How does Tomcat put sessions into links? `;jsessionid=` where a page uses `encodeURL`, until a cookie comes back.
//!
//! The server has a base folder of its own with a short `server.xml`. It serves the test's folder under two addresses, one
//! that uses cookies and one that does not, and Tomcat's examples beside them. Java is run directly, so that the process
//! that is killed is the server.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::process::{Process, own_address};

const HOME: &str = "/usr/share/tomcat10";
const EXAMPLES: &str = "/usr/share/tomcat10-examples/examples";
const SETTINGS: &str = "/etc/tomcat10";

/// Where a web application is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// The test's pages; cookies are set, and ids leave the links once they come back.
    CookiesKept,
    /// The test's pages; no cookies, ids in every link for ever.
    CookiesOff,
    /// Tomcat's own examples.
    Examples,
}

impl Context {
    fn path(self) -> &'static str {
        match self {
            Context::CookiesKept => "/kept",
            Context::CookiesOff => "/off",
            Context::Examples => "/examples",
        }
    }
}

/// A running server; it stops when dropped.
#[derive(Debug)]
pub struct TomcatServer {
    process: Option<Process>,
    address: SocketAddr,
    base: TempDir,
}

impl TomcatServer {
    /// Serves a folder, which `write` fills first with an `index.jsp` at least.
    pub fn start(write: impl FnOnce(&Path)) -> Result<TomcatServer> {
        for (place, package) in [
            (HOME, "tomcat10"),
            (EXAMPLES, "tomcat10-examples"),
            (SETTINGS, "tomcat10"),
        ] {
            ensure!(
                Path::new(place).is_dir(),
                "Tomcat is not installed ({package}): no {place}"
            );
        }
        let java = Command::new("java").arg("-version").output();
        java.context("Java is not installed (default-jre-headless)")?;
        let mut server = TomcatServer {
            process: None,
            address: own_address()?,
            base: tempfile::tempdir()?,
        };
        server.write_settings()?;
        write(&server.site());
        server.restart()?;
        Ok(server)
    }

    /// The folder that is served as [`Context::CookiesKept`] and [`Context::CookiesOff`].
    pub fn site(&self) -> PathBuf {
        self.base.path().join("site")
    }

    /// A URL below a web application; `path` begins with a slash.
    pub fn url(&self, context: Context, path: &str) -> String {
        format!("http://{}{}{path}", self.address, context.path())
    }

    /// Kills the server, so that no session is saved, and starts it again at the same address.
    pub fn restart(&mut self) -> Result<()> {
        drop(self.process.take());
        let base = self.base.path();
        let mut command = Command::new("java");
        // Quick to start: these servers live for seconds.
        command.args(["-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m"]);
        command.arg(format!("-Dcatalina.home={HOME}"));
        command.arg(format!("-Dcatalina.base={}", base.display()));
        command.arg(format!("-Djava.io.tmpdir={}", base.join("temp").display()));
        command.args(["-Djava.awt.headless=true", "-Duser.timezone=UTC", "-cp"]);
        command.arg(format!("{HOME}/bin/bootstrap.jar:{HOME}/bin/tomcat-juli.jar"));
        command.args(["org.apache.catalina.startup.Bootstrap", "start"]);
        let asked = format!("{}/index.jsp", Context::CookiesOff.path());
        self.process = Some(Process::start(command, &base.join("log"), self.address, &asked)?);
        Ok(())
    }

    fn write_settings(&self) -> Result<()> {
        let base = self.base.path();
        let contexts = base.join("conf/Catalina/localhost");
        for folder in [
            "conf/Catalina/localhost",
            "logs",
            "temp",
            "webapps",
            "work",
            "site",
        ] {
            std::fs::create_dir_all(base.join(folder))?;
        }
        let (ip, port) = (self.address.ip(), self.address.port());
        let server = format!(
            "<Server port=\"-1\"><Service name=\"Catalina\">\n\
             <Connector address=\"{ip}\" port=\"{port}\" protocol=\"HTTP/1.1\"/>\n\
             <Engine name=\"Catalina\" defaultHost=\"localhost\">\n\
             <Host name=\"localhost\" appBase=\"webapps\" autoDeploy=\"false\"/>\n\
             </Engine></Service></Server>\n"
        );
        std::fs::write(base.join("conf/server.xml"), server)?;
        std::fs::copy(Path::new(SETTINGS).join("web.xml"), base.join("conf/web.xml"))?;
        // Looking through all of Tomcat's jars for tag libraries takes ten seconds; only the examples bring any.
        let given = std::fs::read_to_string(Path::new(SETTINGS).join("catalina.properties"))?;
        let filter = "tomcat.util.scan.StandardJarScanFilter";
        let properties =
            format!("{given}\n{filter}.jarsToSkip=*.jar\n{filter}.jarsToScan=*taglibs*.jar,*jstl*.jar\n");
        std::fs::write(base.join("conf/catalina.properties"), properties)?;
        let site = self.site();
        let ours = |cookies: bool| {
            format!(
                "<Context docBase=\"{}\" cookies=\"{cookies}\"/>\n",
                site.display()
            )
        };
        std::fs::write(contexts.join("kept.xml"), ours(true))?;
        std::fs::write(contexts.join("off.xml"), ours(false))?;
        let examples = format!(
            "<Context docBase=\"{EXAMPLES}\" cookies=\"false\"><Resources allowLinking=\"true\"/></Context>\n"
        );
        std::fs::write(contexts.join("examples.xml"), examples)?;
        Ok(())
    }
}
