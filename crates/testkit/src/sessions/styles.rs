//! The ways in which sites carry ids, each seen in the wild or one step away from it.

/// How a site writes its ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdStyle {
    Jsessionid,
    JsessionidRoute,
    Phpsessid,
    AspNet,
    AspNetOld,
    Amazon,
    Base64Url,
    Base36Varying,
    WebLogic,
    ColdFusion,
    Nested,
    TwiceNested,
    Affiliate,
    PageByDigest,
    NoId,
    NoIdConstants,
    FewDynamic,
    StaticLonger,
    StaticSharing,
    HostLabel,
    NoncePerLink,
    Shuffled,
    Counter,
    Glued,
    StoryDigest,
    StoryNumber,
    StoryDigestAndId,
    StoryNumberAndId,
    UtmAndClock,
    Churn,
    // Beyond the thirty.
    LastSegment,
    FirstSegmentShort,
    BareQuery,
    AfterWord,
    TwoPlaces,
    OnlyNested,
    GluedInValue,
    SharedName,
    Base64Standard,
    ClockAndId,
    SignedLinks,
    RepeatedName,
    NonceInPath,
    KeyInSegment,
    HexInHost,
    LoneSecondId,
}

/// The thirty of the hard set.
pub const STYLES: [IdStyle; 30] = [
    IdStyle::Jsessionid,
    IdStyle::JsessionidRoute,
    IdStyle::Phpsessid,
    IdStyle::AspNet,
    IdStyle::AspNetOld,
    IdStyle::Amazon,
    IdStyle::Base64Url,
    IdStyle::Base36Varying,
    IdStyle::WebLogic,
    IdStyle::ColdFusion,
    IdStyle::Nested,
    IdStyle::TwiceNested,
    IdStyle::Affiliate,
    IdStyle::PageByDigest,
    IdStyle::NoId,
    IdStyle::NoIdConstants,
    IdStyle::FewDynamic,
    IdStyle::StaticLonger,
    IdStyle::StaticSharing,
    IdStyle::HostLabel,
    IdStyle::NoncePerLink,
    IdStyle::Shuffled,
    IdStyle::Counter,
    IdStyle::Glued,
    IdStyle::StoryDigest,
    IdStyle::StoryNumber,
    IdStyle::StoryDigestAndId,
    IdStyle::StoryNumberAndId,
    IdStyle::UtmAndClock,
    IdStyle::Churn,
];

/// Styles that were not drawn up together with the method.
pub const EXTRA_STYLES: [IdStyle; 16] = [
    IdStyle::LastSegment,
    IdStyle::FirstSegmentShort,
    IdStyle::BareQuery,
    IdStyle::AfterWord,
    IdStyle::TwoPlaces,
    IdStyle::OnlyNested,
    IdStyle::GluedInValue,
    IdStyle::SharedName,
    IdStyle::Base64Standard,
    IdStyle::ClockAndId,
    IdStyle::SignedLinks,
    IdStyle::RepeatedName,
    IdStyle::NonceInPath,
    IdStyle::KeyInSegment,
    IdStyle::HexInHost,
    IdStyle::LoneSecondId,
];

impl IdStyle {
    pub(super) fn number(self) -> u64 {
        self as u64
    }

    /// Whether the style has an id that `Mix` may write in another alphabet, length and name.
    pub(super) fn is_plain_parameter(self) -> bool {
        matches!(
            self,
            IdStyle::Phpsessid
                | IdStyle::Base64Url
                | IdStyle::Nested
                | IdStyle::TwiceNested
                | IdStyle::Affiliate
                | IdStyle::PageByDigest
                | IdStyle::FewDynamic
                | IdStyle::StaticLonger
                | IdStyle::StaticSharing
                | IdStyle::Shuffled
                | IdStyle::StoryDigestAndId
                | IdStyle::StoryNumberAndId
                | IdStyle::Churn
                | IdStyle::TwoPlaces
                | IdStyle::OnlyNested
                | IdStyle::SharedName
                | IdStyle::ClockAndId
                | IdStyle::RepeatedName
                | IdStyle::BareQuery
                | IdStyle::LastSegment
                | IdStyle::AfterWord
        )
    }

    pub(super) fn has_id(self) -> bool {
        !matches!(
            self,
            IdStyle::NoId
                | IdStyle::NoIdConstants
                | IdStyle::StoryDigest
                | IdStyle::StoryNumber
                | IdStyle::UtmAndClock
                | IdStyle::NoncePerLink
                | IdStyle::NonceInPath
        )
    }
}
