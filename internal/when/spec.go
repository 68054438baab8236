package when

import "time"

// A Spec is one time, or a rule for many. Parse makes it; as JSON it may be kept
// for years.
type Spec struct {
	At    time.Time `json:"at,omitzero"`    // the one time; zero where there is a rule
	Rule  string    `json:"rule,omitempty"` // RFC 5545 RRULE, without DTSTART
	Start time.Time `json:"start,omitzero"` // from when the rule counts: its DTSTART
	Zone  string    `json:"zone"`           // IANA name, or Local: whose clock Rule is about
}

// Check says what makes s unusable: a rule or a zone that cannot be read. A Spec
// that fails it has no next time.
func (s Spec) Check() error {
	_, err := s.Compile()
	return err
}

// Equal reports whether s and other are the same times.
func (s Spec) Equal(other Spec) bool {
	return s.At.Equal(other.At) && s.Rule == other.Rule && s.Start.Equal(other.Start) && s.Zone == other.Zone
}

// Recurs reports whether s may come more than once.
func (s Spec) Recurs() bool { return s.Rule != "" }

// Next returns the first time of s after the given one; false if there is none.
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

// Lost reports whether nobody can say if s comes again after the given time: what may
// be spent on it was, and nothing was found.
func (s Spec) Lost(after time.Time) bool {
	r, err := s.Compile()
	if err != nil {
		return true
	}
	if s.Rule == "" || r.Every > 0 {
		return false
	}
	found := false
	enough := r.recurrence.each(wall(after, r.Zone).Add(shift), func(time.Time) bool {
		found = true
		return false
	})
	return !found && !enough
}

// Latest returns the last time of s from first, which is one, to now: the one
// that is made up for when several were missed.
func (s Spec) Latest(first, now time.Time) time.Time {
	r, err := s.Compile()
	if err != nil || s.Rule == "" {
		return first
	}
	return r.latest(first, now)
}

func (r *Rule) latest(first, now time.Time) time.Time {
	if r.Every > 0 {
		end := now
		if !r.Until.IsZero() && r.Until.Before(end) {
			end = r.Until
		}
		if r.Option.Count > 0 {
			if last := r.Start.Add(time.Duration(r.Option.Count-1) * r.Every); last.Before(end) {
				end = last
			}
		}
		if t, ok := r.countedTime(end, 0); ok && t.After(first) && !t.After(now) {
			return t
		}
		return first
	}
	last := first
	// Looking back twice as far each time finds a late one without counting
	// through the years.
	for back := 10 * time.Minute; ; back *= 2 {
		from := now.Add(-back)
		if !from.After(first) {
			from = first
		}
		for t, ok := r.next(from); ok && !t.After(now); t, ok = r.next(t) {
			last = t
		}
		if last.After(first) || from.Equal(first) {
			return last
		}
	}
}

// Slot names the time t of s. Two computations of the same time give the same
// name, also when the rules of the zone have changed in between: it is the time
// on the wall there. Times that are counted from the start are named in UTC.
func (s Spec) Slot(t time.Time) string {
	r, err := s.Compile()
	if err != nil || s.Rule == "" || r.Every > 0 {
		return t.UTC().Format("20060102T150405Z")
	}
	return t.In(r.Zone).Format("20060102T150405") + "@" + s.Zone
}

// In returns the time zone of s; UTC where it cannot be read.
func (s Spec) In() *time.Location {
	if zone, err := loadZone(s.Zone); err == nil {
		return zone
	}
	return time.UTC
}

func loadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Error{Kind: UnknownZone, Text: cut(name)}
	}
	return zone, nil
}

// wall returns the clock on the wall of zone at t, as if that were UTC: rules
// are computed there, where no hour is missing and none comes twice.
func wall(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// instant is the inverse of wall. A time that comes twice is the first of the
// two; one that is left out is shifted by as much as the clock is, as RFC 5545
// (3.3.5) has it.
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
