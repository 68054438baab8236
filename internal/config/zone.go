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

	day = Age(24 * time.Hour)
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

// UnmarshalText reads a time of day such as 03:00.
func (c *Clock) UnmarshalText(text []byte) error {
	t, err := time.Parse("15:04", string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time of day: write for example \"03:00\"", text)
	}
	*c = Clock{Hour: t.Hour(), Minute: t.Minute()}
	return nil
}

// An Age is how long something is kept; 0 is for ever.
type Age time.Duration

// UnmarshalText reads days such as 30d, or a duration such as 12h.
func (a *Age) UnmarshalText(text []byte) (err error) {
	*a, err = parseAge(string(text))
	return err
}

func parseAge(text string) (Age, error) {
	unit := time.Duration(1)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		text, unit = days+"h", 24
	}
	d, err := time.ParseDuration(text)
	if d.Abs() > 100*365*24*time.Hour/unit {
		err = strconv.ErrRange
	}
	return Age(d * unit), err
}
