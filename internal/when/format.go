package when

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"errand/internal/texts"
)

// Format writes a time as people read it: "Thursday, 24 December 2026, 18:00".
func Format(t time.Time, phrases texts.Texts) string {
	clock := t.Format("15:04")
	if t.Second() != 0 {
		clock = t.Format("15:04:05")
	}
	return phrases.Localize("time.date", "weekday", weekdayName(t.Weekday(), phrases), "day", strconv.Itoa(t.Day()), "month", monthName(t.Month(), phrases),
		"year", strconv.Itoa(t.Year()), "clock", clock)
}

func weekdayName(d time.Weekday, phrases texts.Texts) string {
	return phrases.Localize("weekday." + strconv.Itoa(int(d)))
}

func monthName(m time.Month, phrases texts.Texts) string {
	return phrases.Localize("month." + strconv.Itoa(int(m)))
}

// String is Text in English.
func (s Spec) String() string { return s.Text(texts.Shipped()) }

// Text says when s is: "every Monday at 08:00 (Europe/Oslo)".
func (s Spec) Text(phrases texts.Texts) string {
	r, err := s.compile()
	switch {
	case err != nil:
		return phrases.Localize("time.never", "why", err.Error()) // only of a row that is damaged
	case s.Rule == "":
		return s.inZone(Format(s.At.In(s.In()), phrases), phrases)
	}
	p := phrase{r, phrases}
	if r.every > 0 {
		unit := "hour"
		if r.option.Freq == rrule.MINUTELY {
			unit = "minute"
		}
		return p.ends(phrases.Localize("time.counted", "every", p.interval(unit), "start", Format(r.start.In(r.zone), phrases)))
	}
	days := p.days()
	if days == "" {
		return s.inZone(phrases.Localize("time.rule", "rule", s.Rule), phrases)
	}
	return p.ends(s.inZone(phrases.Localize("time.at", "days", days, "times", p.clocks()), phrases))
}

func (s Spec) inZone(text string, phrases texts.Texts) string {
	if s.Zone == "Local" {
		return phrases.Localize("time.local", "when", text)
	}
	return phrases.Localize("time.zone", "when", text, "zone", s.Zone)
}

// A phrase says a rule in one language.
type phrase struct {
	rule
	phrases texts.Texts
}

func (p phrase) interval(unit string) string {
	if p.option.Interval <= 1 {
		return p.phrases.Localize("time.every." + unit)
	}
	return p.phrases.Localize("time.every_n."+unit, "number", strconv.Itoa(p.option.Interval))
}

func (p phrase) ends(text string) string {
	switch {
	case p.option.Count == 1:
		return p.phrases.Localize("time.once", "when", text)
	case p.option.Count > 1:
		return p.phrases.Localize("time.times", "when", text, "number", strconv.Itoa(p.option.Count))
	case !p.until.IsZero():
		return p.phrases.Localize("time.until", "when", text, "end", Format(p.until.In(p.zone), p.phrases))
	}
	return text
}

// days says which days the rule is about; "" if it has conditions that have no
// words here.
func (p phrase) days() string {
	o := p.option
	if len(o.Byyearday)+len(o.Byweekno)+len(o.Byeaster) > 0 || len(o.Bymonth) > 1 || o.Wkst != rrule.MO {
		return ""
	}
	switch {
	case o.Freq == rrule.DAILY && len(o.Byweekday)+len(o.Bymonthday)+len(o.Bymonth)+len(o.Bysetpos) == 0:
		return p.interval("day")
	case o.Freq == rrule.WEEKLY && len(o.Bymonthday)+len(o.Bymonth)+len(o.Bysetpos) == 0:
		return p.week()
	case o.Freq == rrule.MONTHLY && len(o.Bymonth) == 0:
		return p.monthly()
	case o.Freq == rrule.YEARLY && len(o.Bymonth) == 1 && len(o.Byweekday) == 0:
		return p.yearly()
	}
	return ""
}

var workdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}

