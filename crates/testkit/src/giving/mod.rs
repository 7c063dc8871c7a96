//! Web sites that give their visitors ids, served: by redirect, in names of parameters, on half of the links; with random
//! numbers and shuffled parameters; and sites that only look so.
//!
//! In: a number for each site. Out: a [`GivingServer`] with one host a site, and the truth: which page an address means
//! ([`GivingSite::page_of`]) and which pages there are. [`GivingServer::restart`] forgets all sessions, as a server that is
//! started again does; [`GivingServer::change`] edits, adds and removes one page of every site.

mod address;
mod server;
mod site;
mod style;

pub use server::GivingServer;
pub use site::GivingSite;
pub use style::{Extra, Giving, GivingStyle, IdPlace, NAMED};
