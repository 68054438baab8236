package workflows_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/push"
	"errand/internal/store"

	"errand/internal/core"
	"errand/internal/test/workflowtest"
)

// A scriptedBrowser is told things as a script says.
type scriptedBrowser struct {
	answer func(age time.Duration) error

	from time.Time // of the first attempt
	got  []push.Message
}

func (b *scriptedBrowser) Send(_ context.Context, m push.Message) error {
	if len(b.got) == 0 {
		b.from = time.Now()
	}
	b.got = append(b.got, m)
	return b.answer(time.Since(b.from))
}

// TestPush proves how long a browser is tried to be told of a late result, and that it is told
// once, whatever becomes of the workflow.
func TestPush(t *testing.T) {
	const day = 24 * time.Hour
	taken := func(time.Duration) error { return nil }
	until := func(back time.Duration) func(time.Duration) error {
		return func(age time.Duration) error {
			if age < back {
				return &push.Error{Status: 503, Reason: "no"}
			}
			return nil
		}
	}
	lose := func(in *workflowtest.Installation) {
		in.Pass(5 * time.Minute)
		if err := in.Terminate(duePushes(in)[0]); err != nil {
			in.T.Error(err)
		}
		in.Pass(time.Minute)
		in.Reconcile()
	}
	for _, test := range []struct {
		name        string
		answer      func(time.Duration) error
		least, most int
		during      func(*workflowtest.Installation)
		gone        bool // the subscription
		failures    int
	}{
		{name: "taken", answer: taken, least: 1, most: 1},
		{name: "taken when the push service is back", answer: until(time.Hour), least: 3, most: 40},
		{name: "given up after a day", answer: until(10 * day), least: 10, most: 60, failures: 1},
		{name: "gone", answer: func(time.Duration) error { return &push.Error{Status: 410, Reason: "no", Final: true} }, least: 1, most: 1, gone: true},
		{name: "refused", answer: func(time.Duration) error { return &push.Error{Status: 403, Reason: "no", Final: true} }, least: 1, most: 1, failures: 1},
		{name: "on its way when the workflow is lost", answer: until(time.Hour), least: 2, most: 40, during: lose},
	} {
		t.Run(test.name, func(t *testing.T) {
			to := &scriptedBrowser{answer: test.answer}
			o := workflowtest.Options{Activities: func(d *activities.Deps) { d.Browsers = to }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				_, err := in.Store.PutPushSubscription(in.T.Context(), core.PushSubscription{Person: workflowtest.Owner, Endpoint: "https://push.example.org/x"}, store.PushRenewal{})
				if err != nil {
					t.Fatal(err)
				}
				in.Send(do(send("sasha", "wait 10m")))
				in.Pass(11 * time.Minute)
				if n := len(duePushes(in)); n != 1 {
					t.Fatalf("%d are to be told", n)
				}
				in.Reconcile() // as where the process was killed that was to start it
				in.Settle()
				if test.during != nil {
					test.during(in)
				}
				in.Pass(time.Hour)
				in.Reconcile() // who looks after what was missed tells nothing again
				in.Pass(4 * day)
				in.Reconcile()
				in.Pass(time.Hour)
				list, err := in.Store.PushSubscriptions(in.T.Context(), workflowtest.Owner)
				if err != nil || test.gone != (len(list) == 0) {
					t.Fatalf("kept is %+v, %v", list, err)
				}
				if n := len(to.got); n < test.least || n > test.most || len(duePushes(in)) > 0 {
					t.Errorf("%d attempts, and %q are due", n, duePushes(in))
				}
				if !test.gone && (list[0].Failures > 0 != (test.failures > 0) || list[0].Sent.IsZero() != (test.failures > 0)) {
					t.Errorf("what became of it is %+v", list[0])
				}
				last := to.got[len(to.got)-1]
				if last.TTL <= 0 || last.TTL > day || slices.ContainsFunc(to.got, func(m push.Message) bool { return m.Topic != last.Topic || string(m.Body) != string(last.Body) }) {
					t.Errorf("it was told for %s as %s", last.TTL, last.Topic)
				}
			})
		})
	}
}

func duePushes(in *workflowtest.Installation) (ids []string) {
	for due, err := range in.Store.AllDuePushes(in.T.Context(), time.Now().Add(time.Hour)) {
		if err != nil {
			in.T.Fatal(err)
		}
		ids = append(ids, due.ID)
	}
	return ids
}
