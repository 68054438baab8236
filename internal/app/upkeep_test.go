package app_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/probetest"
	"errand/internal/test/servicetest"
	"errand/workflows"
)

// TestMaintenanceSchedule proves that maintenance is scheduled, once, over
// restarts; that its time follows the configuration; that what somebody did to it in
// Temporal stays; and that it is made again when somebody has deleted it.
func TestMaintenanceSchedule(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil, func(cfg *config.Config) {
		cfg.TimeZone, cfg.Maintenance.At = "Europe/Oslo", config.Clock{Hour: 3}
	})
	first := in.schedule(func(d *client.ScheduleDescription) bool { return true })
	if zone := first.Schedule.Spec.TimeZoneName; zone != "Europe/Oslo" {
		t.Errorf("its time zone is %q", zone)
	}
	if p := first.Schedule.Policy; p.Overlap != enumspb.SCHEDULE_OVERLAP_POLICY_SKIP || p.CatchupWindow != 23*time.Hour {
		t.Errorf("its policy is %+v", p)
	}
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range first.Info.NextActionTimes {
		if clock := next.In(oslo).Format("15:04:05"); clock != "03:00:00" {
			t.Errorf("it will run at %s", clock)
		}
	}
	if err := in.Client.ScheduleClient().GetHandle(t.Context(), wire.MaintenanceID).Pause(t.Context(), client.SchedulePauseOptions{Note: "not now"}); err != nil {
		t.Fatal(err)
	}
	in.scheduled() // as at start
	same := in.schedule(func(d *client.ScheduleDescription) bool { return d.Schedule.State.Paused })
	if updated := same.Info.LastUpdateAt; !updated.Equal(first.Info.LastUpdateAt) {
		t.Errorf("a restart changed it at %s", updated)
	}
	in.stop()
	in.opts.Config.Maintenance.At, in.opts.Config.TimeZone = config.Clock{Hour: 4, Minute: 30}, "UTC"
	in.start()
	moved := in.schedule(func(d *client.ScheduleDescription) bool { return d.Schedule.Spec.TimeZoneName == "UTC" })
	if at := moved.Schedule.Spec.Calendars[0]; at.Hour[0].Start != 4 || at.Minute[0].Start != 30 {
		t.Errorf("it runs at %+v", at)
	}
	if !moved.Schedule.State.Paused || moved.Schedule.State.Note != "not now" || moved.Schedule.Policy.CatchupWindow != 23*time.Hour {
		t.Errorf("the change of its time changed more: %+v, %+v", moved.Schedule.State, moved.Schedule.Policy)
	}
	restore := func() {
		t.Helper()
		eventually(t, "it is looked whether it is there", func() bool { return in.Dispatch.RestoreSchedules(t.Context()) == nil })
	}
	restore() // as every now and then
	if same := in.schedule(func(*client.ScheduleDescription) bool { return true }); !same.Schedule.State.Paused {
		t.Error("it goes on that somebody has paused")
	}
	handle := in.Client.ScheduleClient().GetHandle(t.Context(), wire.MaintenanceID)
	if err := handle.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { _, err := handle.Describe(t.Context()); return err != nil })
	restore()
	if back := in.schedule(func(*client.ScheduleDescription) bool { return true }); back.Schedule.State.Paused || back.Schedule.Spec.TimeZoneName != "UTC" {
		t.Errorf("deleted, it is back as %+v", back.Schedule)
	}
	t.Run("when clocks change", in.whenClocksChange)
	in.stop()
	in.opts.Config.Maintenance.Enabled = false
	in.start()
	eventually(t, "the end of the schedule", func() bool {
		_, err := in.Client.ScheduleClient().GetHandle(t.Context(), wire.MaintenanceID).Describe(t.Context())
		var notFound *serviceerror.NotFound
		return errors.As(err, &notFound)
	})
	if err := servicetest.CleanUp(t.Context(), in.Service, owner); err != nil {
		t.Fatal(err)
	}
	in.maintained(1)
}

// TestMaintenance proves what runs of maintenance do, one after the other.
func TestMaintenance(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, func(cfg *config.Config) {
		cfg.Retention = config.Retention{Transcripts: config.Age(24 * time.Hour), Deliveries: config.Age(24 * time.Hour), UsageDetail: config.Age(24 * time.Hour)}
	})
	t.Run("what is past its time", func(t *testing.T) { in.pastItsTime(t, s) })
	t.Run("a session whose workflow was lost", in.lostSessionsEnd)
	t.Run("it goes by the configuration", in.goesByTheConfiguration)
}

