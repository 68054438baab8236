package activities

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
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
			deps := talkers(t, &crowd{})
			deps.Store, deps.Sessions = opened(t), w
			a := sending(deps)
			pigeon := core.Route{Channel: "pigeon", Account: "main", Chat: "c"}
			n := enqueued(t, a.store, core.Notification{Key: "k", Event: core.EventReply, Text: "hello", Route: pigeon})
			if test.held {
				if lasts, err := a.store.Lease(t.Context(), pigeon.At(), "another", time.Minute); err != nil || lasts == 0 {
					t.Fatal(lasts, err)
				}
			}
			if err := a.Notify(t.Context(), wire.NotifyInput{Store: a.store.ID(), Rows: []int64{n.ID}}); err != nil || len(w.woken) != 1 {
				t.Errorf("in the turn: %v, woken %q", err, w.woken)
			}
			var app *temporal.ApplicationError
			_, err := a.Deliver(t.Context(), wire.DeliverInput{Store: a.store.ID(), Route: pigeon})
			if !errors.As(err, &app) || app.Type() != test.kind || app.NonRetryable() || (app.NextRetryDelay() < 5*time.Second) != test.soon {
				t.Errorf("outside of it: %v", err)
			}
			after, err := a.store.Notification(t.Context(), n.ID)
			if err != nil || after.State != core.Pending || after.Attempts != 0 {
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

func (c *chatless) refusal(n core.Notification) error {
	if n.Route.Chat != c.gone {
		return nil
	}
	return &notifiers.SendError{Outcome: notifiers.Refused, ChatGone: true, Err: errors.New("the channel is deleted")}
}

func (c *chatless) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	if err := c.refusal(n); err != nil {
		return notifiers.Receipt{}, err
	}
	return c.crowd.Notify(ctx, n)
}

func (c *chatless) Delivered(ctx context.Context, n core.Notification) (notifiers.Receipt, bool, error) {
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
		person core.Account // as which of our accounts sees them
		want   core.Route
	}{
		{"a result", true, false, core.Account{Channel: "discord", Name: "main"}, core.Route{Channel: "discord", Account: "main", Chat: "@7"}},
		{"that may have arrived", true, true, core.Account{Channel: "discord", Name: "main"}, core.Route{Channel: "discord", Account: "main", Chat: "@7"}},
		{"of somebody who is known on another account", true, false, core.Account{Channel: "discord", Name: "spare"}, core.Route{Channel: "discord", Account: "spare", Chat: "@7"}},
		{"of somebody who is known elsewhere", true, false, core.Account{Channel: "telegram"}, core.Route{Channel: "telegram", Account: "main", Chat: "7"}},
		{"of somebody who is known nowhere", true, false, core.Account{Channel: "whatsapp"}, core.Route{}},
		{"no result", false, false, core.Account{Channel: "discord", Name: "main"}, core.Route{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, w := &chatless{gone: "c"}, new(waker)
			deps := talkers(t, &c.crowd)
			deps.Store, deps.Sessions = opened(t), w
			a := sending(deps)
			a.notifiers.Handle("discord", c)
			var err error
			if a.texts, err = texts.New(nil); err != nil {
				t.Fatal(err)
			}
			here := core.Route{Channel: "discord", Account: "main", Chat: "c"}
			if _, err := a.store.EnsurePerson(t.Context(), "ana", "Ana", core.Member); err != nil {
				t.Fatal(err)
			}
			if _, err := a.store.ChangePerson(t.Context(), "ana", store.PersonChange{Language: new("es")}); err != nil {
				t.Fatal(err)
			}
			if err := a.store.AddIdentity(t.Context(), core.Identity{Channel: test.person.Channel, Account: test.person.Name, ExternalID: "7", Person: "ana"}); err != nil {
				t.Fatal(err)
			}
			n := core.Notification{Key: "k", Event: core.EventLate, Text: "two trains", Route: here}
			if test.task {
				n.Task = delegated(t, a.store, here, "ana")
			}
			n = enqueued(t, a.store, n)
			if test.doubt {
				if _, err := a.store.MarkSending(t.Context(), n.ID, time.Nanosecond); err != nil {
					t.Fatal(err)
				}
				if err := a.store.MarkUnsent(t.Context(), n.ID, core.Unknown, "killed", 0); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if n, err = a.store.Notification(t.Context(), n.ID); err != nil {
					t.Fatal(err)
				}
				if err := a.send(t.Context(), n, time.Minute, sendFrom{}); err != nil {
					t.Fatal(err)
				}
				after, err := a.store.Notification(t.Context(), n.ID)
				if err != nil || after.State != core.Blocked || !strings.Contains(after.Error, "deleted") || strings.Contains(after.Error, "private message") != (test.want.Chat != "") {
					t.Fatalf("it is %s: %s, %v", after.State, after.Error, err)
				}
				if err := a.store.RetryOutbox(t.Context(), n.ID); err != nil {
					t.Fatal(err)
				}
			}
			list, err := a.store.Deliveries(t.Context(), nil, store.Page{})
			if err != nil || len(list) != 1 && test.want.Chat == "" {
				t.Fatal(list, err)
			}
			if test.want.Chat == "" {
				return
			}
			if len(list) != 2 || list[0].Route != test.want || !strings.Contains(list[0].Text, "/task "+string(n.Task)) || !strings.Contains(list[0].Text, "Ya no puedo escribir") || list[0].Event != core.EventNotice {
				t.Errorf("they are told %+v", list[0])
			}
			if len(w.woken) == 0 || w.woken[0] != test.want.At().String() {
				t.Errorf("woken: %q", w.woken)
			}
		})
	}
}

func delegated(t *testing.T, s *store.Store, r core.Route, person core.PersonID) core.TaskID {
	t.Helper()
	key := core.NewSessionKey(r, person)
	if _, err := s.Accept(t.Context(), store.InboxMessage{Route: r, Person: person, Role: core.Member, MessageID: "m", Text: "ask Sasha"}); err != nil {
		t.Fatal(err)
	}
	re, err := s.Rehydrate(t.Context(), key, "nikki")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.BeginStep(t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(re.Session), Turn: 1, Step: 1}, Session: key, Window: 10, Rows: store.ClaimAll})
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.CommitStep(t.Context(), store.CommitStep{Step: b, Calls: []core.ToolCall{{ID: "c1", Name: "call_agent_async", Arguments: "{}"}},
		Planned: []store.PlannedCall{{By: store.ByDelegation, Tool: "call_agent_async"}}, Tasks: map[int]store.NewTask{1: {Agents: []core.AgentName{"sasha"}, Text: "trains"}}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Calls[0].Task
}
