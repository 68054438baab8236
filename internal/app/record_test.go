package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"errand"
	"errand/internal/app"
	"errand/internal/intake"
	"errand/notifiers"
	"errand/notifiers/notifiertest"
	"errand/workflows"
)

// replayDir is where histories are kept, by the version of the workflows that
// made them. A change of the workflows gets a new folder, beside the old ones.
const replayDir = "../../workflows/testdata/replay/v6"

// TestRecord proves that what workflows do on a real server can be replayed,
// and, with -record, keeps it.
func TestRecord(t *testing.T) {
	tests := []struct {
		name     string
		settings func(*workflows.Settings)
		run      func(in *installation, s *stage) map[string]string // workflow ids by the name to keep them under
	}{
		{"turns", nil, recordTurns},
		{"delegations", nil, recordDelegations},
		{"reset", nil, recordReset},
		{"handover", nil, recordHandOver},
		{"cancel", nil, recordCancel},
		{"nested", nil, recordNested},
		{"suspend", func(s *workflows.Settings) { s.SuspendAfter = time.Second }, recordSuspend},
		{"continue", func(s *workflows.Settings) { s.TurnsPerRun = 1 }, recordContinue},
		{"outbox", nil, recordOutbox},
		{"reminder", nil, recordReminder},
		{"maintenance", nil, recordMaintenance},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			platform := notifiertest.NewPlatform(true)
			server := httptest.NewServer(platform)
			t.Cleanup(server.Close)
			platform.Order(notifiertest.Broken)
			in, s := play(t, func(o *app.Options) {
				o.Notifiers = func(r *notifiers.Router) {
					r.Handle("test", &notifiertest.Notifier{URL: server.URL, ReadBack: true})
				}
				o.Settings = func(s *workflows.Settings) {
					quick(s)
					if test.settings != nil {
						test.settings(s)
					}
				}
			})
			for name, id := range test.run(in, s) {
				in.atRest(id)
				for i, history := range in.histories(id) {
					file := name
					if i > 0 {
						file += "-" + string(rune('1'+i))
					}
					in.replays(file, history)
				}
			}
		})
	}
}

func recordTurns(in *installation, _ *stage) map[string]string {
	key := in.say("main", "hello")
	in.until(key, replies(1))
	in.say("main", do(tool("remember", map[string]string{"key": "k", "value": "v"})))
	in.until(key, replies(2))
	return map[string]string{"session-plain-turn-and-tool": string(key)}
}

func recordDelegations(in *installation, s *stage) map[string]string {
	key := in.say("main", do(ask("sasha", "trains")))
	in.until(key, replies(1))
	task := tasks(in)[0].ID
	in.say("main", do(send("sasha", "wait late")))
	in.until(key, replies(2))
	in.say("main", "hello")
	in.until(key, replies(3))
	s.open("late")
	in.until(key, replies(4))
	return map[string]string{
		"session-delegations":     string(key),
		"delegation-completed":    string(task),
		"subagent-one-step":       string(errand.SubAgentOwner(task, "sasha")),
		"delegation-late":         string(tasks(in)[0].ID),
		"subagent-late-completed": string(errand.SubAgentOwner(tasks(in)[0].ID, "sasha")),
	}
}

func recordReset(in *installation, s *stage) map[string]string {
	key := in.say("main", do(send("sasha", "wait late")))
	in.until(key, replies(1))
	in.command("main", "/busy interrupt")
	in.say("main", "wait never")
	s.begun(in.t, "nikki", 3)
	in.say("main", "instead")
	in.until(key, replies(2))
	in.command("main", "/reset")
	s.open("late")
	in.until(key, replies(3))
	return map[string]string{"session-interrupt-and-reset": string(key)}
}

func recordHandOver(in *installation, _ *stage) map[string]string {
	to := func(agent string) string { return do(tool("transfer_to_agent", map[string]string{"agent": agent})) }
	key := in.say("main", to("sasha"))
	in.until(key, replies(2))
	in.say("main", "hello")
	in.until(key, replies(3))
	in.say("main", to("nikki"))
	in.until(key, replies(5))
	in.command("main", "/new sasha")
	in.say("main", "hello again")
	in.until(key, replies(6))
	return map[string]string{"session-handed-over": string(key)}
}

func recordCancel(in *installation, s *stage) map[string]string {
	key := in.say("main", do(send("sasha", "wait never")))
	in.until(key, replies(1))
	task := tasks(in)[0].ID
	s.begun(in.t, "sasha", 1)
	if err := in.Client.SignalWorkflow(in.t.Context(), string(task), "", "cancel", "no longer needed"); err != nil {
		in.t.Fatal(err)
	}
	in.until(key, replies(2))
	in.say("main", do(ask("sasha", "wait never either")))
	s.begun(in.t, "sasha", 2)
	in.command("main", "/stop")
	stopped := in.ended(tasks(in)[0].ID).ID
	return map[string]string{
		"session-canceled-and-stopped": string(key),
		"delegation-canceled":          string(task),
		"subagent-canceled":            string(errand.SubAgentOwner(task, "sasha")),
		"delegation-stopped":           string(stopped),
	}
}

