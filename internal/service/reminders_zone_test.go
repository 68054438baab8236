package service_test

import (
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestRemindersByOnesOwnClocks proves that "tomorrow at 9" is by the clock of the person who
// says it, on both sides of their midnight, to errand or to an agent; that in a group it is by the
// installation's; and that what is set keeps its moment.
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
		servicetest.Must(h.store.ChangePerson(ctx, "member", store.PersonChange{TimeZone: new(c.zone)}))(t)
		by := servicetest.Must(h.Logins.ActorOf(ctx, "member"))(t)
		key := chatOf("member")
		if c.group {
			key = core.NewSessionKey(core.Route{Channel: "telegram", Account: "main", Chat: "-42"}, core.Everyone)
		}
		tomorrow := servicetest.Must(time.Parse(time.DateOnly, c.today))(t).AddDate(0, 0, 1).Format(time.DateOnly)
		by.Here = key
		told := servicetest.Must(ops.Do(ctx, h.Runner, api.CreateReminderByTool, by.WithTool("remind_me", "nikki"), api.CreateReminderByToolInput{
			At: tomorrow + "T09:00", Text: "tea", Group: c.group, Call: core.CallKey{Index: i + 1}}))(t)
		set := map[string]core.Reminder{"an agent": told.Reminder}
		if !c.group {
			set["the person"] = servicetest.Must(servicetest.Remind(ctx, h.Service, by, "main", "tomorrow at 9", "tea"))(t)
		}
		for how, r := range set {
			if !r.Next.Equal(c.want) {
				t.Errorf("%q, group %v, at %s, by %s: it comes at %s, want %s", c.zone, c.group, c.now, how, r.Next.UTC(), c.want)
			}
		}
		servicetest.Must(h.store.ChangePerson(ctx, "member", store.PersonChange{TimeZone: new("Pacific/Auckland")}))(t)
		if kept := servicetest.Must(h.store.Reminder(ctx, told.ID))(t); !kept.Next.Equal(c.want) || kept.When != told.When {
			t.Errorf("it was moved to %s, %s", kept.Next, kept.When)
		}
	}
}

// TestLanguageOfReminders proves that people read in their language when a reminder comes, with
// the zone, and programs in English.
func TestLanguageOfReminders(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	by.TimeZone = "Europe/Oslo"
	servicetest.Must(servicetest.Remind(t.Context(), h.Service, by, "main", "2026-12-24T18:00", "tea"))(t)
	for reads, want := range map[string]string{
		"es": "jueves, 24 de diciembre de 2026, 18:00 (Europe/Oslo)",
		"":   "Thursday, 24 December 2026, 18:00 (Europe/Oslo)",
	} {
		by.Reads = reads
		list := servicetest.Must(ops.Do(t.Context(), h.Runner, api.ListReminders, by, api.ListRemindersInput{}))(t)
		if len(list.Items) != 1 || list.Items[0].When != want {
			t.Errorf("%q reads %v, want %q", reads, list.Items, want)
		}
	}
}

// TestReminderOfNoChat proves that a reminder is for a chat whose name is one.
func TestReminderOfNoChat(t *testing.T) {
	h := newHouse(t, nil)
	_, err := servicetest.Remind(t.Context(), h.Service, as(core.Member), "../main", "tomorrow at 9", "tea")
	servicetest.WantRefusal(t, err, service.KindInvalid, "a chat name must have")
}
