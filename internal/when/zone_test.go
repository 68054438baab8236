package when

import (
	"testing"
	_ "time/tzdata"
)

func TestZone(t *testing.T) {
	for name, want := range map[string]string{"europe/oslo": "Europe/Oslo", "America/New_York": "America/New_York", "utc": "UTC", "": "", "Local": "", "Mars/Base": "", "../etc": ""} {
		zone, err := Zone(name)
		if (err == nil) != (want != "") || err == nil && zone.String() != want {
			t.Errorf("Zone(%q) = %v, %v; want %q", name, zone, err, want)
		}
	}
}
