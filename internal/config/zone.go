package config

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // small machines and images may have no time zone data
)

const (
	// LocalZone means the time zone of the machine.
	LocalZone = "Local"

	day = Age(24 * time.Hour)
)

// A Clock is a time of day.
type Clock struct{ Hour, Minute int }

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// Zone returns the time zone for all times of day.
func (c *Config) Zone() *time.Location {
	zone, err := time.LoadLocation(c.ZoneName())
	if err != nil {
		return time.UTC // cannot happen: ZoneName returns only valid names
	}
	return zone
}

// ZoneName returns the IANA name of the time zone. Temporal needs a name that means the
// same on every machine.
func (c *Config) ZoneName() string {
	if c.TimeZone != LocalZone && c.TimeZone != "" {
		return c.TimeZone
	}
	return hostZone(os.Getenv("TZ"), os.Readlink, os.ReadFile)
}

// hostZone reads the name from the places that Unix systems use; default UTC.
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

// UnmarshalText parses a time of day such as 03:00.
func (c *Clock) UnmarshalText(text []byte) error {
	t, err := time.Parse("15:04", string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time of day: write for example \"03:00\"", text)
	}
	*c = Clock{Hour: t.Hour(), Minute: t.Minute()}
	return nil
}

// An Age is how long something is kept; 0 means for ever.
type Age time.Duration

// UnmarshalText parses days such as 30d, or a duration such as 12h.
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
