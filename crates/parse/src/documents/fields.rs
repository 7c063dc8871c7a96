//! Fields of Word, old and new: a code that says what is wanted, then its result, which is what people read. Fields nest.
//!
//! The code is no text. That of a link has the address, and its words are the result.

use super::pen::Pen;

const DEPTH_MAX: usize = 100;
const CODE_BYTES_MAX: usize = 8192;

/// The fields that are under way, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<Field>);

#[derive(Debug, Default)]
struct Field {
    code: String,
    has_result: bool,
    is_link: bool,
}

impl Fields {
    pub(super) fn begin(&mut self) {
        if self.0.len() < DEPTH_MAX {
            self.0.push(Field::default());
        }
    }

    /// The code ends, its result begins.
    pub(super) fn separate(&mut self, pen: &mut Pen) {
        let Some(field) = self.0.last_mut() else { return };
        field.has_result = true;
        if let Some(address) = hyperlink_of(&field.code) {
            field.is_link = true;
            pen.open_link(&address);
        }
    }

    pub(super) fn end(&mut self, pen: &mut Pen) {
        if self.0.pop().is_some_and(|field| field.is_link) {
            pen.close_link();
        }
    }

    /// Whether what comes now belongs to a code.
    pub(super) fn is_in_code(&self) -> bool {
        self.0.iter().any(|field| !field.has_result)
    }

    pub(super) fn push_code(&mut self, text: &str) {
        if let Some(field) = self.0.last_mut()
            && field.code.len() < CODE_BYTES_MAX
        {
            field.code.push_str(text);
        }
    }
}

/// The address in a field code such as `HYPERLINK "http://a.test/" \o "tip"`.
pub(super) fn hyperlink_of(code: &str) -> Option<String> {
    let code = code.trim_start();
    let head = code.get(..9)?;
    if !head.eq_ignore_ascii_case("hyperlink") {
        return None;
    }
    let rest = code[9..].trim_start();
    // `\l` names a place in the document itself.
    let address = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None if rest.starts_with('\\') => return None,
        None => rest.split_whitespace().next()?,
    };
    Some(address.to_owned()).filter(|address| !address.is_empty())
}
