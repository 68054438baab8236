//go:build nowhatsapp

package app_test

import (
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
)

// TestNoWhatsApp proves that a program without WhatsApp says so, and with which
// line of the configuration it cannot start.
func TestNoWhatsApp(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	cfg.File, cfg.Channels = "errand.yaml", []config.Channel{{Kind: config.WhatsApp, Account: "main", Agent: "nikki", Line: 7}}
	a, err := app.Start(t.Context(), app.Options{Config: cfg, Version: "test", Logger: testLogger(t)})
	if err == nil {
		a.Stop(t.Context())
		t.Fatal("it starts")
	}
	if !strings.HasPrefix(err.Error(), "errand.yaml:7: whatsapp/main: ") || !strings.Contains(err.Error(), "without WhatsApp") {
		t.Errorf("it says %v", err)
	}
}
