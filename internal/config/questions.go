package config

import (
	"strconv"
	"strings"
	"time"
)

// Questions is how long what an agent asks waits for a person.
type Questions struct {
	ExpireAfter time.Duration
	RemindAfter []time.Duration // each since the question was asked, in order; none: nobody is reminded
}

const mostReminders = 10

func (m *mapping) questions(q *Questions) {
	line := m.lineOf("expire_after")
	m.age("expire_after", &q.ExpireAfter)
	if q.ExpireAfter == 0 {
		m.fault(line, "expire_after", "a question has to expire: write for example 7d")
	}
	texts, lines := m.texts("remind_after")
	if texts == nil {
		return
	}
	q.RemindAfter = nil
	if len(texts) > mostReminders {
		m.fault(m.lineOf("remind_after"), "remind_after", "has %d times; at most %d", len(texts), mostReminders)
		return
	}
	before := time.Duration(0)
	for i, text := range texts {
		d, err := parseAge(text)
		switch {
		case err != nil:
			m.fault(lines[i], "remind_after", "%q is not a time: write for example 1h or 2d", text)
		case d < time.Minute:
			m.fault(lines[i], "remind_after", "%s is less than 1m", text)
		case d <= before:
			m.fault(lines[i], "remind_after", "%s does not come after what stands before it", text)
		default:
			before = d
			q.RemindAfter = append(q.RemindAfter, d)
		}
	}
}

// parseAge reads a duration that may be days: "2d".
func parseAge(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 || n > 36500 {
		return 0, strconv.ErrSyntax
	}
	return time.Duration(n) * day, nil
}
