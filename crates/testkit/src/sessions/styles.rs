//! The ways in which sites carry ids, each seen in the wild or one step away from it.

/// How a site writes its ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
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
pub const STYLES: [Style; 30] = [
    Style::Jsessionid,
    Style::JsessionidRoute,
    Style::Phpsessid,
    Style::AspNet,
    Style::AspNetOld,
    Style::Amazon,
    Style::Base64Url,
    Style::Base36Varying,
    Style::WebLogic,
    Style::ColdFusion,
    Style::Nested,
    Style::TwiceNested,
    Style::Affiliate,
    Style::PageByDigest,
    Style::NoId,
    Style::NoIdConstants,
    Style::FewDynamic,
    Style::StaticLonger,
    Style::StaticSharing,
    Style::HostLabel,
    Style::NoncePerLink,
    Style::Shuffled,
    Style::Counter,
    Style::Glued,
    Style::StoryDigest,
    Style::StoryNumber,
    Style::StoryDigestAndId,
    Style::StoryNumberAndId,
    Style::UtmAndClock,
    Style::Churn,
];

/// Styles that were not drawn up together with the method.
pub const EXTRA_STYLES: [Style; 16] = [
    Style::LastSegment,
    Style::FirstSegmentShort,
    Style::BareQuery,
    Style::AfterWord,
    Style::TwoPlaces,
    Style::OnlyNested,
    Style::GluedInValue,
    Style::SharedName,
    Style::Base64Standard,
    Style::ClockAndId,
    Style::SignedLinks,
    Style::RepeatedName,
    Style::NonceInPath,
    Style::KeyInSegment,
    Style::HexInHost,
    Style::LoneSecondId,
];

impl Style {
    pub(super) fn number(self) -> u64 {
        self as u64
    }

    /// Whether the style has an id that `Mix` may write in another alphabet, length and name.
    pub(super) fn is_plain_parameter(self) -> bool {
        matches!(
            self,
            Style::Phpsessid
                | Style::Base64Url
                | Style::Nested
                | Style::TwiceNested
                | Style::Affiliate
                | Style::PageByDigest
                | Style::FewDynamic
                | Style::StaticLonger
                | Style::StaticSharing
                | Style::Shuffled
                | Style::StoryDigestAndId
                | Style::StoryNumberAndId
                | Style::Churn
                | Style::TwoPlaces
                | Style::OnlyNested
                | Style::SharedName
                | Style::ClockAndId
                | Style::RepeatedName
                | Style::BareQuery
                | Style::LastSegment
                | Style::AfterWord
        )
    }

    pub(super) fn has_id(self) -> bool {
        !matches!(
            self,
            Style::NoId
                | Style::NoIdConstants
                | Style::StoryDigest
                | Style::StoryNumber
                | Style::UtmAndClock
                | Style::NoncePerLink
                | Style::NonceInPath
        )
    }
}
