package reconcile

import (
	"context"
	"time"
)

// signalAnswers tells sub-agents of questions that are over: whoever ended one may have
// died before it could, and the sub-agent has no timer of its own.
func (p *pass) signalAnswers(ctx context.Context, before time.Time) {
	for q, err := range p.Store.UntoldQuestions(ctx, before) {
		if err != nil {
			p.note(err)
			return
		}
		if ctx.Err() != nil || !p.isLeader() {
			return
		}
		if isRecent(q.Signalled) {
			continue // it has the signal, in its history
		}
		p.note(p.write(func() error {
			if err := p.Dispatch.QuestionAnswered(ctx, q.ID, q.Owner); err != nil {
				return err
			}
			return p.Store.NoteQuestionSignalled(ctx, q.ID)
		}))
	}
}
