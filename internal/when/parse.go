package when

import (
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

const ahead = 5

// longest is how much of a text about a time is read, in bytes.
const longest = 300

// A Time is how somebody says when something is to be: as a time or a rule, as models
// write them, or in words, as people do.
type Time struct {
	At    string // RFC 3339; without an offset, by the clocks of Zone
	Rule  string // RFC 5545 RRULE, with DTSTART or without
	Zone  string // IANA name, or the installation's
	Words string // for [Parse], where there is neither a time nor a rule
}

// Spec reads t. Where it names no time zone it is about the clocks of zone. What it
// returns is as bounded as what [Parse] does, and so are its errors.
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
	case len(t.Rule) > longest || !utf8.ValidString(t.Rule):
		return s, &Error{Kind: NotUnderstood}
	default:
		s, err = parseRule(t.Rule, now, zone)
	}
	if err != nil {
		return Spec{}, err
	}
	return s, s.reachable(now)
}

// parseTime reads a time as RFC 3339 writes it, with or without an offset and seconds.
func parseTime(text string, zone *time.Location) (Spec, error) {
	if s, ok := withOffset(text, zone); ok {
		return s, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if w, err := time.Parse(layout, text); err == nil {
			return Spec{At: instant(w.Truncate(time.Second), zone), Zone: zone.String()}, nil
		}
	}
	return Spec{}, &Error{Kind: BadTime, Text: cut(text)}
}

// withOffset reads a time that says how far it is from UTC.
func withOffset(text string, zone *time.Location) (Spec, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"} {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return Spec{At: t.Truncate(time.Second), Zone: zone.String()}, true
		}
	}
	return Spec{}, false
}

// Parse reads what a person wrote about a time. Where the text names
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
	if s, ok := withOffset(text, zone); ok {
		return s, nil
	}
	r := textReader{now: now, today: wall(now, zone), zone: zone}
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

// A textReader is the reading of one text.
type textReader struct {
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

func takeZone(text string, zone *time.Location) (string, *time.Location, error) {
	m := zoneWord.FindStringSubmatchIndex(text)
	if m == nil {
		return text, zone, nil
	}
	name := text[m[2]:m[3]]
	zone, err := zoneOf(name)
	if err != nil {
		return text, nil, err
	}
	rest := strings.TrimSpace(text[:m[0]])
	for _, word := range []string{" in", " of", ","} {
		rest = strings.TrimSuffix(rest, word)
	}
	return rest, zone, nil
}

// zoneOf finds a zone, however its name is written: "europe/oslo" is Europe/Oslo.
func zoneOf(name string) (*time.Location, error) {
	switch zone, err := loadZone(name); {
	case strings.EqualFold(name, "utc"), strings.EqualFold(name, "gmt"):
		return time.UTC, nil
	case err == nil:
		return zone, nil
	}
	return loadZone(zoneCase(name))
}

func zoneCase(name string) string {
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || strings.IndexByte("/_-", b[i-1]) >= 0) && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
