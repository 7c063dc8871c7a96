//! What keeps this room from doing its job. What is wrong with a document is an `Unread`, not an error.

/// A child could not be had at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadersError {
    #[error("the process that reads documents could not be started; is {program} still there?")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
}
