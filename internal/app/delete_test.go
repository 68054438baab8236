package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"errand"
	"errand/internal/app"
	"errand/internal/service"
	"errand/internal/store"
	"errand/workflows"
)

// TestDeleteSession proves that a deleted session is gone, in the store, from the
// index and from Temporal, that another one of the same chat stays, and that the
// chat goes on.
func TestDeleteSession(t *testing.T) {
	t.Parallel()
	for _, attributes := range []bool{true, false} {
		t.Run(map[bool]string{true: "with search attributes", false: "without"}[attributes], func(t *testing.T) {
			in, _ := play(t, func(o *app.Options) {
				o.Settings = func(s *workflows.Settings) {
					quick(s)
					s.Attributes = attributes
				}
			})
			ctx := t.Context()
			key := in.say("main", do(ask("sasha", "look for a xylophone")))
			in.until(key, replies(1))
			in.say("main", do(tool("remember", map[string]string{"key": "where", "value": "xylophone shop"})))
			in.until(key, replies(2))
			session := in.current(key)
			task := tasks(in)[0]
			found, err := in.Service.Search(ctx, owner, "xylophone", service.SessionFilter{})
			if err != nil || len(found) == 0 {
				t.Fatalf("Search = %v, %v", found, err)
			}
			in.atRest(string(key))
			gone, err := in.Service.DeleteSession(ctx, owner, session[:8], false)
			if err != nil {
				t.Fatal(err)
			}
			if gone.Session != session || !slices.Equal(gone.Tasks, []errand.TaskID{task.ID}) || gone.Rows["memory"] != 1 || gone.Histories < 3 {
				t.Errorf("it says it removed %+v", gone)
			}
			in.forgotten(string(task.ID))
			in.forgotten(string(errand.SubAgentOwner(task.ID, "sasha")))
			in.forgotten(string(key))
			if found, err := in.Service.Search(ctx, owner, "xylophone", service.SessionFilter{}); err != nil || len(found) > 0 {
				t.Errorf("after the deletion Search = %v, %v", found, err)
			}
			if _, err := in.Service.FindSession(ctx, owner, string(session)); err == nil {
				t.Error("the session is there")
			}
			in.say("main", "and now?")
			events := in.until(key, replies(1))
			if got := said(events); got[0] != "you said and now?" {
				t.Errorf("the person reads %q", got)
			}
		})
	}
}

