//! What lies in a folder? Names with what the server says of them, as they come (HC104).
//!
//! Names are data: one that no file can have is not turned into a path but left out, and a name that comes twice is given
//! once. A folder without end is cut at a limit; nothing in a cut listing is called gone.

use super::Sftp;
use super::client::{Client, Wire};
use super::fetch::{impossible, is_cut, path_of};
use super::packet::{FileKind, Name, Names, Reply, Request, Status};
use crate::listing::{self, EntryKind, FileTime, ListingEnd, ListingEntry, Meta, TakeEntry};
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::unit::Ask;
use gleaner_model::{Reason, Url};
use std::collections::VecDeque;
use std::time::Duration;

const ENTRIES_MAX: u64 = 1_000_000;
const LISTING_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// OpenSSH gives a hundred names at a time: one question after the other would wait ten thousand times for a million.
const UNDER_WAY_MAX: usize = 4;
const UNDER_WAY_FIRST: usize = 2;

/// Version 3 of the protocol knows whole seconds.
const PRECISION: Duration = Duration::from_secs(1);

/// A listing in the making.
struct Making<'a, 'b> {
    folder: &'a Url,
    take: &'a mut TakeEntry<'b>,
    seen: listing::Names,
    names: u64,
    impossible: u64,
}

impl Sftp {
    pub(super) async fn try_list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, Failure> {
        let path = path_of(&ask.url).ok_or_else(impossible)?;
        let mut patience = Patience::of(ask, &self.net.settings.timeouts);
        let mut making = Making {
            folder: &ask.url,
            take,
            seen: listing::Names::default(),
            names: 0,
            impossible: 0,
        };
        let mut client = self.client(&ask.url, &mut patience).await?;
        let mut listed = making.list(self, &mut client, &path, &mut patience).await;
        // A connection that waited may have gone; names that were given cannot be taken back.
        if making.names == 0 && listed.as_ref().is_err_and(is_cut) {
            client = self.new_client(&ask.url, &mut patience).await?;
            listed = making.list(self, &mut client, &path, &mut patience).await;
        }
        let listed = listed?;
        self.pool.give_back(ask.url.origin(), client);
        Ok(listed)
    }
}

impl Making<'_, '_> {
    async fn list(
        &mut self,
        sftp: &Sftp,
        client: &mut Client,
        path: &[u8],
        patience: &mut Patience,
    ) -> Result<ListingEnd, Failure> {
        let mut wire = sftp.wire(client, patience);
        let handle = match wire.open_folder(path).await? {
            Ok(handle) => handle,
            Err(refused) => return no_folder(&mut wire, path, &refused).await,
        };
        let listed = self.read(&mut wire, &handle).await?;
        wire.close(&handle);
        Ok(listed)
    }

    async fn read(&mut self, wire: &mut Wire<'_>, handle: &[u8]) -> Result<ListingEnd, Failure> {
        let start = wire.client.received();
        let mut under_way = VecDeque::new();
        let mut window = UNDER_WAY_FIRST;
        let mut most = 0;
        let mut turns = listing::Turns::default();
        let listed = loop {
            while under_way.len() < window {
                under_way.push_back(wire.begin(Request::ReadFolder, handle));
            }
            let Some(id) = under_way.pop_front() else {
                break part("nothing was asked");
            };
            match wire.wait(id).await? {
                Reply::Names(names) => {
                    let before = self.names;
                    if let Some(ended) = self.take_all(names)? {
                        break ended;
                    }
                    // A reply with fewer names than another is mostly the last: what is under way will show the end.
                    let came = self.names - before;
                    window = match came {
                        _ if came < most => 1,
                        _ if most == 0 => UNDER_WAY_FIRST,
                        _ => UNDER_WAY_MAX,
                    };
                    most = most.max(came);
                    turns.after(came as usize).await;
                }
                Reply::Status(status) if status.code == Status::EOF => break self.whole(),
                Reply::Status(status) => break unclear(status.failure())?,
                other => return Err(other.misplaced()),
            }
            if wire.client.received() - start > LISTING_BYTES_MAX {
                break part(format!("the listing is longer than {LISTING_BYTES_MAX} bytes"));
            }
        };
        for id in under_way {
            wire.forget(id);
        }
        Ok(listed)
    }

