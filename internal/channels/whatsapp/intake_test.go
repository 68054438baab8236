package whatsapp_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"errand/internal/channels/whatsapp"
	"errand/internal/service"
	"errand/internal/store"
)

func (r *rig) notices() []string {
	r.t.Helper()
	rows, err := r.gate.Store.Deliveries(r.t.Context(), nil, store.Page{Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	var texts []string
	for _, row := range rows {
		texts = append(texts, row.Text)
	}
	return texts
}

const cannotTake = "I cannot take messages like this yet. Please write it as text."

// TestPoison proves that a message is not lost to an error that passes, and that
// one that never passes keeps no other message from coming in: its sender is told.
func TestPoison(t *testing.T) {
	for name, poison := range map[string]func() error{
		"panics": func() error { panic("a nil pointer") },
		"fails":  func() error { return errors.New("no database takes that") },
	} {
		for times, want := range map[int][]string{3: {"one", "two"}, 1000: {"two"}} {
			t.Run(fmt.Sprint(name, times), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, service.AccessOpen)
				r.gate.Trip(times, "one", poison)
				r.write(r.ana, r.account.JID(), "one")
				r.write(r.ana, r.account.JID(), "two")
				r.connect()
				r.accepted(2)
				if got := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(got, want) {
					t.Errorf("the session has %q, want %q", got, want)
				}
				refused := r.notices()
				if times == 3 && len(refused) > 0 || times > 3 && !slices.Equal(refused, []string{cannotTake}) {
					t.Errorf("Ana is told %q", refused)
				}
			})
		}
	}
}

// TestShortPause proves that a connection that took a message in is tried again
// at once when it breaks, however often it has failed before.
func TestShortPause(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	// After three failures it would rest for longer than this test lasts.
	r.options = func(o *whatsapp.Options) { o.Pause, o.LongestPause = 20*time.Millisecond, time.Hour }
	r.connect()
	for i := range 20 {
		r.write(r.ana, r.account.JID(), fmt.Sprint("message ", i))
		r.accepted(i + 1)
		r.account.Drop()
	}
}
