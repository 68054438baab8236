package when

import (
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// maxSteps is how many days, in all, are looked at for one occurrence: those of
// more than half a century. Whoever computes a rule spends no more on it, whatever
// it says.
const maxSteps = 20_000

// A recurrence computes the occurrences of a rule on the wall, period by period: a
// year, a month, a week or a day, as its frequency says. It does what package rrule
// does (recur_test.go compares them), and can begin anywhere and stop.
type recurrence struct {
	rrule.ROption
	from  time.Time       // Dtstart, at 0:00
	times []time.Duration // of each day, sorted
	week  time.Weekday    // the first day of a week

	looked int // steps so far
}

func newRecurrence(o rrule.ROption) recurrence {
	r := recurrence{ROption: o, week: weekday(o.Wkst)}
	start := o.Dtstart
	r.from = midnightOf(start)
	r.Interval = max(o.Interval, 1)
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Bymonthday)+len(o.Byweekday)+len(o.Byeaster) == 0 {
		switch o.Freq {
		case rrule.YEARLY:
			if len(o.Bymonth) == 0 {
				r.Bymonth = []int{int(start.Month())}
			}
			r.Bymonthday = []int{start.Day()}
		case rrule.MONTHLY:
			r.Bymonthday = []int{start.Day()}
		case rrule.WEEKLY:
			r.Byweekday = []rrule.Weekday{[]rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}[start.Weekday()]}
		}
	}
	or := func(list []int, n int) []int {
		if len(list) == 0 {
			return []int{n}
		}
		return list
	}
	for _, h := range or(o.Byhour, start.Hour()) {
		for _, m := range or(o.Byminute, start.Minute()) {
			for _, s := range or(o.Bysecond, start.Second()) {
				r.times = append(r.times, time.Duration(h)*time.Hour+time.Duration(m)*time.Minute+time.Duration(s)*time.Second)
			}
		}
	}
	slices.Sort(r.times)
	r.times = slices.Compact(r.times)
	return r
}

func midnightOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// weekday turns the days of rrule, of which Monday is 0, into those of time.
func weekday(w rrule.Weekday) time.Weekday { return time.Weekday((w.Day() + 1) % 7) }

