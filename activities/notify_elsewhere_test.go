package activities

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/notifiers"

	"context"
)

// TestNotHere proves that what this worker has no account for is left as it is: to
// another worker at once, if that has it, and otherwise to whoever sets it up.
func TestNotHere(t *testing.T) {
	for _, test := range []struct {
		name string
		held bool
		kind string
		soon bool
	}{{"another worker has it", true, "busy", true}, {"no worker has it", false, "send", false}} {
		t.Run(test.name, func(t *testing.T) {
			w := new(waker)
			a := talkers(t, &crowd{})
			a.Store, a.Sessions, a.semaphores = opened(t), w, newAccountSemaphores()
			pigeon := errand.Route{Channel: "pigeon", Account: "main", Chat: "c"}
			n := enqueued(t, a, errand.Notification{Key: "k", Event: errand.EventReply, Text: "hello", Route: pigeon})
			if test.held {
				if lasts, err := a.Store.Lease(t.Context(), pigeon.At(), "another", time.Minute); err != nil || lasts == 0 {
					t.Fatal(lasts, err)
				}
			}
			if err := a.Notify(t.Context(), NotifyInput{Store: a.Store.ID(), Rows: []int64{n.ID}}); err != nil || len(w.woken) != 1 {
				t.Errorf("in the turn: %v, woken %q", err, w.woken)
			}
			var app *temporal.ApplicationError
			_, err := a.Deliver(t.Context(), DeliverInput{Store: a.Store.ID(), Route: pigeon})
			if !errors.As(err, &app) || app.Type() != test.kind || app.NonRetryable() || (app.NextRetryDelay() < 5*time.Second) != test.soon {
				t.Errorf("outside of it: %v", err)
			}
			after, err := a.Store.Notification(t.Context(), n.ID)
			if err != nil || after.State != errand.Pending || after.Attempts != 0 {
				t.Errorf("it is %s after %d attempts, %v", after.State, after.Attempts, err)
			}
		})
	}
}

// A chatless notifier is one of a platform on which one chat is gone.
type chatless struct {
	crowd
	gone string
}

func (c *chatless) refusal(n errand.Notification) error {
	if n.Route.Chat != c.gone {
		return nil
	}
	return &notifiers.SendError{Outcome: notifiers.Refused, ChatGone: true, Err: errors.New("the channel is deleted")}
}

func (c *chatless) Notify(ctx context.Context, n errand.Notification) (notifiers.Receipt, error) {
	if err := c.refusal(n); err != nil {
		return notifiers.Receipt{}, err
	}
	return c.crowd.Notify(ctx, n)
}

func (c *chatless) Delivered(ctx context.Context, n errand.Notification) (notifiers.Receipt, bool, error) {
	if err := c.refusal(n); err != nil {
		return notifiers.Receipt{}, false, err
	}
	return c.crowd.Delivered(ctx, n)
}

