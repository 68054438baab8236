package when

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	months   = `january|february|march|april|may|june|july|august|september|october|november|december`
	weekdays = `sunday|monday|tuesday|wednesday|thursday|friday|saturday`
	units    = `second|minute|hour|day|week|month|year`
)

var (
	span      = regexp.MustCompile(`^(?:in |within )?(\d{1,6}(?:\.\d{1,3})?|an?) ?(` + units + `|h|m|s|d|w)s?(?: ?and\b)? ?`)
	isoDate   = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})t?$`)
	dayMonth  = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)? (?:of )?(` + months + `)(?: (\d{4}))?$`)
	monthDay  = regexp.MustCompile(`^(` + months + `) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$`)
	dayOnly   = regexp.MustCompile(`^(?:(?:the|day|the day) (\d{1,2})(?:st|nd|rd|th)?|(\d{1,2})(?:st|nd|rd|th))$`)
	dayNamed  = regexp.MustCompile(`^(?:(next|last) )?(` + weekdays + `)$`)
	endOfThis = regexp.MustCompile(`^(?:at )?(?:the )?(?:last day|end) of (?:the|this) month$`)
)

// What units are: time that passes, or days and months on the wall.
var (
	passes   = map[string]time.Duration{"second": time.Second, "s": time.Second, "minute": time.Minute, "m": time.Minute, "hour": time.Hour, "h": time.Hour}
	daysOf   = map[string]int{"day": 1, "d": 1, "week": 7, "w": 7}
	monthsOf = map[string]int{"month": 1, "year": 12}
)

// once reads a single time. For times that pass ("in two hours") it is exactly
// so much later; all others are on the wall.
func (r textReader) once(text string) (time.Time, error) {
	if strings.HasPrefix(text, "in ") || strings.HasPrefix(text, "within ") || strings.HasSuffix(text, " from now") {
		if t, ok, err := r.later(strings.TrimSuffix(text, " from now")); ok || err != nil {
			return t, err
		}
	}
	rest, clocks, _, err := takeClocks(text)
	if err != nil {
		return time.Time{}, err
	}
	c, reported := nine, len(clocks) > 0
	if len(clocks) > 1 {
		return time.Time{}, errNoTime
	}
	if reported {
		c = clocks[0]
	}
	if rest == "" && reported {
		w := c.on(r.today)
		if !instant(w, r.zone).After(r.now) {
			w = c.on(r.today.AddDate(0, 0, 1))
		}
		return instant(w, r.zone), nil
	}
	day, err := r.day(rest, c)
	if err != nil {
		return time.Time{}, err
	}
	return instant(c.on(day), r.zone), nil
}

func (r textReader) later(text string) (time.Time, bool, error) {
	rest, clocks, w, passed, far := text, []clock(nil), r.today, time.Duration(0), false
	if i := strings.Index(text, " at "); i > 0 {
		var err error
		if rest, clocks, _, err = takeClocks(text); err != nil || len(clocks) != 1 {
			return time.Time{}, false, err
		}
	}
	for rest != "" {
		m := span.FindStringSubmatch(rest)
		if m == nil {
			return time.Time{}, false, nil
		}
		rest = strings.TrimSpace(rest[len(m[0]):])
		n, err := strconv.ParseFloat(m[1], 64)
		if strings.HasPrefix(m[1], "a") {
			n, err = 1, nil
		}
		if err != nil {
			return time.Time{}, false, nil
		}
		passed += time.Duration(n * float64(passes[m[2]]))
		w = addMonths(w.AddDate(0, 0, int(n)*daysOf[m[2]]), int(n)*monthsOf[m[2]])
		far = far || passes[m[2]] == 0
		if w.Year() > r.today.Year()+1000 {
			return time.Time{}, false, &Error{Kind: TooFar, Number: ahead}
		}
	}
	switch {
	case !far && len(clocks) > 0:
		return time.Time{}, false, nil
	case !far:
		return r.now.Add(passed).Truncate(time.Second), true, nil
	case len(clocks) > 0:
		w = clocks[0].on(w)
	}
	return instant(w, r.zone).Add(passed), true, nil
}

