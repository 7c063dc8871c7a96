//! The FTP unit against servers that misbehave, one test per row of the list of hostile cases (HC091 to HC101), and
//! against three that do not.

mod doors;
mod hostile_listings;
mod hostile_replies;
mod hostile_tls;
mod hostile_transfers;
mod real_servers;
mod server;
