package activities

import (
	"testing"
	"testing/synctest"
	"time"

	"errand"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// TestTakesPreview proves that a delivery is told in the place of the message that shows it,
// waits for who is just changing that, and for no longer than a second.
func TestTakesPreview(t *testing.T) {
	for _, test := range []struct {
		name   string
		noted  time.Duration // when a change is; 0: never
		waited time.Duration
		want   string
	}{
		{"nobody changes it", time.Nanosecond, 0, "7"},
		{"somebody changes it", 300 * time.Millisecond, 300 * time.Millisecond, "7"},
		{"somebody died of it", 0, time.Second, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				n, p := written(t, s)
				if test.noted > 0 {
					go func() {
						time.Sleep(test.noted)
						if err := s.NotePreview(t.Context(), p.ID, "7"); err != nil {
							t.Error(err)
						}
					}()
				}
				time.Sleep(time.Microsecond)
				synctest.Wait()
				began := time.Now()
				a := &Activities{Deps: Deps{Store: s}}
				other := n
				other.Route.Account = "sasha"
				candidates := []errand.Notification{other, n}
				if err := a.takePreview(t.Context(), n, candidates); err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(began); waited < test.waited-2*previewLook || waited > test.waited+2*previewLook {
					t.Errorf("it waits %s", waited)
				}
				if candidates[0].Replaces != "" || candidates[1].Replaces != test.want {
					t.Errorf("it is told in the place of %q, and on another account of %q", candidates[1].Replaces, candidates[0].Replaces)
				}
			})
		})
	}
}

func written(t *testing.T, s *store.Store) (errand.Notification, store.Preview) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	route := errand.Route{Channel: "telegram", Account: "main", Chat: "-42"}
	key := errand.NewSessionKey(route, "ada")
	_, err := s.EnsurePerson(t.Context(), "ada", "Ada", errand.Partner)
	ok(err)
	found, err := s.Rehydrate(t.Context(), key, "nikki")
	ok(err)
	_, err = s.Accept(t.Context(), store.InboxMessage{Route: route, Person: "ada", Role: errand.Member, MessageID: "m1", Text: "please"})
	ok(err)
	b, err := s.BeginStep(t.Context(), store.BeginStep{Key: errand.StepKey{Owner: errand.SessionOwner(found.Session), Turn: 1, Step: 1},
		Session: key, Rows: store.ClaimAll, Window: 10})
	ok(err)
	p, claimed, _, err := s.ClaimPreview(t.Context(), found.Session, 1, route, 5*time.Second)
	ok(err)
	if !claimed {
		t.Fatal("it is not to be shown")
	}
	out, err := s.CommitStep(t.Context(), store.CommitStep{Step: b, Text: "by train"})
	ok(err)
	n, err := s.Notification(t.Context(), out.Outbox[0])
	ok(err)
	return n, p
}
