//! What did a person write down? Files of settings, read and written.
//!
//! In: the text of a file. Out: a value of the model, or every mistake with its line, its column and what would be right.

pub mod library_file;
pub mod project_file;
