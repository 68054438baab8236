package whatsapp

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mau.fi/whatsmeow/store"
)

type kept struct {
	store.SessionStore
	store.EventBuffer
	by map[string][]byte
}

func (k kept) GetManySessions(_ context.Context, addresses []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, a := range addresses {
		found[a] = k.by[a]
	}
	return found, nil
}

func (k kept) GetSession(_ context.Context, address string) ([]byte, error) {
	return k.by[address], nil
}

func (k kept) PutSession(_ context.Context, address string, session []byte) error {
	k.by[address] = session
	return nil
}

func (k kept) PutManySessions(_ context.Context, made map[string][]byte) error {
	for address, session := range made {
		k.by[address] = session
	}
	return nil
}

func (k kept) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	return decrypt(ctx)
}

// TestSessionsAreNotOverwritten proves that what is encrypted for somebody while a message
// of theirs is decrypted is not sent, and that neither of the two undoes what the other has
// made of the session.
func TestSessionsAreNotOverwritten(t *testing.T) {
	ctx := t.Context()
	k := kept{by: map[string][]byte{"ana": []byte("0"), "ben": []byte("0")}}
	l := &line{}
	sessions, events := watchedSessions{k, l}, watchedEvents{k, l}
	come := func(session string) {
		err := events.DoDecryptionTxn(ctx, func(ctx context.Context) error { return sessions.PutSession(ctx, "ana", []byte(session)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	encrypt := func(session string, meanwhile func()) error {
		if _, err := sessions.GetManySessions(ctx, []string{"ana", "ben"}); err != nil {
			t.Fatal(err)
		}
		meanwhile()
		return sessions.PutManySessions(ctx, map[string][]byte{"ana": []byte(session), "ben": []byte(session)})
	}
	if err := encrypt("sent 1", func() { come("came 1") }); !errors.Is(err, ErrOvertaken) {
		t.Errorf("what was overtaken is sent: %v", err)
	}
	if got := string(k.by["ana"]) + ", " + string(k.by["ben"]); got != "came 1, 0" {
		t.Errorf("the sessions are %s", got)
	}
	if err := encrypt("sent 2", func() {}); err != nil {
		t.Errorf("encrypted anew, it is not sent: %v", err)
	}
	// What comes waits for what is being written, and goes by it.
	l.sessions.mu.Lock()
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		come("came 2")
	}()
	if got := string(k.by["ana"]); got != "sent 2" {
		t.Errorf("the session is %s", got)
	}
	l.sessions.mu.Unlock()
	<-begun
	if got := string(k.by["ana"]); got != "came 2" {
		t.Errorf("the session is %s", got)
	}
}

// TestMessagesCannotHoldUpSending proves that somebody who writes all the time keeps
// nothing from being sent for long: what was overtaken goes first the next time. And that
// messages wait no longer than that takes, or may take.
func TestMessagesCannotHoldUpSending(t *testing.T) {
	for name, end := range map[string]func(*testing.T, watchedSessions, context.CancelFunc){
		"written": func(t *testing.T, sessions watchedSessions, _ context.CancelFunc) {
			if err := sessions.PutManySessions(t.Context(), map[string][]byte{"ana": []byte("sent")}); err != nil {
				t.Errorf("overtaken again: %v", err)
			}
		},
		"overtaken by what takes no turn": func(t *testing.T, sessions watchedSessions, _ context.CancelFunc) {
			sessions.PutSession(t.Context(), "ana", []byte("sent again"))
			if err := sessions.PutManySessions(t.Context(), map[string][]byte{"ana": []byte("sent")}); !errors.Is(err, ErrOvertaken) {
				t.Errorf("what was overtaken is sent: %v", err)
			}
		},
		"encrypted anew": func(t *testing.T, sessions watchedSessions, _ context.CancelFunc) {
			sessions.l.sessions.overtaken = time.Time{}
			sessions.GetManySessions(t.Context(), []string{"ana"})
		},
		"given up":    func(_ *testing.T, _ watchedSessions, stop context.CancelFunc) { stop() },
		"never ended": func(*testing.T, watchedSessions, context.CancelFunc) { time.Sleep(longestHold) }, // of the bubble
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := kept{by: map[string][]byte{"ana": []byte("0")}}
				l := &line{}
				sessions, events := watchedSessions{k, l}, watchedEvents{k, l}
				read := func(ctx context.Context) {
					if _, err := sessions.GetManySessions(ctx, []string{"ana"}); err != nil {
						t.Fatal(err)
					}
				}
				var came atomic.Int32
				come := func() {
					if err := events.DoDecryptionTxn(t.Context(), func(ctx context.Context) error {
						return sessions.PutSession(ctx, "ana", []byte{byte(came.Add(1))})
					}); err != nil {
						t.Error(err)
					}
				}
				read(t.Context())
				come()
				if err := sessions.PutManySessions(t.Context(), map[string][]byte{"ana": []byte("sent")}); !errors.Is(err, ErrOvertaken) {
					t.Fatalf("what was overtaken is sent: %v", err)
				}

				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				read(ctx)
				for range 100 {
					go come()
				}
				synctest.Wait()
				if n := came.Load(); n != 1 {
					t.Errorf("%d messages came in between", n-1)
				}
				end(t, sessions, stop)
				synctest.Wait()
				if n := came.Load(); n != 101 {
					t.Errorf("%d messages came then, want 100", n-1)
				}

				time.Sleep(overtakenFor)
				read(t.Context())
				come() // it does not wait
				if err := sessions.PutManySessions(t.Context(), map[string][]byte{"ana": []byte("sent")}); !errors.Is(err, ErrOvertaken) {
					t.Errorf("what was overtaken is sent: %v", err)
				}
			})
		})
	}
}
