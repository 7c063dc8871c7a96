//! What do the tests stand on? A synthetic web with known truth, servers that misbehave on demand, and faults.
//!
//! | module | what it gives |
//! |---|---|
//! | [`away`] | sites that go away and come back, and honest pages that sound like errors |
//! | [`synth`] | a web site whose pages, changes and visitors are known exactly |
//! | [`topical`] | two hundred sites on and off a topic, with documents of every genre, copies, traps and a search service |
//! | [`blog`] | a blog with all that such programs link to beside their posts |
//! | [`link_places`] | a site on which each page holds one address, each in another place |
//! | [`hostile`] | a web server that does what a script says, byte by byte, with good and bad TLS |
//! | [`manual`] | a documentation site that is built anew, with other dates and versions and a few edits |
//! | [`dns`] | a name server with scripted answers |
//! | [`mutate`] | real pages with noise and edits put in, from seeds |
//! | [`program`] | the `gleaner` binary on a fresh data folder |
//! | [`restless`] | pages with many kinds of noise at once, and edits beside it |
//! | [`servers`] | PHP's and Tomcat's real servers, restarted with all sessions lost; `MediaWiki`, `DokuWiki` and INN with content of the test's own |
//! | [`rights`] | root held to the rights of files |
//! | [`sessions`] | web sites that carry sessions in their URLs, as values, with the truth about every link |
//! | [`giving`] | web sites that give ids by redirect, in names, on half of their links, served, with the truth |
//! | [`crash`] | death at the n-th writing system call, or after some time |
//! | [`disk`] | disks that fill up or lose power |
//! | [`python`] | packages of Python that read what we export |
//! | [`warcio`] | a second opinion on our archives |
//!
//! Used by tests only, so what cannot be set up ends the test with a panic that says why; what a machine may lack (root,
//! strace, warcio) is an error, and the test is skipped with that reason.

pub mod away;
pub mod blog;
pub mod crash;
pub mod disk;
pub mod dns;
pub mod giving;
pub mod hostile;
pub mod link_places;
pub mod links;
pub mod lists;
pub mod manual;
pub mod mutate;
pub mod program;
pub mod python;
pub mod restless;
pub mod rights;
pub mod servers;
pub mod sessions;
pub mod synth;
pub mod topical;
pub mod warcio;

pub use blog::Blog;
pub use dns::DnsServer;
pub use hostile::HostileServer;
pub use program::Gleaner;
pub use synth::{SynthOptions, SynthSite};
pub use topical::{TopicSpec, TopicWeb};
