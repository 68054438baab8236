package texts

import (
	"strconv"
	"time"
)

// Moment formats a short time in the zone of at: "Thu 26 Nov, 14:05". It includes the year if that
// differs from now's.
func (t Texts) Moment(at, now time.Time) string {
	key := "time.moment"
	if at.Year() != now.In(at.Location()).Year() {
		key = "time.moment_year"
	}
	return t.Localize(key, "weekday", t.Localize("weekday_short."+strconv.Itoa(int(at.Weekday()))), "day", strconv.Itoa(at.Day()),
		"month", t.Localize("month_short."+strconv.Itoa(int(at.Month()))), "year", strconv.Itoa(at.Year()), "clock", at.Format("15:04"))
}
