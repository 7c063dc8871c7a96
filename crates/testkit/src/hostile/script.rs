//! What does the server do, step by step? Raw actions on a connection, for answers no well-behaved server gives.

use std::time::Duration;

use tokio::sync::watch;

/// One step of a script.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Sends these bytes one by one, waiting before each.
    Drip { bytes: Vec<u8>, every: Duration },
    /// Sends the pattern again and again until the client goes away.
    SendForever(Vec<u8>),
    /// Does nothing for this long.
    Wait(Duration),
    /// Does nothing until the test opens the gate.
    Hold(Gate),
    /// Opens the gate for other scripts: what comes before this was sent.
    Open(Gate),
    /// Reads and ignores until the client closes.
    WaitClose,
    /// Ends the connection with RST.
    Reset,
    /// Ends the connection with FIN.
    Close,
}

/// Steps in their order. A script that does not end the connection leaves it open for the next request.
#[derive(Clone, Debug, Default)]
pub struct Script(pub Vec<Action>);

impl Script {
    /// An empty script: the request is read and never answered, the connection stays open.
    pub fn new() -> Script {
        Script::default()
    }

    /// Adds a step.
    #[must_use]
    pub fn then(mut self, action: Action) -> Script {
        self.0.push(action);
        self
    }

    /// Adds bytes to send.
    #[must_use]
    pub fn send(self, bytes: impl AsRef<[u8]>) -> Script {
        self.then(Action::Send(bytes.as_ref().to_vec()))
    }

    /// Adds bytes to send one by one.
    #[must_use]
    pub fn drip(self, bytes: impl AsRef<[u8]>, every: Duration) -> Script {
        self.then(Action::Drip {
            bytes: bytes.as_ref().to_vec(),
            every,
        })
    }

    /// Adds a pattern to send without end.
    #[must_use]
    pub fn send_forever(self, pattern: impl AsRef<[u8]>) -> Script {
        self.then(Action::SendForever(pattern.as_ref().to_vec()))
    }

    /// Adds waiting for the client to close.
    #[must_use]
    pub fn wait_close(self) -> Script {
        self.then(Action::WaitClose)
    }

    /// Ends with RST.
    #[must_use]
    pub fn reset(self) -> Script {
        self.then(Action::Reset)
    }

    /// Ends with FIN.
    #[must_use]
    pub fn close(self) -> Script {
        self.then(Action::Close)
    }
}

/// Holds scripts back until the test says so: waiting for an event instead of for time. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate(watch::Sender<bool>);

impl Default for Gate {
    fn default() -> Self {
        Gate::closed()
    }
}

impl Gate {
    /// A gate that holds.
    pub fn closed() -> Gate {
        Gate(watch::Sender::new(false))
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(super) async fn passed(&self) {
        // The gate itself keeps the channel alive, so this ends by opening only.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}
