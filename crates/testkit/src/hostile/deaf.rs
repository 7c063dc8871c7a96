//! Who does not even answer a knock? A port that listens, whose queue is full: connecting to it hangs.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;

/// On loopback a connection is there at once or never.
const KNOCK: Duration = Duration::from_millis(150);

/// A port that takes no connection; it is free again when dropped.
#[derive(Debug)]
pub struct DeafPort {
    _listener: TcpListener,
    /// They fill the queue.
    _waiting: Vec<TcpStream>,
    /// The listener belongs to it.
    _runtime: Runtime,
}

impl DeafPort {
    /// Listens at `address` and accepts nothing; returns once its queue is full.
    pub fn at(address: SocketAddr) -> DeafPort {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = {
            let _inside = runtime.enter();
            let socket = TcpSocket::new_v4().expect("a socket");
            socket.bind(address).expect("the port is free at this address");
            socket.listen(1).expect("a listening socket")
        };
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, KNOCK) {
            waiting.push(stream);
            assert!(waiting.len() < 64, "the queue of a port never fills");
        }
        DeafPort {
            _listener: listener,
            _waiting: waiting,
            _runtime: runtime,
        }
    }
}