// addMonths stays in the month it comes to: a month after 31 January is the last
// of February.
func addMonths(w time.Time, n int) time.Time {
	first := time.Date(w.Year(), w.Month()+time.Month(n), 1, w.Hour(), w.Minute(), w.Second(), 0, time.UTC)
	return first.AddDate(0, 0, min(w.Day(), daysIn(first))-1)
}

func daysIn(w time.Time) int { return time.Date(w.Year(), w.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// day reads which day it is. c is the time on it, for days that may be today.
func (r textReader) day(text string, c clock) (time.Time, error) {
	text = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(text, " at"), " on"), "on ")
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // the expressions found digits
	if m := isoDate.FindStringSubmatch(text); m != nil {
		if number(m[2]) > 12 {
			return r.today, &Error{Kind: NoMonth, Text: m[2]}
		}
		return date(number(m[1]), time.Month(number(m[2])), number(m[3]))
	}
	noThe := strings.TrimPrefix(text, "the ")
	if m := dayMonth.FindStringSubmatch(noThe); m != nil {
		return r.monthDay(monthOf(m[2]), number(m[1]), number(m[3]), c)
	}
	if m := monthDay.FindStringSubmatch(noThe); m != nil {
		return r.monthDay(monthOf(m[1]), number(m[2]), number(m[3]), c)
	}
	if m := dayOnly.FindStringSubmatch(text); m != nil {
		return r.dayOfMonth(number(m[1]+m[2]), c)
	}
	switch {
	case endOfThis.MatchString(text):
		return time.Date(r.today.Year(), r.today.Month()+1, 0, 0, 0, 0, 0, time.UTC), nil
	case noThe == "day after tomorrow":
		return r.today.AddDate(0, 0, 2), nil
	case text == "next week":
		return r.today.AddDate(0, 0, 7), nil
	case text == "next month":
		return addMonths(r.today, 1), nil
	}
	return r.parseDay(strings.TrimPrefix(noThe, "this "), c)
}

// parseDay reads the names of days: "tomorrow", "friday", "next friday".
func (r textReader) parseDay(text string, c clock) (time.Time, error) {
	if n, ok := map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}[text]; ok {
		return r.today.AddDate(0, 0, n), nil
	}
	m := dayNamed.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, errNoTime
	}
	ahead := int(weekdayOf(m[2])-r.today.Weekday()+7) % 7
	switch {
	case m[1] == "last":
		ahead -= 7
	case ahead > 0:
	case m[1] == "next" || !instant(c.on(r.today), r.zone).After(r.now):
		ahead = 7 // on a Friday morning "friday 14:00" is today's
	}
	return r.today.AddDate(0, 0, ahead), nil
}

func weekdayOf(name string) time.Weekday {
	return time.Weekday(slices.IndexFunc(strings.Split(weekdays, "|"), func(day string) bool { return day == name }))
}

func (r textReader) monthDay(m time.Month, day, year int, c clock) (time.Time, error) {
	if year > 0 {
		return date(year, m, day)
	}
	for year = r.today.Year(); year <= r.today.Year()+8; year++ {
		d, err := date(year, m, day)
		if err == nil && instant(c.on(d), r.zone).After(r.now) {
			return d, nil
		}
	}
	return date(r.today.Year()+1, m, day)
}

// dayOfMonth is the next day of that number: where a month has none, the next
// one's.
func (r textReader) dayOfMonth(day int, c clock) (time.Time, error) {
	if day < 1 || day > 31 {
		return time.Time{}, &Error{Kind: NoDayOfMonth, Number: day}
	}
	for n := range 4 {
		d, err := date(r.today.Year(), r.today.Month()+time.Month(n), day)
		if err == nil && instant(c.on(d), r.zone).After(r.now) {
			return d, nil
		}
	}
	return time.Time{}, errNoTime
}

func date(year int, m time.Month, day int) (time.Time, error) {
	first := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	if m < 1 || day < 1 || day > daysIn(first) {
		return time.Time{}, &Error{Kind: NoDate, Text: fmt.Sprintf("%d %s %d", day, first.Month(), first.Year()), Number: day}
	}
	return first.AddDate(0, 0, day-1), nil
}

func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), name) {
			return m
		}
	}
	return 0
}
