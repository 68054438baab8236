package fetch

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for _, test := range []struct{ raw, want, wrong string }{
		{"https://example.org/a?b=c#d", "https://example.org/a?b=c", ""},
		{" example.org/a ", "https://example.org/a", ""},
		{"example.org:8080/a", "https://example.org:8080/a", ""},
		{"HTTP://EXAMPLE.org", "http://example.org", ""},
		{"https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC", ""},
		{"https://пример.рф", "https://xn--e1afmkfd.xn--p1ai", ""},
		{"https://example.org.", "https://example.org", ""},
		{"https://[2606:4700::1]:8443/", "https://[2606:4700::1]:8443/", ""},

		{"", "", "there is none"},
		{"file:///etc/passwd", "", "only http:// and https://"},
		{"ftp://example.org/", "", "only http:// and https://"},
		{"javascript:alert(1)", "", "only http:// and https://"},
		{"gopher://127.0.0.1:6379/_x", "", "only http:// and https://"},
		{"https://user:geheim@example.org/", "", "a user or a password"},
		{"https://user@example.org/", "", "a user or a password"},
		{"https://example.org@127.0.0.1/", "", "a user or a password"},
		{"http://[fe80::1%25eth0]/", "", "with a zone"},
		{"https:///path", "", "names no host"},
		{"https://example.org:0/", "", "is no port"},
		{"https://example.org:99999/", "", "is no port"},
		{"https://exa mple.org/", "", "is not a URL"},
		{"https://-.example/", "", "not a name that a host can have"},
		{"https://example.org/%zz\x00", "", "is not a URL"},
		{"https://example.org/" + strings.Repeat("a", 9000), "", "longer than web servers take"},
		{"about nights", "", ""},
	} {
		u, err := ParseURL(test.raw)
		if err == nil {
			if u.String() != test.want {
				t.Errorf("%q: got %s, want %q", test.raw, u, test.want)
			}
			continue
		}
		var refused *Refused
		if test.want != "" || !strings.Contains(err.Error(), test.wrong) || !errors.As(err, &refused) {
			t.Errorf("%q: got the error %v, want %q", test.raw, err, test.wrong)
		}
		if strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: the error has the password: %v", test.raw, err)
		}
	}
}

// FuzzParseURL: what is accepted is an address of the web without a password, and is
// accepted again in the form that it was given.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://example.org/", "example.org:80/x", "//x", "http://[::1%25eth0]/", "https://a@b/", "http://2130706433/", "HTTP://xn--a/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Hostname() == "" || u.Fragment != "" {
			t.Fatalf("%q was accepted as %#v", raw, u)
		}
		again, err := url.Parse(u.String())
		if err != nil || checkURL(again) != nil || again.Hostname() != u.Hostname() {
			t.Fatalf("%q became %s, which is not accepted, or as another host: %v", raw, u, err)
		}
	})
}

func TestParseAllowed(t *testing.T) {
	for raw, want := range map[string]allowedHost{
		"Searx.Home": {"searx.home", 0}, "searx.home:8888": {"searx.home", 8888}, "192.168.1.5:8080": {"192.168.1.5", 8080}, "192.168.1.5": {"192.168.1.5", 0},
		"[::1]:8080": {"::1", 8080}, "::1": {"::1", 0}, "[::1]": {"::1", 0}, "bücher.example": {"xn--bcher-kva.example", 0}, "localhost": {"localhost", 0},
	} {
		if got, err := parseAllowed(raw); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"", "https://searx.home", "searx.home/path", "user@searx.home", "searx.home:http", "*.home", "10.0.0.0/8", ":8080"} {
		if got, err := parseAllowed(raw); err == nil {
			t.Errorf("%q was accepted as %+v", raw, got)
		}
	}
}
