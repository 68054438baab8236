package fetch

import (
	"net/netip"
	"strings"
	"testing"
)

func TestCheckAddr(t *testing.T) {
	for _, test := range []struct{ addr, want string }{
		{"8.8.8.8", ""},
		{"1.1.1.1", ""},
		{"::ffff:8.8.8.8", ""},
		{"2606:4700:4700::1111", ""},
		{"64:ff9b::808:808", ""}, // 8.8.8.8 behind NAT64

		{"127.0.0.1", "loopback"}, {"127.255.255.254", "loopback"}, {"::1", "loopback"},
		{"::ffff:127.0.0.1", "loopback"}, {"64:ff9b::7f00:1", "loopback"},
		{"10.0.0.1", "private"}, {"172.16.0.1", "private"}, {"172.31.255.255", "private"}, {"192.168.1.1", "private"},
		{"::ffff:10.0.0.1", "private"}, {"64:ff9b::a00:1", "private"}, {"fc00::1", "private"}, {"fd12:3456::1", "private"},
		{"169.254.1.1", "link-local"}, {"fe80::1", "link-local"}, {"fe80::1%eth0", "link-local"}, {"::ffff:169.254.1.1", "link-local"},
		{"100.64.0.1", "shared"}, {"100.127.255.255", "shared"},
		{"224.0.0.1", "multicast"}, {"239.255.255.250", "multicast"}, {"ff02::1", "multicast"},
		{"0.0.0.0", "unspecified"}, {"::", "unspecified"}, {"::ffff:0.0.0.0", "unspecified"},
		{"169.254.169.254", "metadata"}, {"::ffff:169.254.169.254", "metadata"}, {"64:ff9b::a9fe:a9fe", "metadata"},
		{"169.254.170.2", "metadata"}, {"fd00:ec2::254", "metadata"}, {"100.100.100.200", "metadata"}, {"192.0.0.192", "metadata"}, {"168.63.129.16", "metadata"},
		{"0.1.2.3", "reserved"}, {"192.0.2.1", "reserved"}, {"198.18.0.1", "reserved"}, {"198.51.100.1", "reserved"}, {"203.0.113.1", "reserved"},
		{"240.0.0.1", "reserved"}, {"255.255.255.255", "reserved"}, {"192.88.99.1", "reserved"},
		{"2002:7f00:1::", "reserved"}, {"2002:808:808::1", "reserved"}, // 6to4
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"}, // Teredo
		{"64:ff9b:1::1", "reserved"}, {"2001:db8::1", "reserved"}, {"fec0::1", "reserved"}, {"::7f00:1", "reserved"}, {"100::1", "reserved"},
		{"2a00:1450::5efe:a00:1", "tunnel"}, {"2a00:1450::200:5efe:a00:1", "tunnel"},
	} {
		got := CheckAddr(netip.MustParseAddr(test.addr))
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.addr, got, test.want)
		}
	}
	if CheckAddr(netip.Addr{}) == "" {
		t.Error("no address at all is permitted")
	}
}

func TestCheckPort(t *testing.T) {
	for port, ok := range map[uint16]bool{80: true, 443: true, 8080: true, 8443: true, 3000: true, 1: false, 22: false, 25: false, 53: false, 587: false, 5432: false, 6379: false, 6667: false, 11211: false} {
		if got := checkPort(port) == ""; got != ok {
			t.Errorf("port %d: permitted is %v", port, got)
		}
	}
}

// FuzzCheckAddr holds the check against what netip and the arithmetic of embedded
// addresses say by themselves.
func FuzzCheckAddr(f *testing.F) {
	for _, s := range []string{"8.8.8.8", "127.0.0.1", "::1", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "fd00:ec2::254", "2001:db8::1"} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ip, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		public := CheckAddr(ip) == ""
		if ip.Is4() {
			mapped := netip.AddrFrom16(ip.As16())
			nat64 := netip.MustParseAddr("64:ff9b::").As16()
			copy(nat64[12:], b)
			if CheckAddr(mapped) != CheckAddr(ip) || CheckAddr(netip.AddrFrom16(nat64)) != CheckAddr(ip) {
				t.Fatalf("%s counts otherwise as %s or behind NAT64", ip, mapped)
			}
			sixToFour := [16]byte{0x20, 0x02, b[0], b[1], b[2], b[3]}
			if CheckAddr(netip.AddrFrom16(sixToFour)) == "" {
				t.Fatalf("6to4 of %s is permitted", ip)
			}
		}
		if ip.Is6() && !ip.Is4In6() && public && b[0]&0xe0 != 0x20 && !netip.MustParsePrefix("64:ff9b::/96").Contains(ip) {
			t.Fatalf("%s is no global unicast address, and is permitted", ip)
		}
		if u := ip.Unmap(); public && (u.IsPrivate() || u.IsLoopback() || u.IsLinkLocalUnicast() || u.IsMulticast() || u.IsUnspecified() || !u.IsGlobalUnicast()) {
			t.Fatalf("%s is permitted", ip)
		}
	})
}
