package service_test

import (
	"strings"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestA2APushesAreChecked proves which receivers of a task's news are refused: what may not be
// reached, and what would put something else into a header.
func TestA2APushesAreChecked(t *testing.T) {
	h := newHouse(t, nil)
	check := func(p core.A2APush) error {
		return do(t.Context(), h, api.CheckA2APush, as(core.Member), api.A2APushInput{Push: p})
	}
	for _, address := range []string{"", "file:///etc/passwd", "http://a:b@example.org", "http://127.0.0.1:8080", "http://10.0.0.1/x", "http://[::1]/", "http://169.254.169.254/", "http://localhost"} {
		servicetest.WantRefusal(t, check(core.A2APush{URL: address}), service.KindInvalid, "errand cannot send to that address")
	}
	const to = "https://example.org/"
	for _, p := range []core.A2APush{
		{URL: to, Token: "a\r\nX-Evil: 1"}, {URL: to, Scheme: "bearer", Credentials: "a\nb"}, {URL: to, Token: "\xff"}, {URL: to, Token: strings.Repeat("x", 9000)}, {URL: to, ID: strings.Repeat("x", 300)},
	} {
		servicetest.WantRefusal(t, check(p), service.KindInvalid, "control characters")
	}
	for _, p := range []core.A2APush{{URL: to, Scheme: "Digest"}, {URL: to, Credentials: "x"}} {
		servicetest.WantRefusal(t, check(p), service.KindInvalid, "Bearer and Basic")
	}
	if err := check(core.A2APush{URL: to, Scheme: "BASIC", Credentials: "eDp5", Token: "tok"}); err != nil {
		t.Error(err)
	}
}
