//! All sites in one process: one port, an address of the loopback network for each.

use super::site::GivingSite;
use crate::HostileServer;
use crate::hostile::dynamic;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sites, served until it is dropped.
pub struct GivingServer {
    _server: HostileServer,
    sites: Arc<Mutex<Vec<GivingSite>>>,
}

impl GivingServer {
    /// The sites of these numbers, drawn from `seed`.
    pub fn start(seed: u64, numbers: impl IntoIterator<Item = usize>) -> GivingServer {
        let numbers: Vec<usize> = numbers.into_iter().collect();
        let address =
            |at: usize| IpAddr::from(Ipv4Addr::new(127, 0, 20 + (at / 200) as u8, 1 + (at % 200) as u8));
        let addresses: Vec<IpAddr> = (0..numbers.len()).map(address).collect();
        let server = HostileServer::start_on(&addresses);
        let sites = server.addresses().iter().zip(&numbers);
        let sites = sites.map(|(at, number)| GivingSite::new(*number, seed, format!("http://{at}")));
        let sites = Arc::new(Mutex::new(sites.collect::<Vec<_>>()));
        let serving = Arc::clone(&sites);
        server.route(
            "/*",
            dynamic(move |request| {
                let mut sites = lock(&serving);
                let origin = format!("http://{}", request.local);
                let site = sites.iter_mut().find(|site| site.origin == origin);
                site.expect("every address has its site").answer(request)
            }),
        );
        GivingServer {
            _server: server,
            sites,
        }
    }

    pub fn sites(&self) -> MutexGuard<'_, Vec<GivingSite>> {
        lock(&self.sites)
    }

    /// All sessions are forgotten.
    pub fn restart(&self) {
        self.sites().iter_mut().for_each(GivingSite::restart);
    }

    /// One page of every site is edited, one taken away, one added.
    pub fn change(&self) {
        self.sites().iter_mut().for_each(GivingSite::change);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
