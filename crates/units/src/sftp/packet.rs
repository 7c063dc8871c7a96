//! What do the bytes of SFTP version 3 say (draft-ietf-secsh-filexfer-02)? Packets in, values out, and the other way.
//!
//! A length is believed only as far as bytes have come: nothing is set aside by it (HC103). A field that reaches beyond
//! its packet is a bad reply, and after one of those nothing more is read from the connection.

use crate::net::failure::Failure;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use gleaner_model::{Reason, Timestamp};

/// Longer packets are refused; OpenSSH allows as much.
pub(super) const PACKET_BYTES_MAX: usize = 256 * 1024;

pub(super) const VERSION: u32 = 3;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Init = 1,
    Open = 3,
    Close = 4,
    Read = 5,
    Fstat = 8,
    OpenFolder = 11,
    ReadFolder = 12,
    Stat = 17,
}

const SAYS_VERSION: u8 = 2;
const SAYS_STATUS: u8 = 101;
const SAYS_HANDLE: u8 = 102;
const SAYS_DATA: u8 = 103;
const SAYS_NAMES: u8 = 104;
const SAYS_ATTRIBUTES: u8 = 105;

/// Opens for reading, the only thing this unit does.
const OPEN_READ: u32 = 1;

const HAS_SIZE: u32 = 1;
const HAS_OWNERS: u32 = 2;
const HAS_PERMISSIONS: u32 = 4;
const HAS_TIMES: u32 = 8;
const HAS_MORE: u32 = 0x8000_0000;

/// Where a request's own fields begin to be written.
pub(super) fn begin(request: Request, id: u32) -> BytesMut {
    let mut out = BytesMut::with_capacity(64);
    out.put_u32(0); // The length, filled in by `end`.
    out.put_u8(request as u8);
    out.put_u32(id);
    out
}

pub(super) fn put_string(out: &mut BytesMut, bytes: &[u8]) {
    out.put_u32(bytes.len() as u32);
    out.put_slice(bytes);
}

pub(super) fn end(mut out: BytesMut) -> Bytes {
    let length = (out.len() - 4) as u32;
    out[..4].copy_from_slice(&length.to_be_bytes());
    out.freeze()
}

/// The first packet of all, which has a version in place of an id.
pub(super) fn init() -> Bytes {
    end(begin(Request::Init, VERSION))
}

/// A request whose only field is a path or a handle.
pub(super) fn about(request: Request, id: u32, what: &[u8]) -> Bytes {
    let mut out = begin(request, id);
    put_string(&mut out, what);
    end(out)
}

pub(super) fn open(id: u32, path: &[u8]) -> Bytes {
    let mut out = begin(Request::Open, id);
    put_string(&mut out, path);
    out.put_u32(OPEN_READ);
    out.put_u32(0); // No attributes.
    end(out)
}

pub(super) fn read(id: u32, handle: &[u8], offset: u64, bytes: u32) -> Bytes {
    let mut out = begin(Request::Read, id);
    put_string(&mut out, handle);
    out.put_u64(offset);
    out.put_u32(bytes);
    end(out)
}

pub(super) fn bad(detail: impl Into<String>) -> Failure {
    Failure::new(Reason::BadReply, detail)
}

