//! What can be wrong with the bytes of a snapshot. All of it has one remedy: make the snapshot anew.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    #[error("this is not a snapshot of a graph")]
    Foreign,
    #[error("the snapshot was written in format {found}, this program reads format {known}")]
    OtherFormat { found: u32, known: u32 },
    #[error("the snapshot is cut off: {found_bytes} bytes of {expected_bytes}")]
    Cut { found_bytes: u64, expected_bytes: u64 },
    #[error("the snapshot is damaged: {part}")]
    Damaged { part: &'static str },
}
