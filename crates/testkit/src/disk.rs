//! What happens when the disk is full, or loses power? File systems made for one test, thrown away after it.
//!
//! Both need root and the right to mount; where that is missing the constructors say so and the test is skipped with that
//! reason. [`SmallDisk`] is a tmpfs with few bytes or few files. [`PowerDisk`] is ext4 in an image file that can be stopped
//! in the middle: what was not synced is gone, what was synced is there after the journal is replayed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// A file system stays busy for a moment after its last user was killed.
const UNMOUNT_PATIENCE: Duration = Duration::from_secs(10);

/// A file system in memory that fills up soon; unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    mount: Mount,
}

/// An ext4 file system whose power can be cut; unmounted when dropped.
#[derive(Debug)]
pub struct PowerDisk {
    /// Dropped first: the image lies in the folder below.
    mount: Option<Mount>,
    image: PathBuf,
    cutter: PathBuf,
    place: PathBuf,
    _folder: TempDir,
}

/// A mounted folder.
#[derive(Debug)]
struct Mount {
    at: PathBuf,
    /// Removed after unmounting, where it is ours.
    _folder: Option<TempDir>,
}

impl SmallDisk {
    /// A disk of so many bytes and at most so many files and folders.
    pub fn new(size_bytes: u64, files_max: u64) -> Result<SmallDisk> {
        let folder = tempfile::tempdir()?;
        let options = format!("size={size_bytes},nr_inodes={files_max}");
        let at = folder.path().to_owned();
        run(Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "testkit"])
            .arg(&at))?;
        Ok(SmallDisk {
            mount: Mount {
                at,
                _folder: Some(folder),
            },
        })
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.mount.at
    }

    /// Gives it another size: how a full disk gets space again.
    pub fn resize(&self, size_bytes: u64, files_max: u64) -> Result<()> {
        let options = format!("remount,size={size_bytes},nr_inodes={files_max}");
        run(Command::new("mount").args(["-o", &options]).arg(&self.mount.at))
    }
}

impl PowerDisk {
    /// A fresh ext4 of so many mebibytes (at least 16).
    pub fn new(size_mib: u64) -> Result<PowerDisk> {
        let folder = tempfile::tempdir()?;
        let (image, place) = (folder.path().join("image"), folder.path().join("disk"));
        let cutter = build_cutter(folder.path())?;
        std::fs::File::create(&image)?.set_len(size_mib * 1024 * 1024)?;
        run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))?;
        std::fs::create_dir(&place)?;
        let mut disk = PowerDisk {
            mount: None,
            image,
            cutter,
            place,
            _folder: folder,
        };
        disk.mount()?;
        Ok(disk)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.place
    }

    /// Cuts the power: from now on every access fails, until [`PowerDisk::power_on`].
    pub fn cut_power(&self) -> Result<()> {
        run(Command::new(&self.cutter).arg(&self.place))
    }

    /// Mounts again what the disk held, the journal replayed. Programs that had files open must have ended.
    pub fn power_on(&mut self) -> Result<()> {
        if let Some(mount) = self.mount.take() {
            mount.unmount()?;
        }
        self.mount()
    }

    fn mount(&mut self) -> Result<()> {
        run(Command::new("mount")
            .args(["-o", "loop"])
            .arg(&self.image)
            .arg(&self.place))?;
        self.mount = Some(Mount {
            at: self.place.clone(),
            _folder: None,
        });
        Ok(())
    }
}

impl Mount {
    fn unmount(&self) -> Result<()> {
        let end = Instant::now() + UNMOUNT_PATIENCE;
        loop {
            match run(Command::new("umount").arg(&self.at)) {
                Err(_) if Instant::now() < end && is_mounted(&self.at) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) if is_mounted(&self.at) => return Err(error),
                _ => return Ok(()),
            }
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if is_mounted(&self.at) {
            // A test that fails leaves programs with open files: then the folder goes now and the rest with them.
            let _ = run(Command::new("umount").arg("-l").arg(&self.at));
        }
    }
}

fn is_mounted(at: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts
        .lines()
        .any(|line| line.split(' ').nth(1).is_some_and(|place| Path::new(place) == at))
}

fn build_cutter(folder: &Path) -> Result<PathBuf> {
    let (source, program) = (folder.join("power_cut.c"), folder.join("power_cut"));
    std::fs::write(&source, include_str!("power_cut.c"))?;
    run(Command::new("cc").arg("-o").arg(&program).arg(&source))?;
    Ok(program)
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let output = command
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    ensure!(
        output.status.success(),
        "{name} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_disk_fills_up_and_grows() {
        let disk = match SmallDisk::new(64 * 1024, 8) {
            Ok(disk) => disk,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let file = disk.path().join("file");
        let error = std::fs::write(&file, vec![1; 100_000]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        disk.resize(1024 * 1024, 8).unwrap();
        std::fs::write(&file, vec![1; 100_000]).unwrap();
        let many = (0..10).find_map(|n| std::fs::write(disk.path().join(n.to_string()), "").err());
        assert_eq!(many.unwrap().kind(), std::io::ErrorKind::StorageFull);
        let at = disk.path().to_owned();
        drop(disk);
        assert!(!at.exists());
    }

    #[test]
    fn only_what_was_synced_outlives_a_power_cut() {
        let mut disk = match PowerDisk::new(32) {
            Ok(disk) => disk,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let (synced, hoped) = (disk.path().join("synced"), disk.path().join("hoped"));
        std::fs::write(&synced, "safe").unwrap();
        std::fs::File::open(&synced).unwrap().sync_all().unwrap();
        std::fs::File::open(disk.path()).unwrap().sync_all().unwrap();
        std::fs::write(&hoped, "lost").unwrap();
        disk.cut_power().unwrap();
        assert!(std::fs::write(&hoped, "after").is_err());
        disk.power_on().unwrap();
        assert_eq!(std::fs::read_to_string(&synced).unwrap(), "safe");
        assert!(!hoped.exists());
    }
}
