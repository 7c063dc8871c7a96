//! Traces: when the pages of a site really changed, and what it costs not to look.

use std::path::Path;

pub(crate) const DAYS: f64 = 1461.0;
const BEGIN: f64 = 1_609_459_200.0;

pub(crate) struct Page {
    /// The folders, outermost first.
    pub(crate) folders: Vec<String>,
    pub(crate) born: f64,
    pub(crate) died: f64,
    pub(crate) changes: Vec<f64>,
}

pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) pages: Vec<Page>,
}

impl Trace {
    pub(crate) fn life(&self) -> f64 {
        self.pages.iter().map(|page| page.died - page.born).sum()
    }
}

pub(crate) fn all(folder: &Path) -> Vec<Trace> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of traces")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(".tsv.zst"))
        .collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Trace {
    let bytes = zstd::decode_all(std::fs::File::open(file).expect("a trace")).expect("zstd");
    let text = String::from_utf8(bytes).expect("UTF-8");
    let day = |text: &str| (text.parse::<f64>().expect("seconds") - BEGIN) / 86_400.0;
    let pages = text.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let mut folders: Vec<String> = fields[1].split('/').map(str::to_owned).collect();
        folders.pop();
        let changes = fields
            .get(4)
            .unwrap_or(&"")
            .split(',')
            .filter(|time| !time.is_empty());
        let mut changes: Vec<f64> = changes.map(day).collect();
        changes.sort_by(f64::total_cmp);
        Page {
            folders,
            born: day(fields[2]),
            died: day(fields[3]),
            changes,
        }
    });
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Trace {
        name: name.trim_end_matches(".tsv.zst").to_owned(),
        pages: pages.collect(),
    }
}

/// What a policy saw and missed of one page.
#[derive(Default, Clone)]
pub(crate) struct Watched {
    next: usize,
    pub(crate) last: f64,
    pub(crate) stale: f64,
    pub(crate) looks: u64,
}

impl Watched {
    pub(crate) fn new(page: &Page) -> Watched {
        Watched {
            last: page.born,
            ..Watched::default()
        }
    }

    /// Whether the page changed since the last look.
    pub(crate) fn look(&mut self, page: &Page, now: f64) -> bool {
        self.looks += 1;
        self.last = now;
        let first = page.changes.get(self.next).copied().unwrap_or(f64::INFINITY);
        if first > now {
            return false;
        }
        self.stale += now - first;
        while page.changes.get(self.next).is_some_and(|time| *time <= now) {
            self.next += 1;
        }
        true
    }

    pub(crate) fn end(&mut self, page: &Page) {
        let first = page.changes.get(self.next).copied().unwrap_or(f64::INFINITY);
        self.stale += (page.died - first).max(0.0);
    }
}

/// A generator whose numbers are the same on every machine.
pub(crate) struct Chance(pub u64);

impl Chance {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
