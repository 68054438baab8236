package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"errand"
	"errand/internal/store"
)

// askForPeer shows the person of a task what its peer asks, or that it waits for somebody to
// log in there. It reports false where nobody can be asked.
func (a *Activities) askForPeer(ctx context.Context, in PeerInput, status errand.PeerTask) (store.PeerWork, bool, error) {
	task, err := a.Store.Task(ctx, in.Task)
	if err != nil {
		return store.PeerWork{}, false, failed(err)
	}
	o := task.Origin
	if o.Person == "" || !o.HasReader() {
		return store.PeerWork{}, false, nil
	}
	var language string
	p, err := a.Store.Person(ctx, o.Person)
	switch {
	case err == nil:
		language = p.Language
	case !errors.Is(err, store.ErrNotFound):
		return store.PeerWork{}, false, failed(err)
	}
	q := store.NewQuestion{ID: errand.NewQuestionID(), Text: status.Text, Pace: a.QuestionPace}
	if status.Login {
		q.Shown = a.text(language, "peer.login", "agent", in.Agent.Display(), "text", status.Text, "task", string(task.ID), "title", task.Title)
	} else {
		q.Shown = a.questionText(&store.StepInput{Agent: in.Agent, Task: &task, Language: language}, q)
	}
	work, queued, err := a.Store.KeepPeerAsks(ctx, in.Task, in.Agent, store.PeerAsks{Status: status, Question: q})
	if err != nil {
		return work, false, failed(err)
	}
	if queued {
		a.Logger.Info("a peer waits for the person", "task", in.Task, "agent", in.Agent, "login", status.Login)
		a.showTaskState(ctx, in.Task)
		if err := a.Sessions.WakeOutbox(ctx, o.Route); err != nil {
			a.Logger.Warn("what a peer asks is not sent yet; the watchdog sees to it", "task", in.Task, "error", err)
		}
	}
	return work, true, nil
}

// AnswerPeer tells a peer what became of its question. A peer that waits for something else
// by then, or for nothing, is not told.
func (a *Activities) AnswerPeer(ctx context.Context, in PeerInput) (PeerResult, error) {
	if err := a.at(in.Store); err != nil {
		return PeerResult{}, err
	}
	defer beat(ctx)()
	work, err := a.Store.PeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return PeerResult{}, failed(err)
	}
	if work.IsOver() {
		return a.peerResult(ctx, work)
	}
	q, err := a.Store.AnswerForPeer(ctx, errand.SubAgentOwner(in.Task, in.Agent))
	if errors.Is(err, store.ErrNotFound) {
		return a.peerResult(ctx, work) // it was told before
	}
	if err != nil {
		return PeerResult{}, failed(err)
	}
	// The peer has its time from when there was an answer to give it.
	work.State, work.Answered = errand.Working, q.Answered.UnixMicro()
	peer, err := a.peer(ctx, work)
	if err != nil {
		return a.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	status, err := peer.Poll(ctx, work.PeerTask)
	if err == nil && status.State == errand.InputRequired && status.Text == q.Text {
		message := uuid.NewSHA1(uuid.NameSpaceOID, []byte(in.Store+"/"+string(q.ID))).String()
		status, err = peer.Answer(ctx, status, message, answerFor(q))
	}
	if err != nil {
		return a.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	if err := a.Store.NotePeerAnswered(ctx, q); err != nil {
		return PeerResult{}, failed(err)
	}
	a.Logger.Info("a peer has the answer to its question", "task", in.Task, "agent", in.Agent, "question", q.ID, "state", q.State)
	return a.keepPeerTask(ctx, in, status)
}
