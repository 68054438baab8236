package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/temporal/wire"
	"errand/notifiers"
)

// TestMoved proves where a late result is sent whose agent has an account of its own,
// when several workers hold the accounts: on that one, by the worker that holds it, and
// on the chat's where that cannot or may not.
func TestMoved(t *testing.T) {
	main, finn := core.Account{Channel: "telegram", Name: "main"}, core.Account{Channel: "telegram", Name: "finn"}
	spare := core.Account{Channel: "discord", Name: "spare"}
	tests := []struct {
		name                     string
		elsewhere, down, refuses string // accounts
		old                      bool   // the workflow began when nothing was moved
		moved                    wire.Moved
		want                     string // what is told
		next                     *wire.Moved
		state                    core.OutboxState
		busy                     bool
	}{
		{name: "one worker holds both", want: "finn/c: hello [k ]", state: core.Sent},
		{name: "another worker holds the agent's", elsewhere: "finn", next: &wire.Moved{Row: 1, To: &finn}, state: core.Pending},
		{name: "another worker holds it, and the workflow is old", elsewhere: "finn", old: true, want: "main/c: hello [k ]", state: core.Sent},
		{name: "nobody holds it", down: "finn", want: "main/c: hello [k ]", state: core.Sent},
		{name: "another worker holds the chat's", elsewhere: "main", state: core.Pending, busy: true},
		{name: "moved", elsewhere: "main", moved: wire.Moved{Row: 1, To: &finn}, want: "finn/c: hello [k ]", state: core.Sent},
		{name: "moved, and held no more", elsewhere: "finn", moved: wire.Moved{Row: 1, To: &finn}, state: core.Pending, busy: true},
		{name: "moved, and it is down", elsewhere: "main", down: "finn", moved: wire.Moved{Row: 1, To: &finn}, next: &wire.Moved{Row: 1}, state: core.Pending},
		{name: "moved, and refused", elsewhere: "main", refuses: "finn", moved: wire.Moved{Row: 1, To: &finn}, next: &wire.Moved{Row: 1}, state: core.Pending},
		{name: "moved, by a worker that knows more accounts", elsewhere: "main", moved: wire.Moved{Row: 1, To: &spare}, next: &wire.Moved{Row: 1}, state: core.Pending},
		{name: "behind one that was moved", elsewhere: "main", moved: wire.Moved{Row: 7, To: &spare}, next: &wire.Moved{}, state: core.Pending},
		{name: "back again", elsewhere: "finn", moved: wire.Moved{Row: 1}, want: "main/c: hello [k ]", state: core.Sent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &crowd{elsewhere: map[string]bool{test.elsewhere: true}, down: map[string]bool{test.down: true}, refuses: map[string]bool{test.refuses: true}}
			deps := talkers(t, c)
			deps.Store, deps.Sessions = opened(t), new(waker)
			a := sending(deps)
			n := core.Notification{Key: "k", Agent: "finn", Event: core.EventLate, Text: "hello", Route: core.Route{Channel: main.Channel, Account: main.Name, Chat: "c"}}
			row := enqueued(t, a.store, n)
			out, err := a.Deliver(t.Context(), wire.DeliverInput{Store: a.store.ID(), Route: n.Route, Moves: !test.old, Moved: test.moved})
			var app *temporal.ApplicationError
			if busy := errors.As(err, &app) && app.Type() == "busy"; busy != test.busy || !busy && err != nil {
				t.Errorf("it fails with %v", err)
			}
			if fmt.Sprint(out.Moved) != fmt.Sprint(test.next) {
				t.Errorf("it goes on with %+v, want %+v", out.Moved, test.next)
			}
			if told := strings.Join(c.sent, ", "); told != test.want {
				t.Errorf("told %q, want %q", told, test.want)
			}
			if after, err := a.store.Notification(t.Context(), row.ID); err != nil || after.State != test.state {
				t.Errorf("the row is %s, %v", after.State, err)
			}
		})
	}
	t.Run("in the step", func(t *testing.T) {
		c, w := &crowd{elsewhere: map[string]bool{"finn": true}}, new(waker)
		deps := talkers(t, c)
		deps.Store, deps.Sessions = opened(t), w
		a := sending(deps)
		n := enqueued(t, a.store, core.Notification{Key: "k", Agent: "finn", Event: core.EventLate, Text: "hello", Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}})
		if left := a.notifyNow(t.Context(), []int64{n.ID}); len(left) > 0 || len(c.sent) > 0 || !slices.Equal(w.woken, []string{"telegram/main"}) {
			t.Errorf("left %d, told %q, woken %q", left, c.sent, w.woken)
		}
	})
}

// TestMovedBehindAnother proves that a late result whose agent has an account of its own
// is tried there, too, where it follows one that was moved to another account: that one's
// holder leaves it to the chat's, which moves it anew.
func TestMovedBehindAnother(t *testing.T) {
	c := &crowd{}
	deps := talkers(t, c)
	deps.Store, deps.Sessions = opened(t), new(waker)
	deps.Accounts = append(deps.Accounts, agents.Account{Account: core.Account{Channel: "telegram", Name: "sasha"}, Agent: "sasha"})
	a := sending(deps)
	route := core.Route{Channel: "telegram", Account: "main", Chat: "c"}
	for _, agent := range []core.AgentName{"sasha", "finn"} {
		enqueued(t, a.store, core.Notification{Key: string(agent), Agent: agent, Event: core.EventLate, Text: "hello", Route: route})
	}
	var went []string
	holder, next := "main", new(wire.Moved) // as the workflow has it
	for next != nil && len(went) < 10 {
		c.elsewhere = map[string]bool{"main": true, "sasha": true, "finn": true}
		if holder = "main"; next.To != nil {
			holder = next.To.Name
		}
		delete(c.elsewhere, holder)
		out, err := a.Deliver(t.Context(), wire.DeliverInput{Store: a.store.ID(), Route: route, Moves: true, Moved: *next})
		if err != nil {
			t.Fatal(err)
		}
		went, next = append(went, holder), out.Moved
	}
	if want := []string{"main", "sasha", "main", "finn"}; !slices.Equal(went, want) {
		t.Errorf("it is delivered by the holders of %q, want %q", went, want)
	}
	if want := []string{"sasha/c: hello [sasha ]", "finn/c: hello [finn ]"}; !slices.Equal(c.sent, want) {
		t.Errorf("told %q, want %q", c.sent, want)
	}
}

