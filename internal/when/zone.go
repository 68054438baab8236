package when

import (
	"strings"
	"time"
)

// Zone returns a time zone by its name in any case: "europe/oslo" is Europe/Oslo. Errors are of
// type [*Error].
func Zone(name string) (*time.Location, error) {
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, "local") {
		return nil, &Error{Kind: UnknownZone, Text: cut(name)} // "local" has no meaning for a person
	}
	return zoneOf(name)
}

// ZoneOr returns the time zone with that name, or house if the name is invalid.
func ZoneOr(name string, house *time.Location) *time.Location {
	if own, err := Zone(name); err == nil {
		return own
	}
	return house
}
