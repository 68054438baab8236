package when

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func TestParseHours(t *testing.T) {
	tests := map[string]string{
		"22:00-07:00": "22:00-07:00", "22-7": "22:00-07:00", " 22:30 – 6:15 ": "22:30-06:15", "9h30 a 12h00": "09:30-12:00", "23:00 to 24:00": "23:00-00:00",
		"OFF": "off", "0:00-6": "00:00-06:00",
		"": "", "22": "", "22:00": "", "22:00-22:00": "", "25-7": "", "22:60-7": "", "22:00-07:00 Oslo": "", "-7": "", "22--7": "",
	}
	for text, want := range tests {
		h, ok := ParseHours(text)
		if got := h.String(); ok != (want != "") || ok && got != want {
			t.Errorf("ParseHours(%q) = %s, %v; want %q", text, got, ok, want)
		}
		if again, _ := ParseHours(h.String()); ok && again != h {
			t.Errorf("%s is read as %s", h, again)
		}
	}
}

// TestHoursEnd proves that hours end when the clock on the wall shows so: over midnight,
// where clocks are changed meanwhile, and where the end is a time that they leave out or
// show twice.
func TestHoursEnd(t *testing.T) {
	tests := []struct{ name, hours, zone, at, end string }{
		{"before", "22:00-07:00", "UTC", "2026-06-01T21:59:59Z", ""},
		{"at the beginning", "22:00-07:00", "UTC", "2026-06-01T22:00:00Z", "2026-06-02T07:00:00Z"},
		{"after midnight", "22:00-07:00", "UTC", "2026-06-02T00:30:15Z", "2026-06-02T07:00:00Z"},
		{"at the end", "22:00-07:00", "UTC", "2026-06-02T07:00:00Z", ""},
		{"within a day", "13:00-14:30", "UTC", "2026-06-02T13:45:00Z", "2026-06-02T14:30:00Z"},
		{"up to midnight", "20:00-00:00", "UTC", "2026-06-02T23:59:59Z", "2026-06-03T00:00:00Z"},
		{"by the person's clock", "22:00-07:00", "America/New_York", "2026-06-02T02:30:00Z", "2026-06-02T11:00:00Z"},
		{"a zone of half an hour", "22:00-07:00", "Asia/Kolkata", "2026-06-01T18:00:00Z", "2026-06-02T01:30:00Z"},
		{"none", "off", "UTC", "2026-06-02T03:00:00Z", ""},
		{"the night that is an hour shorter", "22:00-07:00", "Europe/Oslo", "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"},
		{"the night that is an hour longer", "22:00-07:00", "Europe/Oslo", "2026-10-24T23:00:00Z", "2026-10-25T06:00:00Z"},
		{"an end that the clock leaves out", "22:00-02:30", "Europe/Oslo", "2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z"},
		{"an end that comes twice, before the first", "22:00-02:30", "Europe/Oslo", "2026-10-24T23:00:00Z", "2026-10-25T00:30:00Z"},
		{"an end that comes twice, between the two", "22:00-02:30", "Europe/Oslo", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"},
		{"a beginning that comes twice is not left again", "02:00-07:00", "Europe/Oslo", "2026-10-25T01:10:00Z", "2026-10-25T06:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hours, ok := ParseHours(tt.hours)
			zone, err := Zone(tt.zone)
			at, fault := time.Parse(time.RFC3339, tt.at)
			if !ok || err != nil || fault != nil {
				t.Fatal(ok, err, fault)
			}
			got := ""
			if end := hours.End(at, zone); !end.IsZero() {
				got = end.UTC().Format(time.RFC3339)
			}
			if got != tt.end {
				t.Errorf("%s in %s: at %s they end at %q, want %q", tt.hours, tt.zone, tt.at, got, tt.end)
			}
		})
	}
}

func TestZone(t *testing.T) {
	for name, want := range map[string]string{"europe/oslo": "Europe/Oslo", "America/New_York": "America/New_York", "utc": "UTC", "": "", "Local": "", "Mars/Base": "", "../etc": ""} {
		zone, err := Zone(name)
		if (err == nil) != (want != "") || err == nil && zone.String() != want {
			t.Errorf("Zone(%q) = %v, %v; want %q", name, zone, err, want)
		}
	}
}
