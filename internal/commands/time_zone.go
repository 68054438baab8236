package commands

import (
	"context"
	"strings"

	"errand/internal/service"
)

func (r *Runner) timeZone(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		zone := r.service.ZoneOf(c.by)
		return c.Localize("timezone.now", "zone", zone.String(), "now", c.Moment(r.service.Now().In(zone), r.service.Now())), nil
	}
	zone := words[0]
	if strings.EqualFold(zone, quietDefault) {
		zone = ""
	}
	view, err := r.service.SetQuietHours(ctx, c.by, c.by.Person, service.SetQuiet{Zone: &zone})
	if err != nil {
		return "", err
	}
	if c.by.TimeZone = ""; view.ZoneOwn {
		c.by.TimeZone = view.Zone.String()
	}
	own := r.service.ZoneOf(c.by)
	return c.Localize("timezone.set", "zone", own.String(), "now", c.Moment(r.service.Now().In(own), r.service.Now())), nil
}