// pastItsTime proves that a run ends stale sessions, but none that is needed, deletes
// what is past its time, from Temporal too, and reports what it did.
func (in *installation) pastItsTime(t *testing.T, s *stage) {
	in = in.of(t)
	ctx := t.Context()
	old := in.send("old", do(ask("sasha", "find a xylophone")))
	in.until(old, replies(1))
	task := in.tasks("old")[0]
	working := in.send("working", do(send("sasha", "wait late")))
	in.until(working, replies(1))
	fresh := in.send("fresh", "hello")
	in.until(fresh, replies(1))
	stale := in.send("stale", "hello")
	in.until(stale, replies(1))
	for _, key := range []core.SessionKey{old, working, fresh, stale} {
		in.atRest(string(key))
	}
	is := map[core.SessionKey]core.SessionID{}
	for _, key := range []core.SessionKey{old, working, fresh, stale} {
		is[key] = in.current(key)
	}
	in.command("old", "/reset")
	in.rewind(`UPDATE sessions SET active = active - ?, ended = CASE WHEN ended = 0 THEN 0 ELSE ended - ? END WHERE chat <> 'fresh'`, 40*24*time.Hour, 40*24*time.Hour)
	in.rewind(`UPDATE sessions SET state = 'suspended' WHERE chat IN ('stale', 'working')`)
	if err := servicetest.CleanUp(ctx, in.Service, actor.Actor{Person: "p-bob", Role: core.Partner}); err == nil {
		t.Error("a partner may run it")
	}
	if err := servicetest.CleanUp(ctx, in.Service, owner); err != nil {
		t.Fatal(err)
	}
	report := in.maintained(1)[0]
	if report.Done["ended"] != 1 || report.Done["sessions"] != 1 || report.Done["tasks"] != 1 || report.Done["histories"] != 2 || len(report.Failed) > 0 {
		t.Errorf("the report is %+v", report)
	}
	if _, err := in.Store.Session(ctx, is[old]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the old session is there: %v", err)
	}
	if found, err := servicetest.Search(ctx, in.Service, owner, "xylophone"); err != nil || len(found) > 0 {
		t.Errorf("Search = %v, %v", found, err)
	}
	in.forgotten(string(task.ID))
	for _, key := range []core.SessionKey{working, fresh} {
		if now := in.current(key); now != is[key] {
			t.Errorf("the session of %s was ended", key)
		}
	}
	if now, err := in.Store.Session(ctx, is[stale]); err != nil || now.State != store.SessionEnded {
		t.Errorf("the stale session is %+v, %v", now.State, err)
	}
	// Whoever was at work tells what came of it, in the same session.
	s.open("late")
	events := in.until(working, replies(2))
	if last := events[len(events)-1]; last.Session != is[working] {
		t.Errorf("the late result was told by session %s", last.Session)
	}
	if err := servicetest.CleanUp(ctx, in.Service, owner); err != nil {
		t.Fatal(err)
	}
	if again := in.maintained(2)[0]; len(again.Done) > 0 {
		t.Errorf("a second run did %+v", again.Done)
	}
}

// TestMaintenanceKilled proves that a run which is killed half way is gone on
// with, and that a new one finishes what one that was lost left.
func TestMaintenanceKilled(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		t.Run(map[bool]string{false: "its process is killed", true: "it is terminated, too"}[lost], func(t *testing.T) {
			t.Parallel()
			var signals probetest.Signals
			release := signals.Hold(probe.BetweenBatches, 3)
			in, _ := play(t, func(o *app.Options) { o.Probe = signals.At }, func(cfg *config.Config) { cfg.Retention.Transcripts = config.Age(24 * time.Hour) })
			const chats = 6
			for i := range chats {
				key := in.send("chat"+string(rune('a'+i)), "hello")
				in.until(key, replies(1))
				in.atRest(string(key))
			}
			in.rewind(`UPDATE sessions SET active = active - ?, state = 'ended', ended = 1`, 40*24*time.Hour)
			if err := servicetest.CleanUp(t.Context(), in.Service, owner); err != nil {
				t.Fatal(err)
			}
			signals.Wait(t, probe.BetweenBatches, 3)
			if lost {
				run := in.upkeep()
				if err := in.Client.TerminateWorkflow(t.Context(), run, "", "lost"); err != nil {
					t.Fatal(err)
				}
			}
			in.stop()
			release()
			in.start()
			if lost {
				if err := servicetest.CleanUp(t.Context(), in.Service, owner); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "the end of every old session", func() bool {
				list, err := in.Store.Sessions(t.Context(), store.SessionFilter{State: store.SessionEnded})
				return err == nil && len(list) == 0
			})
			eventually(t, "a report", func() bool {
				list, err := in.Store.Upkeeps(t.Context(), 1)
				return err == nil && !list[0].Finished.IsZero()
			})
			if n := signals.Passed(probe.BetweenBatches); n < chats {
				t.Errorf("there were %d batches", n)
			}
		})
	}
}

// scheduled sees to the schedule as the start does: a server that has just begun
// takes its time, so more than once.
func (in *installation) scheduled() {
	in.t.Helper()
	eventually(in.t, "the schedule to be seen to", func() bool { return in.Dispatch.EnsureSchedules(in.t.Context()) == nil })
}

