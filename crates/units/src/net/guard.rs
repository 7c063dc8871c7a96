//! May we connect to this address? (I4, HC026–HC028)
//!
//! Asked in the connector about the very address that is then connected to, so that neither spelling, nor DNS
//! rebinding, nor a redirect gets around it. Whatever is not plainly a public unicast address is refused: the
//! special-purpose registries of IANA (RFC 6890), and IPv6 forms that carry an IPv4 address inside.

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Everything in 0/0 that is not public.
const CLOSED_V4: &[(Ipv4Addr, u8)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),           // this network, unspecified
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared by carriers (CGNAT)
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // IETF protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relay, deprecated
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast
];

/// Only `2000::/3` is given out to the world; these parts of it are not hosts.
const CLOSED_V6: &[(Ipv6Addr, u8)] = &[
    (Ipv6Addr::new(0x2001, 0x2, 0, 0, 0, 0, 0, 0), 48), // benchmarking
    (Ipv6Addr::new(0x2001, 0x10, 0, 0, 0, 0, 0, 0), 28), // ORCHID
    (Ipv6Addr::new(0x2001, 0x20, 0, 0, 0, 0, 0, 0), 28), // ORCHID v2
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),   // documentation
];

/// Whether `address` is one that a stranger's link may lead us to.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !CLOSED_V4
        .iter()
        .any(|&(base, bits)| Ipv4Net::new_assert(base, bits).contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let part = address.segments();
    let tail = v4_of(part[6], part[7]);
    match part {
        // ::ffff:a.b.c.d (mapped), ::ffff:0:a.b.c.d (translated) and ::a.b.c.d (compatible), which also covers :: and
        // ::1, whose tails are in 0/8. Then NAT64 (RFC 6052); its local-use prefix 64:ff9b:1::/48 is private by
        // definition and falls through.
        [0, 0, 0, 0, 0, 0xffff | 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            is_public_v4(tail)
        }
        // 6to4 (RFC 3056): the next 32 bits are the gateway.
        [0x2002, high, low, ..] => is_public_v4(v4_of(high, low)),
        // Teredo (RFC 4380): server in the clear, client with its bits turned.
        [0x2001, 0, high, low, ..] => {
            is_public_v4(v4_of(high, low)) && is_public_v4(v4_of(!part[6], !part[7]))
        }
        [first, ..] if first & 0xe000 == 0x2000 => !CLOSED_V6
            .iter()
            .any(|&(base, bits)| Ipv6Net::new_assert(base, bits).contains(&address)),
        _ => false,
    }
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc026_private_addresses_of_every_kind_are_closed() {
        let closed = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.8.9.1 \
            169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.7 192.88.99.1 192.168.0.1 198.18.0.1 \
            198.19.255.255 198.51.100.1 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 \
            :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 \
            64:ff9b:1::1 100::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:a00:1::1 \
            2001:0:7f00:1::1 2001:0:0808:0808::80ff:fffe 3fff::1 fc00::1 fd12:3456::1 fe80::1 febf::1 fec0::1 \
            ff02::1 4000::1 5f00::1";
        for text in closed.split_whitespace() {
            let address: IpAddr = text.parse().unwrap();
            assert!(!is_public(address), "{text} must be closed");
        }
    }

    #[test]
    fn public_addresses_are_open() {
        let open = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.1 169.253.0.1 \
            172.15.255.255 172.32.0.0 192.0.1.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.0 223.255.255.255 \
            ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1";
        for text in open.split_whitespace() {
            let address: IpAddr = text.parse().unwrap();
            assert!(is_public(address), "{text} must be open");
        }
    }
}
