package commands_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/test/intaketest"
)

// TestTimeZone proves that a person says where they are in any chat, reads times by the
// clocks of there and in the form of their language, and is by those of the installation
// again when they say so.
func TestTimeZone(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	h := build(t, func(deps *intaketest.Deps) { deps.Zone = oslo })
	for _, step := range []struct{ text, en, es string }{
		{"/timezone", "Your time zone is Europe/Oslo: it is Sat 21 Nov, 13:00 there.", "Tu zona horaria es Europe/Oslo: allí es sáb 21 nov, 13:00."},
		{"/timezone Mars/Olympus", `"Mars/Olympus" is not a time zone`, ""},
		{"/timezone Asia/Tokyo", "Your time zone is Asia/Tokyo now: it is Sat 21 Nov, 21:00 there.", "Tu zona horaria es ahora Asia/Tokyo: allí es sáb 21 nov, 21:00."},
		{"/timezone", "Your time zone is Asia/Tokyo: it is Sat 21 Nov, 21:00 there.", ""},
		{"/agent finn", "You are now talking", ""},
		{"/status", "until Sat 21 Nov, 22:00", "hasta el sáb 21 nov, 22:00"},
		{"/timezone default", "Your time zone is Europe/Oslo now: it is Sat 21 Nov, 13:0", ""},
	} {
		for language, want := range map[string]string{"en": step.en, "es": step.es} {
			if want == "" {
				continue
			}
			h.setLanguage("partner", language)
			if got := h.send("partner", step.text); !strings.Contains(got, want) {
				t.Errorf("%s: %q is answered %q, want %q", language, step.text, got, want)
			}
		}
	}
}
