package store_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/store/sqldb"
	"errand/internal/test/storetest"
)

// TestConversationIsLocked proves that whatever changes a conversation, or a task that was
// asked for in it, waits on PostgreSQL while another transaction has the conversation, at
// whichever worker. Many tasks on two workers go well without that, almost always.
func TestConversationIsLocked(t *testing.T) {
	address := schema(t)
	s := openWith(t, address, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ada, key := newWalk(t, s, "ada"), keyOf("ada")
	write := func(id string) { require.NoError(t, accept(t, ctx, s, "ada", id)) }
	write("m1")
	ada.turns = 1
	begun, err := ada.begin(ctx, 1)
	require.NoError(t, err)
	asked, err := s.CommitStep(ctx, store.CommitStep{Step: begun, Text: "I ask sasha", Usage: spent,
		Calls: []core.ToolCall{{ID: "c1", Name: "call_agent", Arguments: "{}"}}, Planned: []store.PlannedCall{{By: store.ByDelegation, Tool: "call_agent"}},
		Tasks: map[int]store.NewTask{1: {Agents: []core.AgentName{"sasha"}, Text: "trains"}}})
	require.NoError(t, err)
	task := asked.Calls[0].Task
	open := store.BeginStep{Key: core.StepKey{Owner: core.SubAgentOwner(task, "sasha"), Turn: 1, Step: 1}}
	sub, err := s.BeginStep(ctx, open)
	require.NoError(t, err)
	begun, err = ada.begin(ctx, 2)
	require.NoError(t, err)
	write("m2")
	row, err := s.Task(ctx, task)
	require.NoError(t, err)
	whole, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer whole.Close()
	other, err := whole.BeginTx(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, sqldb.LockKey(ctx, other, string(key)))

	waits := openWith(t, address, map[string]string{"lock_timeout": "100ms"})
	owner := core.SessionOwner(ada.session)
	for what, do := range map[string]func() error{
		"a message": func() error { return accept(t, ctx, waits, "ada", "m3") },
		"a command": func() error {
			return waits.NoteCommand(ctx, store.InboxMessage{Route: core.WebRoute("main"), Person: "ada", MessageID: "c1"})
		},
		"the T1 of a turn": func() error {
			_, err := waits.BeginStep(ctx, store.BeginStep{Key: begun.Key, Session: key, Rows: store.ClaimAll})
			return err
		},
		"the T2 of a turn":            func() error { _, err := waits.CommitStep(ctx, store.CommitStep{Step: begun, Text: "hi"}); return err },
		"the T1 of a sub-agent":       func() error { _, err := waits.BeginStep(ctx, open); return err },
		"the T2 of a sub-agent":       func() error { _, err := waits.CommitStep(ctx, store.CommitStep{Step: sub, Text: "two"}); return err },
		"an attempt of a turn":        func() error { return waits.CountAttempt(ctx, store.FailedAttempt{Step: begun}) },
		"an attempt that is returned": func() error { return waits.ReturnAttempt(ctx, begun) },
		"an attempt of a sub-agent":   func() error { return waits.CountAttempt(ctx, store.FailedAttempt{Step: sub}) },
		"an answer that is pending":   func() error { return waits.KeepPending(ctx, begun, core.PendingResponse{}) },
		"a task that a person starts": func() error {
			_, err := waits.CreateTask(ctx, row.Origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "x"}, "")
			return err
		},
		"the end of a task":      func() error { _, _, err := waits.FinishTask(ctx, task, core.Failed, "x"); return err },
		"the stop of a task":     func() error { _, err := waits.CloseTask(ctx, task, "stop", false); return err },
		"the end of a turn":      func() error { return waits.CloseTurn(ctx, owner, 1, "x") },
		"an interruption":        func() error { _, err := waits.InterruptTurn(ctx, key, owner, 1, "x"); return err },
		"a stop":                 func() error { _, err := waits.StopTurn(ctx, key, ""); return err },
		"another agent":          func() error { return waits.HandOver(ctx, key, "finn", 0) },
		"another mode":           func() error { return waits.SetBusy(ctx, key, "queue") },
		"a session that goes on": func() error { _, err := waits.Rehydrate(ctx, key, "nikki"); return err },
		"a new session":          func() error { _, err := waits.EndSession(ctx, key, ada.session, "reset", "nikki"); return err },
		"an answer of errand's own": func() error {
			_, err := waits.Answer(ctx, core.Notification{Key: "k", Route: core.WebRoute("main"), Session: key, Event: core.EventNotice, Text: "x"})
			return err
		},
		"a file": func() error {
			_, err := waits.PutFile(ctx, string(key), ada.session, "ada", "a.txt", []byte("x"))
			return err
		},
	} {
		require.ErrorContains(t, do(), "it is worth another attempt", "%s does not wait", what)
	}
	require.NoError(t, other.Rollback())
	_, err = waits.CommitStep(ctx, store.CommitStep{Step: sub, Text: "two"})
	require.NoError(t, err, "then it goes on")
}

// TestUseOfATokenWaitsForNobody proves that whoever shows a token, which comes before every
// request, waits a moment at most for that to be noted while somebody writes.
func TestUseOfATokenWaitsForNobody(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *store.Store{
		"SQLite":     func(t *testing.T) *store.Store { return openAt(t, store.Options{SQLite: storetest.File(t)}) },
		"PostgreSQL": func(t *testing.T) *store.Store { return openWith(t, schema(t), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := s.EnsurePerson(ctx, "ada", "Ada", core.Member)
			require.NoError(t, err)
			_, token, err := s.CreateToken(ctx, core.Token{Person: "ada", Kind: core.TokenAPI}, 0)
			require.NoError(t, err)
			release, ended := store.Hang(t.Context(), s, store.WhoMayWhat)
			err = s.NoteTokenUsed(ctx, token)
			require.NoError(t, ctx.Err(), "it waits until the writer is done")
			if name == "PostgreSQL" {
				require.NoError(t, err, "it waits for no lock")
			}
			release()
			require.NoError(t, <-ended)
			require.NoError(t, s.NoteTokenUsed(ctx, token))
			noted, err := s.Token(ctx, token.ID)
			require.NoError(t, err)
			require.False(t, noted.Used.IsZero())
		})
	}
}
