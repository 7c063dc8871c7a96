//! What does `WordPress` do? A copy of the Debian package with posts, pages and comments, and a `MariaDB` of its own that is
//! reached by a socket only.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::application::{Application, ApplicationRequest, copy_folder};
use super::process::Process;

const PACKAGE: &str = "/usr/share/wordpress";
const THEME: &str = "wp-content/themes/twentytwentythree";

/// A running blog; it stops when dropped.
#[derive(Debug)]
pub struct WordPress {
    application: Application,
    _database: Process,
}

/// Small and without care for power failures.
const DATABASE: [&str; 6] = [
    "--innodb-log-file-size=4M",
    "--innodb-buffer-pool-size=16M",
    "--innodb-flush-log-at-trx-commit=0",
    "--performance-schema=OFF",
    "--skip-networking",
    "--skip-log-bin",
];

/// Posts in three categories with four tags, three comments on each, and two pages beside the one that is always there.
const FILL: &str = r#"<?php
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_URI'] = '/';
require $argv[1] . '/wp-config.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('A blog about birds', 'admin', 'admin@example.test', true, '', 'open-sesame-1');
global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/%postname%/');
$wp_rewrite->flush_rules(false);
update_option('thread_comments', 1);
$categories = [];
foreach (['Herons', 'Storks', 'Terns'] as $name) {
    $categories[] = wp_insert_term($name, 'category')['term_id'];
}
for ($n = 0; $n < (int) $argv[2]; $n++) {
    $post = wp_insert_post([
        'post_title' => "Sighting $n",
        'post_content' => "<!-- wp:paragraph --><p>Bird number $n stood near stone $n and waited for fish until the evening.</p><!-- /wp:paragraph -->",
        'post_status' => 'publish',
        'post_category' => [$categories[$n % 3]],
        'tags_input' => ['tag' . ($n % 4)],
    ]);
    for ($k = 0; $k < 3; $k++) {
        wp_insert_comment([
            'comment_post_ID' => $post,
            'comment_author' => "Reader $k",
            'comment_content' => "Seen on day $k by me too, at place $n.",
            'comment_approved' => 1,
        ]);
    }
}
foreach (['About', 'Contact'] as $title) {
    wp_insert_post(['post_title' => $title, 'post_type' => 'page', 'post_status' => 'publish', 'post_content' => "<p>$title us, in a few words.</p>"]);
}
"#;

/// Files are served as they are and everything else is the blog's: PHP's server by itself takes a point for the end of a name.
/// It does not log what a script answers, so the script does.
const ROUTER: &str = r#"<?php
$file = $_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_file($file)) {
    return false;
}
register_shutdown_function(function () {
    $line = 'blog [' . http_response_code() . ']: ' . $_SERVER['REQUEST_METHOD'] . ' ' . $_SERVER['REQUEST_URI'] . "\n";
    file_put_contents('php://stderr', $line);
});
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
"#;

impl WordPress {
    /// A fresh blog with so many posts.
    pub fn start(posts: usize) -> Result<WordPress> {
        let application = Application::new("WordPress", Path::new(PACKAGE), &["mysqli", "xml", "mbstring"])?;
        let theme = Path::new(PACKAGE).join(THEME);
        ensure!(theme.is_dir(), "no theme is installed: no {}", theme.display());
        let folder = application.folder().to_owned();
        let database = start_database(&folder)?;
        let mut blog = WordPress {
            application,
            _database: database,
        };
        let root = folder.join("blog");
        copy_folder(Path::new(PACKAGE), &root)?;
        let config = root.join("wp-config.php");
        std::fs::remove_file(&config)?;
        std::fs::write(config, blog.settings(&folder.join("socket"))?)?;
        let fill = folder.join("fill.php");
        std::fs::write(&fill, FILL)?;
        let arguments = [root.display().to_string(), posts.to_string()];
        blog.application.script(&fill, &arguments)?;
        let router = folder.join("router.php");
        std::fs::write(&router, ROUTER)?;
        blog.application.serve_by(&root, Some(&router), "/")?;
        Ok(blog)
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

    fn settings(&self, socket: &Path) -> Result<String> {
        let mut text = String::from("<?php\n");
        let socket = format!("localhost:{}", socket.display());
        let home = self.url("");
        for (name, value) in [
            ("DB_NAME", "blog"),
            ("DB_USER", "root"),
            ("DB_PASSWORD", ""),
            ("DB_HOST", &socket),
            ("DB_CHARSET", "utf8mb4"),
            ("DB_COLLATE", ""),
            ("WP_HOME", &home),
            ("WP_SITEURL", &home),
        ] {
            writeln!(text, "define('{name}', '{value}');")?;
        }
        // It asks nobody outside, and does nothing by itself between two requests.
        for name in [
            "DISABLE_WP_CRON",
            "WP_HTTP_BLOCK_EXTERNAL",
            "AUTOMATIC_UPDATER_DISABLED",
        ] {
            writeln!(text, "define('{name}', true);")?;
        }
        text += "foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {\n    define($name . '_KEY', 'x');\n    \
                 define($name . '_SALT', 'y');\n}\n$table_prefix = 'wp_';\nif (!defined('ABSPATH')) {\n    \
                 define('ABSPATH', __DIR__ . '/');\n}\nrequire_once ABSPATH . 'wp-settings.php';\n";
        Ok(text)
    }
}

/// A database of its own with nothing in it but an empty schema for the blog.
fn start_database(folder: &Path) -> Result<Process> {
    let data = format!("--datadir={}", folder.join("database").display());
    let is_root = std::fs::metadata("/proc/self")?.uid() == 0;
    let user = is_root.then_some("--user=root");
    let made = Command::new("mariadb-install-db")
        .args([
            "--no-defaults",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ])
        .args(DATABASE)
        .arg(&data)
        .args(user)
        .output()
        .context("MariaDB is not installed (mariadb-server-core)")?;
    ensure!(
        made.status.success(),
        "no database could be made: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    let start = folder.join("start.sql");
    std::fs::write(&start, "CREATE DATABASE blog;\n")?;
    let socket = folder.join("socket");
    let mut command = Command::new("mariadbd");
    command
        .env(
            "PATH",
            format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default()),
        )
        .arg("--no-defaults")
        .args(DATABASE)
        .arg(&data)
        .arg(format!("--socket={}", socket.display()))
        .arg(format!("--init-file={}", start.display()))
        .args(user);
    Process::start_until(command, &folder.join("database.log"), || {
        std::os::unix::net::UnixStream::connect(&socket).is_ok()
    })
}
