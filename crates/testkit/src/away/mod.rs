//! Sites that go away and come back, and honest pages that sound like errors.
//!
//! [`site`] makes a small healthy site in one of several templates; [`ways`] are the ways in which such a site can be away; and
//! [`honest`] are pages whose words are those of error pages. Every host is an address of its own, so that one run sees many.

mod honest;
mod site;
mod ways;

pub use honest::{HONEST, Honest, SERVERS, Server};
pub use site::{PATHS, Site, SiteRequest, document, framed, framed_with, paragraphs, title};
pub use ways::{Outage, resting, start_page_alone, ways};
