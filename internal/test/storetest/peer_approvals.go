package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// A program is a coding agent at work on a task.
type program struct {
	*chat
	task core.TaskID
}

func newProgram(t *testing.T, open Opener) *program {
	c := newChat(t, open, store.Options{})
	o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
	task, err := c.s.CreateTask(c.ctx, o, to("mend it", "coder"), "")
	require.NoError(t, err)
	_, err = c.s.BeginPeerWork(c.ctx, task.ID, "coder")
	require.NoError(t, err)
	return &program{c, task.ID}
}

func (p *program) asks(command string) (core.Question, error) {
	arguments := fmt.Sprintf(`{"command":%q}`, command)
	return p.s.AskForPeer(p.ctx, p.task, "coder", store.NewApproval{
		NewQuestion: store.NewQuestion{ID: core.NewQuestionID(), Text: "May I?", Shown: "Coder wants to run it.", Options: []string{"Yes", "No"}, Pace: store.DefaultQuestionPace()},
		Approval:    core.Approval{Tool: "coder.execute", Arguments: arguments, Hash: core.ArgumentsHash("coder.execute", arguments), Seal: "abc12345"},
		Rule:        core.ApproveAlways,
	})
}

func (p *program) asksFor(command string) core.Question {
	p.t.Helper()
	q, err := p.asks(command)
	require.NoError(p.t, err)
	return q
}

// pending are the approvals of the program that it has not been told of.
func (p *program) pending() (list []core.QuestionID) {
	p.t.Helper()
	questions, err := p.s.PendingApprovals(p.ctx, p.task, "coder")
	require.NoError(p.t, err)
	for _, q := range questions {
		list = append(list, q.ID)
	}
	return list
}

func (p *program) take(id core.QuestionID, want bool) {
	p.t.Helper()
	taken, err := p.s.TakePeerAnswer(p.ctx, id)
	require.NoError(p.t, err)
	require.Equal(p.t, want, taken)
}

// peerApprovals are the promises about programs that ask before they do something.
var peerApprovals = map[string]func(*testing.T, Opener){
	"a program that asks again in the same words asks the same question, until it is told": func(t *testing.T, open Opener) {
		p := newProgram(t, open)
		first, other := p.asksFor("ls"), p.asksFor("rm")
		require.Equal(t, []any{core.QuestionOpen, core.AsksApproval, p.task}, []any{first.State, first.Kind, first.Task})
		require.Equal(t, core.InputRequired, p.chat.task(p.task).State)
		require.Equal(t, first.ID, p.asksFor("ls").ID)
		require.Equal(t, []core.QuestionID{first.ID, other.ID}, p.pending())
		p.decides(first.ID, core.ApprovedOnce)
		require.Equal(t, first.ID, p.asksFor("ls").ID)
		p.take(first.ID, true)
		require.Equal(t, []core.QuestionID{other.ID}, p.pending())
		require.NotEqual(t, first.ID, p.asksFor("ls").ID)
	},
	"a yes is taken once by a program, and what is open is not taken": func(t *testing.T, open Opener) {
		p := newProgram(t, open)
		q := p.asksFor("ls")
		p.take(q.ID, false)
		require.Equal(t, []core.QuestionID{q.ID}, p.pending())
		p.decides(q.ID, core.ApprovedOnce)
		p.take(q.ID, true)
		p.take(q.ID, false)
		require.Empty(t, p.pending())
	},
	"a program asks people eight things at a time": func(t *testing.T, open Opener) {
		p := newProgram(t, open)
		var last core.Question
		for i := range 8 {
			last = p.asksFor(fmt.Sprint("ls ", i))
		}
		_, err := p.asks("rm")
		require.ErrorIs(t, err, store.ErrTooMany)
		require.Equal(t, last.ID, p.asksFor("ls 7").ID) // that is no more
		require.Len(t, p.pending(), 8)
		p.decides(last.ID, "")
		p.asksFor("rm")
	},
	"a program asks people two hundred times about a task, and no more": func(t *testing.T, open Opener) {
		p := newProgram(t, open)
		for i := range 200 {
			q := p.asksFor(fmt.Sprint("ls ", i))
			p.decides(q.ID, "")
			p.take(q.ID, true)
		}
		_, err := p.asks("ls 0")
		require.ErrorIs(t, err, store.ErrTooMany)
		_, err = p.asks("rm")
		require.ErrorIs(t, err, store.ErrTooMany)
	},
	"a program whose task has ended asks nobody": func(t *testing.T, open Opener) {
		p := newProgram(t, open)
		q := p.asksFor("ls")
		_, err := p.s.CloseTask(p.ctx, p.task, "no longer needed", false)
		require.NoError(t, err)
		_, err = p.asks("rm")
		require.ErrorIs(t, err, store.ErrClosed)
		q, err = p.s.Question(p.ctx, q.ID)
		require.NoError(t, err)
		require.Equal(t, core.QuestionWithdrawn, q.State)
	},
}