// A takenOverAccount is taken over by another worker while a row waits for its pace.
type takenOverAccount struct{ crowd }

func (c *takenOverAccount) WaitToSend(ctx context.Context, _ core.Route, _ time.Duration) (context.Context, error) {
	c.elsewhere = map[string]bool{"main": true}
	return ctx, nil
}

// TestTakenWhileItWaits proves that what waits for its pace while another worker takes
// the account over is left to that one as it is.
func TestTakenWhileItWaits(t *testing.T) {
	c := &takenOverAccount{}
	deps := talkers(t, &c.crowd)
	deps.Store, deps.Connections = opened(t), c
	a := sending(deps)
	a.notifiers.Handle("telegram", c)
	n := enqueued(t, a.store, core.Notification{Key: "k", Event: core.EventReply, Text: "hello", Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}})
	if err := a.send(t.Context(), n, time.Minute, sendFrom{}); !errors.Is(err, errElsewhere) {
		t.Errorf("it ends with %v", err)
	}
	after, err := a.store.Notification(t.Context(), n.ID)
	if err != nil || after.State != core.Pending || after.Attempts != 0 || len(c.sent) > 0 {
		t.Errorf("it is %s after %d attempts, told %q, %v", after.State, after.Attempts, c.sent, err)
	}
}

// A slow account takes a while for a message.
type slow struct {
	crowd
	takes time.Duration
	began func()
}

func (c *slow) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	c.began()
	select {
	case <-time.After(c.takes):
		return c.crowd.Notify(ctx, n)
	case <-ctx.Done():
		return notifiers.Receipt{}, ctx.Err()
	}
}

// TestTakenWhileItSends proves that a row is sent once if the worker that sends it loses its
// account to another worker, or stands still at any time. No other worker sends the row before
// the lease ends, and then it sends the row as a repeat.
func TestTakenWhileItSends(t *testing.T) {
	const limit = 30 * time.Second
	tests := []struct {
		name  string
		takes time.Duration // the platform, for the first worker
		still time.Duration // for so long the first stands still before it calls
		err   error         // of the first
		want  []string      // what is sent, and by which worker
	}{
		{"it is quick", 0, 0, nil, []string{"one: hello"}},
		{"it is slow", limit - time.Second, 0, nil, []string{"one: hello"}},
		{"it takes too long", time.Hour, 0, context.DeadlineExceeded, []string{"two: " + core.Repeating + "\nhello"}},
		{"it stands still", 0, limit, errStoodStill, []string{"two: " + core.Repeating + "\nhello"}},
		{"it stands still for long", 0, time.Hour, errStoodStill, []string{"two: " + core.Repeating + "\nhello"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := opened(t)
				var told []string
				worker := func(name string, c notifiers.Notifier, of *crowd) *Sender {
					deps := talkers(t, of)
					deps.Store, deps.Sessions = s, new(waker)
					a := sending(deps)
					a.notifiers.Handle("telegram", c)
					return a
				}
				one := &slow{takes: test.takes}
				first := worker("one", unverifiable{one}, &one.crowd)
				other := &crowd{}
				second := worker("two", unverifiable{other}, other)
				n := enqueued(t, first.store, core.Notification{Key: "k", Event: core.EventReply, Text: "hello", Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}})
				began := make(chan struct{}, 1)
				one.began = func() { began <- struct{}{} }
				if test.still > 0 {
					one.began = func() { t.Error("it calls the platform all the same") }
					first.probe = func(at probe.Point) {
						if at == probe.BeforeSend {
							began <- struct{}{}
							time.Sleep(test.still)
						}
					}
				}
				ended := make(chan error)
				go func() { ended <- first.send(t.Context(), n, limit, sendFrom{}) }()
				<-began
				one.elsewhere = map[string]bool{"main": true} // the account is the other's now
				in := wire.DeliverInput{Store: s.ID(), Route: n.Route}
				var app *temporal.ApplicationError
				if _, err := second.Deliver(t.Context(), in); test.takes+test.still > 0 && (!errors.As(err, &app) || app.Type() != "busy") {
					t.Errorf("the other does not wait: %v", err)
				}
				time.Sleep(limit + leaseSlack)
				if _, err := second.Deliver(t.Context(), in); err != nil {
					t.Errorf("the other fails: %v", err)
				}
				if err := <-ended; !errors.Is(err, test.err) {
					t.Errorf("the first ends with %v, want %v", err, test.err)
				}
				for name, c := range map[string]*crowd{"one": &one.crowd, "two": other} {
					for _, text := range c.sent {
						_, text, _ = strings.Cut(text, ": ")
						text, _, _ = strings.Cut(text, " [")
						told = append(told, name+": "+text)
					}
				}
				if !slices.Equal(told, test.want) {
					t.Errorf("told %q, want %q", told, test.want)
				}
				if after, err := s.Notification(t.Context(), n.ID); err != nil || after.State != core.Sent {
					t.Errorf("the row is %s, %v", after.State, err)
				}
			})
		})
	}
}

// An unverifiable platform cannot be asked what has arrived.
type unverifiable struct{ notifiers.Notifier }