// schedule waits for the schedule of maintenance to be as wanted.
func (in *installation) schedule(want func(*client.ScheduleDescription) bool) *client.ScheduleDescription {
	in.t.Helper()
	var found *client.ScheduleDescription
	eventually(in.t, "the schedule", func() bool {
		var err error
		found, err = in.Client.ScheduleClient().GetHandle(in.t.Context(), wire.MaintenanceID).Describe(in.t.Context())
		return err == nil && want(found)
	})
	return found
}

// maintained waits for n runs of maintenance to be over, and returns their
// reports, the newest first.
func (in *installation) maintained(n int) []store.Upkeep {
	in.t.Helper()
	var list []store.Upkeep
	eventually(in.t, "maintenance", func() bool {
		var err error
		list, err = in.Store.Upkeeps(in.t.Context(), 10)
		if err != nil {
			in.t.Fatal(err)
		}
		return len(list) >= n && !list[0].Finished.IsZero()
	})
	return list
}

func (in *installation) upkeep() string {
	in.t.Helper()
	d := in.schedule(func(d *client.ScheduleDescription) bool {
		return len(d.Info.RecentActions)+len(d.Info.RunningWorkflows) > 0
	})
	if running := d.Info.RunningWorkflows; len(running) > 0 {
		return running[0].WorkflowID
	}
	return d.Info.RecentActions[len(d.Info.RecentActions)-1].StartWorkflowResult.WorkflowID
}

// rewind changes times in the store behind errand's back, as if they had passed;
// each argument is a duration.
func (in *installation) rewind(query string, by ...time.Duration) {
	in.t.Helper()
	driver, address := "sqlite", in.opts.Config.Data+"/errand.db"
	if url := in.opts.Config.DatabaseURL.Reveal(); url != "" {
		driver, address = "pgx", url
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		in.t.Fatal(err)
	}
	defer db.Close()
	args := make([]any, len(by))
	for i, d := range by {
		args[i] = d.Microseconds()
		if driver == "pgx" {
			query = strings.Replace(query, "?", "$"+string(rune('1'+i)), 1)
		}
	}
	if driver == "sqlite" {
		query = "PRAGMA busy_timeout = 5000; " + query
	}
	if _, err := db.ExecContext(context.WithoutCancel(in.t.Context()), query, args...); err != nil {
		in.t.Fatal(err)
	}
}

// lostSessionsEnd proves that a session whose workflow was terminated ends in
// its time like one that was suspended, and that one whose workflow runs does not.
func (in *installation) lostSessionsEnd(t *testing.T) {
	in = in.of(t)
	ctx := t.Context()
	lost, running := in.send("lost", "hello"), in.send("running", "hello")
	in.until(lost, replies(1))
	in.until(running, replies(1))
	was, is := in.current(lost), in.current(running)
	in.atRest(string(lost))
	if err := in.Client.TerminateWorkflow(ctx, string(lost), "", "lost"); err != nil {
		t.Fatal(err)
	}
	in.rewind(`UPDATE sessions SET state = 'active', active = active - ? WHERE chat IN ('lost', 'running')`, 400*24*time.Hour)
	if err := servicetest.CleanUp(ctx, in.Service, owner); err != nil {
		t.Fatal(err)
	}
	if report := in.maintained(3)[0]; report.Done["ended"] != 1 || len(report.Failed) > 0 {
		t.Errorf("the report is %+v", report)
	}
	if now, err := in.Store.Session(ctx, was); !errors.Is(err, store.ErrNotFound) && (err != nil || now.State != store.SessionEnded) {
		t.Errorf("the lost session is %+v, %v", now.State, err)
	}
	if now, err := in.Store.Session(ctx, is); err != nil || now.State != store.SessionActive {
		t.Errorf("the running session is %+v, %v", now.State, err)
	}
}

// goesByTheConfiguration proves that whoever starts the workflow of
// maintenance does not decide what is past its time.
func (in *installation) goesByTheConfiguration(t *testing.T) {
	in = in.of(t)
	ctx := t.Context()
	key := in.send("main", "hello")
	in.until(key, replies(1))
	in.atRest(string(key))
	was := in.current(key)
	in.rewind(`UPDATE sessions SET state = 'suspended', active = active - ? WHERE chat = 'main'`, time.Hour)
	run, err := in.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "evil", TaskQueue: wire.TaskQueue}, workflows.Maintenance,
		wire.MaintenanceInput{Store: in.Store.ID(), Stages: store.Stages(),
			Policy: store.Policy{EndAfter: time.Minute, Transcripts: 1, Deliveries: 1, UsageDetail: 1, Memory: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if now, err := in.Store.Session(ctx, was); err != nil || now.State != store.SessionSuspended {
		t.Errorf("the session is %+v, %v", now.State, err)
	}
}
