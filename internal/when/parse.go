package when

import (
	"strings"
	"time"
	"unicode/utf8"
)

const maxYears = 5

// maxText is in bytes.
const maxText = 300

// A Time is when a reminder is due: a time or a rule from a model, or words from a person.
type Time struct {
	At    string // RFC 3339; without an offset, a local time in Zone
	Rule  string // RFC 5545 RRULE with an optional DTSTART
	Zone  string // IANA name; empty: the zone of the caller
	Words string // for [Parse], if At and Rule are empty
}

// Spec parses t. If t names no time zone, its local times are in zone. The result has a next time
// after now, within five years. Errors are of type [*Error].
func (t Time) Spec(now time.Time, zone *time.Location) (Spec, error) {
	if t.Zone != "" {
		var err error
		if zone, err = zoneOf(t.Zone); err != nil {
			return Spec{}, err
		}
	}
	var s Spec
	var err error
	switch {
	case t.At == "" && t.Rule == "":
		return Parse(t.Words, now, zone)
	case t.At != "" && t.Rule != "":
		return s, &Error{Kind: TimeAndRule}
	case t.At != "":
		s, err = parseTime(t.At, zone)
	default:
		s, err = parseRule(t.Rule, now, zone)
	}
	if err != nil {
		return Spec{}, err
	}
	return s, s.reachable(now)
}

func parseTime(text string, zone *time.Location) (Spec, error) {
	upper := strings.Replace(strings.ToUpper(text), " ", "T", 1)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, upper); err == nil {
			return Spec{At: t.Truncate(time.Second), Zone: zone.String()}, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if w, err := time.Parse(layout, upper); err == nil {
			return Spec{At: instant(w.Truncate(time.Second), zone), Zone: zone.String()}, nil
		}
	}
	return Spec{}, &Error{Kind: BadTime, Text: cut(text)}
}

// Parse parses an RFC 3339 time, an RRULE, or one of these phrases, in English or Spanish:
//
//	in 20 minutes|hours|days|weeks
//	[today|tomorrow|monday|2026-12-24] at 9|9:30|9 am|21:00
//	every day|weekday|monday|hour|2 hours|2 days [at 9:00]
//	every month on the 1st [at 9:00]
//
// Local times are in zone. A recurring phrase without a time of day is at 9:00. The result has a
// next time after now, within five years. Errors are of type [*Error].
func Parse(text string, now time.Time, zone *time.Location) (Spec, error) {
	if zone == nil {
		zone = time.UTC
	}
	text = strings.TrimSpace(text)
	if len(text) > maxText || !utf8.ValidString(text) {
		return Spec{}, &Error{Kind: NotUnderstood}
	}
	s, err := parseTime(text, zone)
	if strings.Contains(strings.ToUpper(text), "FREQ=") {
		if s, err = parseRule(text, now, zone); err != nil {
			return Spec{}, err
		}
	}
	if err != nil {
		var ok bool
		if s, ok = parsePhrase(text, now, zone); !ok {
			return Spec{}, &Error{Kind: NotUnderstood, Text: cut(text)}
		}
	}
	return s, s.reachable(now)
}

func (s Spec) reachable(now time.Time) error {
	next, ok := s.Next(now)
	switch {
	case !ok && s.Rule == "":
		return &Error{Kind: Past, At: s.At.In(s.In()), Now: now.In(s.In())}
	case !ok:
		return &Error{Kind: Never}
	case next.After(now.AddDate(maxYears, 0, 0)):
		return &Error{Kind: TooFar, Number: maxYears, At: next.In(s.In())}
	}
	return nil
}

func cut(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}
