//! The contract: what every store can do, whatever it is made of.
//!
//! One value is shared by all runs of a process. Calls are coarse: values go in and values come out, nobody is called back,
//! and each call is kept whole or not at all. Numbers of rows are given by the store. Reading for people is a contract of its own
//! ([`Ledger`]).

use crate::followers::Followers;
use crate::leases::Leases;
use crate::lists::Lists;
use crate::runs::Runs;
use crate::settling::Settling;
use crate::sites::Sites;
use crate::tracking::Tracking;
use crate::work::Work;
use crate::{Ledger, StoreError};

/// All that a run asks of its store.
pub trait Store: Runs + Leases + Work + Sites + Tracking + Lists + Settling + Followers {
    /// What is kept, for a reader with a thread of its own. It sees all that was kept before it was opened.
    fn reader(&self) -> Result<Box<dyn Ledger>, StoreError>;
}
