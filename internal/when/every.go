package when

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const dayList = `(?:` + weekdays + `)(?: (?:and )?(?:on )?(?:every )?(?:` + weekdays + `))*`

var (
	everyUnit  = regexp.MustCompile(`^every (?:(\d{1,5}|other) )?(` + units + `|weekday|weekend)s?(?: (.+))?$`)
	everyOther = regexp.MustCompile(`^every (?:(other) )?(.+)$`)
	ofEvery    = regexp.MustCompile(`^(?:on )?(.+?) (?:of )?every (month|year)s?$`)
	someDays   = regexp.MustCompile(`^(?:on )?(?:every )?(` + dayList + `)$`)
	nthDay     = regexp.MustCompile(`^(?:on )?(?:the )?(?:(\d)(?:st|nd|rd|th)|(last)) (` + weekdays + `)$`)
	lastDay    = regexp.MustCompile(`^(?:on |at )?(?:the )?(?:last day|end)$`)
	oneDay     = regexp.MustCompile(`^(?:on )?(?:the |day |the day )?(\d{1,2})(?:st|nd|rd|th)?$`)
	dayWord    = regexp.MustCompile(weekdays)
)

func (r textReader) every(text string) (Spec, error) {
	rest, clocks, _, err := takeClocks(text)
	if err != nil {
		return Spec{}, err
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(rest, " and"), " at"), " on")
	if m := ofEvery.FindStringSubmatch(rest); m != nil {
		rest = "every " + m[2] + " " + m[1]
	}
	number, unit, on := 1, "", ""
	if m := everyUnit.FindStringSubmatch(rest); m != nil {
		unit, on = m[2], m[3]
		switch {
		case m[1] == "other":
			number = 2
		case m[1] != "":
			number, _ = strconv.Atoi(m[1]) // the expression found digits
		}
	} else if m := everyOther.FindStringSubmatch(rest); m != nil {
		if m[1] != "" {
			number = 2
		}
		on = m[2]
	}
	if number == 0 {
		return Spec{}, errNoTime
	}
	if passes[unit] > 0 {
		return r.passing(unit, number, on, clocks)
	}
	by, err := r.days(unit, number, on)
	if err != nil {
		return Spec{}, err
	}
	if by, err = withClocks(by, clocks); err != nil {
		return Spec{}, err
	}
	return r.countFromStart(by, number)
}

func (r textReader) passing(unit string, number int, on string, clocks []clock) (Spec, error) {
	if len(clocks) > 1 || on != "" {
		return Spec{}, errNoTime
	}
	each := time.Duration(number) * passes[unit]
	if each < leastMinutes*time.Minute {
		return Spec{}, tooOften()
	}
	start := r.now.Add(each).Truncate(time.Second)
	if len(clocks) == 1 {
		if start = instant(clocks[0].on(r.today), r.zone); !start.After(r.now) {
			start = instant(clocks[0].on(r.today.AddDate(0, 0, 1)), r.zone)
		}
	}
	rule := map[string]string{"second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY"}[unit]
	return Spec{Rule: fmt.Sprintf("FREQ=%s;INTERVAL=%d", rule, number), Start: start.UTC(), Zone: r.zone.String()}, nil
}

func (r textReader) days(unit string, number int, on string) (string, error) {
	rule := func(freq, by string) (string, error) {
		s := "FREQ=" + freq
		if number > 1 {
			s += fmt.Sprintf(";INTERVAL=%d", number)
		}
		return s + by, nil
	}
	switch {
	case unit == "weekday" && on == "" && number == 1:
		return rule("WEEKLY", ";BYDAY=MO,TU,WE,TH,FR")
	case unit == "weekend" && on == "":
		return rule("WEEKLY", ";BYDAY=SA,SU")
	case unit == "day" && on == "":
		return rule("DAILY", "")
	case unit == "week" && on == "":
		return rule("WEEKLY", ";BYDAY="+short(r.today.Weekday().String()))
	case unit == "month" && on == "":
		return rule("MONTHLY", onDay(r.today.Day()))
	}
	if m := someDays.FindStringSubmatch(on); m != nil && (unit == "" || unit == "week") {
		var list []string
		for _, name := range dayWord.FindAllString(m[1], -1) {
			if day := short(name); !slices.Contains(list, day) {
				list = append(list, day)
			}
		}
		return rule("WEEKLY", ";BYDAY="+strings.Join(list, ","))
	}
	if unit == "" || unit == "month" {
		if by, err := monthly(on); by != "" || err != nil {
			freq, _ := rule("MONTHLY", by)
			return freq, err
		}
	}
	if unit == "" || unit == "year" {
		if by, err := yearly(on); by != "" || err != nil {
			freq, _ := rule("YEARLY", by)
			return freq, err
		}
	}
	return "", errNoTime
}

