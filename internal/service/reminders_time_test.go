package service

import (
	"strings"
	"testing"
	"time"

	"errand/internal/texts"
	"errand/internal/when"
)

// TestTimesSaid proves that there are words for whatever can be wrong with a time, and
// that each has what it tells.
func TestTimesSaid(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	catalog, err := texts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range when.Kinds() {
		if key := "when." + string(kind); !catalog.Has(key) {
			t.Errorf("there are no words for %s", kind)
		}
		for _, language := range []string{"en", "es"} {
			said := sayTime(catalog.For(language), &when.Error{Kind: kind, Text: "a text", Number: 7, At: noon, Now: noon})
			if strings.ContainsAny(said, "{}") {
				t.Errorf("%s: %s", kind, said)
			}
		}
	}
}
