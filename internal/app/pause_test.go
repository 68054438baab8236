package app_test

import (
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/temporal/wire"
)

// pausedAndResumed proves that what is said while errand is paused is answered once it
// is resumed, and that meanwhile no model is called.
func (in *installation) pausedAndResumed(t *testing.T, s *stage) {
	in = in.of(t)
	note := do(tool("remember", map[string]string{"key": "k", "value": "v"}))
	key := in.send("paused", do(send("sasha", "after late "+note)))
	in.until(key, replies(1))
	s.asked(t, "after late "+note)
	if _, err := ops.Do(t.Context(), in.Service.Runner, api.Pause, owner, api.None{}); err != nil {
		t.Fatal(err)
	}
	before := len(s.Requests())
	in.send("paused", "hello")
	s.open("late")
	eventually(t, "a step to be refused, and to look again rarely", func() bool { return in.paused(key) && in.waitsLong(key) })
	if n := len(s.Requests()) - before; n > 0 {
		t.Errorf("%d model calls began while errand was paused", n)
	}
	if _, err := ops.Do(t.Context(), in.Service.Runner, api.Resume, owner, api.None{}); err != nil {
		t.Fatal(err)
	}
	// Left to itself, it would look again in a minute, which this does not wait for.
	in.until(key, hasText("you said hello"))
	in.until(key, hasText("Noted."))
}

// waitsLong reports whether a session that waits for resume looks again in a while
// only.
func (in *installation) waitsLong(key core.SessionKey) bool {
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
	if err != nil {
		return false
	}
	for _, a := range desc.GetPendingActivities() {
		if a.GetActivityType().GetName() == wire.AwaitResumeActivity && a.GetAttempt() > 2 {
			return true
		}
	}
	return false
}

// paused reports whether a step of a session was refused because errand is
// paused.
func (in *installation) paused(key core.SessionKey) bool {
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
	if err != nil {
		return false
	}
	for _, a := range desc.GetPendingActivities() {
		if a.GetLastFailure().GetApplicationFailureInfo().GetType() == "paused" {
			return true
		}
	}
	for _, e := range in.history(in.t.Context(), string(key), "").GetEvents() {
		if e.GetActivityTaskFailedEventAttributes().GetFailure().GetApplicationFailureInfo().GetType() == "paused" {
			return true
		}
	}
	return false
}
