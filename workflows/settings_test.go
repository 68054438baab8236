package workflows_test

import (
	"testing"
	"time"

	"errand/internal/temporal/wire"
	"errand/internal/test/workflowtest"
)

// TestSettingsOfNow proves that a session which never rests goes by the settings that
// are configured now: from its next run on, or from a reset on.
func TestSettingsOfNow(t *testing.T) {
	impatient := func(s *wire.Settings) { s.Patience = 10 * time.Second }
	for _, test := range []struct {
		name string
		next func(*workflowtest.Installation)
	}{
		{"a new run", func(in *workflowtest.Installation) { in.Send("hello") }},
		{"a reset", func(in *workflowtest.Installation) { in.Reset() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := workflowtest.Options{Settings: func(s *wire.Settings) {
				if test.name == "a new run" {
					s.TurnsPerRun = 1
				}
			}}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				in.Send("good morning")
				in.Configure(impatient)
				test.next(in)
				read := in.Read()
				in.Send(do(ask("sasha", "wait 50s")))
				in.Pass(9 * time.Second)
				in.Reads(read...)
				in.Pass(2 * time.Second)
				in.Reads(append(read, atWork)...)
				in.Pass(time.Minute)
				in.Reads(append(read, atWork, "done 50s")...)
			})
		})
	}
}

// TestRunKeepsItsLength proves that new settings do not change after how many turns a run
// continues as new.
func TestRunKeepsItsLength(t *testing.T) {
	began := wire.Settings{TurnsPerRun: 3, MaxSteps: 5}
	got := began.RunWith(wire.Settings{MaxSteps: 7}.WithDefaults())
	if got.TurnsPerRun != 3 || got.MaxSteps != 7 {
		t.Errorf("it goes on with %+v", got)
	}
}
