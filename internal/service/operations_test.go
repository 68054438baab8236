package service_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// A use is how the tests of rights and audit use an operation.
type use struct {
	own    func(context.Context, *house, actor.Actor) error // on the actor's own thing, or on no person's
	others func(context.Context, *house, actor.Actor) error // on another person's; nil: there is none
	tool   string                                           // that an operation without a route is for
	// audits are uses that together write every deed of the operation; default: own.
	audits []func(context.Context, *house, actor.Actor) error
}

// uses has a line for each operation.
func uses() map[string]use {
	all := map[string]use{
		"cancelTask": ownAndOthers(func(ctx context.Context, h *house, by actor.Actor, id core.TaskID) error {
			_, err := h.CancelTask(ctx, by, id, "")
			return err
		}),
		"listTasks": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { _, err := h.Tasks(ctx, by, ""); return err },
			others: func(ctx context.Context, h *house, by actor.Actor) error { _, err := h.Tasks(ctx, by, "*"); return err },
		},
		"countTasks": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.CountTasks, by, api.TaskFilter{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.CountTasks, by, api.TaskFilter{Person: api.Person{Person: "*"}})
			},
		},
		"getTask": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				_, err := h.GetTask(ctx, by, "t-none", 0)
				return err
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetTask, by, api.GetTaskInput{TaskID: api.TaskID{ID: "t-none"}, Session: chatOf(other(by))})
			},
		},
		"getTimeline": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetTimeline, by, api.TimelineInput{TaskID: api.TaskID{ID: "t-none"}})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetTimeline, by, api.TimelineInput{TaskID: api.TaskID{ID: "t-none"}, Person: api.Person{Person: "*"}})
			},
		},
		"listTaskCalls": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListTaskCalls, by, api.ListTaskCallsInput{TaskID: api.TaskID{ID: string(h.task(by.Person).ID)}, Turn: 1})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListTaskCalls, by, api.ListTaskCallsInput{TaskID: api.TaskID{ID: string(h.task(other(by)).ID)}, Person: api.Person{Person: "*"}, Turn: 1})
			},
		},
		"getTaskTranscript": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetTaskTranscript, by, api.TranscriptInput{ID: "t-none"})
		}},
		"listHooks": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListHooks, by, api.ListHooksInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListHooks, by, api.ListHooksInput{Person: api.Person{Person: "*"}})
			},
		},
		"tryHook": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			h.Webhooks = &receiver{WebhookSender: servicetest.Must(push.NewWebhookSender(nil))(h.t.(*testing.T))}
			_, err := h.TryHook(ctx, by, "https://example.org")
			return err
		}},
		"getHookSecret": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			_, err := h.HookSecret(ctx, by, true)
			return err
		}},
		"retryTask": ownAndOthers(func(ctx context.Context, h *house, by actor.Actor, id core.TaskID) error {
			_, err := h.RetryTask(ctx, by, id)
			return err
		}),
		"steerTask": ownAndOthers(func(ctx context.Context, h *house, by actor.Actor, id core.TaskID) error {
			_, err := h.SteerTask(ctx, by, id, "", "by night")
			return err
		}),
		"continueTask": ownAndOthers(func(ctx context.Context, h *house, by actor.Actor, id core.TaskID) error {
			_, err := h.ContinueTask(ctx, by, id, "by night", api.ContinueTaskInput{})
			return err
		}),
		"steerTaskByTool": {tool: "steer_task", own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.SteerTaskByTool, by, api.SteerTaskByToolInput{ID: h.task(by.Person).ID, Text: "by night"})
		}},
		"cancelTaskByTool": {tool: "kill_async_agent", own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CancelTaskByTool, by, api.ToolTaskInput{ID: h.task(by.Person).ID})
		}},
		"listNotes": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListNotes, by, api.ListNotesInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListNotes, by, api.ListNotesInput{Person: api.Person{Person: "*"}})
			},
		},
		"deleteNote": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { return h.forget(ctx, by, by.Person) },
			others: func(ctx context.Context, h *house, by actor.Actor) error { return h.forget(ctx, by, other(by)) },
		},
		"listReminders": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListReminders, by, api.ListRemindersInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListReminders, by, api.ListRemindersInput{Session: chatOf(other(by))})
			},
		},
		"createReminder": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			_, err := servicetest.Remind(ctx, h.Service, by, "main", "tomorrow at 9", "tea")
			return err
		}},
		"changeReminder": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ChangeReminder, by, api.ChangeReminderInput{ID: "r-none"})
		}},
		"cancelReminder": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CancelReminder, by, api.CancelReminderInput{ID: "r-none"})
		}},
		"listRemindersByTool": {tool: "list_reminders", own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListRemindersByTool, by, api.ListRemindersByToolInput{})
		}},
		"createReminderByTool": {tool: "remind_me", own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CreateReminderByTool, by, api.CreateReminderByToolInput{When: "tomorrow at 9", Text: "tea"})
		}},
		"cancelReminderByTool": {tool: "cancel_reminder", own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CancelReminderByTool, by, api.CancelReminderByToolInput{ID: "r-none"})
		}},
	}
	maps.Copy(all, usesOfA2A())
	maps.Copy(all, usesOfCalls())
	maps.Copy(all, usesOfFiles())
	maps.Copy(all, usesOfMessages())
	maps.Copy(all, usesOfPeople())
	maps.Copy(all, usesOfSessions())
	maps.Copy(all, usesOfChats())
	maps.Copy(all, usesOfInstallation())
	maps.Copy(all, usesOfQuestions())
	maps.Copy(all, usesOfTasks())
	maps.Copy(all, usesOfTeams())
	return all
}

