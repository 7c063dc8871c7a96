//! Which unit speaks for which scheme? The one place where a protocol is made known.

use crate::net::Net;
use crate::unit::Unit;
use crate::{Answer, Ask, Exchange, Http, ListingEnd, Redirect, Unclear, UnitError, pieces};
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock, Reason, Url};
use std::path::PathBuf;
use std::sync::Arc;

/// What a unit is made of.
pub struct Around {
    pub net: Arc<Net>,
    /// Made beforehand: the run saves its cookies.
    pub http: Arc<Http>,
    /// What the user named: folders of this machine are read below these only.
    pub seeds: Vec<Url>,
    pub options: UnitOptions,
    /// Where a unit may write down what it has to remember between runs.
    pub data: PathBuf,
}

/// What users tell units, as `ftp.tls=explicit`.
#[derive(Debug, Clone, Default)]
pub struct UnitOptions {
    pub pairs: Vec<(String, String)>,
}

impl UnitOptions {
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// How a unit comes into a run.
pub trait Plug: Unit {
    /// Its schemes, each with the port that needs no naming; 0 where there are no ports.
    const SCHEMES: &'static [(&'static str, u16)];

    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError>;
}

macro_rules! registered {
    ($($unit:ty),* $(,)?) => {
        /// Makes the schemes of all units known; once, before any address is read.
        pub fn announce() {
            $( announce_one::<$unit>(); )*
        }

        /// All units, for one run.
        pub fn all(around: &Around) -> Result<Units, UnitError> {
            Ok(Units::default()$( .with(<$unit as Plug>::plug(around)?) )*)
        }
    };
}

// One line for each.
registered! {
    crate::http::Http,
    crate::folder::Folder,
    crate::ftp::Ftp,
    crate::nntp::Nntp,
    crate::oai::Oai,
    crate::sftp::Sftp,
}

/// Makes the schemes of a unit known.
pub fn announce_one<U: Plug>() {
    for (scheme, port) in U::SCHEMES {
        gleaner_model::url::announce(scheme, *port);
    }
}

/// The units of a run, found by the scheme of the URL.
#[derive(Clone)]
pub struct Units {
    units: Vec<Arc<dyn Unit>>,
    clock: Arc<dyn Clock>,
}

impl Default for Units {
    fn default() -> Units {
        Units {
            units: Vec::new(),
            clock: Arc::new(SystemClock::default()),
        }
    }
}

impl Units {
    #[must_use]
    pub fn with(mut self, unit: Arc<dyn Unit>) -> Units {
        self.units.push(unit);
        self
    }

    pub fn of_scheme(&self, scheme: &str) -> Option<&Arc<dyn Unit>> {
        self.units.iter().find(|unit| unit.schemes().contains(&scheme))
    }

    /// The schemes whose servers list what they have.
    pub fn listed_schemes(&self) -> Vec<&'static str> {
        let listing = self.units.iter().filter(|unit| unit.lists());
        listing.flat_map(|unit| unit.schemes().iter().copied()).collect()
    }

    /// Whether what lies below `url` is known by listing.
    pub fn lists(&self, url: &Url) -> bool {
        self.of_scheme(url.scheme()).is_some_and(|unit| unit.lists())
    }

    /// Asks the unit that speaks the scheme of `ask.url`; folders are listed where it can.
    pub async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        match self.of_scheme(ask.url.scheme()) {
            Some(unit) if unit.lists() && ask.url.path().ends_with('/') => self.list(unit, ask).await,
            Some(unit) => unit.fetch(ask).await,
            None => Err(UnitError::Scheme {
                scheme: ask.url.scheme().to_owned(),
            }),
        }
    }

    async fn list(&self, unit: &Arc<dyn Unit>, ask: &Ask) -> Result<Answer, UnitError> {
        let (listed, mut listing) = pieces::list(&**unit, ask, self.clock.wall()).await?;
        match listed {
            ListingEnd::Whole => {}
            ListingEnd::WholeFrom { oldest } => listing.oldest = Some(oldest),
            ListingEnd::Part { detail } => listing.cut = Some(detail),
            ListingEnd::File => return Ok(self.file_instead(ask)),
            ListingEnd::Gone => {
                return Ok(Answer::Unclear(Unclear::plain(
                    Reason::NoSuchFile,
                    "the folder is not there",
                )));
            }
            ListingEnd::Unclear(unclear) => return Ok(Answer::Unclear(*unclear)),
        }
        Ok(Answer::Folder(listing))
    }

    /// The address of a folder is that of a file: it is one slash too long.
    fn file_instead(&self, ask: &Ask) -> Answer {
        let text = ask.url.as_str().trim_end_matches('/');
        Answer::Moved(
            Exchange::empty(self.clock.wall()),
            Redirect {
                status: 0,
                location: text.to_owned(),
                target: Url::parse(text),
            },
        )
    }
}
