package when

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// A Rule is a Spec that is ready to be computed.
type Rule struct {
	Option     rrule.ROption // Dtstart and Until on the wall, see [wall]
	recurrence recurrence    // of Option
	Zone       *time.Location
	Every      time.Duration // counted from start, whatever the clocks do; 0: by the wall
	Start      time.Time
	Until      time.Time
}

var untilUTC = regexp.MustCompile(`(?i)\bUNTIL=\d{8}T\d{6}Z`)

// Compile reads s. It fails where [Spec.Check] does. The Rule of a single time is empty.
func (s Spec) Compile() (Rule, error) {
	zone, err := loadZone(s.Zone)
	if err != nil || s.Rule == "" {
		return Rule{}, err
	}
	o, err := rrule.StrToROptionInLocation(s.Rule, time.UTC)
	if err != nil {
		return Rule{}, badRule(err.Error())
	}
	r := Rule{Option: *o, Zone: zone, Start: s.Start, Until: o.Until}
	if !o.Until.IsZero() {
		if untilUTC.MatchString(s.Rule) {
			r.Option.Until = wall(o.Until, zone)
		} else {
			r.Until = instant(o.Until, zone)
		}
	}
	r.Option.Dtstart = wall(s.Start, zone)
	r.Every = passing(*o)
	if _, err := rrule.NewRRule(r.Option); err != nil {
		return Rule{}, badRule(err.Error())
	}
	r.recurrence = newRecurrence(r.Option)
	return r, nil
}

// passing returns the time from one occurrence to the next of rules that count
// hours or minutes; 0 for all others.
func passing(o rrule.ROption) time.Duration {
	switch n := time.Duration(max(o.Interval, 1)); o.Freq {
	case rrule.HOURLY:
		return n * time.Hour
	case rrule.MINUTELY:
		return n * time.Minute
	case rrule.SECONDLY:
		return n * time.Second
	}
	return 0
}

// next returns the first time after the given one. It is found with bounded effort:
// where there is none in half a century of what the rule looks at, there is none.
func (r *Rule) next(after time.Time) (time.Time, bool) {
	if r.Every == 0 {
		return r.nextOnWall(after)
	}
	return r.countedTime(after, 1)
}

// countedTime returns the time of a rule that counts from its start which is add behind
// the last one that is not after the given time: 0 is that one, 1 the next.
func (r *Rule) countedTime(after time.Time, add time.Duration) (time.Time, bool) {
	n := time.Duration(0)
	if !after.Before(r.Start) {
		n = after.Sub(r.Start)/r.Every + add
	}
	t := r.Start.Add(n * r.Every)
	if r.Option.Count > 0 && int64(n) >= int64(r.Option.Count) || !r.Until.IsZero() && t.After(r.Until) {
		return time.Time{}, false
	}
	return t.In(r.Zone), true
}

const shift = 3 * time.Hour

// nextOnWall looks a little before and beyond the time it finds: where clocks
// change, the order on the wall is not the order in time.
func (r *Rule) nextOnWall(after time.Time) (time.Time, bool) {
	from := wall(after, r.Zone).Add(-shift)
	var best, bestWall time.Time
	r.recurrence.each(from, func(w time.Time) bool {
		if !best.IsZero() && w.After(bestWall.Add(shift)) {
			return false
		}
		t := instant(w, r.Zone)
		if t.After(after) && (best.IsZero() || t.Before(best)) {
			best, bestWall = t, w
		}
		return true
	})
	return best, !best.IsZero()
}

// PerDay is how many times of a day a rule may name: every quarter of an hour. One
// that comes more often counts minutes.
const PerDay = 96

const leastMinutes = 5

func tooOften() error { return &Error{Kind: TooOften, Number: leastMinutes} }

// admit refuses rules that would come too often, and those that count hours or
// minutes and have conditions besides: they are said better by days.
func admit(o rrule.ROption) error {
	by := [][]int{o.Bymonth, o.Bymonthday, o.Byyearday, o.Byweekno, o.Byhour, o.Byminute, o.Byeaster, o.Bysetpos}
	switch {
	case o.Interval < 0 || o.Count < 0:
		return badRule("a negative number")
	case o.Interval > 100_000 || o.Count > 100_000:
		return badRule("too large a number")
	case o.Freq == rrule.SECONDLY, passing(o) > 0 && passing(o) < leastMinutes*time.Minute:
		return tooOften()
	case slices.ContainsFunc(o.Bysecond, func(n int) bool { return n != 0 }):
		return &Error{Kind: SecondsInRule}
	case passing(o) > 0 && (len(o.Byweekday) > 0 || slices.ContainsFunc(by, func(l []int) bool { return len(l) > 0 })):
		return &Error{Kind: MixedRule}
	}
	var times []int
	for _, h := range o.Byhour {
		for _, m := range o.Byminute {
			times = append(times, 60*h+m)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	if len(times) > PerDay {
		return &Error{Kind: TooManyTimes, Number: len(times)}
	}
	for i, t := range times {
		before := times[(i+len(times)-1)%len(times)]
		if i == 0 {
			before -= 24 * 60
		}
		if t-before < leastMinutes {
			return tooOften()
		}
	}
	return nil
}

var (
	counts  = regexp.MustCompile(`(?i)\bCOUNT=`)
	isRule  = regexp.MustCompile(`(?i)(^|[\s:])(RRULE:|FREQ=)`)
	dtstart = regexp.MustCompile(`(?i)\bDTSTART(?:;TZID=([^:\s]+))?:(\d{8}T\d{6}Z?)\s*;?`)
)

// parseRule reads an RRULE as RFC 5545 writes it, with or without DTSTART. One
// that has hours and no minutes is at the full hour.
func parseRule(text string, now time.Time, zone *time.Location) (Spec, error) {
	start := now.Truncate(time.Minute)
	given := dtstart.FindStringSubmatch(text)
	if given != nil {
		text = strings.Replace(text, given[0], "", 1)
		var err error
		if given[1] != "" {
			if zone, err = loadZone(given[1]); err != nil {
				return Spec{}, err
			}
		}
		if start, err = startOf(given[2], zone); err != nil {
			return Spec{}, err
		}
		if start.Before(now.AddDate(-100, 0, 0)) {
			return Spec{}, &Error{Kind: StartTooOld, Number: 100}
		}
		if counts.MatchString(text) && start.Before(now.AddDate(-50, 0, 0)) {
			return Spec{}, &Error{Kind: TooMuchToCount, Number: 50}
		}
	}
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	o, err := rrule.StrToROptionInLocation(text, time.UTC)
	if err != nil {
		return Spec{}, badRule(err.Error())
	}
	if given == nil && len(o.Byhour) > 0 && len(o.Byminute) == 0 {
		text += ";BYMINUTE=0"
		o.Byminute = []int{0}
	}
	if passing(*o) == 0 && len(o.Byhour) > 0 && len(o.Byminute) == 0 {
		o.Byminute = []int{wall(start, zone).Minute()}
	}
	if len(o.Byhour) == 0 && len(o.Byminute) > 0 {
		o.Byhour = []int{wall(start, zone).Hour()}
	}
	if err := admit(*o); err != nil {
		return Spec{}, err
	}
	s := Spec{Rule: text, Start: start, Zone: zone.String()}
	return s, s.Check()
}

func startOf(text string, zone *time.Location) (time.Time, error) {
	w, err := time.Parse("20060102T150405", strings.TrimSuffix(text, "Z"))
	switch {
	case err != nil:
		return w, &Error{Kind: BadStart}
	case strings.HasSuffix(text, "Z"):
		return w, nil
	}
	return instant(w, zone), nil
}
