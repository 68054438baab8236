package when

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type phrases struct {
	later, once, every, monthly *regexp.Regexp
	words                       map[string]string // to English
}

const (
	english = "minute,hour,day,week,weekday,today,tomorrow,sunday,monday,tuesday,wednesday,thursday,friday,saturday,month"
	spanish = "minuto,hora,dia,semana,dia laborable,hoy,manana,domingo,lunes,martes,miercoles,jueves,viernes,sabado,mes"
)

var languages = []phrases{
	newPhrases("in", "at", "every", "on the", "(?:st|nd|rd|th)", english),
	newPhrases("en", "(?:a las?)", "cada", "el(?: dia)?", "", spanish),
}

func newPhrases(in, at, every, on, ordinal, words string) phrases {
	w := strings.Split(words, ",")
	or := func(words []string) string { return strings.Join(words, "|") }
	at += ` (\d{1,2})(?::(\d{2}))?(?: ?(am|pm))?`
	p := phrases{
		later: regexp.MustCompile(fmt.Sprintf(`^%s (\d{1,4}) (%s)s?$`, in, or(w[:4]))),
		once:  regexp.MustCompile(fmt.Sprintf(`^(?:(?:el )?(%s|\d{4}-\d{2}-\d{2}) )?%s$`, or(w[5:14]), at)),
		every: regexp.MustCompile(fmt.Sprintf(`^%s (?:([2-9]|[1-9]\d{1,2}) (%s)s|(%s))(?: %s)?$`, every, or(w[1:3]),
			or(append([]string{w[1], w[2], w[4]}, w[7:14]...)), at)),
		monthly: regexp.MustCompile(fmt.Sprintf(`^%s %s %s (\d{1,2})%s(?: %s)?$`, every, w[14], on, ordinal, at)),
		words:   map[string]string{},
	}
	for i, word := range strings.Split(english, ",") {
		p.words[w[i]] = word
	}
	return p
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "\u0301", "", "\u0303", "")

func parsePhrase(text string, now time.Time, zone *time.Location) (Spec, bool) {
	text = accents.Replace(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	r := phraseReader{now: now, today: wall(now, zone), zone: zone}
	for _, p := range languages {
		if m := p.later.FindStringSubmatch(text); m != nil {
			return r.later(number(m[1]), p.words[m[2]]), true
		}
		if m := p.once.FindStringSubmatch(text); m != nil && r.readClock(m[2:]) {
			return r.once(m[1], p.words[m[1]])
		}
		if m := p.every.FindStringSubmatch(text); m != nil && r.readClock(m[4:]) {
			return r.every(max(number(m[1]), 1), p.words[m[2]+m[3]], m[4] != ""), true
		}
		if m := p.monthly.FindStringSubmatch(text); m != nil && r.readClock(m[2:]) {
			day := number(m[1])
			return r.recurs("FREQ=MONTHLY" + onDay(day)), day >= 1 && day <= 31
		}
	}
	return Spec{}, false
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

type phraseReader struct {
	now          time.Time
	today        time.Time // now as a wall time
	zone         *time.Location
	hour, minute int
}

// readClock parses hour, minute and am or pm. The default is 9:00.
func (r *phraseReader) readClock(m []string) bool {
	r.hour, r.minute = number(m[0]), number(m[1])
	switch {
	case m[0] == "":
		r.hour = 9
	case m[2] != "" && (r.hour < 1 || r.hour > 12):
		return false
	case m[2] == "am":
		r.hour %= 12
	case m[2] == "pm":
		r.hour = r.hour%12 + 12
	}
	return r.hour < 24 && r.minute < 60
}

func (r *phraseReader) at(days int) time.Time {
	w := r.today
	return instant(time.Date(w.Year(), w.Month(), w.Day()+days, r.hour, r.minute, 0, 0, time.UTC), r.zone)
}

func (r *phraseReader) later(n int, unit string) Spec {
	s := Spec{Zone: r.zone.String()}
	switch unit {
	case "minute":
		s.At = r.now.Add(time.Duration(n) * time.Minute).Truncate(time.Second)
	case "hour":
		s.At = r.now.Add(time.Duration(n) * time.Hour).Truncate(time.Second)
	case "day":
		s.At = instant(r.today.AddDate(0, 0, n), r.zone)
	default:
		s.At = instant(r.today.AddDate(0, 0, 7*n), r.zone)
	}
	return s
}

func (r *phraseReader) once(date, day string) (Spec, bool) {
	days := 0
	switch day {
	case "today":
	case "tomorrow":
		days = 1
	case "":
		if date == "" {
			days = r.firstDay()
			break
		}
		d, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return Spec{}, false
		}
		r.today = d
	default: // on a Friday morning "friday at 14:00" means today
		for days = r.firstDay(); !strings.EqualFold(r.today.AddDate(0, 0, days).Weekday().String(), day); days++ {
		}
	}
	return Spec{At: r.at(days), Zone: r.zone.String()}, true
}

func (r *phraseReader) firstDay() int {
	if r.at(0).After(r.now) {
		return 0
	}
	return 1
}

func (r *phraseReader) every(n int, unit string, clock bool) Spec {
	switch unit {
	case "hour":
		start := r.now.Add(time.Duration(n) * time.Hour).Truncate(time.Second)
		if clock {
			start = r.at(r.firstDay())
		}
		return Spec{Rule: fmt.Sprintf("FREQ=HOURLY;INTERVAL=%d", n), Start: start.UTC(), Zone: r.zone.String()}
	case "day":
		if n > 1 {
			return r.recurs(fmt.Sprintf("FREQ=DAILY;INTERVAL=%d", n))
		}
		return r.recurs("FREQ=DAILY")
	case "weekday":
		return r.recurs("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
	}
	return r.recurs("FREQ=WEEKLY;BYDAY=" + strings.ToUpper(unit[:2]))
}

// recurs starts the rule now, or tomorrow if today's time has passed.
func (r *phraseReader) recurs(rule string) Spec {
	start := r.now.Truncate(time.Minute)
	if r.firstDay() > 0 {
		start = instant(midnight(r.today).AddDate(0, 0, 1), r.zone)
	}
	return Spec{Rule: fmt.Sprintf("%s;BYHOUR=%d;BYMINUTE=%d", rule, r.hour, r.minute), Start: start.UTC(), Zone: r.zone.String()}
}

// onDay returns the condition for a day of the month. A shorter month uses its last day.
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
