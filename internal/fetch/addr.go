package fetch

import (
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"
)

// special accepts any port: [checkPort] checks ports, with a better error.
var special = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(
	// Azure's wire server has a public address, but only virtual machines can reach it:
	// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
	azureWire,
))

var (
	azureWire = netip.MustParsePrefix("168.63.129.16/32")
	shared    = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
)

// metadata gives these addresses a clearer error. They would be refused anyway.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // AWS, Google Cloud, Azure, OpenStack and others
	netip.MustParseAddr("169.254.170.2"),   // AWS ECS
	netip.MustParseAddr("fd00:ec2::254"),   // AWS over IPv6
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
	azureWire.Addr(),
}

// CheckAddr says why a connection to ip is not allowed; "": ip is public. It treats every
// IPv6 form of an IPv4 address as that IPv4 address.
func CheckAddr(ip netip.Addr) string {
	if !ip.IsValid() {
		return "no address"
	}
	ip = dialed(ip)
	switch {
	case slices.Contains(metadata, ip):
		return "the metadata service of a cloud"
	case ip.IsUnspecified():
		return "the unspecified address"
	case ip.IsLoopback():
		return "a loopback address"
	case ip.IsPrivate():
		return "in a private network"
	case ip.IsLinkLocalUnicast():
		return "a link-local address"
	case ip.IsMulticast():
		return "a multicast address"
	case shared.Contains(ip):
		return "in a provider's shared network"
	case isISATAP(ip):
		return "a tunnel into a private network"
	case special.SafeAddr(ip) != nil:
		return "reserved and not on the public internet"
	}
	return ""
}

// dialed converts IPv6 forms of an IPv4 address to IPv4.
func dialed(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ssrf.IPv6NAT64Prefix.Contains(ip) {
		// With DNS64, the whole IPv4 internet has such addresses.
		b := ip.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}

// isISATAP reports whether ip is a tunnel to an IPv4 address, which is usually private
// (RFC 5214, section 6.1).
func isISATAP(ip netip.Addr) bool {
	if !ip.Is6() {
		return false
	}
	b := ip.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// notHTTP are the refused ports from 1024: those of the Fetch standard
// (https://fetch.spec.whatwg.org/#port-blocking), and those of databases that could
// execute lines of a request.
var notHTTP = []uint16{
	1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	1433, 1521, 2375, 2376, 2379, 3306, 3389, 5432, 5672, 5900, 6379, 11211, 27017,
}

func checkPort(port uint16) string {
	if port != 80 && port != 443 && port < 1024 || slices.Contains(notHTTP, port) {
		return "no port for web pages"
	}
	return ""
}
