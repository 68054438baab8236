package texts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"errand/internal/when"
)

// Date formats a time in the zone of at: "Thursday, 24 December 2026, 18:00".
func (t Texts) Date(at time.Time) string {
	clock := at.Format("15:04")
	if at.Second() != 0 {
		clock = at.Format("15:04:05")
	}
	return t.Localize("time.date", "weekday", t.weekday(at.Weekday()), "day", strconv.Itoa(at.Day()), "month", t.month(at.Month()),
		"year", strconv.Itoa(at.Year()), "clock", clock)
}

func (t Texts) weekday(d time.Weekday) string { return t.Localize("weekday." + strconv.Itoa(int(d))) }

func (t Texts) month(m time.Month) string { return t.Localize("month." + strconv.Itoa(int(m))) }

// Schedule describes the times of s: "every Monday at 08:00 (Europe/Oslo)".
func (t Texts) Schedule(s when.Spec) string {
	r, err := s.Compile()
	switch {
	case err != nil:
		return t.Localize("time.never", "why", err.Error()) // only if the stored row is damaged
	case s.Rule == "":
		return t.inZone(t.Date(s.At.In(s.In())), s.Zone)
	}
	p := phrase{r, t}
	if r.Counts {
		unit := "hour"
		if r.Option.Freq == rrule.MINUTELY {
			unit = "minute"
		}
		return p.ends(t.Localize("time.counted", "every", p.interval(unit), "start", t.Date(r.Start.In(r.Zone))))
	}
	days := p.days()
	if days == "" {
		return t.inZone(t.Localize("time.rule", "rule", s.Rule), s.Zone)
	}
	return p.ends(t.inZone(t.Localize("time.at", "days", days, "times", p.clocks()), s.Zone))
}

func (t Texts) inZone(text, zone string) string {
	if zone == "Local" {
		return t.Localize("time.local", "when", text)
	}
	return t.Localize("time.zone", "when", text, "zone", zone)
}

type phrase struct {
	when.Rule
	Texts
}

func (p phrase) interval(unit string) string {
	if p.Option.Interval <= 1 {
		return p.Localize("time.every." + unit)
	}
	return p.Localize("time.every_n."+unit, "number", strconv.Itoa(p.Option.Interval))
}

func (p phrase) ends(text string) string {
	switch {
	case p.Option.Count == 1:
		return p.Localize("time.once", "when", text)
	case p.Option.Count > 1:
		return p.Localize("time.times", "when", text, "number", strconv.Itoa(p.Option.Count))
	case !p.Until.IsZero():
		return p.Localize("time.until", "when", text, "end", p.Date(p.Until.In(p.Zone)))
	}
	return text
}

// days returns "" if the rule has conditions that it cannot describe.
func (p phrase) days() string {
	o := p.Option
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
	o := p.Option
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
		names[i] = p.weekday(d)
	}
	list := names[0]
	if last := len(names) - 1; last > 0 {
		list = p.Localize("time.and", "days", strings.Join(names[:last], ", "), "last", names[last])
	}
	if slices.Equal(days, workdays) {
		if o.Interval <= 1 {
			return p.Localize("time.workdays")
		}
		list = p.Localize("time.monday_to_friday")
	}
	switch {
	case o.Interval == 2:
		return p.Localize("time.other_week", "days", list)
	case o.Interval > 2:
		return p.Localize("time.weeks", "number", strconv.Itoa(o.Interval), "days", list)
	}
	return p.Localize("time.week", "days", list)
}

func dayOfWeek(d rrule.Weekday) time.Weekday { return time.Weekday((d.Day() + 1) % 7) }

const mostNth = 5

func (p phrase) monthly() string {
	o := p.Option
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
		day = p.Localize("time.nth_weekday", "nth", p.Localize("nth."+nth), "weekday", p.weekday(dayOfWeek(o.Byweekday[0])))
	} else {
		n, clamped, ok := p.monthDay()
		switch {
		case !ok:
			return ""
		case n == -1:
			day = p.Localize("time.last_day")
		case clamped:
			day = p.Localize("time.day_or_last", "day", p.ordinal(n))
		case n > 28:
			day = p.Localize("time.day_if_any", "day", p.ordinal(n))
		default:
			day = p.Localize("time.day", "day", p.ordinal(n))
		}
	}
	if o.Interval <= 1 {
		return p.Localize("time.monthly", "day", day)
	}
	return p.Localize("time.months", "day", day, "number", strconv.Itoa(o.Interval))
}

func (p phrase) yearly() string {
	o := p.Option
	n, _, ok := p.monthDay()
	if !ok || n < 0 {
		return ""
	}
	text := p.Localize("time.yearly", "every", p.interval("year"), "day", strconv.Itoa(n), "month", p.month(time.Month(o.Bymonth[0])))
	if o.Bymonth[0] == 2 && len(o.Bysetpos) > 0 { // 29 February
		text = p.Localize("time.leap", "when", text)
	}
	return text
}

// monthDay returns -1 for the last day. clamped means that a shorter month uses its last day
// instead.
func (p phrase) monthDay() (day int, clamped, ok bool) {
	o := p.Option
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
	hours, minutes := p.Option.Byhour, p.Option.Byminute
	if len(hours) == 0 {
		hours = []int{p.Option.Dtstart.Hour()}
	}
	if len(minutes) == 0 {
		minutes = []int{p.Option.Dtstart.Minute()}
	}
	var times []string
	for _, h := range hours {
		for _, m := range minutes {
			times = append(times, fmt.Sprintf("%02d:%02d", h, m))
		}
	}
	if len(times) > 6 {
		times = append(times[:5], "…")
	}
	return strings.Join(times, ", ")
}

func (p phrase) ordinal(n int) string {
	end := "th"
	if n/10 != 1 {
		end = cmp.Or(map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10], end)
	}
	return p.Localize("ordinal."+end, "number", fmt.Sprint(n))
}
