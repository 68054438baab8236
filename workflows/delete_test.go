package workflows_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// TestDeleteSessionRefused proves who may delete what, and when.
func TestDeleteSessionRefused(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		ctx, key := in.T.Context(), workflowtest.Key("main")
		in.Send(do(send("sasha", "wait 1h")))
		session, task := in.Current(key), in.TaskOf("sasha").ID
		for _, tt := range []struct {
			by    actor.Actor
			id    core.SessionID
			force bool
			want  service.Kind
			says  string
		}{
			{owner, session, false, service.KindConflict, string(task)},
			{owner, "ffffffff", true, service.KindNotFound, "not found"},
			{owner, "", true, service.KindNotFound, "not found"},
			{actor.Actor{Person: "p-bob", Role: core.Member}, session, true, service.KindNotFound, "not found"}, // not even that it is there
			{actor.Actor{Person: "p-bob", Role: core.Partner}, session, true, service.KindForbidden, "Admin"},
		} {
			_, err := servicetest.DeleteSession(ctx, in.House.Service, tt.by, tt.id, tt.force)
			var refused *service.Error
			if !errors.As(err, &refused) || refused.Kind != tt.want || !strings.Contains(refused.Message, tt.says) {
				t.Errorf("%s %s deletes %q: %v, want %s with %q", tt.by.Role, tt.by.Person, tt.id, err, tt.want, tt.says)
			}
		}
		if now := in.Current(key); now != session {
			t.Fatalf("a refusal ended the session: now it is %s", now)
		}
		gone, err := servicetest.DeleteSession(ctx, in.House.Service, owner, session, true)
		if err != nil {
			t.Fatal(err)
		}
		if gone.Removed["tasks"] != 1 {
			t.Errorf("it says it removed %+v", gone)
		}
		in.Settle()
		if in.IsRunning(string(task)) || in.IsRunning(string(core.SubAgentOwner(task, "sasha"))) {
			t.Error("its task goes on")
		}
	})
}

// TestMessageDuringDeletion proves that a message which comes while its session
// is being deleted is answered, by the next one, and that nothing goes round in
// circles.
func TestMessageDuringDeletion(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		key := workflowtest.Key("main")
		in.Send("wait 1h") // a turn is running
		session := in.Current(key)
		in.Send("what about me?") // waits for the next turn
		gone, err := servicetest.DeleteSession(in.T.Context(), in.House.Service, owner, session, false)
		if err != nil {
			t.Fatal(err)
		}
		if gone.Session != session {
			t.Errorf("it says it removed %+v", gone)
		}
		in.Settle()
		in.Reads("you said what about me?")
		if next := in.Current(key); next == session {
			t.Errorf("the session that was deleted answers")
		}
		if n := in.Stage.Called("nikki"); n != 2 {
			t.Errorf("%d model calls, want 2", n)
		}
	})
}

// TestEndedBehindItsBack proves that a Session workflow whose session was ended
// in the store, without telling it, does not try again and again: it ends at once, and
// the message is answered by the next session.
func TestEndedBehindItsBack(t *testing.T) {
	for name, deleted := range map[string]bool{"ended": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				key := workflowtest.Key("main")
				in.Send("hello")
				session := in.Current(key)
				if _, err := in.Store.MarkForDeletion(in.T.Context(), session, true); err != nil {
					t.Fatal(err)
				}
				want := []string{"you said hello", "anybody there?"}
				if deleted {
					if _, err := in.Store.DeleteSession(in.T.Context(), session, nil); err != nil {
						t.Fatal(err)
					}
					want = want[1:]
				}
				in.Send("anybody there?")
				if in.IsRunning(string(key)) {
					t.Error("it tries again and again")
				}
				in.Reconcile() // as the watchdog does
				in.Reads(want...)
			})
		})
	}
}

// TestDeletedWithAPeerAtWork proves that the log says of a deleted session that a peer is still
// at work for it: what that answers late is dropped.
func TestDeletedWithAPeerAtWork(t *testing.T) {
	var log bytes.Buffer
	o := workflowtest.Options{House: func(d *intaketest.Deps) { d.Logger = slog.New(slog.NewTextHandler(&log, nil)) }}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		ctx, key := in.T.Context(), workflowtest.Key("main")
		in.Send("hello")
		in.Settle()
		task, err := in.Store.CreateTask(ctx, core.Origin{Route: core.WebRoute("main"), Person: workflowtest.Owner, Role: core.MasterAdmin,
			Session: in.Current(key), SessionKey: key, Depth: 1}, store.NewTask{Agents: []core.AgentName{"oracle"}, Text: "trains"}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Store.BeginPeerWork(ctx, task.ID, "oracle"); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Store.KeepPeerTask(ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Working}); err != nil {
			t.Fatal(err)
		}
		if _, err := servicetest.DeleteSession(ctx, in.House.Service, owner, in.Current(key), true); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); !strings.Contains(got, "late answer") || !strings.Contains(got, string(task.ID)) {
			t.Errorf("the log says %s", got)
		}
	})
}
