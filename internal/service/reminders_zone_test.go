package service_test

import (
	"testing"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
	"errand/internal/when"
)

// TestRemindersByOnesOwnClocks proves that "tomorrow at 9" is by the clocks of whoever
// says it, on both sides of their midnight, whether they say it themselves or to an agent; that
// where others read along it is by the installation's; and that what is set keeps its moment.
func TestRemindersByOnesOwnClocks(t *testing.T) {
	oslo := servicetest.Must(time.LoadLocation("Europe/Oslo"))(t)
	h := newHouse(t, func(d *service.Deps) { d.Zone = oslo })
	ctx := t.Context()
	day := func(d, hour, minute int) time.Time { return time.Date(2026, 11, d, hour, minute, 0, 0, time.UTC) }
	for i, c := range []struct {
		zone  string
		now   time.Time
		today string // there, as the agent reads it
		group bool
		want  time.Time
	}{
		{"", day(21, 22, 30), "2026-11-21", false, day(22, 8, 0)},
		{"", day(21, 23, 30), "2026-11-22", false, day(23, 8, 0)},
		{"Asia/Tokyo", day(21, 14, 30), "2026-11-21", false, day(22, 0, 0)},
		{"Asia/Tokyo", day(21, 15, 30), "2026-11-22", false, day(23, 0, 0)},
		{"America/Los_Angeles", day(22, 7, 30), "2026-11-21", false, day(22, 17, 0)},
		{"America/Los_Angeles", day(22, 8, 30), "2026-11-22", false, day(23, 17, 0)},
		{"Asia/Tokyo", day(21, 15, 30), "2026-11-21", true, day(22, 8, 0)},
	} {
		h.now = c.now
		servicetest.Must(h.store.SetTimeZone(ctx, "member", c.zone))(t)
		by := servicetest.Must(h.ActorOf(ctx, "member"))(t)
		key := chatOf("member")
		if c.group {
			key = errand.NewSessionKey(errand.Route{Channel: "telegram", Account: "main", Chat: "-42"}, errand.Everyone)
			by.Here = key
		}
		said := servicetest.Must(h.Remind(ctx, by, key, "tomorrow at 9", "tea"))(t)
		tomorrow := servicetest.Must(time.Parse(time.DateOnly, c.today))(t).AddDate(0, 0, 1).Format(time.DateOnly)
		asked := store.Call{Person: "member", Origin: errand.Origin{Person: "member", Role: errand.Member, SessionKey: key, Group: c.group}}
		asked.Key.Turn = i + 1
		told := servicetest.Must(h.RemindFor(ctx, asked, when.Time{At: tomorrow + "T09:00"}, "tea"))(t)
		for how, r := range map[string]store.Reminder{"oneself": said, "an agent": told} {
			if !r.Next.Equal(c.want) {
				t.Errorf("%q, group %v, at %s, by %s: it comes at %s, want %s", c.zone, c.group, c.now, how, r.Next.UTC(), c.want)
			}
		}
		servicetest.Must(h.store.SetTimeZone(ctx, "member", "Pacific/Auckland"))(t)
		if kept := servicetest.Must(h.store.Reminder(ctx, said.ID))(t); !kept.Next.Equal(c.want) || kept.When != said.When {
			t.Errorf("it was moved to %s, %s", kept.Next, kept.When)
		}
	}
}