// period returns the days of the n-th period, from first to before end.
func (r *recurrence) period(n int) (first, end time.Time) {
	n *= r.Interval
	switch y, m, _ := r.from.Date(); r.Freq {
	case rrule.YEARLY:
		first = time.Date(y+n, 1, 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(1, 0, 0)
	case rrule.MONTHLY:
		first = time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(0, 1, 0)
	case rrule.WEEKLY:
		first = r.from.AddDate(0, 0, 7*n-int(r.from.Weekday()-r.week+7)%7)
		end = first.AddDate(0, 0, 7)
		if first.Before(r.from) {
			first = r.from // the first week begins with the rule
		}
		return first, end
	default:
		first = r.from.AddDate(0, 0, n)
		return first, first.AddDate(0, 0, 1)
	}
}

// near returns a period that is not after the one of t.
func (r *recurrence) near(t time.Time) int {
	n := 0
	switch days := int(t.Sub(r.from).Hours() / 24); r.Freq {
	case rrule.YEARLY:
		n = t.Year() - r.from.Year()
	case rrule.MONTHLY:
		n = 12*(t.Year()-r.from.Year()) + int(t.Month()-r.from.Month())
	case rrule.WEEKLY:
		n = days / 7
	default:
		n = days
	}
	return max(0, n/r.Interval)
}

// each calls yield for the occurrences that are not before t, in their order, until
// it returns false. enough is false if it gave up after so many steps.
func (r *recurrence) each(t time.Time, yield func(time.Time) bool) (enough bool) {
	if t.Before(r.Dtstart) {
		t = r.Dtstart
	}
	n, counted, steps := 0, 0, 0
	defer func() { r.looked += steps }()
	if r.Count == 0 {
		n = r.near(t)
	}
	for ; ; n++ {
		first, end := r.period(n)
		if !r.Until.IsZero() && first.After(r.Until) {
			return true
		}
		if first.Year() > rrule.MAXYEAR || steps > maxSteps {
			return first.Year() > rrule.MAXYEAR
		}
		steps++
		if r.Count == 0 && len(r.Bysetpos) == 0 && first.Before(midnightOf(t)) {
			first = midnightOf(t) // in whose period it is, or the period is over
		}
		var days []time.Time
		for day := first; day.Before(end); steps++ {
			if len(r.Bymonth) > 0 && !slices.Contains(r.Bymonth, int(day.Month())) {
				day = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
				continue
			}
			if r.matches(day) {
				days = append(days, day)
			}
			day = day.AddDate(0, 0, 1)
		}
		for w := range r.occurrences(days) {
			switch {
			case !r.Until.IsZero() && w.After(r.Until):
				return true
			case w.Before(r.Dtstart):
				continue
			}
			if counted++; r.Count > 0 && counted > r.Count {
				return true
			}
			if !w.Before(t) && !yield(w) {
				return true
			}
		}
		if r.Count > 0 {
			steps += len(days) * len(r.times) / 16 // which are cheap, and many
		}
	}
}

func (r *recurrence) occurrences(days []time.Time) func(func(time.Time) bool) {
	return func(yield func(time.Time) bool) {
		all := len(days) * len(r.times)
		at := func(i int) time.Time { return days[i/len(r.times)].Add(r.times[i%len(r.times)]) }
		if len(r.Bysetpos) == 0 {
			for i := range all {
				if !yield(at(i)) {
					return
				}
			}
			return
		}
		var which []int
		for _, pos := range r.Bysetpos {
			if pos < 0 {
				pos += all
			} else {
				pos--
			}
			if pos >= 0 && pos < all {
				which = append(which, pos)
			}
		}
		slices.Sort(which)
		for _, i := range slices.Compact(which) {
			if !yield(at(i)) {
				return
			}
		}
	}
}

// matches reports whether a day has what the rule asks for.
func (r *recurrence) matches(day time.Time) bool {
	if len(r.Byweekday) > 0 && !r.onWeekday(day) {
		return false
	}
	month, left := day.Day(), daysIn(day)-day.Day()
	if len(r.Bymonthday) > 0 && !slices.Contains(r.Bymonthday, month) && !slices.Contains(r.Bymonthday, -left-1) {
		return false
	}
	if len(r.Byyearday) > 0 {
		left := time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay() - day.YearDay()
		if !slices.Contains(r.Byyearday, day.YearDay()) && !slices.Contains(r.Byyearday, -left-1) {
			return false
		}
	}
	if len(r.Byweekno) > 0 {
		n, of := r.weekOf(day)
		if !slices.Contains(r.Byweekno, n) && !slices.Contains(r.Byweekno, n-of-1) {
			return false
		}
	}
	if len(r.Byeaster) > 0 {
		after := int(day.Sub(easter(day.Year())).Hours() / 24)
		return slices.Contains(r.Byeaster, after)
	}
	return true
}

// onWeekday looks at BYDAY: weekdays, or the n-th of them in the month or year.
func (r *recurrence) onWeekday(day time.Time) bool {
	plain, nth, isPlain, isNth := false, false, false, false
	at, of := day.Day(), daysIn(day) // in its month
	if r.Freq == rrule.YEARLY && len(r.Bymonth) == 0 {
		at, of = day.YearDay(), time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
	}
	for _, w := range r.Byweekday {
		same := weekday(w) == day.Weekday()
		if w.N() == 0 || r.Freq > rrule.MONTHLY {
			isPlain, plain = true, plain || same
			continue
		}
		isNth = true
		nth = nth || same && (w.N() == (at-1)/7+1 || -w.N() == (of-at)/7+1)
	}
	return (plain || !isPlain) && (nth || !isNth)
}

// weekOf returns the number of the week of a day, and how many the year of that
// week has: the first week of a year has at least four of its days.
func (r *recurrence) weekOf(day time.Time) (n, of int) {
	first := func(year int) time.Time {
		t := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
		return t.AddDate(0, 0, -int(t.Weekday()-r.week+7)%7)
	}
	year := day.Year()
	switch {
	case day.Before(first(year)):
		year--
	case !day.Before(first(year + 1)):
		year++
	}
	days := func(from, to time.Time) int { return int(to.Sub(from).Hours() / 24) }
	return days(first(year), day)/7 + 1, days(first(year), first(year+1)) / 7
}

// easter is Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
