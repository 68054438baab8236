package app_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"errand/api"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

// TestDeleteWithoutAttributes is deleted where Temporal has no search attributes of
// errand's.
func TestDeleteWithoutAttributes(t *testing.T) {
	t.Parallel()
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *wire.Settings) {
			quick(s)
			s.Attributes = false
		}
	})
	in.deleted(t, s)
}

// deleted proves that a deleted session is gone, in the store, from the index and from
// Temporal, and that the chat goes on.
func (in *installation) deleted(t *testing.T, _ *stage) {
	in = in.of(t)
	ctx := t.Context()
	key := in.send("deleted", do(ask("sasha", "look for a xylophone")))
	in.until(key, replies(1))
	in.send("deleted", do(tool("remember", map[string]string{"key": "where", "value": "xylophone shop"})))
	in.until(key, replies(2))
	session := in.current(key)
	task := in.tasks("deleted")[0]
	found, err := servicetest.Search(ctx, in.Service, owner, "xylophone")
	if err != nil || len(found) == 0 {
		t.Fatalf("Search = %v, %v", found, err)
	}
	in.atRest(string(key))
	gone, err := servicetest.DeleteSession(ctx, in.Service, owner, session[:8], false)
	if err != nil {
		t.Fatal(err)
	}
	if gone.Session != session || gone.Removed["tasks"] != 1 || gone.Removed["memory"] != 1 || gone.Removed["histories"] < 3 {
		t.Errorf("it says it removed %+v", gone)
	}
	in.forgotten(string(task.ID))
	in.forgotten(string(core.SubAgentOwner(task.ID, "sasha")))
	in.forgotten(string(key))
	if found, err := servicetest.Search(ctx, in.Service, owner, "xylophone"); err != nil || len(found) > 0 {
		t.Errorf("after the deletion Search = %v, %v", found, err)
	}
	if _, err := ops.Do(ctx, in.Service.Runner, api.GetSession, owner, api.SessionID{ID: session}); err == nil {
		t.Error("the session is there")
	}
	in.send("deleted", "and now?")
	if got := textsOf(in.until(key, replies(1))); got[0] != "you said and now?" {
		t.Errorf("the person reads %q", got)
	}
}

// deletedBesideAnother proves that the histories of the sessions that stay are left
// alone, and that the chat goes on with the one it has.
func (in *installation) deletedBesideAnother(t *testing.T, _ *stage) {
	in = in.of(t)
	key := in.begin("beside", everyTurnARun)
	in.send("beside", "hello")
	in.until(key, replies(1))
	first := in.current(key)
	// A run is the session's that it ends with: the first one has to be over.
	eventually(t, "the run after the first turn", func() bool { return in.runsOf(key, first) == 2 })
	in.command("beside", "/reset")
	in.send("beside", "hello again")
	in.until(key, replies(2))
	second := in.current(key)
	in.send("beside", "and again")
	in.until(key, replies(3))
	in.atRest(string(key))
	eventually(t, "all runs in the list", func() bool {
		return in.runsOf(key, first)+in.runsOf(key, second) == len(in.histories(string(key)))
	})
	kept := in.runsOf(key, second)
	if _, err := servicetest.DeleteSession(t.Context(), in.Service, owner, first, false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the first session's runs", func() bool { return in.runsOf(key, first) == 0 })
	if n := in.runsOf(key, second); n != kept {
		t.Errorf("%d of the other session's %d runs are left", n, kept)
	}
	in.send("beside", "still there?")
	events := in.until(key, hasText("still there?"))
	if last := events[len(events)-1]; last.Session != second {
		t.Errorf("the chat went on with session %s, not %s", last.Session, second)
	}
}

// current returns the session of a conversation that is not over.
func (in *installation) current(key core.SessionKey) core.SessionID {
	in.t.Helper()
	var now core.Session
	eventually(in.t, "a session of "+string(key), func() bool {
		var err error
		now, err = in.Store.Current(in.t.Context(), key)
		return err == nil
	})
	return now.ID
}

// forgotten waits until Temporal knows nothing of a workflow.
func (in *installation) forgotten(id string) {
	in.t.Helper()
	eventually(in.t, "the end of the history of "+id, func() bool {
		_, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
		var notFound *serviceerror.NotFound
		return errors.As(err, &notFound)
	})
}

func (in *installation) runsOf(key core.SessionKey, id core.SessionID) int {
	in.t.Helper()
	list, err := in.Client.ListWorkflow(context.WithoutCancel(in.t.Context()), &workflowservice.ListWorkflowExecutionsRequest{
		Query: "WorkflowId = '" + string(key) + "' AND ErrandSession = '" + string(id) + "'"})
	if err != nil {
		in.t.Fatal(err)
	}
	return len(list.GetExecutions())
}
