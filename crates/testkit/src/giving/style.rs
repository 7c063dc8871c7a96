//! How a site gives its ids: where they stand, how a visitor comes by them, and what else varies.

use crate::sessions::Random;

/// Where the id stands in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Nowhere,
    /// `/(S(id))/…`, as ASP.NET does without cookies.
    Brackets,
    /// `/3f2a…-…/…`
    UuidSegment,
    /// `/id/…`, letters and digits.
    Segment,
    /// `?sid=id`
    Query,
    /// `;jsessionid=id`
    Matrix,
    /// `?ASPSESSIONIDQABCDEFG=VALUE`
    NameAndValue,
    /// `?sid_ab12cd=1`
    Name,
}

/// How a visitor comes by an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Giving {
    /// The pages' links carry it.
    Links,
    /// Every address without one leads to the same with one; an id that the server forgot counts as none.
    Redirect,
    /// The same, but any id is taken for good.
    RedirectLenient,
    /// Only the front page does so.
    RedirectAtFront,
    /// As [`Giving::Redirect`], and links carry none: every page is given its id by itself.
    RedirectEach,
}

/// What else varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extra {
    /// The id is on half of the links: always the same ones, or others at every fetch.
    pub half: Option<Half>,
    /// A number of its own on every link, another at every fetch.
    pub random: Option<&'static str>,
    /// Parameters stand in another order at every fetch.
    pub shuffled: bool,
    /// A cookie carries the session too, and links of visitors who return it have no id.
    pub cookie: bool,
    /// Pages are told apart by a digest in the path, or by `sid`.
    pub look_alike: Option<LookAlike>,
    /// Pages show the id in their text.
    pub shown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Fixed,
    Drawn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookAlike {
    /// `/papers/<32 hex>.html`
    Digest,
    /// `?sid=story`
    Sid,
    /// `?doc=<uuid>`
    Uuid,
    /// `?id=48213`
    Number,
    /// `?view_ab12cd=7`
    Name,
}

/// One way to give ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub place: Place,
    pub giving: Giving,
    pub extra: Extra,
}

const PLAIN: Extra = Extra {
    half: None,
    random: None,
    shuffled: false,
    cookie: false,
    look_alike: None,
    shown: false,
};

const fn style(place: Place, giving: Giving, extra: Extra) -> Style {
    Style { place, giving, extra }
}

/// So many styles stand first, whatever the seed; the rest are drawn.
pub const NAMED: usize = 34;

const STYLES: [Style; NAMED] = [
    style(Place::Brackets, Giving::Redirect, PLAIN),
    style(Place::Brackets, Giving::RedirectLenient, PLAIN),
    style(Place::Brackets, Giving::RedirectAtFront, PLAIN),
    style(Place::UuidSegment, Giving::Redirect, PLAIN),
    style(Place::UuidSegment, Giving::RedirectLenient, PLAIN),
    style(Place::Segment, Giving::Redirect, PLAIN),
    style(Place::Segment, Giving::RedirectLenient, PLAIN),
    style(Place::Query, Giving::Redirect, PLAIN),
    style(Place::Query, Giving::RedirectLenient, PLAIN),
    style(Place::Query, Giving::RedirectAtFront, PLAIN),
    style(Place::Query, Giving::RedirectEach, PLAIN),
    style(Place::Matrix, Giving::Redirect, PLAIN),
    style(Place::Matrix, Giving::RedirectEach, PLAIN),
    style(
        Place::Query,
        Giving::Redirect,
        Extra {
            cookie: true,
            ..PLAIN
        },
    ),
    style(
        Place::Matrix,
        Giving::Redirect,
        Extra {
            cookie: true,
            ..PLAIN
        },
    ),
    style(Place::NameAndValue, Giving::Links, PLAIN),
    style(Place::NameAndValue, Giving::Redirect, PLAIN),
    style(Place::Name, Giving::Links, PLAIN),
    style(Place::Name, Giving::Redirect, PLAIN),
    style(
        Place::Query,
        Giving::Links,
        Extra {
            half: Some(Half::Fixed),
            shown: true,
            ..PLAIN
        },
    ),
    style(
        Place::Query,
        Giving::Links,
        Extra {
            half: Some(Half::Drawn),
            ..PLAIN
        },
    ),
    style(
        Place::Matrix,
        Giving::Links,
        Extra {
            half: Some(Half::Fixed),
            ..PLAIN
        },
    ),
    style(
        Place::Brackets,
        Giving::Redirect,
        Extra {
            half: Some(Half::Fixed),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            random: Some("_"),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            shuffled: true,
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            shuffled: true,
            random: Some("rnd"),
            ..PLAIN
        },
    ),
    style(
        Place::Query,
        Giving::Links,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        Place::Brackets,
        Giving::Redirect,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Digest),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Sid),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Uuid),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Number),
            ..PLAIN
        },
    ),
    style(
        Place::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Name),
            ..PLAIN
        },
    ),
];

impl Style {
    /// The style of the n-th site.
    pub fn nth(number: usize, random: &mut Random) -> Style {
        if let Some(named) = STYLES.get(number) {
            return *named;
        }
        let place = *random.pick(&[
            Place::Nowhere,
            Place::Brackets,
            Place::UuidSegment,
            Place::Segment,
            Place::Query,
            Place::Query,
            Place::Matrix,
            Place::NameAndValue,
            Place::Name,
        ]);
        let is_parameter = matches!(place, Place::Query | Place::Matrix);
        let giving = match place {
            Place::Nowhere => Giving::Links,
            Place::NameAndValue | Place::Name => *random.pick(&[Giving::Links, Giving::Redirect]),
            _ if is_parameter => *random.pick(&[
                Giving::Links,
                Giving::Redirect,
                Giving::RedirectLenient,
                Giving::RedirectAtFront,
                Giving::RedirectEach,
            ]),
            _ => *random.pick(&[Giving::Redirect, Giving::RedirectLenient]),
        };
        let has_id = place != Place::Nowhere;
        let half = (has_id && giving != Giving::RedirectEach && random.percent(25))
            .then(|| *random.pick(&[Half::Fixed, Half::Drawn]));
        let look_alike = random.percent(30).then(|| {
            *random.pick(&[
                LookAlike::Digest,
                LookAlike::Sid,
                LookAlike::Uuid,
                LookAlike::Number,
                LookAlike::Name,
            ])
        });
        // Two meanings of one name are a style of their own.
        let look_alike = look_alike.filter(|look| place != Place::Query || *look != LookAlike::Sid);
        Style {
            place,
            giving,
            extra: Extra {
                half,
                random: random
                    .percent(30)
                    .then(|| *random.pick(&["r", "rand", "_", "nocache", "zx"])),
                shuffled: random.percent(30),
                cookie: is_parameter && giving == Giving::Redirect && random.percent(30),
                look_alike,
                shown: has_id && random.percent(20),
            },
        }
    }
}
