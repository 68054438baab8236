package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"errand/internal/cli/words"
)

// Ago says how long before the command was given t was.
func (c *Console) Ago(t time.Time) string { return AgoIn(c.Words, t, c.Began) }

// AgoIn says in a language how long before now t was.
func AgoIn(l words.Language, t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := now.Sub(t)
	switch {
	case d < 5*time.Second:
		return l.Say("just now")
	case d < time.Minute:
		return l.Say("{n} s ago", "n", strconv.Itoa(int(d.Seconds())))
	case d < time.Hour:
		return l.Say("{n} min ago", "n", strconv.Itoa(int(d.Minutes())))
	case d < 24*time.Hour:
		return l.Say("{n} h ago", "n", strconv.Itoa(int(d.Hours())))
	case d < 14*24*time.Hour:
		return l.Say("{n} d ago", "n", strconv.Itoa(int(d.Hours()/24)))
	}
	return t.Local().Format(time.DateOnly)
}

// Ahead says how long it is until t, or how long ago it was.
func (c *Console) Ahead(t time.Time) string {
	d := t.Sub(c.Began)
	switch {
	case t.IsZero():
		return "-"
	case d < 0:
		return c.Ago(t)
	case d < time.Minute:
		return c.Sayf("in %.0f s", d.Seconds())
	case d < time.Hour:
		return c.Sayf("in %.0f min", d.Minutes())
	case d < 48*time.Hour:
		return c.Sayf("in %.0f h", d.Hours())
	case d < 14*24*time.Hour:
		return c.Sayf("in %.0f d", d.Hours()/24)
	}
	return t.Local().Format(time.DateOnly)
}

// Moment is a time as people write it.
func (c *Console) Moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	t = t.Local()
	return c.day(t) + t.Format(" 2006 15:04")
}

// Brief is Moment in a table: the year is said where it is another one.
func (c *Console) Brief(t time.Time) string {
	switch t = t.Local(); {
	case t.IsZero():
		return "-"
	case t.Year() == c.Began.Local().Year():
		return c.day(t) + t.Format(" 15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// day is the day of t: "Mon 2 Jan".
func (c *Console) day(t time.Time) string {
	weekdays, months := strings.Fields(c.Sayf("Sun Mon Tue Wed Thu Fri Sat")), strings.Fields(c.Sayf("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"))
	return fmt.Sprintf("%s %d %s", weekdays[t.Weekday()], t.Day(), months[t.Month()-1])
}

// Lasted says how long something takes.
func Lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
