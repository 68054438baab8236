package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"errand/api"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/notifiertest"
	"errand/internal/test/servicetest"
	"errand/notifiers"
	"errand/workflows"
)

// replayDir is where histories are kept. From version 0.9.0 on they stay as they are, and a
// change of the workflows gets a folder beside them; until then they are recorded again.
const replayDir = "../../workflows/testdata/replay/v1"

// TestRecord proves that what workflows do on a real server can be replayed,
// and, with -record, keeps it. What needs no settings of its own is recorded on one
// installation, in chats of its own.
func TestRecord(t *testing.T) {
	type recording struct {
		chat string
		run  func(in *installation, s *stage, chat string) map[string]string // workflow ids by the name to keep them under
	}
	other, program := newOtherSystem(t), newCoder(t)
	tests := []struct {
		name     string
		settings func(*wire.Settings)
		of       []recording
		tune     []func(*config.Config)
	}{
		{name: "as it comes", of: []recording{
			{"turns", recordTurns}, {"delegations", recordDelegations}, {"reset", recordReset}, {"handover", recordHandOver}, {"cancel", recordCancel}, {"failed", recordFailed},
			{"nested", recordNested}, {"several", recordSeveral}, {"outbox", recordOutbox}, {"reminder", recordReminder}, {"maintenance", recordMaintenance},
		}},
		{name: "questions", of: []recording{
			{"asked", recordQuestions}, {"expired", recordExpired}, {"steered", recordSteered}, {"deadline", recordDeadline}, {"branches", recordBranches}, {"team", recordTeam},
		}},
		{name: "approvals", tune: []func(*config.Config){asksApproval}, of: []recording{
			{"approved", recordApproved}, {"declined", recordDeclined}, {"not approved", recordNotApproved}, {"approved late", recordApprovedLate}, {"approved for a task", recordApprovedForTask},
		}},
		{name: "of another system", tune: []func(*config.Config){other.worksFor}, of: []recording{{"remote", recordRemote(other)}}},
		{name: "of a program", tune: []func(*config.Config){program.worksFor}, of: []recording{{"coding", recordCoding(program)}}},
		{name: "backup", tune: []func(*config.Config){backsUp(t.TempDir())}, of: []recording{{"backup", recordBackup}}},
		{name: "suspended soon", settings: func(s *wire.Settings) { s.SuspendAfter = time.Second }, of: []recording{{"suspend", recordSuspend}}},
		{name: "a run for every turn", settings: everyTurnARun, of: []recording{{"continue", recordContinue}}},
	}
	if !*record {
		t.Parallel()
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !*record {
				t.Parallel()
			}
			platform := notifiertest.NewPlatform(true)
			server := httptest.NewServer(platform)
			t.Cleanup(server.Close)
			platform.Order(notifiertest.Broken)
			shared, s := play(t, func(o *app.Options) {
				o.Notifiers = func(r *notifiers.Router) {
					r.Handle("test", &notifiertest.Notifier{URL: server.URL, ReadBack: true})
				}
				o.Settings = func(s *wire.Settings) {
					quick(s)
					if test.settings != nil {
						test.settings(s)
					}
				}
			}, test.tune...)
			for _, r := range test.of {
				t.Run(r.chat, func(t *testing.T) {
					in := shared.of(t)
					for name, id := range r.run(in, s, r.chat) {
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
		})
	}
}

func recordTurns(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, "hello")
	in.until(key, replies(1))
	in.send(chat, do(tool("remember", map[string]string{"key": "k", "value": "v"})))
	in.until(key, replies(2))
	return map[string]string{"session-plain-turn-and-tool": string(key)}
}

func recordDelegations(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(ask("sasha", "trains")))
	in.until(key, replies(1))
	task := in.tasks(chat)[0].ID
	in.send(chat, do(send("sasha", "wait delegations")))
	in.until(key, replies(2))
	in.send(chat, "hello")
	in.until(key, replies(3))
	s.open("delegations")
	in.until(key, replies(4))
	return map[string]string{
		"session-delegations":     string(key),
		"delegation-completed":    string(task),
		"subagent-one-step":       string(core.SubAgentOwner(task, "sasha")),
		"delegation-late":         string(in.tasks(chat)[0].ID),
		"subagent-late-completed": string(core.SubAgentOwner(in.tasks(chat)[0].ID, "sasha")),
	}
}

func recordReset(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", "wait reset")))
	in.until(key, replies(1))
	in.command(chat, "/busy interrupt")
	in.send(chat, "wait never")
	s.asked(in.t, "wait never")
	in.send(chat, "instead")
	in.until(key, replies(2))
	in.command(chat, "/reset")
	s.open("reset")
	in.until(key, replies(3))
	return map[string]string{"session-interrupt-and-reset": string(key)}
}

