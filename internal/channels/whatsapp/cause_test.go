package whatsapp

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.mau.fi/whatsmeow/types/events"
)

// TestCause proves that WhatsApp's word of why it ended a connection counts, in
// whatever order it and the end are heard of, and that a connection which only
// broke is taken for one that did.
func TestCause(t *testing.T) {
	broke, replaced := ending{event: &events.Disconnected{}}, ending{event: &events.StreamReplaced{}}
	gone := ending{event: &events.LoggedOut{}, gone: true}
	dead := ending{err: errors.New("WhatsApp does not answer")}
	for _, test := range []struct {
		name  string
		heard []ending // one every 300 ms
		want  ending
		after time.Duration
	}{
		{"replaced, and it ends", []ending{replaced, broke}, replaced, 0},
		{"it ends, as it was replaced", []ending{broke, replaced}, replaced, 300 * time.Millisecond},
		{"it ends twice, as it was replaced", []ending{broke, broke, replaced}, replaced, 600 * time.Millisecond},
		{"it ends, as it was logged out", []ending{broke, gone}, gone, 300 * time.Millisecond},
		{"it breaks", []ending{broke}, broke, time.Second},
		{"it does not answer", []ending{dead, replaced}, dead, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &line{c: &Channel{Options: Options{CauseWait: time.Second}}, ended: make(chan ending, 8)}
				go func() {
					for _, e := range test.heard[1:] {
						time.Sleep(300 * time.Millisecond)
						l.end(e)
					}
				}()
				began := time.Now()
				if got := l.cause(t.Context(), test.heard[0]); got != test.want {
					t.Errorf("it is %+v, want %+v", got, test.want)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("after %s, want %s", took, test.after)
				}
				time.Sleep(time.Second) // until all has been heard
			})
		})
	}
}