    /// `Some` if the listing ends here.
    fn take_all(&mut self, mut names: Names) -> Result<Option<ListingEnd>, Failure> {
        let before = self.names;
        while let Some(name) = names.next()? {
            self.names += 1;
            if self.names > ENTRIES_MAX {
                return Ok(Some(part(format!(
                    "the folder has more than {ENTRIES_MAX} entries"
                ))));
            }
            if !self.take(&name) {
                return Ok(Some(part("no more was wanted")));
            }
        }
        // Some servers end a listing so; but nothing says that it is the end.
        Ok((self.names == before).then(|| part("the server sent no names and no end")))
    }

    /// False if no more is wanted.
    fn take(&mut self, name: &Name) -> bool {
        if *name.bytes == *b"." || *name.bytes == *b".." {
            return true;
        }
        if name.bytes.contains(&b'/') || name.bytes.contains(&0) {
            self.impossible += 1;
            return true;
        }
        if !self.seen.is_new(&name.bytes) {
            return true;
        }
        let kind = kind_of(name);
        let Some(url) = listing::child(self.folder, &name.bytes, kind == EntryKind::Folder) else {
            self.impossible += 1;
            return true;
        };
        let modified = name.attributes.modified().map(|at| FileTime {
            at,
            precision: PRECISION,
        });
        let meta = Meta {
            // A folder's size is that of its list, which is no business of ours.
            size: name.attributes.size.filter(|_| kind != EntryKind::Folder),
            modified,
            id: None,
        };
        (self.take)(ListingEntry { url, kind, meta })
    }

    fn whole(&self) -> ListingEnd {
        match self.impossible {
            0 => ListingEnd::Whole,
            names => part(format!("{names} names cannot be those of files")),
        }
    }
}

/// Why a folder could not be opened: servers say "no such file" also where a file is.
async fn no_folder(wire: &mut Wire<'_>, path: &[u8], refused: &Status) -> Result<ListingEnd, Failure> {
    if refused.code == Status::PERMISSION_DENIED {
        return unclear(refused.failure());
    }
    match wire.stat(path).await? {
        Ok(stat) if stat.kind() == Some(FileKind::File) => Ok(ListingEnd::File),
        // It is there and cannot be opened, so it is not gone.
        Ok(_) if refused.code == Status::NO_SUCH_FILE => unclear(Failure::new(
            Reason::AccessDenied,
            "it is there but cannot be opened as a folder",
        )),
        Err(status) if status.code == Status::NO_SUCH_FILE => Ok(ListingEnd::Gone),
        Err(status) => unclear(status.failure()),
        Ok(_) => unclear(refused.failure()),
    }
}

fn kind_of(name: &Name) -> EntryKind {
    match name.attributes.kind() {
        Some(FileKind::File) => EntryKind::File,
        Some(FileKind::Folder) => EntryKind::Folder,
        Some(FileKind::Link) => EntryKind::Link,
        Some(FileKind::Other) => EntryKind::Other,
        // A guess that a fetch puts right.
        None => match name.line.first() {
            Some(b'd') => EntryKind::Folder,
            Some(b'l') => EntryKind::Link,
            _ => EntryKind::File,
        },
    }
}

fn part(detail: impl Into<String>) -> ListingEnd {
    ListingEnd::Part {
        detail: detail.into(),
    }
}

fn unclear(failure: Failure) -> Result<ListingEnd, Failure> {
    match failure {
        Failure::Ours(_) => Err(failure),
        theirs @ Failure::Theirs { .. } => Ok(ListingEnd::Unclear(Box::new(theirs.into_unclear()?))),
    }
}
