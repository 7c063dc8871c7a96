//! Under which names is the web served? Addresses 127.0.x.y on one port, or names below a suffix.

/// How hosts are called.
#[derive(Debug, Clone)]
pub(super) struct Hosts {
    pub(super) port: u16,
    /// Empty: addresses.
    pub(super) suffix: String,
}

impl Hosts {
    /// Network 127.0.100.0 and after it, so that a synthetic site beside it is not in the way.
    pub(super) fn address(site: u16) -> [u8; 4] {
        [127, 0, 100 + (site / 200) as u8, (1 + site % 200) as u8]
    }

    pub(super) fn authority(&self, site: u16) -> String {
        if self.suffix.is_empty() {
            let [a, b, c, d] = Hosts::address(site);
            format!("{a}.{b}.{c}.{d}:{}", self.port)
        } else {
            format!("s{site}.{}:{}", self.suffix, self.port)
        }
    }

    /// The site of an authority.
    pub(super) fn site(authority: &str) -> Option<u16> {
        let host = authority.rsplit_once(':').map_or(authority, |parts| parts.0);
        if let Some(rest) = host.strip_prefix("127.0.") {
            let (net, last) = rest.split_once('.')?;
            let (net, last): (u16, u16) = (net.parse().ok()?, last.parse().ok()?);
            return Some(net.checked_sub(100)? * 200 + last.checked_sub(1)?);
        }
        host.strip_prefix('s')?.split('.').next()?.parse().ok()
    }
}
