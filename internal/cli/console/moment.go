package console

import (
	"fmt"
	"time"
)

// Ago returns the time from t to the start of the command, as text.
func (c *Console) Ago(t time.Time) string { return Ago(t, c.Began) }

// Ago returns the time from t to now, as text.
func Ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	d := now.Sub(t)
	switch {
	case d < 5*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 14*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return t.Local().Format(time.DateOnly)
}

// Ahead returns the time until t, or since t if it has passed, as text.
func (c *Console) Ahead(t time.Time) string {
	d := t.Sub(c.Began)
	switch {
	case t.IsZero():
		return "-"
	case d < 0:
		return c.Ago(t)
	case d < time.Minute:
		return fmt.Sprintf("in %.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("in %.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("in %.0f h", d.Hours())
	case d < 14*24*time.Hour:
		return fmt.Sprintf("in %.0f d", d.Hours()/24)
	}
	return t.Local().Format(time.DateOnly)
}

// Moment returns a date and time for people.
func (c *Console) Moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	t = t.Local()
	return t.Format("Mon 2 Jan 2006 15:04")
}

// Brief is Moment for tables: it shows the year only if it is not the current one.
func (c *Console) Brief(t time.Time) string {
	switch t = t.Local(); {
	case t.IsZero():
		return "-"
	case t.Year() == c.Began.Local().Year():
		return t.Format("Mon 2 Jan 15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// Lasted returns a duration for people.
func Lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
