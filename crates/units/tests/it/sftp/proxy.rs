//! A stretch of wire that breaks where a test wants it to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// Passes everything on to `server`, but ends the first connections after so many bytes each from there.
    pub(super) async fn start(server: SocketAddr, cuts: Vec<usize>) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let number = count.fetch_add(1, Ordering::SeqCst);
                let limit = cuts.get(number).copied().unwrap_or(usize::MAX);
                tokio::spawn(pass(client, server, limit));
            }
        });
        Proxy { address, connections }
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn pass(client: TcpStream, server: SocketAddr, limit: usize) {
    let server = TcpStream::connect(server).await.unwrap();
    let (mut from_server, mut to_server) = server.into_split();
    let (mut from_client, mut to_client) = client.into_split();
    let up = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut left = limit;
    let mut buffer = vec![0; 16 * 1024];
    while left > 0 {
        let Ok(came @ 1..) = from_server.read(&mut buffer).await else {
            break;
        };
        let passed = came.min(left);
        left -= passed;
        if to_client.write_all(&buffer[..passed]).await.is_err() {
            break;
        }
    }
    up.abort();
}
