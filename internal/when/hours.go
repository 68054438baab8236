package when

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Hours are a span of every day, by some clock on the wall: from From up to To, which
// is of the next day where it is the earlier one. The zero value is no time at all.
type Hours struct{ From, To int } // minutes since midnight

// OffHours stands where somebody could write hours, and wants none.
const OffHours = "off"

var hoursText = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2}))?\s*(?:-|–|—|to|a|until|hasta)\s*(\d{1,2})(?:[:.h](\d{2}))?$`)

// ParseHours reads hours as people write them: "22:00-07:00", "22-7", or "off" for none.
func ParseHours(text string) (Hours, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == OffHours {
		return Hours{}, true
	}
	m := hoursText.FindStringSubmatch(text)
	if m == nil {
		return Hours{}, false
	}
	from, okFrom := minutes(m[1], m[2])
	to, okTo := minutes(m[3], m[4])
	return Hours{from, to}, okFrom && okTo && from != to
}

func minutes(hour, minute string) (int, bool) {
	h, err := strconv.Atoi(hour)
	if err != nil {
		return 0, false
	}
	m, _ := strconv.Atoi(minute) // two digits, or none
	if h == 24 && m == 0 {
		h = 0
	}
	return h*60 + m, h < 24 && m < 60
}

// IsZero reports whether h is no time at all.
func (h Hours) IsZero() bool { return h.From == h.To }

// String is h as [ParseHours] reads it.
func (h Hours) String() string {
	if h.IsZero() {
		return OffHours
	}
	return fmt.Sprintf("%02d:%02d-%02d:%02d", h.From/60, h.From%60, h.To/60, h.To%60)
}

// End returns when the hours that t is in are over, by the clocks of zone; the zero time
// if t is in none. Clocks are changed at night: what counts is what they show, so End
// looks at each minute that comes, and a time that is left out or comes twice needs no
// rule of its own.
func (h Hours) End(t time.Time, zone *time.Location) time.Time {
	if !h.has(t, zone) {
		return time.Time{}
	}
	end := t.Truncate(time.Minute)
	for h.has(end, zone) {
		end = end.Add(time.Minute)
	}
	return end.In(zone)
}

func (h Hours) has(t time.Time, zone *time.Location) bool {
	w := wall(t, zone)
	m := w.Hour()*60 + w.Minute()
	if h.From <= h.To {
		return h.From <= m && m < h.To
	}
	return m >= h.From || m < h.To
}

// Zone finds a time zone by its name, however that is written: "europe/oslo" is
// Europe/Oslo. Of one that is not there the error is an [*Error].
func Zone(name string) (*time.Location, error) {
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, "local") {
		return nil, &Error{Kind: UnknownZone, Text: cut(name)} // there is no machine whose clock is meant
	}
	return zoneOf(name)
}

// ZoneOr is the time zone of a name, or house where that is none.
func ZoneOr(name string, house *time.Location) *time.Location {
	if own, err := Zone(name); err == nil {
		return own
	}
	return house
}
