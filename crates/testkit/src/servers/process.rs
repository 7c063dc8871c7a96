//! How is a server's process held? Its own loopback address, waiting until it answers, its end by process id.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Java on a busy machine is slow to begin.
const PATIENCE: Duration = Duration::from_secs(90);

/// How often a server that is starting is asked.
const POLL: Duration = Duration::from_millis(20);

/// No answer of these servers is longer in coming once they have begun to answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(20);

/// A process that is killed when dropped.
#[derive(Debug)]
pub(super) struct Process(Child);

impl Process {
    /// Starts the command with its output in `log`, and waits until `path` is answered at `address`.
    pub(super) fn start(command: Command, log: &Path, address: SocketAddr, path: &str) -> Result<Process> {
        Process::start_until(command, log, || answers(address, path))
    }

    /// Starts the command with its output in `log`, and waits until it is ready.
    pub(super) fn start_until(
        mut command: Command,
        log: &Path,
        is_ready: impl Fn() -> bool,
    ) -> Result<Process> {
        let output = File::create(log)?;
        command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let child = command
            .spawn()
            .with_context(|| format!("start {}", command.get_program().display()))?;
        let mut process = Process(child);
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = process.0.try_wait()? {
                bail!("ended at once ({status}): {}", std::fs::read_to_string(log)?);
            }
            if is_ready() {
                return Ok(process);
            }
            if Instant::now() >= end {
                bail!("no answer within {PATIENCE:?}: {}", std::fs::read_to_string(log)?);
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Killed, not asked: a server that ends well may save its sessions.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the server says something good about `path`: that it is there, or where it is.
fn answers(address: SocketAddr, path: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    ask().is_ok_and(|answer| {
        matches!(
            answer.split(' ').nth(1),
            Some("200" | "301" | "302" | "303" | "307")
        )
    })
}

/// Whether the server takes connections and speaks first, as FTP servers do.
pub(super) fn greets(address: SocketAddr) -> bool {
    let listen = || -> std::io::Result<u8> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        Ok(byte[0])
    };
    listen().is_ok_and(|byte| byte == b'2')
}

/// Whether the server takes connections.
pub(super) fn accepts(address: SocketAddr) -> bool {
    TcpStream::connect(address).is_ok()
}

/// A free port on a loopback address that only this process uses. On 127.0.0.1 another program could take the port between
/// our looking and the server's binding, or while the server is being restarted.
pub(super) fn own_address() -> Result<SocketAddr> {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    // 127.0.0.0/16 is for servers that choose their port themselves.
    let ip = Ipv4Addr::new(127, 64 | (high & 63), middle, low);
    let listener = TcpListener::bind((ip, 0)).with_context(|| format!("bind {ip}"))?;
    Ok(listener.local_addr()?)
}
