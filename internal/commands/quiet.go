package commands

import (
	"context"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/when"
)

const quietDefault = "default"

func (r *Runner) quiet(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		now, err := r.service.QuietHours(ctx, c.by)
		if err != nil {
			return "", err
		}
		return c.quietHours(now, "quiet.now", "quiet.none"), nil
	}
	now, err := r.service.SetQuietHours(ctx, c.by, c.by.Person, readQuiet(words))
	if err != nil {
		return "", err
	}
	return c.quietHours(now, "quiet.set", "quiet.off"), nil
}

func readQuiet(words []string) service.SetQuiet {
	all, none := strings.Join(words, " "), ""
	if strings.EqualFold(all, quietDefault) {
		return service.SetQuiet{Hours: &none}
	}
	if _, ok := when.ParseHours(all); ok {
		return service.SetQuiet{Hours: &all}
	}
	hours, zone := strings.Join(words[:len(words)-1], " "), words[len(words)-1]
	if _, err := when.Zone(zone); err != nil && !strings.Contains(zone, "/") {
		return service.SetQuiet{Hours: &all} // neither: it is said what hours look like
	}
	if hours == "" {
		return service.SetQuiet{Zone: &zone}
	}
	return service.SetQuiet{Hours: &hours, Zone: &zone}
}

// quietHours says what holds for the person: by one text where there are quiet hours, and
// by another where there are none.
func (c chat) quietHours(q service.QuietView, some, none string) string {
	if q.Hours.IsZero() {
		return c.Localize(none)
	}
	text := c.Localize(some, "hours", q.Hours.String(), "zone", q.Zone.String()) + "\n" + c.Localize("quiet.means", "awake", errand.Age(q.AwakeFor))
	if !q.Own {
		text += "\n" + c.Localize("quiet.installation")
	}
	if !q.ZoneOwn {
		text += "\n" + c.Localize("quiet.zone", "hours", q.Hours.String())
	}
	return text
}

// held says until when something is held back from a person; empty: it is not.
func (r *Runner) held(ctx context.Context, c chat, until time.Time, person errand.PersonID) string {
	clock := r.service.HeldUntil(ctx, until, person)
	if clock == "" {
		return ""
	}
	return c.Localize("quiet.held", "until", clock)
}
