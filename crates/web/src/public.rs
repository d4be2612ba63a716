//! Which addresses lie in the open internet, by the registries of special-purpose addresses. Pure.
//!
//! Whatever is not surely public is not: this machine, its networks, the metadata services of clouds, and addresses that
//! wrap one of those.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// First addresses of ranges and how many bits tell them.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // carriers
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local, metadata of clouds
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // relays of 6to4
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(first, bits): &([u8; 4], u32)| (u32::from(address) ^ u32::from_be_bytes(*first)) >> (32 - bits) == 0;
    !SPECIAL_V4.iter().any(within)
}

/// Where public addresses are given out, and all that is not public there.
const GLOBAL_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
const SPECIAL_V6: &[([u16; 8], u32)] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),      // protocol assignments, Teredo
    ([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),      // 6to4, which wraps any IPv4 address and serves no pages
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),      // documentation
];
/// Where gateways put the whole of IPv4; networks without IPv4 reach it by no other way.
const NAT64: ([u16; 8], u32) = ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

fn is_public_v6(address: Ipv6Addr) -> bool {
    let inner = address.to_ipv4_mapped().or_else(|| within(address, &NAT64).then(|| last_four(address)));
    if let Some(inner) = inner {
        return is_public_v4(inner);
    }
    let tunnel_inside = matches!(address.segments(), [_, _, _, _, 0 | 0x200, 0x5efe, _, _]);
    within(address, &GLOBAL_V6)
        && !SPECIAL_V6.iter().any(|range| within(address, range))
        && (!tunnel_inside || is_public_v4(last_four(address)))
}

fn within(address: Ipv6Addr, (first, bits): &([u16; 8], u32)) -> bool {
    (u128::from(address) ^ u128::from(Ipv6Addr::from(*first))) >> (128 - bits) == 0
}

fn last_four(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn the_ends_of_every_range_are_known() {
        // First and last of each range, and its neighbours, which are public unless they stand in the next range.
        for (first, last, before, after) in [
            ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
            ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
            ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
            ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
            ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
            ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
            ("192.0.0.0", "192.0.0.255", Some("191.255.255.255"), Some("192.0.1.0")),
            ("192.0.2.0", "192.0.2.255", Some("192.0.1.255"), Some("192.0.3.0")),
            ("192.88.99.0", "192.88.99.255", Some("192.88.98.255"), Some("192.88.100.0")),
            ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
            ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
            ("198.51.100.0", "198.51.100.255", Some("198.51.99.255"), Some("198.51.101.0")),
            ("203.0.113.0", "203.0.113.255", Some("203.0.112.255"), Some("203.0.114.0")),
            ("224.0.0.0", "239.255.255.255", Some("223.255.255.255"), None),
            ("240.0.0.0", "255.255.255.255", None, None),
        ] {
            assert!(!public(first) && !public(last), "{first}");
            assert!(before.into_iter().chain(after).all(public), "beside {first}");
        }
    }

    #[test]
    fn only_what_is_given_out_is_public_in_ipv6() {
        for address in [
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "100::1",
            "64:ff9b:1::808:808",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ] {
            assert!(!public(address), "{address}");
        }
        for address in ["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "2001:200::1", "3ffe::1"] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn what_wraps_an_address_is_as_public_as_that() {
        for wrap in ["::ffff:{}", "64:ff9b::{}", "2606:4700::5efe:{}", "2606:4700::200:5efe:{}"] {
            for (inner, is_public) in
                [("8.8.8.8", true), ("127.0.0.1", false), ("10.0.0.1", false), ("169.254.169.254", false), ("100.64.0.1", false)]
            {
                let address = wrap.replace("{}", inner);
                assert_eq!(public(&address), is_public, "{address}");
            }
        }
    }
}
