package outbound

import "net/netip"

// reservedRanges are those beside the ones that package netip knows, which never belong to a registry: this network,
// protocol assignments, the reserved class E with the broadcast address, and the metadata services of clouds that are
// not link-local.
var reservedRanges = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("fd00:ec2::/32"),
}

// Ranges of IPv6 whose addresses lead to one of IPv4, with the byte that it begins at.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// isReserved reports whether an address is loopback, link-local, unspecified, multicast or otherwise none of a host
// that serves others. Private networks are not reserved: registries are often there.
func isReserved(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() {
		return true
	}
	for _, r := range reservedRanges {
		if r.Contains(ip) {
			return true
		}
	}
	for _, e := range embedding {
		if e.prefix.Contains(ip) {
			bytes := ip.As16()
			return isReserved(netip.AddrFrom4([4]byte(bytes[e.at : e.at+4])))
		}
	}
	return false
}