// TestDeleteSessionBesideAnother proves that the histories of the sessions that
// stay are left alone.
func TestDeleteSessionBesideAnother(t *testing.T) {
	t.Parallel()
	in, _ := play(t, func(o *app.Options) {
		o.Settings = func(s *workflows.Settings) {
			quick(s)
			s.TurnsPerRun = 1 // each turn is a run
		}
	})
	key := in.say("main", "hello")
	in.until(key, replies(1))
	first := in.current(key)
	// A run is the session's that it ends with: the first one has to be over.
	eventually(t, "the run after the first turn", func() bool { return in.runsOf(key, first) == 2 })
	in.command("main", "/reset")
	in.say("main", "hello again")
	in.until(key, replies(2))
	second := in.current(key)
	in.say("main", "and again")
	in.until(key, replies(3))
	in.atRest(string(key))
	eventually(t, "all runs in the list", func() bool {
		return in.runsOf(key, first)+in.runsOf(key, second) == len(in.histories(string(key)))
	})
	kept := in.runsOf(key, second)
	if _, err := in.Service.DeleteSession(t.Context(), owner, first, false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the first session's runs", func() bool { return in.runsOf(key, first) == 0 })
	if n := in.runsOf(key, second); n != kept {
		t.Errorf("%d of the other session's %d runs are left", n, kept)
	}
	in.say("main", "still there?")
	events := in.until(key, heard("still there?"))
	if last := events[len(events)-1]; last.Session != second {
		t.Errorf("the chat went on with session %s, not %s", last.Session, second)
	}
}

// TestDeleteSessionRefused proves who may delete what, and when.
func TestDeleteSessionRefused(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	ctx := t.Context()
	key := in.say("main", do(send("sasha", "wait never")))
	in.until(key, replies(1))
	s.begun(t, "sasha", 1)
	session := in.current(key)
	for _, tt := range []struct {
		by    service.Actor
		id    errand.SessionID
		force bool
		want  service.Kind
		says  string
	}{
		{owner, session, false, service.KindConflict, string(tasks(in)[0].ID)},
		{owner, "ffffffff", true, service.KindNotFound, "not found"},
		{owner, "", true, service.KindNotFound, "not found"},
		{service.Actor{Person: "p-bob", Role: errand.Member}, session, true, service.KindNotFound, "not found"}, // not even that it is there
		{service.Actor{Person: "p-bob", Role: errand.Partner}, session, true, service.KindForbidden, "master"},
	} {
		_, err := in.Service.DeleteSession(ctx, tt.by, tt.id, tt.force)
		var refused *service.Error
		if !errors.As(err, &refused) || refused.Kind != tt.want || !strings.Contains(refused.Message, tt.says) {
			t.Errorf("%s %s deletes %q: %v, want %s with %q", tt.by.Role, tt.by.Person, tt.id, err, tt.want, tt.says)
		}
	}
	if now := in.current(key); now != session {
		t.Fatalf("a refusal ended the session: now it is %s", now)
	}
	task := tasks(in)[0].ID
	gone, err := in.Service.DeleteSession(ctx, owner, session, true)
	if err != nil {
		t.Fatal(err)
	}
	if gone.Rows["tasks"] != 1 {
		t.Errorf("it says it removed %+v", gone)
	}
	in.forgotten(string(task))
	in.forgotten(string(errand.SubAgentOwner(task, "sasha")))
}

// TestMessageDuringDeletion proves that a message which comes while its session
// is being deleted is answered, by the next one, and that nothing goes round in
// circles.
func TestMessageDuringDeletion(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	ctx := t.Context()
	key := in.say("main", "wait never") // a turn is running
	s.begun(t, "nikki", 1)
	session := in.current(key)
	in.say("main", "what about me?") // waits for the next turn
	gone, err := in.Service.DeleteSession(ctx, owner, session, false)
	if err != nil {
		t.Fatal(err)
	}
	if gone.Session != session {
		t.Errorf("it says it removed %+v", gone)
	}
	events := in.until(key, heard("what about me?"))
	if next := events[len(events)-1].Session; next == session || next == "" {
		t.Errorf("the session that was deleted answers")
	}
	if n := s.calls("nikki"); n != 2 {
		t.Errorf("%d model calls, want 2", n)
	}
}

// TestEndedBehindItsBack proves that a Session workflow whose session was ended
// in the store, without telling it, does not try again and again: it fails, and
// the message is answered by the next session.
func TestEndedBehindItsBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(in *installation, id errand.SessionID) error{
		"ended": func(in *installation, id errand.SessionID) error {
			_, err := in.Store.MarkForDeletion(in.t.Context(), id, true)
			return err
		},
		"deleted": func(in *installation, id errand.SessionID) error {
			if _, err := in.Store.MarkForDeletion(in.t.Context(), id, true); err != nil {
				return err
			}
			_, err := in.Store.DeleteSession(in.t.Context(), id, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, _ := play(t, nil)
			key := in.say("main", "hello")
			in.until(key, replies(1))
			in.atRest(string(key))
			if err := end(in, in.current(key)); err != nil {
				t.Fatal(err)
			}
			in.say("main", "anybody there?")
			eventually(t, "the end of the run", func() bool {
				desc, err := in.Client.DescribeWorkflowExecution(t.Context(), string(key), "")
				return err == nil && desc.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
			})
			desc, err := in.Client.DescribeWorkflowExecution(t.Context(), string(key), "")
			if err != nil {
				t.Fatal(err)
			}
			if n := desc.GetWorkflowExecutionInfo().GetHistoryLength(); n > 60 {
				t.Errorf("it took %d events to find out", n)
			}
			in.look() // as the watchdog does
			in.until(key, heard("anybody there?"))
		})
	}
}

// current returns the session of a conversation that is not over.
func (in *installation) current(key errand.SessionKey) errand.SessionID {
	in.t.Helper()
	var now store.Session
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

// runsOf counts the runs of the Session workflow of a conversation that were
// those of one session.
func (in *installation) runsOf(key errand.SessionKey, id errand.SessionID) int {
	in.t.Helper()
	list, err := in.Client.ListWorkflow(context.WithoutCancel(in.t.Context()), &workflowservice.ListWorkflowExecutionsRequest{
		Query: "WorkflowId = '" + string(key) + "' AND ErrandSession = '" + string(id) + "'"})
	if err != nil {
		in.t.Fatal(err)
	}
	return len(list.GetExecutions())
}
