package workflows_test

import (
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/workflowtest"
)

// TestErrorsInNoPrompt proves that a model is never given errand's errors as its own words,
// and that people read them in the transcript all the same.
func TestErrorsInNoPrompt(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send("fail")
		in.Pass(10 * time.Second)
		read := in.Read()
		failure := read[len(read)-1]
		in.Send("hello")
		in.Pass(10 * time.Second)
		requests := in.Stage.Requests()
		for _, m := range requests[len(requests)-1].Messages {
			if m.Speaker == core.FromAgent {
				t.Errorf("the model is given %q as its own words", m.Text)
			}
		}
		owner := core.SessionOwner(in.Current(workflowtest.Key("main")))
		if old, err := in.Store.ToSummarise(in.T.Context(), owner, 0); err != nil || len(old) != 3 {
			t.Errorf("%+v would be summarised, %v", old, err)
		}
		kept, err := in.Store.Transcript(in.T.Context(), owner, 0)
		if err != nil || len(kept) != 4 || kept[1].Text != failure {
			t.Errorf("people read %+v, %v", kept, err)
		}
	})
}
