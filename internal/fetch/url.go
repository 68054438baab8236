package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// longestURL is the limit of common web servers.
const longestURL = 8000

// ParseURL parses an address as a person or model wrote it. Without a scheme it assumes
// https. It converts international names to ASCII (RFC 5890).
func ParseURL(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return nil, &Refused{"the address", "there is none"}
	}
	if len(raw) > longestURL {
		return nil, &Refused{raw[:60] + "…", fmt.Sprintf("an address of %d characters is longer than web servers take", len(raw))}
	}
	if !strings.Contains(raw, "://") && !strings.HasPrefix(raw, "//") && hasHost(raw) {
		raw = "https://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The error would quote a password in the address.
		return nil, &Refused{"the address", "it is not a URL: write it as https://host/path"}
	}
	if err := checkURL(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// hasHost recognizes "example.org:8080/page", in which the colon does not end a scheme.
func hasHost(raw string) bool {
	host, _, _ := strings.Cut(raw, "/")
	name, port, colon := strings.Cut(host, ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return strings.Contains(name, ".") && !strings.Contains(host, "@") && (!colon || err == nil)
}

// checkURL also runs for redirects.
func checkURL(u *url.URL) error {
	if u.User != nil {
		return &Refused{show(u), "the address contains a user or a password: errand sends none; leave out what stands before the @"}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return &Refused{show(u), fmt.Sprintf("%q is not an address of the web: only http:// and https:// are fetched", u.Scheme)}
	}
	host := u.Hostname()
	if host == "" {
		return &Refused{show(u), "the address names no host: write it as https://host/path"}
	}
	port := u.Port()
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return &Refused{show(u), fmt.Sprintf("%q is no port", port)}
		}
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return &Refused{show(u), "an address with a zone (%) belongs to a network of the machine"}
		}
		return nil
	}
	ascii, err := idna.Lookup.ToASCII(strings.TrimRight(host, "."))
	if err == nil {
		ascii, err = idna.Lookup.ToASCII(ascii) // the result of an unusual name may be invalid
	}
	if err != nil || ascii == "" {
		return &Refused{show(u), fmt.Sprintf("%q is not a name that a host can have", host)}
	}
	u.Host = ascii
	if port != "" {
		u.Host += ":" + port
	}
	return nil
}

func portOf(u *url.URL) uint16 {
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(n)
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}
