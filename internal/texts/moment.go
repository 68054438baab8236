package texts

import (
	"strconv"
	"time"
)

// Moment is a time as people read it in passing, by the clocks of its location: "Thu 26
// Nov, 14:05", with the year where that is another than now's.
func (t Texts) Moment(at, now time.Time) string {
	key := "time.moment"
	if at.Year() != now.In(at.Location()).Year() {
		key = "time.moment_year"
	}
	return t.Localize(key, "weekday", t.Localize("weekday_short."+strconv.Itoa(int(at.Weekday()))), "day", strconv.Itoa(at.Day()),
		"month", t.Localize("month_short."+strconv.Itoa(int(at.Month()))), "year", strconv.Itoa(at.Year()), "clock", at.Format("15:04"))
}