// TestChatGone proves that a result whose chat is gone is refused once, also where
// it may have arrived, and that whoever asked for it reads in private, in their
// language and once, where it is. What is no result is told nowhere else.
func TestChatGone(t *testing.T) {
	for _, test := range []struct {
		name   string
		task   bool
		doubt  bool
		person errand.Account // as which of our accounts sees them
		want   errand.Route
	}{
		{"a result", true, false, errand.Account{Channel: "discord", Name: "main"}, errand.Route{Channel: "discord", Account: "main", Chat: "@7"}},
		{"that may have arrived", true, true, errand.Account{Channel: "discord", Name: "main"}, errand.Route{Channel: "discord", Account: "main", Chat: "@7"}},
		{"of somebody who is known on another account", true, false, errand.Account{Channel: "discord", Name: "spare"}, errand.Route{Channel: "discord", Account: "spare", Chat: "@7"}},
		{"of somebody who is known elsewhere", true, false, errand.Account{Channel: "telegram"}, errand.Route{Channel: "telegram", Account: "main", Chat: "7"}},
		{"of somebody who is known nowhere", true, false, errand.Account{Channel: "whatsapp"}, errand.Route{}},
		{"no result", false, false, errand.Account{Channel: "discord", Name: "main"}, errand.Route{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, w := &chatless{gone: "c"}, new(waker)
			a := talkers(t, &c.crowd)
			a.Store, a.Sessions = opened(t), w
			a.Notifiers.Handle("discord", c)
			var err error
			if a.Texts, err = texts.New(nil); err != nil {
				t.Fatal(err)
			}
			here := errand.Route{Channel: "discord", Account: "main", Chat: "c"}
			if _, err := a.Store.EnsurePerson(t.Context(), "ana", "Ana", errand.Member); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Store.SetLanguage(t.Context(), "ana", "es"); err != nil {
				t.Fatal(err)
			}
			if err := a.Store.AddIdentity(t.Context(), store.Identity{Channel: test.person.Channel, Account: test.person.Name, ExternalID: "7", Person: "ana"}); err != nil {
				t.Fatal(err)
			}
			n := errand.Notification{Key: "k", Event: errand.EventLate, Text: "two trains", Route: here}
			if test.task {
				n.Task = delegated(t, a.Store, here, "ana")
			}
			n = enqueued(t, a, n)
			if test.doubt {
				if _, err := a.Store.MarkSending(t.Context(), n.ID, time.Nanosecond); err != nil {
					t.Fatal(err)
				}
				if err := a.Store.MarkUnknown(t.Context(), n.ID, "killed", 0); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if n, err = a.Store.Notification(t.Context(), n.ID); err != nil {
					t.Fatal(err)
				}
				if err := a.send(t.Context(), n, time.Minute, sendFrom{}); err != nil {
					t.Fatal(err)
				}
				after, err := a.Store.Notification(t.Context(), n.ID)
				if err != nil || after.State != errand.Blocked || !strings.Contains(after.Error, "deleted") || strings.Contains(after.Error, "in private") != (test.want.Chat != "") {
					t.Fatalf("it is %s: %s, %v", after.State, after.Error, err)
				}
				if err := a.Store.RetryOutbox(t.Context(), n.ID); err != nil {
					t.Fatal(err)
				}
			}
			list, err := a.Store.Outbox(t.Context(), nil, 0)
			if err != nil || len(list) != 1 && test.want.Chat == "" {
				t.Fatal(list, err)
			}
			if test.want.Chat == "" {
				return
			}
			if len(list) != 2 || list[0].Route != test.want || !strings.Contains(list[0].Text, "/task "+string(n.Task)) || !strings.Contains(list[0].Text, "ya no existe") || list[0].Event != errand.EventNotice {
				t.Errorf("they are told %+v", list[0])
			}
			if len(w.woken) == 0 || w.woken[0] != test.want.At().String() {
				t.Errorf("woken: %q", w.woken)
			}
		})
	}
}

func delegated(t *testing.T, s *store.Store, r errand.Route, person errand.PersonID) errand.TaskID {
	t.Helper()
	key := errand.NewSessionKey(r, person)
	if _, err := s.Accept(t.Context(), store.InboxMessage{Route: r, Person: person, Role: errand.Member, MessageID: "m", Text: "ask Sasha"}); err != nil {
		t.Fatal(err)
	}
	re, err := s.Rehydrate(t.Context(), key, "nikki")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.BeginStep(t.Context(), store.BeginStep{Key: errand.StepKey{Owner: errand.SessionOwner(re.Session), Turn: 1, Step: 1}, Session: key, Window: 10, Rows: store.ClaimAll})
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.CommitStep(t.Context(), store.CommitStep{Step: b, Calls: []errand.ToolCall{{ID: "c1", Name: "call_agent_async", Arguments: "{}"}},
		Planned: []store.PlannedCall{{By: store.ByDelegation, Tool: "call_agent_async"}}, Tasks: map[int]store.NewTask{1: {Agents: []errand.AgentName{"sasha"}, Text: "trains"}}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Calls[0].Task
}
