package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/llmtest"
)

// TestClocksApart proves that two workers whose clocks differ by two minutes do one
// another's work as if they did not: rows are in the order in which they were written,
// what was accepted is answered once, and what is due comes when it is due, whichever of
// them sees to it.
func TestClocksApart(t *testing.T) {
	shared := sharedDatabase(t)
	ahead := install(t, script(nil), func(o *app.Options) { o.Clock = func() time.Time { return time.Now().Add(2 * time.Minute) } }, shared)
	right := install(t, script(nil), nil, shared, at(t, ahead))
	workers := []*installation{ahead, right}
	seen := 0
	for i := range 8 {
		in := workers[i%2]
		sent := time.Now()
		written := in.until(in.send("main", "hello"), replies(i+1))
		for _, e := range written[seen:] {
			if now := time.Now(); e.Created.Before(sent.Add(-30*time.Second)) || e.Created.After(now.Add(30*time.Second)) {
				t.Errorf("event %d was written at %s, between %s and %s", e.ID, e.Created, sent, now)
			}
		}
		seen = len(written)
	}
	events := right.until(webKey("main"), replies(8))
	for i, e := range events {
		if i > 0 && e.Created.Before(events[i-1].Created.Add(-time.Second)) {
			t.Errorf("event %d was written at %s, and the one before at %s", e.ID, e.Created, events[i-1].Created)
		}
	}
	if n := len(textsOf(events)); n != 8 {
		t.Errorf("there are %d replies", n)
	}
	for i, in := range workers {
		chat := webKey([]string{"first", "second"}[i])
		set := time.Now()
		in.remind(chat, soon(3*time.Second), "drink tea")
		came := in.until(chat, late(1))
		if took := came[len(came)-1].Created.Sub(set); took < time.Second || took > limit {
			t.Errorf("set on worker %d, it came after %s", i, took)
		}
	}
}

// TestLimitsOfAll proves that what one person may write in a minute, and a pause that a
// provider of models has asked for, hold for two workers together.
func TestLimitsOfAll(t *testing.T) {
	shared := sharedDatabase(t)
	busy := llmtest.Status(429, "rate_limit_exceeded", "slow down", "Retry-After", "600")
	server := llmtest.NewServer(t, slices.Repeat([]llmtest.Behaviour{busy}, 50)...)
	other := llmtest.NewServer(t, slices.Repeat([]llmtest.Behaviour{llmtest.Answer("hi")}, 200)...)
	const most = 20
	tune := func(c *config.Config) {
		c.Limits.PerMinute = config.Rates{Person: most}
		c.Demo, c.CheckModels = false, false
		c.Models = map[string]config.Model{"default": {Providers: []config.Provider{{Name: "m1", BaseURL: server.BaseURL()}, {Name: "m2", BaseURL: other.BaseURL()}}}}
	}
	first := install(t, nil, nil, shared, tune)
	began := time.Now()
	first.until(first.send("before", "hello"), replies(1))
	eventually(t, "it is noted that the provider asks for a pause", func() bool {
		_, paused, err := first.Store.SharedLimits(t.Context())
		return err == nil && len(paused) == 1
	})
	calls := len(server.Bodies())
	second := install(t, nil, nil, shared, tune, at(t, first))
	for i := range 8 { // each is taken up by either
		chat := fmt.Sprint("chat", i)
		first.until(second.send(chat, "hello"), replies(1))
	}
	if n := len(server.Bodies()); n != calls {
		t.Errorf("a provider that asked for a pause of ten minutes is called %d times more", n-calls)
	}
	accepted := 9
	for i := range 3 * most {
		in := []*installation{first, second}[i%2]
		_, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: app.Owner, Role: core.MasterAdmin, Text: "hello"})
		if err == nil {
			accepted++
		}
	}
	again := int(time.Since(began).Minutes() * most) // meanwhile it fills up again
	if accepted < most || accepted >= 2*most+again {
		t.Errorf("two workers accept %d messages of one person, who may write %d a minute and %d more by now", accepted, most, again)
	}
}
