//! Web servers that are broken, slow, lying or hostile (HC001–HC031), met by the whole program.

mod answers;
mod guard;
mod reaching;
mod said;
pub(crate) mod stage;
