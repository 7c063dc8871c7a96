//! How a site gives its ids: where they stand, how a visitor comes by them, and what else varies.

use crate::sessions::Random;

/// Where the id stands in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdPlace {
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
pub struct GivingStyle {
    pub place: IdPlace,
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

const fn style(place: IdPlace, giving: Giving, extra: Extra) -> GivingStyle {
    GivingStyle { place, giving, extra }
}

/// So many styles stand first, whatever the seed; the rest are drawn.
pub const NAMED: usize = 34;

const STYLES: [GivingStyle; NAMED] = [
    style(IdPlace::Brackets, Giving::Redirect, PLAIN),
    style(IdPlace::Brackets, Giving::RedirectLenient, PLAIN),
    style(IdPlace::Brackets, Giving::RedirectAtFront, PLAIN),
    style(IdPlace::UuidSegment, Giving::Redirect, PLAIN),
    style(IdPlace::UuidSegment, Giving::RedirectLenient, PLAIN),
    style(IdPlace::Segment, Giving::Redirect, PLAIN),
    style(IdPlace::Segment, Giving::RedirectLenient, PLAIN),
    style(IdPlace::Query, Giving::Redirect, PLAIN),
    style(IdPlace::Query, Giving::RedirectLenient, PLAIN),
    style(IdPlace::Query, Giving::RedirectAtFront, PLAIN),
    style(IdPlace::Query, Giving::RedirectEach, PLAIN),
    style(IdPlace::Matrix, Giving::Redirect, PLAIN),
    style(IdPlace::Matrix, Giving::RedirectEach, PLAIN),
    style(
        IdPlace::Query,
        Giving::Redirect,
        Extra {
            cookie: true,
            ..PLAIN
        },
    ),
    style(
        IdPlace::Matrix,
        Giving::Redirect,
        Extra {
            cookie: true,
            ..PLAIN
        },
    ),
    style(IdPlace::NameAndValue, Giving::Links, PLAIN),
    style(IdPlace::NameAndValue, Giving::Redirect, PLAIN),
    style(IdPlace::Name, Giving::Links, PLAIN),
    style(IdPlace::Name, Giving::Redirect, PLAIN),
    style(
        IdPlace::Query,
        Giving::Links,
        Extra {
            half: Some(Half::Fixed),
            shown: true,
            ..PLAIN
        },
    ),
    style(
        IdPlace::Query,
        Giving::Links,
        Extra {
            half: Some(Half::Drawn),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Matrix,
        Giving::Links,
        Extra {
            half: Some(Half::Fixed),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Brackets,
        Giving::Redirect,
        Extra {
            half: Some(Half::Fixed),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            random: Some("_"),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            shuffled: true,
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            shuffled: true,
            random: Some("rnd"),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Query,
        Giving::Links,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Brackets,
        Giving::Redirect,
        Extra {
            random: Some("r"),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Digest),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Sid),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Uuid),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Number),
            ..PLAIN
        },
    ),
    style(
        IdPlace::Nowhere,
        Giving::Links,
        Extra {
            look_alike: Some(LookAlike::Name),
            ..PLAIN
        },
    ),
];

impl GivingStyle {
    /// The style of the n-th site.
    pub fn nth(number: usize, random: &mut Random) -> GivingStyle {
        if let Some(named) = STYLES.get(number) {
            return *named;
        }
        let place = *random.pick(&[
            IdPlace::Nowhere,
            IdPlace::Brackets,
            IdPlace::UuidSegment,
            IdPlace::Segment,
            IdPlace::Query,
            IdPlace::Query,
            IdPlace::Matrix,
            IdPlace::NameAndValue,
            IdPlace::Name,
        ]);
        let is_parameter = matches!(place, IdPlace::Query | IdPlace::Matrix);
        let giving = match place {
            IdPlace::Nowhere => Giving::Links,
            IdPlace::NameAndValue | IdPlace::Name => *random.pick(&[Giving::Links, Giving::Redirect]),
            _ if is_parameter => *random.pick(&[
                Giving::Links,
                Giving::Redirect,
                Giving::RedirectLenient,
                Giving::RedirectAtFront,
                Giving::RedirectEach,
            ]),
            _ => *random.pick(&[Giving::Redirect, Giving::RedirectLenient]),
        };
        let has_id = place != IdPlace::Nowhere;
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
        let look_alike = look_alike.filter(|look| place != IdPlace::Query || *look != LookAlike::Sid);
        GivingStyle {
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
