package commands

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/ops"
)

func (r *Runner) timeZone(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		zone := r.deps.ZoneOf(c.by)
		return c.Localize("timezone.now", "zone", zone.String(), "now", c.Moment(r.deps.Now().In(zone), r.deps.Now())), nil
	}
	zone := words[0]
	if strings.EqualFold(zone, "default") {
		zone = ""
	}
	var in api.ChangeMeInput
	in.Body.TimeZone = &zone
	if _, err := ops.Do(ctx, r.deps.Runner, api.ChangeMe, c.by, in); err != nil {
		return "", err
	}
	by, err := r.deps.Logins.ActorOf(ctx, c.by.Person)
	if err != nil {
		return "", err
	}
	own := r.deps.ZoneOf(by)
	return c.Localize("timezone.set", "zone", own.String(), "now", c.Moment(r.deps.Now().In(own), r.deps.Now())), nil
}
