//! A news server that does what the test at hand needs.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// A news server that says to each command what the test wants, with the commands it was sent.
pub(crate) struct Liar {
    address: SocketAddr,
    commands: Arc<Mutex<Vec<String>>>,
}

impl Liar {
    /// `reply` gives the bytes to send to a command; an empty answer closes the connection. The greeting, `CAPABILITIES`
    /// and `MODE READER` are answered well unless it wants otherwise (`None` leaves it to the server).
    pub(crate) async fn start(reply: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Liar {
        Liar::start_at(IpAddr::from([127, 0, 0, 1]), reply).await
    }

    /// The same at another address of this machine.
    pub(crate) async fn start_at(
        address: IpAddr,
        reply: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Liar {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let commands = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&commands);
        let reply = Arc::new(reply);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (reply, log) = (Arc::clone(&reply), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut command = "(greeting)".to_owned();
                    loop {
                        let answer = reply(&command).unwrap_or_else(|| usual(&command));
                        if answer.is_empty() || stream.get_mut().write_all(&answer).await.is_err() {
                            return;
                        }
                        command.clear();
                        if !matches!(stream.read_line(&mut command).await, Ok(1..)) {
                            return;
                        }
                        command.truncate(command.trim_end().len());
                        log.lock().unwrap().push(command.clone());
                    }
                });
            }
        });
        Liar { address, commands }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("nntp://{}{path}", self.address)
    }

    pub(crate) fn commands(&self) -> Vec<String> {
        self.commands.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, command: &str) -> usize {
        self.commands().iter().filter(|sent| *sent == command).count()
    }
}

pub(crate) fn usual(command: &str) -> Vec<u8> {
    let answer: &str = match command {
        "(greeting)" => "200 ready\r\n",
        "CAPABILITIES" => "101 as follows\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n",
        "GROUP a.b" => "211 3 1 3 a.b\r\n",
        _ => "500 what?\r\n",
    };
    answer.as_bytes().to_vec()
}

/// Answers one command, the rest as usual.
pub(crate) fn only(
    wanted: &'static str,
    answer: impl Into<Vec<u8>>,
) -> impl Fn(&str) -> Option<Vec<u8>> + Send + Sync {
    let answer = answer.into();
    move |command| (command == wanted).then(|| answer.clone())
}
