package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// askForPeer shows the person of a task the peer's question, or that the peer needs a login. It
// returns false if there is no person to ask.
func (r *RemoteAgents) askForPeer(ctx context.Context, in wire.PeerInput, status core.PeerTask) (store.PeerWork, bool, error) {
	task, err := r.store.Task(ctx, in.Task)
	if err != nil {
		return store.PeerWork{}, false, failed(err)
	}
	o := task.Origin
	if o.Person == "" || !o.HasReader() {
		return store.PeerWork{}, false, nil
	}
	var language string
	p, err := r.store.Person(ctx, o.Person)
	switch {
	case err == nil:
		language = p.Language
	case !errors.Is(err, store.ErrNotFound):
		return store.PeerWork{}, false, failed(err)
	}
	q := store.NewQuestion{ID: core.NewQuestionID(), Text: status.Text, Pace: r.pace}
	if status.Login {
		q.Shown = r.text(language, "peer.login", "agent", in.Agent.Display(), "text", status.Text, "task", string(task.ID), "title", task.Title)
	} else {
		q.Shown = r.questionText(&store.StepInput{Agent: in.Agent, Task: &task, Language: language}, q)
	}
	work, queued, err := r.store.KeepPeerAsks(ctx, in.Task, in.Agent, store.PeerAsks{Status: status, Question: q})
	if err != nil {
		return work, false, failed(err)
	}
	if queued {
		r.logger.Info("peer waits for the person", "task", in.Task, "agent", in.Agent, "login", status.Login)
		r.tasks.showTaskState(ctx, in.Task)
		if err := r.sessions.WakeOutbox(ctx, o.Route); err != nil {
			r.logger.Warn("peer's question not sent yet; the watchdog will send it", "task", in.Task, "error", err)
		}
	}
	return work, true, nil
}

// AnswerPeer sends a peer the answer or the end of its question. It sends nothing if the peer no
// longer waits for this question.
func (r *RemoteAgents) AnswerPeer(ctx context.Context, in wire.PeerInput) (wire.PeerResult, error) {
	if err := r.at(in.Store); err != nil {
		return wire.PeerResult{}, err
	}
	work, err := r.store.PeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	if work.IsOver() {
		return r.peerResult(ctx, work)
	}
	q, err := r.store.AnswerForPeer(ctx, core.SubAgentOwner(in.Task, in.Agent))
	if errors.Is(err, store.ErrNotFound) {
		return r.peerResult(ctx, work) // it was sent before
	}
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	// The peer's patience begins when the answer was there.
	work.State, work.Answered = core.Working, q.Answered.UnixMicro()
	peer, err := r.peer(ctx, work)
	if err != nil {
		return r.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	status, err := peer.Poll(ctx, work.PeerTask)
	if err == nil && status.State == core.InputRequired && status.Text == q.Text {
		message := uuid.NewSHA1(uuid.NameSpaceOID, []byte(in.Store+"/"+string(q.ID))).String()
		status, err = peer.Answer(ctx, status, message, prompt.AnswerFor(q))
	}
	if err != nil {
		return r.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	if err := r.store.NotePeerAnswered(ctx, q); err != nil {
		return wire.PeerResult{}, failed(err)
	}
	r.logger.Info("peer got the answer to its question", "task", in.Task, "agent", in.Agent, "question", q.ID, "state", q.State)
	return r.keepPeerTask(ctx, in, status)
}
