//! The kinds of noise.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    AdSlot,
    Nonce,
    Csrf,
    Clock,
    Counter,
    TrackingLinks,
    SessionIds,
    RotatedRelated,
    AttributeOrder,
    Blanks,
    ScriptHash,
    VariantClasses,
}

pub const KINDS: [NoiseKind; 12] = [
    NoiseKind::AdSlot,
    NoiseKind::Nonce,
    NoiseKind::Csrf,
    NoiseKind::Clock,
    NoiseKind::Counter,
    NoiseKind::TrackingLinks,
    NoiseKind::SessionIds,
    NoiseKind::RotatedRelated,
    NoiseKind::AttributeOrder,
    NoiseKind::Blanks,
    NoiseKind::ScriptHash,
    NoiseKind::VariantClasses,
];