/// The first whole packet in `buffer`, without its length; `None` if more must come first.
pub(super) fn split(buffer: &mut BytesMut) -> Result<Option<Bytes>, Failure> {
    let Some(length) = buffer.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes(*length) as usize;
    if length > PACKET_BYTES_MAX {
        return Err(bad(format!("a packet of {length} bytes is announced")));
    }
    if buffer.len() < 4 + length {
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// The fields of a packet, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Fields(Bytes);

impl Fields {
    pub(super) fn of(packet: Bytes) -> Fields {
        Fields(packet)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Failure> {
        self.0.try_get_u8().map_err(|_| too_short())
    }

    pub(super) fn number(&mut self) -> Result<u32, Failure> {
        self.0.try_get_u32().map_err(|_| too_short())
    }

    fn long(&mut self) -> Result<u64, Failure> {
        self.0.try_get_u64().map_err(|_| too_short())
    }

    fn string(&mut self) -> Result<Bytes, Failure> {
        let length = self.number()? as usize;
        if length > self.0.len() {
            return Err(too_short());
        }
        Ok(self.0.split_to(length))
    }
}

fn too_short() -> Failure {
    bad("a field reaches beyond its packet")
}

/// The server's answer to `init`: its version.
pub(super) fn version(packet: Bytes) -> Result<u32, Failure> {
    let mut fields = Fields::of(packet);
    match fields.byte()? {
        SAYS_VERSION => fields.number(),
        other => Err(bad(format!("packet {other} came where the version was due"))),
    }
}

/// What is answered.
#[derive(Debug)]
pub(super) enum Reply {
    Status(Status),
    Handle(Bytes),
    Data(Bytes),
    Names(Names),
    Attributes(Attributes),
}

impl Reply {
    /// The id of the request that is answered, and the answer.
    pub(super) fn read(packet: Bytes) -> Result<(u32, Reply), Failure> {
        let mut fields = Fields::of(packet);
        let kind = fields.byte()?;
        let id = fields.number()?;
        let reply = match kind {
            SAYS_STATUS => {
                let code = fields.number()?;
                // Some servers send the code alone.
                let message = if fields.0.is_empty() {
                    Bytes::new()
                } else {
                    fields.string()?
                };
                Reply::Status(Status { code, message })
            }
            SAYS_HANDLE => Reply::Handle(fields.string()?),
            SAYS_DATA => Reply::Data(fields.string()?),
            SAYS_NAMES => Reply::Names(Names {
                left: fields.number()?,
                fields,
            }),
            SAYS_ATTRIBUTES => Reply::Attributes(Attributes::read(&mut fields)?),
            other => return Err(bad(format!("packet {other} is not a reply"))),
        };
        Ok((id, reply))
    }

    /// The failure of a reply that does not fit its request.
    pub(super) fn misplaced(&self) -> Failure {
        let what = match self {
            Reply::Status(_) => "a status",
            Reply::Handle(_) => "a handle",
            Reply::Data(_) => "data",
            Reply::Names(_) => "names",
            Reply::Attributes(_) => "attributes",
        };
        bad(format!("{what} came where something else was asked for"))
    }
}

/// How a request went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) code: u32,
    message: Bytes,
}

impl Status {
    pub(super) const OK: u32 = 0;
    pub(super) const EOF: u32 = 1;
    pub(super) const NO_SUCH_FILE: u32 = 2;
    pub(super) const PERMISSION_DENIED: u32 = 3;
    const NO_CONNECTION: u32 = 6;
    const CONNECTION_LOST: u32 = 7;

    /// The failure that a status other than those expected means.
    pub(super) fn failure(&self) -> Failure {
        let reason = match self.code {
            Status::OK | Status::EOF => Reason::BadReply,
            Status::NO_SUCH_FILE => Reason::NoSuchFile,
            Status::NO_CONNECTION | Status::CONNECTION_LOST => Reason::Closed,
            // Servers say little more than "failure" when a disk or a file system refuses.
            _ => Reason::AccessDenied,
        };
        let message = shown(&String::from_utf8_lossy(&self.message));
        Failure::new(reason, format!("status {}: {message}", self.code))
    }
}

/// A stranger's text as part of a message: short, and without what would move a cursor.
pub(super) fn shown(text: &str) -> String {
    let one_line = |c: char| if c.is_control() { ' ' } else { c };
    let short: String = text.chars().take(200).map(one_line).collect();
    short.trim().to_owned()
}

/// The names of one reply to `ReadFolder`.
#[derive(Debug)]
pub(super) struct Names {
    /// As announced; nothing is done by this number but to count.
    left: u32,
    fields: Fields,
}

#[derive(Debug)]
pub(super) struct Name {
    pub(super) bytes: Bytes,
    /// As `ls -l` would show it.
    pub(super) line: Bytes,
    pub(super) attributes: Attributes,
}

impl Names {
    pub(super) fn next(&mut self) -> Result<Option<Name>, Failure> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Ok(Some(Name {
            bytes: self.fields.string()?,
            line: self.fields.string()?,
            attributes: Attributes::read(&mut self.fields)?,
        }))
    }
}

/// What a server says of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) size: Option<u64>,
    pub(super) permissions: Option<u32>,
    /// Seconds since 1970.
    pub(super) modified_s: Option<u32>,
}

