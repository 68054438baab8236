package service

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/internal/texts"
	"errand/internal/when"
)

// TestTimesInWords proves that there are words for whatever can be wrong with a time, and
// that each has what it tells.
func TestTimesInWords(t *testing.T) {
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
			text := (&Service{Deps: Deps{Env: &Env{Zone: time.UTC}}}).timeErrorText(catalog.For(language), &when.Error{Kind: kind, Text: "a text", Number: 7, At: noon, Now: noon})
			if strings.ContainsAny(text, "{}") {
				t.Errorf("%s: %s", kind, text)
			}
		}
	}
}

// TestPromisedTimes proves that every way to write a time that people are shown, in the
// documents and in both languages, is understood.
func TestPromisedTimes(t *testing.T) {
	catalog, err := texts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{"every monday at 8:00", "tomorrow at 9", "every weekday at 7:30"}
	for _, language := range []string{"en", "es"} {
		examples := quoted.FindAllStringSubmatch(catalog.For(language).Localize("when.examples"), -1)
		if len(examples) != 3 {
			t.Errorf("%s has %d examples", language, len(examples))
		}
		for _, m := range examples {
			forms = append(forms, m[1])
		}
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, form := range forms {
		if _, err := when.Parse(form, now, time.UTC); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}

var quoted = regexp.MustCompile(`[“«]([^“”«»]+)[”»]`)
