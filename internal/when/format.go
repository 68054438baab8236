package when

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Format writes a time as people read it: "Thursday, 24 December 2026, 18:00".
func Format(t time.Time) string {
	if t.Second() != 0 {
		return t.Format("Monday, 2 January 2006, 15:04:05")
	}
	return t.Format("Monday, 2 January 2006, 15:04")
}

// String says when s is: "every Monday at 08:00 (Europe/Oslo)".
func (s Spec) String() string {
	where := " (" + s.Zone + ")"
	if s.Zone == "Local" {
		where = " (local time)"
	}
	r, err := s.compile()
	switch {
	case err != nil:
		return "never: " + err.Error()
	case s.Rule == "":
		return Format(s.At.In(s.In())) + where
	case r.every > 0:
		return r.passingText() + r.ends()
	}
	days := r.dayText()
	if days == "" {
		return "by the rule " + s.Rule + where
	}
	return days + r.clockText() + where + r.ends()
}

func (r rule) passingText() string {
	unit := "hour"
	if r.option.Freq == rrule.MINUTELY {
		unit = "minute"
	}
	return many(r.option.Interval, unit) + ", counted from " + Format(r.start.In(r.zone))
}

func many(n int, unit string) string {
	if n <= 1 {
		return "every " + unit
	}
	return fmt.Sprintf("every %d %ss", n, unit)
}

func (r rule) ends() string {
	switch {
	case r.option.Count > 0:
		return fmt.Sprintf(", %d times", r.option.Count)
	case !r.until.IsZero():
		return ", until " + Format(r.until.In(r.zone))
	}
	return ""
}

// dayText says which days the rule is about; "" if it has conditions that have
// no words here.
func (r rule) dayText() string {
	o := r.option
	if len(o.Byyearday)+len(o.Byweekno)+len(o.Byeaster) > 0 || len(o.Bymonth) > 1 || o.Wkst != rrule.MO {
		return ""
	}
	switch {
	case o.Freq == rrule.DAILY && len(o.Byweekday)+len(o.Bymonthday)+len(o.Bymonth)+len(o.Bysetpos) == 0:
		return many(o.Interval, "day")
	case o.Freq == rrule.WEEKLY && len(o.Bymonthday)+len(o.Bymonth)+len(o.Bysetpos) == 0:
		return r.weekText()
	case o.Freq == rrule.MONTHLY && len(o.Bymonth) == 0:
		if day := r.monthDayText("month"); day != "" {
			return day + many(o.Interval, "month")
		}
	case o.Freq == rrule.YEARLY && len(o.Bymonth) == 1 && len(o.Byweekday) == 0:
		if day := r.monthDayText("year"); day != "" {
			return fmt.Sprintf("%s on %s %s", many(o.Interval, "year"), day, time.Month(o.Bymonth[0])) + r.leap()
		}
	}
	return ""
}

// leap says what becomes of 29 February.
func (r rule) leap() string {
	if r.option.Bymonth[0] == 2 && len(r.option.Bysetpos) > 0 {
		return " (in years without one, on the 28th)"
	}
	return ""
}

func (r rule) weekText() string {
	o := r.option
	var days []string
	for _, d := range o.Byweekday {
		if d.N() != 0 {
			return ""
		}
		days = append(days, time.Weekday((d.Day()+1)%7).String())
	}
	if len(days) == 0 {
		days = []string{o.Dtstart.Weekday().String()}
	}
	list := strings.Join(days, ", ")
	if i := strings.LastIndex(list, ", "); i > 0 {
		list = list[:i] + " and" + list[i+1:]
	}
	if list == "Monday, Tuesday, Wednesday, Thursday and Friday" {
		list = "weekday"
	}
	switch {
	case o.Interval == 2:
		return "every other " + list
	case o.Interval > 2:
		return many(o.Interval, "week") + " on " + list
	}
	return "every " + list
}

// monthDayText is "on the 31st of ", for months, or "24", for years.
func (r rule) monthDayText(of string) string {
	o := r.option
	if len(o.Byweekday) == 1 && len(o.Bymonthday) == 0 && len(o.Bysetpos) == 0 && of == "month" {
		n, day := o.Byweekday[0].N(), time.Weekday((o.Byweekday[0].Day()+1)%7)
		switch {
		case n == -1:
			return fmt.Sprintf("on the last %s of ", day)
		case n > 0:
			return fmt.Sprintf("on the %s %s of ", ordinal(n), day)
		}
		return ""
	}
	days := o.Bymonthday
	if len(days) == 0 && len(o.Byweekday)+len(o.Bysetpos) == 0 {
		days = []int{o.Dtstart.Day()}
	}
	if len(days) == 0 || len(o.Byweekday) > 0 {
		return ""
	}
	last := days[len(days)-1]
	clamped := slices.Equal(o.Bysetpos, []int{-1}) && last > 28 && slices.Equal(days, []int{28, 29, 30, 31}[:len(days)])
	switch {
	case clamped && of == "year":
		return fmt.Sprint(last)
	case clamped:
		return fmt.Sprintf("on the %s (in shorter months on their last day) of ", ordinal(last))
	case len(days) > 1 || len(o.Bysetpos) > 0:
		return ""
	case of == "year" && last > 0:
		return fmt.Sprint(last)
	case of == "year":
		return ""
	case last == -1:
		return "on the last day of "
	case last > 28:
		return fmt.Sprintf("on the %s, where there is one, of ", ordinal(last))
	case last > 0:
		return fmt.Sprintf("on the %s of ", ordinal(last))
	}
	return ""
}

func (r rule) clockText() string {
	hours, minutes := r.option.Byhour, r.option.Byminute
	if len(hours) == 0 {
		hours = []int{r.option.Dtstart.Hour()}
	}
	if len(minutes) == 0 {
		minutes = []int{r.option.Dtstart.Minute()}
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
	return " at " + strings.Join(times, ", ")
}

func ordinal(n int) string {
	end := "th"
	if n/10 != 1 {
		end = []string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
	}
	return fmt.Sprintf("%d%s", n, end)
}
