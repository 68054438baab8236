package commands

import (
	"context"
	"strings"
)

func (r *Runner) timeZone(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		zone := r.service.ZoneOf(c.by)
		return c.Localize("timezone.now", "zone", zone.String(), "now", c.Moment(r.service.Now().In(zone), r.service.Now())), nil
	}
	zone := words[0]
	if strings.EqualFold(zone, "default") {
		zone = ""
	}
	person, err := r.service.SetTimeZone(ctx, c.by, c.by.Person, zone)
	if err != nil {
		return "", err
	}
	c.by.TimeZone = person.TimeZone
	own := r.service.ZoneOf(c.by)
	return c.Localize("timezone.set", "zone", own.String(), "now", c.Moment(r.service.Now().In(own), r.service.Now())), nil
}
