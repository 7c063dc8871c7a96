//! How much of a document is read. Each number is far above honest documents and far below what hurts.

/// Text of one document; the limit of `hostile-cases` for conversions.
pub const TEXT_BYTES_MAX: usize = 32 << 20;
/// Pieces of one document.
pub const PIECES_MAX: usize = 500_000;
/// Links of one document; as many as a page may have.
pub const LINKS_MAX: usize = 20_000;
/// What an archive may hold unpacked, all entries together, and how many there may be (HC114).
pub const UNPACKED_BYTES_MAX: usize = 100 << 20;
pub const ENTRIES_MAX: usize = 10_000;
/// gzip inside gzip (HC075).
pub const GZIP_LAYERS_MAX: usize = 2;
/// One cell, paragraph or other piece.
pub(crate) const PIECE_BYTES_MAX: usize = 4 << 20;
/// Cells that a sheet says are repeated, in one row, and rows in one table.
pub(crate) const CELLS_REPEATED_MAX: usize = 64;
/// Columns of one row.
pub(crate) const COLUMNS_MAX: usize = 16_384;
