package when

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/teambition/rrule-go"
)

// A Rule is a parsed Spec.
type Rule struct {
	Option rrule.ROption // Dtstart and Until are local times in Zone, written as UTC
	Zone   *time.Location
	Start  time.Time
	Until  time.Time
	Counts bool // the rule counts elapsed hours or minutes from Start

	computed rrule.ROption // Option in local times of clock, with the conditions that Dtstart implies
	clock    *time.Location
}

var untilUTC = regexp.MustCompile(`(?i)\bUNTIL=\d{8}T\d{6}Z`)

// Compile parses s. It fails if [Spec.Check] does. The Rule of a single time is empty.
func (s Spec) Compile() (Rule, error) {
	zone, err := loadZone(s.Zone)
	if err != nil || s.Rule == "" {
		return Rule{}, err
	}
	o, err := rrule.StrToROptionInLocation(s.Rule, time.UTC)
	if err != nil {
		return Rule{}, badRule(err.Error())
	}
	r := Rule{Option: *o, Zone: zone, Start: s.Start, Until: o.Until, Counts: o.Freq >= rrule.HOURLY, clock: zone}
	if !o.Until.IsZero() {
		if untilUTC.MatchString(s.Rule) {
			r.Option.Until = wall(o.Until, zone)
		} else {
			r.Until = instant(o.Until, zone)
		}
	}
	r.Option.Dtstart = wall(s.Start, zone)
	most := 53
	if o.Freq == rrule.MONTHLY || len(o.Bymonth) > 0 {
		most = 5
	}
	// Package rrule panics on these values.
	if len(o.Byeaster) > 0 || slices.ContainsFunc(o.Byweekday, func(d rrule.Weekday) bool { return d.N() > most || d.N() < -most }) {
		return Rule{}, badRule("BYDAY or BYEASTER is out of range")
	}
	ready, err := rrule.NewRRule(r.Option)
	if err != nil {
		return Rule{}, badRule(err.Error())
	}
	r.computed = ready.Options
	if r.Counts {
		r.clock, r.computed.Dtstart, r.computed.Until = time.UTC, r.Start.UTC(), r.Until
		return r, nil
	}
	orStart := func(list []int, n int) []int {
		if len(list) == 0 {
			return []int{n}
		}
		return list
	}
	hour, minute, second := r.Option.Dtstart.Clock()
	r.computed.Byhour = orStart(o.Byhour, hour)
	r.computed.Byminute = orStart(o.Byminute, minute)
	r.computed.Bysecond = orStart(o.Bysecond, second)
	return r, nil
}

// shift is longer than any change of clocks.
const shift = 3 * time.Hour

// next returns the first time after the given one. It also looks at local times shortly before and
// after, because around a change of clocks local times are not in chronological order.
func (r *Rule) next(after time.Time) (time.Time, bool) {
	var best, bestWall time.Time
	for w := range r.walls(wall(after, r.clock).Add(-shift)) {
		if !best.IsZero() && w.After(bestWall.Add(shift)) {
			break
		}
		if t := instant(w, r.clock); t.After(after) && (best.IsZero() || t.Before(best)) {
			best, bestWall = t, w
		}
	}
	return best.In(r.Zone), !best.IsZero()
}

// latest returns the last time up to now. first is a time of the rule. latest looks back further in
// each attempt, so that it does not iterate over years to find a recent time.
func (r *Rule) latest(first, now time.Time) time.Time {
	end := wall(now, r.clock).Add(shift)
	for back := 24 * time.Hour; ; back *= 8 {
		from, last := now.Add(-back), first
		if from.Before(first) {
			from = first
		}
		for w := range r.walls(wall(from, r.clock).Add(-shift)) {
			if w.After(end) {
				break
			}
			if t := instant(w, r.clock); t.After(last) && !t.After(now) {
				last = t.In(r.Zone)
			}
		}
		if last.After(first) || from.Equal(first) {
			return last
		}
	}
}

// walls yields the local times of the rule from the given time on, in order.
//
// Package rrule starts at DTSTART and stops after the year 9999. The calendar repeats every 400
// years, so walls computes in the last centuries before that. A rule without further times then
// ends quickly.
func (r *Rule) walls(from time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		o := r.computed
		if o.Count == 0 {
			o.Dtstart = periodOf(o, from)
		}
		years := (9_900 - o.Dtstart.Year()) / 400 * 400
		o.Dtstart = o.Dtstart.AddDate(years, 0, 0)
		if !o.Until.IsZero() {
			o.Until = o.Until.AddDate(years, 0, 0)
		}
		ready, err := rrule.NewRRule(o)
		if err != nil {
			return // impossible after Compile
		}
		next := ready.Iterator()
		for w, ok := next(); ok; w, ok = next() {
			if w = w.AddDate(-years, 0, 0); !w.Before(from) && !yield(w) {
				return
			}
		}
	}
}