impl Attributes {
    fn read(fields: &mut Fields) -> Result<Attributes, Failure> {
        let mut found = Attributes::default();
        let flags = fields.number()?;
        if flags & HAS_SIZE != 0 {
            found.size = Some(fields.long()?);
        }
        if flags & HAS_OWNERS != 0 {
            fields.number()?;
            fields.number()?;
        }
        if flags & HAS_PERMISSIONS != 0 {
            found.permissions = Some(fields.number()?);
        }
        if flags & HAS_TIMES != 0 {
            fields.number()?;
            found.modified_s = Some(fields.number()?);
        }
        if flags & HAS_MORE != 0 {
            // Each pair takes eight bytes at least, so the packet ends long before a false count does.
            for _ in 0..fields.number()? {
                fields.string()?;
                fields.string()?;
            }
        }
        Ok(found)
    }

    pub(super) fn kind(&self) -> Option<FileKind> {
        Some(match self.permissions? & 0o170_000 {
            0o100_000 => FileKind::File,
            0o040_000 => FileKind::Folder,
            0o120_000 => FileKind::Link,
            // Some servers fill in the permissions and leave out the type.
            0 => return None,
            _ => FileKind::Other,
        })
    }

    pub(super) fn modified(&self) -> Option<Timestamp> {
        self.modified_s
            .map(|seconds| Timestamp(i64::from(seconds) * 1000))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    File,
    Folder,
    Link,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T: std::fmt::Debug>(result: Result<T, Failure>) -> Reason {
        match result {
            Err(Failure::Theirs { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hc103_an_announced_length_is_not_believed() {
        for length in [PACKET_BYTES_MAX as u32 + 1, u32::MAX] {
            let mut buffer = BytesMut::from(&length.to_be_bytes()[..]);
            assert_eq!(reason(split(&mut buffer)), Reason::BadReply);
        }
        let mut buffer = BytesMut::from(&[0, 0, 0, 2, 9][..]);
        assert_eq!(split(&mut buffer).unwrap(), None);
        buffer.put_u8(7);
        assert_eq!(split(&mut buffer).unwrap().unwrap(), [9, 7][..]);
        assert!(buffer.is_empty());
    }

    #[test]
    fn hc103_fields_stay_within_their_packet() {
        // Every beginning of a good reply is a bad one, and so is every wild length in it.
        let mut names = BytesMut::new();
        names.put_u8(SAYS_NAMES);
        names.put_u32(7);
        names.put_u32(1);
        put_string(&mut names, b"name");
        put_string(&mut names, b"-rw-r--r-- name");
        names.put_u32(HAS_SIZE | HAS_OWNERS | HAS_PERMISSIONS | HAS_TIMES | HAS_MORE);
        names.put_u64(5);
        for number in [1, 2, 0o100_644, 3, 4, 1] {
            names.put_u32(number);
        }
        put_string(&mut names, b"acl");
        put_string(&mut names, b"none");
        let names = names.freeze();
        let whole = |packet: Bytes| -> Result<Option<Name>, Failure> {
            match Reply::read(packet)? {
                (7, Reply::Names(mut names)) => names.next(),
                other => panic!("{other:?}"),
            }
        };
        let found = whole(names.clone()).unwrap().unwrap();
        assert_eq!(found.bytes, "name");
        assert_eq!(
            found.attributes,
            Attributes {
                size: Some(5),
                permissions: Some(0o100_644),
                modified_s: Some(4)
            }
        );
        for end in 0..names.len() {
            assert_eq!(reason(whole(names.slice(..end))), Reason::BadReply, "{end}");
        }
        let mut wild = BytesMut::from(&names[..]);
        wild[9..13].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(reason(whole(wild.freeze())), Reason::BadReply);
    }
}
