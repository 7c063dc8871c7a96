//! What goes between the two processes: a length, then that many bytes. A request is two frames, a JSON head and the
//! document; an answer is one.

use gleaner_parse::documents::{Reading, Unread};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// No frame is longer: a document is at most as long as a body, an answer as its text with what surrounds it.
pub(crate) const FRAME_BYTES_MAX: u64 = 1 << 30;

/// What is asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Ask {
    pub(crate) media_type: String,
    pub(crate) name: String,
    /// Outside programs may be used.
    pub(crate) tools: bool,
    /// Processor time that it may take.
    pub(crate) cpu_seconds: u64,
    /// The document as PDF is wanted, not its text: an answer without a reading, then the bytes.
    pub(crate) to_pdf: bool,
}

/// What is answered.
pub(crate) type Answer = Result<Reading, Unread>;

pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// `None` where the other side has ended.
pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 8];
    if from.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..])?;
    let length = u64::from_le_bytes(head);
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    // Grown as it comes: a wrong length must not cost memory.
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_whole_or_not_at_all() {
        let mut pipe = Vec::new();
        write(&mut pipe, b"one").expect("memory takes all");
        write(&mut pipe, b"").expect("memory takes all");
        let mut from = pipe.as_slice();
        assert_eq!(
            read(&mut from).expect("a frame").as_deref(),
            Some(b"one".as_slice())
        );
        assert_eq!(read(&mut from).expect("a frame").as_deref(), Some(b"".as_slice()));
        assert_eq!(read(&mut from).expect("the end"), None);
        assert!(read(&mut &pipe[..9]).is_err(), "cut off");
        assert!(read(&mut [0xFF; 8].as_slice()).is_err(), "too long");
    }
}
