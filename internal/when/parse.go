package when

import (
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// ahead is how far in the future a time may be, in years.
const ahead = 5

// longest is how much of a text about a time is read, in bytes.
const longest = 300

// Examples are ways to write a time that Parse understands.
const Examples = `"tomorrow at nine", "in 20 minutes", "next friday 14:00", "2026-12-24 18:00", "every Monday 08:00 Europe/Oslo", "every 2 hours"`

// Parse reads what a person or a model wrote about a time. Where the text names
// no time zone it is about the clocks of zone. The Spec it returns has a next
// time after now, within five years. Errors are of type [*Error].
func Parse(text string, now time.Time, zone *time.Location) (Spec, error) {
	if zone == nil {
		zone = time.UTC
	}
	if len(text) > longest || !utf8.ValidString(text) {
		return Spec{}, &Error{Kind: NotUnderstood}
	}
	rest, zone, err := takeZone(strings.TrimSpace(text), zone)
	if err != nil {
		return Spec{}, err
	}
	s, err := parse(rest, now, zone)
	if errors.Is(err, errNoTime) {
		return Spec{}, &Error{Kind: NotUnderstood, Text: cut(text)}
	}
	if err != nil {
		return Spec{}, err
	}
	return s, s.reachable(now)
}

func parse(text string, now time.Time, zone *time.Location) (Spec, error) {
	if isRule.MatchString(text) {
		return parseRule(text, now, zone)
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"} {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return Spec{At: t.Truncate(time.Second), Zone: zone.String()}, nil
		}
	}
	r := reading{now: now, today: wall(now, zone), zone: zone}
	plain := plain(text)
	if strings.Contains(plain, "every") {
		return r.every(plain)
	}
	w, err := r.once(plain)
	if err != nil {
		return Spec{}, err
	}
	return Spec{At: w, Zone: zone.String()}, nil
}

// A reading is the reading of one text.
type reading struct {
	now   time.Time
	today time.Time // now, on the wall
	zone  *time.Location
}

// reachable refuses what is over, and what is too far away.
func (s Spec) reachable(now time.Time) error {
	next, ok := s.Next(now)
	switch {
	case !ok && s.Rule == "":
		return &Error{Kind: Past, At: s.At.In(s.In()), Now: now.In(s.In())}
	case !ok:
		return &Error{Kind: Never}
	case next.After(now.AddDate(ahead, 0, 0)):
		return &Error{Kind: TooFar, Number: ahead, At: next.In(s.In())}
	}
	return nil
}

var errNoTime = errors.New("no time understood")

func cut(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// A zone is written at the end, as Area/Place, or UTC.
var zoneWord = regexp.MustCompile(`(?i)(?:^|[\s,])\(?((?:[a-z][a-z_+-]+/[a-z][a-z0-9_+/-]+)|utc|gmt)\)?[\s.]*$`)

// takeZone takes a time zone off the end of text.
func takeZone(text string, zone *time.Location) (string, *time.Location, error) {
	m := zoneWord.FindStringSubmatchIndex(text)
	if m == nil {
		return text, zone, nil
	}
	name := text[m[2]:m[3]]
	zone, err := loadZone(zoneCase(name))
	if err != nil {
		if zone, err = loadZone(name); err != nil {
			return text, nil, err
		}
	}
	rest := strings.TrimSpace(text[:m[0]])
	for _, word := range []string{" in", " of", ","} {
		rest = strings.TrimSuffix(rest, word)
	}
	return rest, zone, nil
}

// zoneCase writes a zone as the IANA does: "europe/oslo" is Europe/Oslo.
func zoneCase(name string) string {
	if !strings.Contains(name, "/") {
		return "UTC"
	}
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || strings.IndexByte("/_-", b[i-1]) >= 0) && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
