package activities

import (
	"context"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// A keeper keeps what it is told to send.
type keeper struct{ sent []core.Notification }

func (k *keeper) Notify(_ context.Context, n core.Notification) (notifiers.Receipt, error) {
	k.sent = append(k.sent, n)
	return notifiers.Receipt{IDs: []string{n.Replaces}}, nil
}

// TestDeliveredInPlace proves that a reply replaces the message in which it grew: a message whose
// id the row has, and one that the platform takes while the delivery begins. An agent's own
// account, which has no such message, gets no id.
func TestDeliveredInPlace(t *testing.T) {
	route := core.Route{Channel: "telegram", Account: "main", Chat: "-42"}
	for name, after := range map[string]bool{"the row has it": false, "the platform takes it just now": true} {
		t.Run(name, func(t *testing.T) {
			k := &keeper{}
			deps := talkers(t, &crowd{})
			deps.Store, deps.Sessions = opened(t), new(waker)
			deps.Notifiers = &notifiers.Router{}
			a := sending(deps)
			a.notifiers.Handle("telegram", k)
			begun, session := turnOn(t, a.store, route)
			grown, _, err := a.store.GrowingReply(t.Context(), session, 1)
			if err != nil {
				t.Fatal(err)
			}
			grown.Message = "7"
			grows := func() {
				if err := a.store.KeepGrowing(t.Context(), session, 1, grown); err != nil {
					t.Error(err)
				}
			}
			if !after {
				grows()
			}
			a.settle = func(_ context.Context, at core.Route) bool {
				if after && at == route {
					grows()
				}
				return after
			}
			out, err := a.store.CommitStep(t.Context(), store.CommitStep{Step: begun, Text: "by train"})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.notifyRow(t.Context(), out.Outbox[0]); err != nil {
				t.Fatal(err)
			}
			if len(k.sent) != 1 || k.sent[0].Replaces != "7" || k.sent[0].Text != "by train" {
				t.Errorf("sent %+v", k.sent)
			}
			other := a.voices.candidates(core.Notification{Route: route, Agent: "finn", Event: core.EventLate, Replaces: "7"})
			if len(other) != 2 || other[0].Replaces != "" || other[1].Replaces != "7" {
				t.Errorf("accounts are told %+v", other)
			}
		})
	}
}

// TestDeletedAbove proves that with a question that is told at once the message goes in which the
// reply of its turn grew above it.
func TestDeletedAbove(t *testing.T) {
	route := core.Route{Channel: "telegram", Account: "main", Chat: "-42"}
	for name, grown := range map[string]string{"there is one": "7", "there is none": ""} {
		t.Run(name, func(t *testing.T) {
			wakes := new(waker)
			deps := talkers(t, &crowd{})
			deps.Store, deps.Sessions = opened(t), wakes
			deps.Notifiers = &notifiers.Router{}
			a := sending(deps)
			a.notifiers.Handle("telegram", &keeper{})
			begun, session := turnOn(t, a.store, route)
			r, _, err := a.store.GrowingReply(t.Context(), session, 1)
			if r.Message = grown; err == nil && grown != "" {
				err = a.store.KeepGrowing(t.Context(), session, 1, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.store.Answer(t.Context(), core.Notification{Key: "asks", Route: route, Session: begun.SessionKey, Event: core.EventQuestion, Text: "Which day?"}); err != nil {
				t.Fatal(err)
			}
			if err := a.notifyRow(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if woken := len(wakes.woken) > 0; woken != (grown != "") {
				t.Errorf("the outbox is delivered further: %t", woken)
			}
		})
	}
}

// turnOn begins a turn that answers a message.
func turnOn(t *testing.T, s *store.Store, route core.Route) (*store.StepInput, core.SessionID) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key := core.NewSessionKey(route, "ada")
	_, err := s.EnsurePerson(t.Context(), "ada", "Ada", core.Partner)
	ok(err)
	found, err := s.Rehydrate(t.Context(), key, "nikki")
	ok(err)
	_, err = s.Accept(t.Context(), store.InboxMessage{Route: route, Person: "ada", Role: core.Member, MessageID: "m1", Text: "please"})
	ok(err)
	b, err := s.BeginStep(t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(found.Session), Turn: 1, Step: 1},
		Session: key, Rows: store.ClaimAll, Window: 10})
	ok(err)
	return b, found.Session
}