func recordNested(in *installation, s *stage) map[string]string {
	key := in.say("main", do(send("sasha", do(send("finn", "wait late"), tool("remember", map[string]string{"key": "k", "value": "v"})))))
	in.until(key, replies(1))
	list := in.awaitTasks(2)
	s.begun(in.t, "sasha", 2)
	s.open("late")
	in.until(key, replies(2))
	return map[string]string{
		"session-nested":           string(key),
		"delegation-nesting":       string(list[1].ID),
		"subagent-nesting":         string(errand.SubAgentOwner(list[1].ID, "sasha")),
		"delegation-nested":        string(list[0].ID),
		"subagent-nested-reporter": string(errand.SubAgentOwner(list[0].ID, "finn")),
	}
}

func recordSuspend(in *installation, s *stage) map[string]string {
	key := in.say("main", do(send("sasha", "wait late")))
	in.until(key, replies(1))
	in.suspended(key)
	s.open("late")
	in.until(key, replies(2))
	in.suspended(key)
	return map[string]string{"session-woken-and-suspended": string(key)}
}

func recordContinue(in *installation, s *stage) map[string]string {
	key := in.say("main", do(send("sasha", "wait late")))
	in.until(key, replies(1))
	in.say("main", "hello")
	in.until(key, replies(2))
	s.open("late")
	in.until(key, replies(3))
	return map[string]string{"session-continued": string(key)}
}

func recordOutbox(in *installation, _ *stage) map[string]string {
	route := errand.Route{Channel: "test", Account: "main", Chat: "c1"}
	out, err := in.Intake.Accept(in.t.Context(), intake.Inbound{Route: route, Person: app.Owner, Role: errand.MasterAdmin, Text: "hello"})
	if err != nil {
		in.t.Fatal(err)
	}
	in.until(out.Key, replies(1))
	eventually(in.t, "the delivery", func() bool {
		list, err := in.Store.Outbox(in.t.Context(), nil, 0)
		return err == nil && len(list) == 1 && list[0].State == errand.Sent
	})
	return map[string]string{"outbox-second-try": workflows.OutboxID(route), "session-on-a-platform": string(out.Key)}
}

func recordMaintenance(in *installation, _ *stage) map[string]string {
	for _, chat := range []string{"old", "stale"} {
		key := in.say(chat, "hello")
		in.until(key, replies(1))
		in.atRest(string(key))
	}
	in.rewind(`UPDATE sessions SET active = active - ?, ended = 1, state = CASE chat WHEN 'old' THEN 'ended' ELSE 'suspended' END`, 1000*24*time.Hour)
	if err := in.Service.RunMaintenance(in.t.Context(), owner); err != nil {
		in.t.Fatal(err)
	}
	in.maintained(1)
	return map[string]string{"maintenance-of-old-and-stale": in.upkeep()}
}

// suspended waits until no workflow runs for a conversation.
func (in *installation) suspended(key errand.SessionKey) {
	in.t.Helper()
	eventually(in.t, "suspension", func() bool {
		desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
		return err == nil && desc.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
}

// atRest waits until a workflow has ended, or nothing is under way in it.
func (in *installation) atRest(id string) {
	in.t.Helper()
	var before int64
	eventually(in.t, "rest of "+id, func() bool {
		desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
		if err != nil {
			return false
		}
		info := desc.GetWorkflowExecutionInfo()
		if s := info.GetStatus(); s != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING && s != enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
			return true
		}
		n := before
		before = info.GetHistoryLength()
		return n == before && n > 2 && desc.GetPendingWorkflowTask() == nil && len(desc.GetPendingActivities()) == 0
	})
}

// histories returns those of all runs that led to the latest one, in order.
func (in *installation) histories(id string) []*historypb.History {
	in.t.Helper()
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
	if err != nil {
		in.t.Fatal(err)
	}
	var list []*historypb.History
	for run := desc.GetWorkflowExecutionInfo().GetFirstRunId(); run != ""; {
		history := in.history(in.t.Context(), id, run)
		list = append(list, history)
		last := history.GetEvents()[len(history.GetEvents())-1]
		run = last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	return list
}

func (in *installation) history(ctx context.Context, id, run string) *historypb.History {
	in.t.Helper()
	var h historypb.History
	for events := in.Client.GetWorkflowHistory(ctx, id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			in.t.Fatal(err)
		}
		h.Events = append(h.Events, e)
	}
	return &h
}

// replays holds a history against the workflows as they are, and keeps it.
func (in *installation) replays(name string, history *historypb.History) {
	in.t.Helper()
	replayer := worker.NewWorkflowReplayer()
	workflows.Register(replayer)
	if err := replayer.ReplayWorkflowHistory(nil, history); err != nil {
		in.t.Errorf("%s does not replay: %v", name, err)
	}
	if !*record {
		return
	}
	raw, err := protojson.Marshal(history)
	if err != nil {
		in.t.Fatal(err)
	}
	var file bytes.Buffer
	if err := json.Indent(&file, raw, "", " "); err != nil {
		in.t.Fatal(err)
	}
	if err := os.MkdirAll(replayDir, 0o755); err != nil {
		in.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(replayDir, name+".json"), append(file.Bytes(), '\n'), 0o644); err != nil {
		in.t.Fatal(err)
	}
}