func recordHandOver(in *installation, _ *stage, chat string) map[string]string {
	to := func(agent string) string { return do(tool("transfer_to_agent", map[string]string{"agent": agent})) }
	key := in.send(chat, to("sasha"))
	in.until(key, replies(2))
	in.send(chat, "hello")
	in.until(key, replies(3))
	in.send(chat, to("nikki"))
	in.until(key, replies(5))
	in.command(chat, "/new sasha")
	in.send(chat, "hello again")
	in.until(key, replies(6))
	return map[string]string{"session-handed-over": string(key)}
}

func recordCancel(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", "wait for ever")))
	in.until(key, replies(1))
	task := in.tasks(chat)[0].ID
	s.asked(in.t, "wait for ever")
	if err := in.Client.SignalWorkflow(in.t.Context(), string(task), "", "cancel", "no longer needed"); err != nil {
		in.t.Fatal(err)
	}
	in.until(key, replies(2))
	in.send(chat, do(ask("sasha", "wait never either")))
	s.asked(in.t, "wait never either")
	in.command(chat, "/stop")
	stopped := in.ended(in.tasks(chat)[0].ID).ID
	return map[string]string{
		"session-canceled-and-stopped": string(key),
		"delegation-canceled":          string(task),
		"subagent-canceled":            string(core.SubAgentOwner(task, "sasha")),
		"delegation-stopped":           string(stopped),
	}
}

func recordFailed(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", "after failed fail")))
	in.until(key, replies(1))
	s.open("failed")
	in.until(key, replies(2))
	return map[string]string{"session-told-of-a-failure": string(key), "delegation-failed": string(in.tasks(chat)[0].ID)}
}

func recordNested(in *installation, s *stage, chat string) map[string]string {
	before := s.calls("sasha")
	key := in.send(chat, do(send("sasha", do(send("finn", "wait nested"), tool("remember", map[string]string{"key": "k", "value": "v"})))))
	in.until(key, replies(1))
	list := in.awaitTasks(chat, 2)
	s.begun(in.t, "sasha", before+2)
	s.open("nested")
	in.until(key, replies(2))
	return map[string]string{
		"session-nested":           string(key),
		"delegation-nesting":       string(list[1].ID),
		"subagent-nesting":         string(core.SubAgentOwner(list[1].ID, "sasha")),
		"delegation-nested":        string(list[0].ID),
		"subagent-nested-reporter": string(core.SubAgentOwner(list[0].ID, "finn")),
	}
}

// recordSeveral records a task of two agents, each of which waits for a third.
func recordSeveral(in *installation, _ *stage, _ string) map[string]string {
	task, err := servicetest.CreateTask(in.t.Context(), in.Service, owner, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha", "nikki"}, Text: do(ask("finn", "trains"))}})
	if err != nil {
		in.t.Fatal(err)
	}
	in.ended(task.ID)
	return map[string]string{
		"delegation-of-several": string(task.ID),
		"subagent-that-waited":  string(core.SubAgentOwner(task.ID, "sasha")),
	}
}

func recordSuspend(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", "wait late")))
	in.until(key, replies(1))
	in.suspended(key)
	s.open("late")
	in.until(key, replies(2))
	in.suspended(key)
	return map[string]string{"session-woken-and-suspended": string(key)}
}

func recordContinue(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", "wait late")))
	in.until(key, replies(1))
	in.send(chat, "hello")
	in.until(key, replies(2))
	s.open("late")
	in.until(key, replies(3))
	return map[string]string{"session-continued": string(key)}
}

func recordOutbox(in *installation, _ *stage, chat string) map[string]string {
	route := core.Route{Channel: "test", Account: "main", Chat: chat}
	out, err := in.Intake.Accept(in.t.Context(), intake.Inbound{Route: route, Person: app.Owner, Role: core.MasterAdmin, Text: "hello"})
	if err != nil {
		in.t.Fatal(err)
	}
	in.until(out.Key, replies(1))
	eventually(in.t, "the delivery", func() bool {
		list, err := in.Store.Deliveries(in.t.Context(), []core.OutboxState{core.Sent}, store.Page{})
		return err == nil && slices.ContainsFunc(list, func(n core.Notification) bool { return n.Route == route })
	})
	return map[string]string{"outbox-second-try": wire.OutboxID(route), "session-on-a-platform": string(out.Key)}
}

func recordMaintenance(in *installation, _ *stage, _ string) map[string]string {
	for _, chat := range []string{"old", "stale"} {
		key := in.send(chat, "hello")
		in.until(key, replies(1))
		in.atRest(string(key))
	}
	in.rewind(`UPDATE sessions SET active = active - ?, ended = 1, state = CASE chat WHEN 'old' THEN 'ended' ELSE 'suspended' END
		WHERE chat IN ('old', 'stale')`, 1000*24*time.Hour)
	if err := servicetest.CleanUp(in.t.Context(), in.Service, owner); err != nil {
		in.t.Fatal(err)
	}
	in.maintained(1)
	return map[string]string{"maintenance-of-old-and-stale": in.upkeep(), "claim-of-a-namespace": wire.ClaimID}
}

// suspended waits until no workflow runs for a conversation.
func (in *installation) suspended(key core.SessionKey) {
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
