package fetch

import (
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"
)

// special are the addresses and ports that the internet's registries refuse. Ports
// are checked by [checkPort], which can say more.
var special = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(
	// Azure's wire server answers only virtual machines, from a public address.
	// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
	azureWire,
))

var (
	azureWire = netip.MustParsePrefix("168.63.129.16/32")
	shared    = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
)

// metadata are addresses at which clouds hand out their machines' credentials, for
// the error to say so; their networks are refused anyway.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // AWS, Google Cloud, Azure, OpenStack and others
	netip.MustParseAddr("169.254.170.2"),   // AWS ECS
	netip.MustParseAddr("fd00:ec2::254"),   // AWS over IPv6
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
	azureWire.Addr(),
}

// CheckAddr says why an address may not be connected to; "": it is a public one. An
// IPv4 address counts as itself in whatever form of IPv6 it is written.
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

// dialed is the address that a connection to ip ends at: an IPv4 address has several
// forms of IPv6.
func dialed(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ssrf.IPv6NAT64Prefix.Contains(ip) {
		// Where DNS64 makes up such addresses, all of the IPv4 internet is behind them.
		b := ip.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}

// isISATAP reports whether an address is a tunnel to an IPv4 address, which mostly
// is a private one (RFC 5214, section 6.1).
func isISATAP(ip netip.Addr) bool {
	if !ip.Is6() {
		return false
	}
	b := ip.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// notHTTP are ports from 1024 at which something else than HTTP listens: those of
// the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking), and databases
// and the like that act on lines of a request.
var notHTTP = []uint16{
	1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	1433, 1521, 2375, 2376, 2379, 3306, 3389, 5432, 5672, 5900, 6379, 11211, 27017,
}

// checkPort says why a port may not be connected to; "": it may.
func checkPort(port uint16) string {
	if port != 80 && port != 443 && port < 1024 || slices.Contains(notHTTP, port) {
		return "no port for web pages"
	}
	return ""
}
