//! A tree of files on a real server, as a program for benchmarks: serves until its input ends.
//!
//! Prints `ready url=URL site=FOLDER key=FILE` when it serves; the key is `-` where nobody has to log in.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail, ensure};
use gleaner_testkit::servers::{FtpProgram, FtpSecurity, FtpServer, NginxServer, SshServer};
use gleaner_testkit::synth::args::{Args, die};

const USAGE: &str = "treeserver [options]
  --server vsftpd|proftpd|pure-ftpd|sshd|nginx (vsftpd)
  --files N      how many files (20000)        --bytes N    of each, about (4096)
  --folder N     files in a folder (100)";

/// Written before anybody looked, so that no clock is too coarse for them.
const AGE: Duration = Duration::from_hours(40 * 24);

fn main() -> Result<()> {
    let mut args = Args::parse(&["help"]);
    let mut out = std::io::stdout();
    if args.flag("help") {
        writeln!(out, "{USAGE}")?;
        return Ok(());
    }
    let server = args.get("server", "vsftpd".to_owned());
    let tree = Tree {
        files: args.get("files", 20_000),
        bytes: args.get("bytes", 4096),
        folder: args.get("folder", 100),
    };
    args.finish();
    ensure!(tree.folder > 0, "--folder 0: a folder holds at least one file");
    let write = |site: &Path| tree.write(site).unwrap_or_else(|why| die(&format!("{why:#}")));
    let ftp = |program| FtpServer::start(program, FtpSecurity::Plain, write);
    let mut serve = |url: String, site: &Path, key: &str| -> Result<()> {
        writeln!(out, "ready url={url} site={} key={key}", site.display())?;
        out.flush()?;
        // Until whoever started this program ends or has enough.
        std::io::stdin().read_to_end(&mut Vec::new())?;
        Ok(())
    };
    let program = match server.as_str() {
        "vsftpd" => FtpProgram::Vsftpd,
        "proftpd" => FtpProgram::Proftpd,
        "pure-ftpd" => FtpProgram::Pureftpd,
        "sshd" => {
            let server = SshServer::start(write)?;
            return serve(
                server.url("/"),
                &server.site(),
                &server.key_file().display().to_string(),
            );
        }
        "nginx" => {
            let server = NginxServer::start(write)?;
            return serve(server.url("/"), &server.site(), "-");
        }
        other => bail!("unknown server: {other}\n{USAGE}"),
    };
    let server = ftp(program)?;
    serve(server.url("/"), &server.site(), "-")
}

struct Tree {
    files: usize,
    bytes: usize,
    folder: usize,
}

impl Tree {
    /// The same bytes each time, and no two files alike.
    fn write(&self, site: &Path) -> Result<()> {
        let mut words = Words(0x9e37_79b9_7f4a_7c15);
        for number in 0..self.files {
            let folder = site.join(format!("part-{}", number / self.folder));
            std::fs::create_dir_all(&folder)?;
            let mut file = File::create(folder.join(format!("file-{number}.txt")))?;
            let mut left = self.bytes;
            while left > 0 {
                let block = words.block(left.min(1 << 20));
                file.write_all(&block)?;
                left -= block.len();
            }
            file.set_modified(SystemTime::now() - AGE)?;
        }
        Ok(())
    }
}

/// Text that compresses about as text does: hexadecimal digits in lines.
struct Words(u64);

impl Words {
    fn block(&mut self, length: usize) -> Vec<u8> {
        let mut block = Vec::with_capacity(length + 20);
        while block.len() < length {
            // Steele and Vigna's mix of a counter.
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            // Vectors grow without end; this cannot fail.
            let _ = writeln!(block, "{:016x}", mixed ^ (mixed >> 31));
        }
        block.truncate(length);
        block
    }
}