// periodOf returns the start of the period that contains the given time. The frequency of o gives
// the unit: year, month, week, day, hour or minute. The first period begins at DTSTART.
func periodOf(o rrule.ROption, at time.Time) time.Time {
	start, each := o.Dtstart, max(o.Interval, 1)
	months := 12*(at.Year()-start.Year()) + int(at.Month()-start.Month())
	elapsed := func(unit time.Duration) time.Time {
		unit *= time.Duration(each)
		return start.Add(at.Sub(start) / unit * unit)
	}
	switch o.Freq {
	case rrule.YEARLY:
		start = time.Date(start.Year()+(at.Year()-start.Year())/each*each, 1, 1, 0, 0, 0, 0, time.UTC)
	case rrule.MONTHLY:
		start = time.Date(start.Year(), start.Month()+time.Month(months/each*each), 1, 0, 0, 0, 0, time.UTC)
	case rrule.WEEKLY:
		start = midnight(start).AddDate(0, 0, -(int(start.Weekday())+6-o.Wkst.Day())%7)
		start = elapsed(7 * 24 * time.Hour)
	case rrule.DAILY:
		start = midnight(start)
		start = elapsed(24 * time.Hour)
	case rrule.HOURLY:
		start = elapsed(time.Hour)
	case rrule.MINUTELY:
		start = elapsed(time.Minute)
	}
	if start.Before(o.Dtstart) {
		return o.Dtstart
	}
	return start
}

const leastMinutes = 5

// maxWeeks is the longest period in weeks that fits into a [time.Duration].
const maxWeeks = int(math.MaxInt64 / (7 * 24 * time.Hour))

// admit rejects rules that recur too often, and rules that combine hours or minutes with
// conditions, for which FREQ=DAILY is the right form.
func (r *Rule) admit() error {
	o := r.Option
	conditions := len(o.Bymonth) + len(o.Bymonthday) + len(o.Byyearday) + len(o.Byweekno) + len(o.Byweekday) + len(o.Byhour) + len(o.Byminute) + len(o.Bysetpos)
	switch {
	case o.Interval < 0 || o.Count < 0:
		return badRule("a negative number")
	case o.Interval > 100_000 || o.Count > 100_000, o.Freq == rrule.WEEKLY && o.Interval > maxWeeks:
		return badRule("too large a number")
	case slices.ContainsFunc(o.Bysecond, func(n int) bool { return n != 0 }):
		return &Error{Kind: SecondsInRule}
	case o.Freq == rrule.SECONDLY:
		return &Error{Kind: TooOften, Number: leastMinutes}
	case r.Counts && conditions > 0:
		return &Error{Kind: MixedRule}
	}
	seen, last := 0, time.Time{}
	for w := range r.walls(o.Dtstart) {
		if seen > 0 && w.Sub(last) < leastMinutes*time.Minute {
			return &Error{Kind: TooOften, Number: leastMinutes}
		}
		if seen, last = seen+1, w; seen > 2*24*60/leastMinutes {
			break
		}
	}
	return nil
}

var dtstart = regexp.MustCompile(`(?i)\bDTSTART(?:;TZID=([^:\s]+))?:(\d{8}T\d{6}Z?)\s*;?`)

// parseRule parses an RFC 5545 RRULE with an optional DTSTART. A rule with hours and without
// minutes is at the full hour.
func parseRule(text string, now time.Time, zone *time.Location) (Spec, error) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return Spec{}, &Error{Kind: NotUnderstood}
	}
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
	}
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	o, err := rrule.StrToROptionInLocation(text, time.UTC)
	if err != nil {
		return Spec{}, badRule(err.Error())
	}
	if given == nil && len(o.Byhour) > 0 && len(o.Byminute) == 0 {
		text += ";BYMINUTE=0"
	}
	s := Spec{Rule: text, Start: start, Zone: zone.String()}
	r, err := s.Compile()
	if err != nil {
		return Spec{}, err
	}
	return s, r.admit()
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