// forget deletes a note about a person that an agent has made before.
func (h *house) forget(ctx context.Context, by actor.Actor, person core.PersonID) error {
	if err := h.store.Remember(h.t.Context(), person, "nikki", store.Note{Key: "a secret", Value: "x"}); err != nil {
		return err
	}
	return do(ctx, h, api.DeleteNote, by, api.DeleteNoteInput{Agent: "nikki", Key: "a secret", Person: person})
}

// ownAndOthers changes a task of the actor, and one of another person.
func ownAndOthers(change func(context.Context, *house, actor.Actor, core.TaskID) error) use {
	return use{
		own: func(ctx context.Context, h *house, by actor.Actor) error {
			return change(ctx, h, by, h.task(by.Person).ID)
		},
		others: func(ctx context.Context, h *house, by actor.Actor) error {
			return change(ctx, h, by, h.task(other(by)).ID)
		},
	}
}

func do[In, Out any](ctx context.Context, h *house, op api.Op[In, Out], by actor.Actor, in In) error {
	_, err := ops.Do(ctx, h.Runner, op, by, in)
	return err
}

// forEachOperation runs a test for each operation and its use.
func forEachOperation(t *testing.T, test func(t *testing.T, s api.Spec, u use)) {
	all := uses()
	for _, op := range api.All() {
		s := op.Spec()
		u, ok := all[s.Name]
		delete(all, s.Name)
		if !ok {
			t.Errorf("%s has no line in uses", s.Name)
			continue
		}
		t.Run(s.Name, func(t *testing.T) { test(t, s, u) })
	}
	for name := range all {
		t.Errorf("there is no operation %s", name)
	}
}

// acts returns a person with a role; an operation for a tool is called by the tool.
func (u use) acts(role core.Role) actor.Actor {
	by := as(role)
	if by.Here = chatOf(by.Person); u.tool != "" {
		by = by.WithTool(u.tool, "nikki")
	}
	return by
}

// TestOperationsNeedTheirRole proves that each operation is refused to each role below the least
// one, and to no other.
func TestOperationsNeedTheirRole(t *testing.T) {
	forEachOperation(t, func(t *testing.T, s api.Spec, u use) {
		h, table := newHouse(t, nil), api.Rights()
		least := table.Least(rights.Capability, s.Needs)
		if u.tool != "" {
			least = table.Least(rights.Tool, u.tool)
		} else if s.Least != "" {
			least = s.Least
		}
		for _, role := range core.Roles() {
			err := u.own(t.Context(), h, u.acts(role))
			require.Equal(t, !role.Includes(least), isForbidden(err), "%s, of %s: %v", role, least, err)
		}
	})
}

