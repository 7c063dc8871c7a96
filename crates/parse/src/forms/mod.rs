//! What does a page ask its reader to fill in, and what is sent when he does? (A4)
//!
//! In: a page. Out: its [`Form`]s with their controls, as browsers see them; [`find`] picks one, [`fill`] puts values
//! into it, [`encode`] writes the request. Sending, cookies and the judgement whether a login worked belong to others.
//!
//! The one idea: a form is submitted as a browser would submit it, hidden fields, default choices and charset included.
//! What a person at the browser could not have done (a value that is not among the choices, a field that is not there) is
//! an error that names what is possible, unless it was asked for as an extra field.
//!
//! ```text
//!  Input ──forms──► Forms ──find──► Form ──fill──► Submission ──encode──► FormRequest
//!                                     values, button ─┘
//! ```
//!
//! Sources: HTML 4.10.18 (form owner, disabled), 4.10.22 (submission), URL 5 (urlencoded), RFC 7578 (multipart).

mod control;
mod draft;
mod encode;
mod error;
mod fill;
mod find;
mod form;
mod nearest;
mod owner;
mod put;
mod read;
mod sanitise;
mod submission;
mod value;

pub use control::{Choice, Control, ControlKind};
pub use encode::{FormRequest, encode};
pub use error::{EncodeError, FillError, FindError};
pub use fill::fill;
pub use find::{Which, find};
pub use form::{Enctype, Form, Forms, Method};
pub use read::forms;
pub use submission::{FormField, FormPayload, Submission};
pub use value::{Button, FieldValue, File};

#[cfg(test)]
mod tests;
