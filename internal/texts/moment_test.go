package texts

import (
	"testing"
	"time"
)

// TestMoment proves that a time stands in the form of the language, and has its year
// where that is not this one.
func TestMoment(t *testing.T) {
	c := catalog(t, nil)
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 31, 23, 5, 0, 0, time.UTC)
	for _, test := range []struct {
		language, want string
		zone           *time.Location
		now            time.Time
	}{
		{"en", "Thu 31 Dec, 23:05", time.UTC, at},
		{"es-MX", "jue 31 dic, 23:05", time.UTC, at},
		{"en", "Fri 1 Jan, 00:05", oslo, at},
		{"en", "Thu 31 Dec 2026, 23:05", time.UTC, at.Add(time.Hour)},
		{"es", "jue 31 dic 2026, 23:05", time.UTC, at.AddDate(1, 0, 0)},
	} {
		if got := c.For(test.language).Moment(at.In(test.zone), test.now); got != test.want {
			t.Errorf("%s: %q, want %q", test.language, got, test.want)
		}
	}
}
