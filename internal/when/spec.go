package when

import (
	"strings"
	"time"
)

// A Spec is one time, or a rule for many. The store keeps it as JSON for years.
type Spec struct {
	At    time.Time `json:"at,omitzero"`    // the single time; zero for a rule
	Rule  string    `json:"rule,omitempty"` // RFC 5545 RRULE, without DTSTART
	Start time.Time `json:"start,omitzero"` // DTSTART of the rule
	Zone  string    `json:"zone"`           // IANA name or Local: the zone of Rule's local times
}

// Check returns an error if the rule or the zone of s is invalid. Such a Spec has no next time.
func (s Spec) Check() error {
	_, err := s.Compile()
	return err
}

// Equal reports whether s and other have the same times.
func (s Spec) Equal(other Spec) bool {
	return s.At.Equal(other.At) && s.Rule == other.Rule && s.Start.Equal(other.Start) && s.Zone == other.Zone
}

// Recurs reports whether s may have more than one time.
func (s Spec) Recurs() bool { return s.Rule != "" }

// Next returns the first time of s after the given one. It returns false if s never occurs again.
func (s Spec) Next(after time.Time) (time.Time, bool) {
	r, err := s.Compile()
	if err != nil {
		return time.Time{}, false
	}
	switch {
	case s.Rule != "":
		return r.next(after)
	case s.At.After(after):
		return s.At, true
	}
	return time.Time{}, false
}

// Latest returns the last time of s up to now, in place of all missed times. first is a time of s.
func (s Spec) Latest(first, now time.Time) time.Time {
	r, err := s.Compile()
	if err != nil || s.Rule == "" {
		return first
	}
	return r.latest(first, now)
}

// Slot returns a name for the time t of s. The name of a local time does not change if the rules of
// its zone do. The times of a rule that counts elapsed time are named in UTC.
func (s Spec) Slot(t time.Time) string {
	r, err := s.Compile()
	if err != nil || s.Rule == "" || r.Counts {
		return t.UTC().Format("20060102T150405Z")
	}
	return t.In(r.Zone).Format("20060102T150405") + "@" + s.Zone
}

// In returns the time zone of s, or UTC if it is invalid.
func (s Spec) In() *time.Location {
	if zone, err := loadZone(s.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// zoneOf returns a zone by its name in any case: "europe/oslo" is Europe/Oslo.
func zoneOf(name string) (*time.Location, error) {
	switch zone, err := loadZone(name); {
	case strings.EqualFold(name, "utc"), strings.EqualFold(name, "gmt"):
		return time.UTC, nil
	case err == nil:
		return zone, nil
	}
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || strings.IndexByte("/_-", b[i-1]) >= 0) && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return loadZone(string(b))
}

func loadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Error{Kind: UnknownZone, Text: cut(name)}
	}
	return zone, nil
}

// wall returns the local time in zone at t, written as UTC. Rules are computed in such times, where
// no hour is missing or occurs twice.
func wall(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// instant is the inverse of wall. If the local time occurs twice, it returns the first. If the
// local time is skipped, it shifts it by the change of clocks, see RFC 5545, section 3.3.5.
func instant(w time.Time, zone *time.Location) time.Time {
	before, after := w.Add(-offset(w.AddDate(0, 0, -1), zone)), w.Add(-offset(w.AddDate(0, 0, 1), zone))
	if !wall(before, zone).Equal(w) && wall(after, zone).Equal(w) {
		return after.In(zone)
	}
	return before.In(zone)
}

func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

func midnight(w time.Time) time.Time {
	return time.Date(w.Year(), w.Month(), w.Day(), 0, 0, 0, 0, time.UTC)
}