func monthly(on string) (string, error) {
	if m := nthDay.FindStringSubmatch(on); m != nil {
		n := m[1]
		if m[2] != "" {
			n = "-1"
		}
		if number, _ := strconv.Atoi(n); number == 0 || number > 5 { // the expression found digits, or -1 was set
			return "", &Error{Kind: NoNthWeekday, Text: n + "th " + m[3], Number: number}
		}
		return ";BYDAY=" + n + short(m[3]), nil
	}
	if lastDay.MatchString(on) {
		return ";BYMONTHDAY=-1", nil
	}
	m := oneDay.FindStringSubmatch(on)
	if m == nil {
		return "", nil
	}
	day, _ := strconv.Atoi(m[1]) // the expression found digits
	if day < 1 || day > 31 {
		return "", &Error{Kind: NoDayOfMonth, Number: day}
	}
	return onDay(day), nil
}

// onDay is the condition of a day of the month: in months that are too short,
// their last day.
func onDay(day int) string {
	if day <= 28 {
		return fmt.Sprintf(";BYMONTHDAY=%d", day)
	}
	list := "28"
	for d := 29; d <= day; d++ {
		list += fmt.Sprintf(",%d", d)
	}
	return ";BYMONTHDAY=" + list + ";BYSETPOS=-1"
}

func yearly(on string) (string, error) {
	on = strings.TrimPrefix(strings.TrimPrefix(on, "on "), "the ")
	name, number := "", ""
	if m := dayMonth.FindStringSubmatch(on); m != nil && m[3] == "" {
		number, name = m[1], m[2]
	} else if m := monthDay.FindStringSubmatch(on); m != nil && m[3] == "" {
		name, number = m[1], m[2]
	} else {
		return "", nil
	}
	day, _ := strconv.Atoi(number) // the expressions found digits
	month := monthOf(name)
	if _, err := date(2028, month, day); err != nil { // a leap year
		return "", &Error{Kind: NoDate, Text: fmt.Sprintf("%d %s", day, month), Number: day}
	}
	by := fmt.Sprintf(";BYMONTHDAY=%d", day)
	if month == time.February && day == 29 {
		by = onDay(day)
	}
	return fmt.Sprintf(";BYMONTH=%d", month) + by, nil
}

// withClocks adds the times of day. One RRULE cannot say 8:00 and 20:30.
func withClocks(rule string, clocks []clock) (string, error) {
	if len(clocks) == 0 {
		clocks = []clock{nine}
	}
	var hours []string
	for _, c := range clocks {
		if c.minute != clocks[0].minute {
			return "", &Error{Kind: MinutesDiffer}
		}
		hours = append(hours, strconv.Itoa(c.hour))
	}
	if len(hours) > 1 && strings.Contains(rule, "BYSETPOS") {
		return "", &Error{Kind: SeveralTimes}
	}
	return fmt.Sprintf("%s;BYHOUR=%s;BYMINUTE=%d", rule, strings.Join(hours, ","), clocks[0].minute), nil
}

// countFromStart lets the rule count from its first time, so that "every other Monday"
// begins with the next one.
func (r textReader) countFromStart(rule string, number int) (Spec, error) {
	s := Spec{Rule: rule, Start: r.now.Truncate(time.Minute).UTC(), Zone: r.zone.String()}
	if number == 1 {
		return s, s.Check()
	}
	each := s
	each.Rule = strings.Replace(rule, fmt.Sprintf(";INTERVAL=%d", number), "", 1)
	if err := each.Check(); err != nil {
		return s, err
	}
	first, ok := each.Next(r.now)
	if !ok {
		return s, errNoTime
	}
	s.Start = first.UTC()
	return s, nil
}

func short(day string) string { return strings.ToUpper(day[:2]) }
