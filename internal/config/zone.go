package config

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a small machine, or an image, may have no time zones of its own
)

const (
	// LocalZone stands for the time zone of the machine.
	LocalZone = "Local"

	day = 24 * time.Hour
)

// A Clock is a time of day.
type Clock struct{ Hour, Minute int }

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// Zone returns the time zone of every time of day.
func (c *Config) Zone() *time.Location {
	zone, err := time.LoadLocation(c.ZoneName())
	if err != nil {
		return time.UTC // ZoneName gives names that were loaded before
	}
	return zone
}

// ZoneName returns IANA's name of the time zone, which means the same on every
// machine: Temporal is told it.
func (c *Config) ZoneName() string {
	if c.TimeZone != LocalZone && c.TimeZone != "" {
		return c.TimeZone
	}
	return hostZone(os.Getenv("TZ"), os.Readlink, os.ReadFile)
}

// hostZone finds the name of the machine's time zone where Unix systems keep
// it; UTC if none of them tells.
func hostZone(tz string, link func(string) (string, error), read func(string) ([]byte, error)) string {
	names := []string{strings.TrimPrefix(tz, ":")}
	if target, err := link("/etc/localtime"); err == nil {
		_, name, _ := strings.Cut(target, "zoneinfo/")
		names = append(names, name)
	}
	if text, err := read("/etc/timezone"); err == nil {
		names = append(names, strings.TrimSpace(string(text)))
	}
	for _, name := range names {
		if name == "" || name == LocalZone {
			continue
		}
		if _, err := time.LoadLocation(name); err == nil {
			return name
		}
	}
	return "UTC"
}

func (m *mapping) zone(key string, into *string) {
	var s string
	if !m.text(key, &s) {
		return
	}
	if _, err := time.LoadLocation(s); err != nil || s == "" {
		m.fault(m.lineOf(key), key, "%q is not a time zone: write for example Europe/Oslo, UTC or Local", s)
		return
	}
	*into = s
}

func (m *mapping) clock(key string, into *Clock) {
	var s string
	if !m.text(key, &s) {
		return
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		m.fault(m.lineOf(key), key, "%q is not a time of day: write for example \"03:00\"", s)
		return
	}
	*into = Clock{Hour: t.Hour(), Minute: t.Minute()}
}

// age reads how long something is kept: days, or a duration of an hour at
// least; 0 is for ever.
func (m *mapping) age(key string, into *time.Duration) {
	var s string
	if !m.text(key, &s) {
		return
	}
	text, unit := s, time.Duration(1)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		text, unit = days+"h", 24
	}
	const most = 100 * 365 * day
	d, err := time.ParseDuration(text)
	if d.Abs() <= most/unit {
		d *= unit
	} else {
		err = strconv.ErrRange
	}
	switch line := m.lineOf(key); {
	case err != nil:
		m.fault(line, key, "%q is not a number of days: write for example 30d, or 0 for ever", s)
	case d < 0:
		m.fault(line, key, "%s is negative", s)
	case d > 0 && d < time.Hour:
		m.fault(line, key, "%s is less than 1h", s)
	default:
		*into = d
	}
}