func (p phrase) week() string {
	o := p.option
	var days []time.Weekday
	for _, d := range o.Byweekday {
		if d.N() != 0 {
			return ""
		}
		days = append(days, dayOfWeek(d))
	}
	if len(days) == 0 {
		days = []time.Weekday{o.Dtstart.Weekday()}
	}
	names := make([]string, len(days))
	for i, d := range days {
		names[i] = weekdayName(d, p.phrases)
	}
	list := names[0]
	if last := len(names) - 1; last > 0 {
		list = p.phrases.Localize("time.and", "days", strings.Join(names[:last], ", "), "last", names[last])
	}
	if slices.Equal(days, workdays) {
		if o.Interval <= 1 {
			return p.phrases.Localize("time.workdays")
		}
		list = p.phrases.Localize("time.monday_to_friday")
	}
	switch {
	case o.Interval == 2:
		return p.phrases.Localize("time.other_week", "days", list)
	case o.Interval > 2:
		return p.phrases.Localize("time.weeks", "number", strconv.Itoa(o.Interval), "days", list)
	}
	return p.phrases.Localize("time.week", "days", list)
}

func dayOfWeek(d rrule.Weekday) time.Weekday { return time.Weekday((d.Day() + 1) % 7) }

const mostNth = 5

func (p phrase) monthly() string {
	o := p.option
	day := ""
	if len(o.Byweekday) == 1 && len(o.Bymonthday) == 0 && len(o.Bysetpos) == 0 {
		n := o.Byweekday[0].N()
		if n == 0 || n < -1 || n > mostNth {
			return ""
		}
		nth := "last"
		if n > 0 {
			nth = strconv.Itoa(n)
		}
		day = p.phrases.Localize("time.nth_weekday", "nth", p.phrases.Localize("nth."+nth), "weekday", weekdayName(dayOfWeek(o.Byweekday[0]), p.phrases))
	} else {
		n, clamped, ok := p.monthDay()
		switch {
		case !ok:
			return ""
		case n == -1:
			day = p.phrases.Localize("time.last_day")
		case clamped:
			day = p.phrases.Localize("time.day_or_last", "day", ordinal(n, p.phrases))
		case n > 28:
			day = p.phrases.Localize("time.day_if_any", "day", ordinal(n, p.phrases))
		default:
			day = p.phrases.Localize("time.day", "day", ordinal(n, p.phrases))
		}
	}
	if o.Interval <= 1 {
		return p.phrases.Localize("time.monthly", "day", day)
	}
	return p.phrases.Localize("time.months", "day", day, "number", strconv.Itoa(o.Interval))
}

func (p phrase) yearly() string {
	o := p.option
	n, _, ok := p.monthDay()
	if !ok || n < 0 {
		return ""
	}
	text := p.phrases.Localize("time.yearly", "every", p.interval("year"), "day", strconv.Itoa(n), "month", monthName(time.Month(o.Bymonth[0]), p.phrases))
	if o.Bymonth[0] == 2 && len(o.Bysetpos) > 0 { // what becomes of 29 February
		text = p.phrases.Localize("time.leap", "when", text)
	}
	return text
}

// monthDay is the day of the month that the rule is about, -1 for its last; clamped
// says that in a shorter month the last one stands for it.
func (p phrase) monthDay() (day int, clamped, ok bool) {
	o := p.option
	days := o.Bymonthday
	if len(days) == 0 && len(o.Byweekday)+len(o.Bysetpos) == 0 {
		days = []int{o.Dtstart.Day()}
	}
	if len(days) == 0 || len(o.Byweekday) > 0 {
		return 0, false, false
	}
	last := days[len(days)-1]
	if slices.Equal(o.Bysetpos, []int{-1}) && last > 28 && slices.Equal(days, []int{28, 29, 30, 31}[:len(days)]) {
		return last, true, true
	}
	return last, false, len(days) == 1 && len(o.Bysetpos) == 0 && (last > 0 || last == -1)
}

func (p phrase) clocks() string {
	hours, minutes := p.option.Byhour, p.option.Byminute
	if len(hours) == 0 {
		hours = []int{p.option.Dtstart.Hour()}
	}
	if len(minutes) == 0 {
		minutes = []int{p.option.Dtstart.Minute()}
	}
	var times []string
	for _, h := range hours {
		for _, m := range minutes {
			times = append(times, clock{h, m}.String())
		}
	}
	if len(times) > 6 {
		times = append(times[:5], "…")
	}
	return strings.Join(times, ", ")
}

func ordinal(n int, phrases texts.Texts) string {
	end := "th"
	if n/10 != 1 {
		end = cmp.Or(map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10], end)
	}
	return phrases.Localize("ordinal."+end, "number", fmt.Sprint(n))
}
