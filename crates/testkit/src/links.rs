//! Webs of links with known truth: a large graph by the copying model, and hosts with planted mirrors.
//!
//! The copying model (Kumar et al. 2000): a new page takes a page before it as its model and copies each of its links with some
//! probability, else links to a page by itself. Like real webs it has very popular pages, and pages whose links are alike.

use std::io::{self, Write};

/// Numbers that look like chance and are the same each time (`SplitMix64`).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.any()) * u128::from(bound)) >> 64) as u64
    }
}

/// A web of `pages` pages with `links_each` links each. Pages are numbered host by host, four of five links stay on their host.
pub struct CopyingWeb {
    pub pages: u32,
    pub links_each: u32,
    /// The first page of each host, and the number of pages at the end.
    pub host_starts: Vec<u32>,
}

impl CopyingWeb {
    pub fn new(pages: u32, links_each: u32, seed: u64) -> CopyingWeb {
        let mut numbers = Numbers::new(seed ^ 0x5eed);
        let mut host_starts = vec![0];
        let mut next = 0u32;
        while next < pages {
            // From a few pages to ten thousand, small hosts far more often.
            let exponent = numbers.below(1_000) as f64 / 1_000.0;
            let size = (5.0 * 2_000f64.powf(exponent * exponent)) as u32;
            next = next.saturating_add(size).min(pages);
            host_starts.push(next);
        }
        CopyingWeb {
            pages,
            links_each,
            host_starts,
        }
    }

    /// Gives every link as `(from, to)`, page by page; the same for the same seed. Memory: 4 bytes a link.
    pub fn each_link(&self, seed: u64, mut take: impl FnMut(u32, u32) -> io::Result<()>) -> io::Result<()> {
        let mut numbers = Numbers::new(seed);
        let each = self.links_each as usize;
        let mut links: Vec<u32> = Vec::with_capacity(self.pages as usize * each);
        for host in self.host_starts.windows(2) {
            let (first, end) = (host[0], host[1]);
            for page in first..end {
                let model = first + numbers.below(u64::from(page - first) + 1) as u32;
                for place in 0..each {
                    let copies = model < page && numbers.below(100) < 60;
                    let to = if copies {
                        links[model as usize * each + place]
                    } else if numbers.below(100) < 80 || first == 0 {
                        // On the own host, near pages more often.
                        let width = u64::from(end - first);
                        let reach = width.min(1 + numbers.below(width));
                        let low = u64::from(page).saturating_sub(reach / 2).max(u64::from(first));
                        (low + numbers.below(reach)).min(u64::from(end) - 1) as u32
                    } else {
                        // Elsewhere: where somebody before linked to, or anywhere before.
                        let known = numbers.below(links.len() as u64) as usize;
                        if numbers.below(100) < 70 {
                            links[known]
                        } else {
                            numbers.below(u64::from(first)) as u32
                        }
                    };
                    links.push(to);
                    take(page, to)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the links as pairs of 32-bit numbers, the lowest byte first.
    pub fn write_binary(&self, seed: u64, out: &mut impl Write) -> io::Result<()> {
        self.each_link(seed, |from, to| {
            out.write_all(&from.to_le_bytes())?;
            out.write_all(&to.to_le_bytes())
        })
    }

    /// Writes the links as lines of two addresses.
    pub fn write_text(&self, seed: u64, out: &mut impl Write) -> io::Result<()> {
        self.each_link(seed, |from, to| {
            writeln!(out, "{}\t{}", self.address(from), self.address(to))
        })
    }

    /// The address of a page. Addresses are in the order of their numbers within a host.
    pub fn address(&self, page: u32) -> String {
        let host = self.host_starts.partition_point(|&start| start <= page) - 1;
        format!("https://www.host-{host:06}.example/page/{page:08}.html")
    }
}

/// Hosts with their pages, and which of them are mirrors of each other.
pub struct MirroredHosts {
    /// Path and hash of the text, by host.
    pub hosts: Vec<Vec<(String, u64)>>,
    /// Places in `hosts`, the lower first.
    pub mirrors: Vec<(usize, usize)>,
}

/// `pairs` of mirrors among hosts that only look alike: made by the same programs, so that their paths are the same and their texts
/// are not, some with texts in common (licences, manuals), some parked. A mirror has drifted by a tenth: pages changed, gone and new; and
/// its index pages have other names.
pub fn mirrored_hosts(pairs: usize, alike: usize, seed: u64) -> MirroredHosts {
    let mut numbers = Numbers::new(seed);
    let mut hosts = Vec::new();
    let mut mirrors = Vec::new();
    for pair in 0..pairs {
        let pages = 40 + numbers.below(600);
        let mut original = vec![("/".to_owned(), numbers.any())];
        for page in 1..pages {
            let folder = numbers.below(12);
            let path = match numbers.below(6) {
                0 => format!("/part{folder}/section{page}/"),
                1 => format!("/part{folder}/item.php?id={}", pair as u64 * 1_000 + page),
                _ => format!("/part{folder}/text-{pair}-{page}.html"),
            };
            original.push((path, numbers.any()));
        }
        let index = ["index.html", "index.php", "default.htm", "Default.aspx"][numbers.below(4) as usize];
        let mut copy = Vec::new();
        for (path, text) in &original {
            let renamed = match path.strip_suffix('/') {
                Some(folder) => format!("{folder}/{index}"),
                None => path.clone(),
            };
            // A tenth drifts: half of it changed, a quarter gone, a quarter elsewhere.
            match numbers.below(40) {
                0 | 1 => copy.push((renamed, numbers.any())),
                2 => {}
                3 => copy.push((format!("/new/{}.html", numbers.below(1 << 40)), numbers.any())),
                _ => copy.push((renamed, *text)),
            }
        }
        mirrors.push((hosts.len(), hosts.len() + 1));
        hosts.push(original);
        hosts.push(copy);
    }
    for host in 0..alike {
        hosts.push(look_alike(host as u64, &mut numbers));
    }
    MirroredHosts { hosts, mirrors }
}

fn look_alike(host: u64, numbers: &mut Numbers) -> Vec<(String, u64)> {
    // Programs of different spread: the rarest are used by five hosts each.
    let spread = [100, 50, 20, 5][host as usize % 4];
    let program = host % 4 + 4 * (host / 4 / spread);
    let parked = host % 50 == 7;
    let pages = 40 + numbers.below(200);
    let parking_text = 0xdead;
    (0..pages)
        .map(|page| {
            let path = if page == 0 {
                "/".to_owned()
            } else {
                format!("/app{program}/view/{page}")
            };
            // A third of the pages of a program's own manual is the same everywhere.
            let is_manual = page % 3 == 0;
            let text = match () {
                () if parked => parking_text,
                () if is_manual => program << 32 | page,
                () => numbers.any(),
            };
            (path, text)
        })
        .collect()
}
