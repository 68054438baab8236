package when

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A clock is a time of day.
type clock struct{ hour, minute int }

func (c clock) String() string { return fmt.Sprintf("%02d:%02d", c.hour, c.minute) }

func (c clock) on(w time.Time) time.Time {
	return time.Date(w.Year(), w.Month(), w.Day(), c.hour, c.minute, 0, 0, time.UTC)
}

var nine = clock{9, 0}

// Times that are written as such. What is in the first group is the hour.
var clockWords = []*regexp.Regexp{
	regexp.MustCompile(`(?:\bat |@ ?|\b)(\d{1,2})[:h.](\d{2})(?::00)?(?: ?(am|pm))?(?: ?(?:h|hs|uhr|o'clock))?\b`),
	regexp.MustCompile(`(?:\bat |@ ?|\b)(\d{1,2})() ?(am|pm)\b`),
	regexp.MustCompile(`\b(?:at |@ ?)?(\d{1,2})()()(?: ?h| ?hs| ?o'clock)\b`),
	regexp.MustCompile(`(?:\bat |@ ?)(\d{1,2})()()\b`),
}

var (
	noon     = regexp.MustCompile(`\b(?:at )?(?:noon|midday)\b`)
	midnight = regexp.MustCompile(`\b(?:at )?midnight\b`)
	partWord = regexp.MustCompile(`\b(?:in the |at |this |the )?(morning|afternoon|evening|night)\b`)
)

// A part is a part of the day: when it is if no time is said, and from when on
// the hours of a twelve-hour clock are meant.
type part struct {
	name  string
	usual clock
	pm    bool
}

var parts = map[string]part{
	"morning":   {"morning", nine, false},
	"afternoon": {"afternoon", clock{15, 0}, true},
	"evening":   {"evening", clock{19, 0}, true},
	"night":     {"night", clock{21, 0}, true},
}

// takeClocks takes the times of day out of s, in the order in which they stand
// there, and a part of the day. What is left is about the day.
func takeClocks(s string) (rest string, clocks []clock, p part, err error) {
	s = strings.ReplaceAll(s, "tonight", "today in the night")
	if m := partWord.FindStringSubmatch(s); m != nil {
		p = parts[m[1]]
		with := " "
		if strings.HasPrefix(m[0], "this ") {
			with = " today "
		}
		if strings.Contains(s, "every "+m[1]) {
			with = " day "
		}
		s = strings.Replace(s, m[0], with, 1)
	}
	s = noon.ReplaceAllString(s, "at 12:00")
	if midnight.MatchString(s) {
		s = midnight.ReplaceAllString(s, "at 00:00")
		if p.name == "night" {
			s = strings.Replace(s, "today", "tomorrow", 1)
		}
	}
	for _, word := range clockWords {
		for m := word.FindStringSubmatchIndex(s); m != nil; m = word.FindStringSubmatchIndex(s) {
			c, err := readClock(s[m[2]:m[3]], group(s, m, 2), group(s, m, 3), p)
			if err != nil {
				return s, nil, p, err
			}
			clocks = append(clocks, c)
			s = s[:m[0]] + " " + s[m[1]:]
		}
	}
	if len(clocks) == 0 && p.name != "" {
		clocks = append(clocks, p.usual)
	}
	return strings.Join(strings.Fields(s), " "), clocks, p, nil
}

func group(s string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return s[m[2*n]:m[2*n+1]]
}

func readClock(hour, minute, half string, p part) (clock, error) {
	h, _ := strconv.Atoi(hour)   // the expression found digits
	m, _ := strconv.Atoi(minute) // or nothing
	c := clock{h, m}
	if half != "" && (h < 1 || h > 12) || h > 24 || h == 24 && m > 0 || m > 59 {
		return c, &Error{Kind: NoTimeOfDay, Text: strings.TrimSpace(hour + ":" + pad(strconv.Itoa(m)) + " " + half)}
	}
	switch {
	case half == "am" && h == 12, h == 24:
		c.hour = 0
	case half == "pm" && h < 12, half == "" && p.pm && h > 0 && h < 12:
		c.hour += 12
	}
	return c, nil
}
