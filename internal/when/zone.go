package when

import (
	"strings"
	"time"
)

// Zone finds a time zone by its name, however that is written: "europe/oslo" is
// Europe/Oslo. Of one that is not there the error is an [*Error].
func Zone(name string) (*time.Location, error) {
	if name = strings.TrimSpace(name); name == "" || strings.EqualFold(name, "local") {
		return nil, &Error{Kind: UnknownZone, Text: cut(name)} // there is no machine whose clock is meant
	}
	return zoneOf(name)
}

// ZoneOr is the time zone of a name, or house where that is none.
func ZoneOr(name string, house *time.Location) *time.Location {
	if own, err := Zone(name); err == nil {
		return own
	}
	return house
}
