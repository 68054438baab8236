package app

import (
	"bytes"
	"strings"
	"testing"

	"errand/internal/config"
)

// TestUnattended proves that no link which lets somebody in gets into what a
// service writes: a log is read by others, and kept.
func TestUnattended(t *testing.T) {
	var out bytes.Buffer
	a := &App{Address: "127.0.0.1:8080"}
	a.printBanner(t.Context(), Options{Config: &config.Config{}, Out: &out, Unattended: true}, true)
	if got := out.String(); strings.Contains(got, "/open#") || !strings.Contains(got, "errand open") {
		t.Errorf("a service writes\n%s", got)
	}
}
