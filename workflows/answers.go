package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// listenForAnswers hears which of the sub-agent's questions are over. While it waits for
// nothing else it has no timer: a question may be open for days, and costs its history
// nothing. Where the signal was lost, the watchdog sends it.
func (s *subAgent) listenForAnswers(ctx workflow.Context) {
	answered := workflow.GetSignalChannel(ctx, SignalAnswered)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var sig AnsweredSignal
			if !answered.Receive(ctx, &sig) {
				return
			}
			s.waits.refuse(waitID(sig.Question), sig.Refused)
			s.waits.lateAnswer(waitID(sig.Question), sig.Refused)
			s.answered(waitID(sig.Question))
		}
	})
}

// answered notes that a question is over. One that is not waited for any more, or was
// heard of before, changes nothing: the step that asked has been told.
func (s *subAgent) answered(id waitID) {
	if !id.isQuestion() {
		return
	}
	if s.waits.isOpen(id) {
		s.waits.done(id)
		return
	}
	// It is answered before the turn knows that it was asked.
	s.waits.early = append(s.waits.early, id)
}

// refreshQuestions notes which of the questions that were asked about are over, by what the
// store says.
func (s *subAgent) refreshQuestions(about []errand.QuestionID, out activities.OpenTasksResult) {
	for _, id := range about {
		if !s.waits.isOpen(waitID(id)) || slices.Contains(out.OpenQuestions, id) {
			continue
		}
		s.waits.refuse(waitID(id), slices.Contains(out.Refused, id))
		s.waits.done(waitID(id))
	}
}

// dropQuestions is for the end of a turn with a report: the store has withdrawn what it
// asked and did not wait for. An answer that came just before is another turn's.
func (s *subAgent) dropQuestions() {
	if len(questions(s.waits.open)) == 0 {
		return
	}
	s.waits.open = slices.DeleteFunc(s.waits.open, waitID.isQuestion)
	s.waits.look = true
}
