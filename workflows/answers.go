package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// listenForAnswers sets no timer, because a question may be open for days. The watchdog repeats a
// lost signal.
func (s *subAgent) listenForAnswers(ctx workflow.Context) {
	answered := workflow.GetSignalChannel(ctx, wire.SignalAnswered)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var sig wire.AnsweredSignal
			if !answered.Receive(ctx, &sig) {
				return
			}
			s.waits.refuse(waitID(sig.Question), sig.Refused)
			s.waits.lateAnswer(waitID(sig.Question), sig.Refused)
			s.answered(waitID(sig.Question))
		}
	})
}

// answered ignores a question that is no longer waited for: the step that asked has its answer.
func (s *subAgent) answered(id waitID) {
	if !id.isQuestion() {
		return
	}
	if s.waits.isOpen(id) {
		s.waits.done(id)
		return
	}
	// The answer has come before the turn knows of the question.
	s.waits.early = append(s.waits.early, id)
}

func (s *subAgent) refreshQuestions(about []core.QuestionID, out wire.OpenTasksResult) {
	for _, id := range about {
		if !s.waits.isOpen(waitID(id)) || slices.Contains(out.OpenQuestions, id) {
			continue
		}
		s.waits.refuse(waitID(id), slices.Contains(out.Refused, id))
		s.waits.done(waitID(id))
	}
}

// dropQuestions is called when a turn ends with a report: the store has withdrawn its questions. An
// answer that came just before goes to the next turn.
func (s *subAgent) dropQuestions() {
	if len(questions(s.waits.open)) == 0 {
		return
	}
	s.waits.open = slices.DeleteFunc(s.waits.open, waitID.isQuestion)
	s.waits.look = true
}