// TestOperationsNeedTheirScope proves that a token without the capability of an operation is
// refused, and that one with all its capabilities is not.
func TestOperationsNeedTheirScope(t *testing.T) {
	forEachOperation(t, func(t *testing.T, s api.Spec, u use) {
		if u.tool != "" {
			return // tools have no tokens
		}
		h := newHouse(t, nil)
		for _, name := range rights.ScopeNames() {
			scope := rights.Scope(name)
			err := u.own(t.Context(), h, u.acts(core.MasterAdmin).Scoped(scope))
			if !scope.Covers(s.Needs) {
				require.True(t, isForbidden(err), "%s: %v", name, err)
			} else if !slices.ContainsFunc(s.Also, func(c string) bool { return !scope.Covers(c) }) {
				require.False(t, isForbidden(err), "%s: %v", name, err)
			}
		}
	})
}

// TestOperationsRefuseOtherTools proves that an agent's tool does only what it is for.
func TestOperationsRefuseOtherTools(t *testing.T) {
	forEachOperation(t, func(t *testing.T, s api.Spec, u use) {
		h, table := newHouse(t, nil), api.Rights()
		for _, tool := range []string{"remember", "kill_async_agent", "send_file", "remind_me"} {
			if tool != u.tool && table.Needs(rights.Tool, tool) != s.Needs {
				err := u.own(t.Context(), h, u.acts(core.MasterAdmin).WithTool(tool, "nikki"))
				require.True(t, isForbidden(err), "%s: %v", tool, err)
			}
		}
	})
}

// TestOperationsNeedWhatTheyAlsoNeed proves that an operation on one's own thing or another
// person's is refused without any one of its other capabilities, and allowed with all.
func TestOperationsNeedWhatTheyAlsoNeed(t *testing.T) {
	forEachOperation(t, func(t *testing.T, s api.Spec, u use) {
		try := func(without string) (errs []error) {
			table := api.Rights()
			for _, c := range append([]string{s.Needs}, s.Also...) {
				require.NoError(t, table.Set(rights.Capability, c, core.Guest))
			}
			if without != "" {
				require.NoError(t, table.Set(rights.Capability, without, core.MasterAdmin))
			}
			h := newHouse(t, func(d *service.Deps) { d.Rights = table })
			for _, run := range []func(context.Context, *house, actor.Actor) error{u.own, u.others} {
				if run != nil {
					errs = append(errs, run(t.Context(), h, u.acts(core.Partner)))
				}
			}
			return errs
		}
		require.False(t, slices.ContainsFunc(try(""), isForbidden), "with all")
		for _, c := range s.Also {
			require.True(t, slices.ContainsFunc(try(c), isForbidden), "without %s", c)
		}
	})
}

// TestOperationsAreAudited proves that each operation writes the deeds that it declares, and no
// others, with who did it.
func TestOperationsAreAudited(t *testing.T) {
	forEachOperation(t, func(t *testing.T, s api.Spec, u use) {
		h, by := newHouse(t, nil), u.acts(core.MasterAdmin).Through(service.DoorCLI)
		audits := u.audits
		if audits == nil {
			audits = append(audits, u.own)
		}
		for _, run := range audits {
			_ = run(t.Context(), h, by) // an operation without deeds may fail: its thing is not there
		}
		entries, err := h.Store.Audit(t.Context(), store.AuditFilter{})
		require.NoError(t, err)
		var deeds []core.Deed
		for _, e := range entries {
			require.Equal(t, by.Person, e.Person)
			if !slices.Contains(deeds, e.Deed) {
				deeds = append(deeds, e.Deed)
			}
		}
		require.ElementsMatch(t, s.Deeds, deeds)
	})
}
