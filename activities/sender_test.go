package activities

import (
	"context"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/notifiers"
)

// A crowd is a platform's accounts: what each told, and what each does not tell.
type crowd struct {
	sent      []string
	refuses   map[string]bool // accounts
	down      map[string]bool
	elsewhere map[string]bool // accounts that another worker holds
	had       map[string]bool // accounts that have told it before
	busy      int             // how often it is too early for any
}

func (c *crowd) Notify(_ context.Context, n core.Notification) (notifiers.Receipt, error) {
	if c.refuses[n.Route.Account] {
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.Refused, Err: context.Canceled}
	}
	if c.busy > 0 {
		c.busy--
		return notifiers.Receipt{}, &notifiers.SendError{Outcome: notifiers.NotSent, Err: context.DeadlineExceeded}
	}
	c.sent = append(c.sent, n.Route.Account+"/"+n.Route.Chat+": "+n.Body()+" ["+n.Key+" "+n.ReplyTo+"]")
	return notifiers.Receipt{IDs: []string{"1"}}, nil
}

func (c *crowd) Delivered(_ context.Context, n core.Notification) (notifiers.Receipt, bool, error) {
	if c.refuses[n.Route.Account] {
		return notifiers.Receipt{}, false, &notifiers.SendError{Outcome: notifiers.Refused, Err: context.Canceled}
	}
	if c.down[n.Route.Account] {
		return notifiers.Receipt{}, false, &notifiers.SendError{Outcome: notifiers.NotSent, Err: context.DeadlineExceeded}
	}
	return notifiers.Receipt{}, c.had[n.Route.Account], nil
}

func (c *crowd) Connect(context.Context, core.Account) error { return nil }

func (c *crowd) Holds(a core.Account) bool { return !c.elsewhere[a.Name] }

func (c *crowd) Ready(a core.Account) bool { return !c.down[a.Name] && !c.elsewhere[a.Name] }

func (c *crowd) ReadyElsewhere(_ context.Context, a core.Account) (bool, error) {
	return c.elsewhere[a.Name], nil
}

// talkers are what a worker has that sends on these accounts.
func talkers(t *testing.T, c *crowd) Deps {
	t.Helper()
	list := []agents.Agent{{Name: "nikki", Instructions: "x", Delegates: []core.AgentName{"sasha", "finn"}},
		{Name: "sasha", Instructions: "x"}, {Name: "finn", Instructions: "x"}}
	roster, err := agents.New("nikki", list, agents.Rules{Models: []string{agents.DefaultModel}})
	if err != nil {
		t.Fatal(err)
	}
	account := func(channel, name string, agent core.AgentName) agents.Account {
		return agents.Account{Account: core.Account{Channel: channel, Name: name}, Agent: agent}
	}
	var out notifiers.Router
	for _, channel := range []string{"telegram", "discord", "test"} {
		out.Handle(channel, c)
	}
	return Deps{Roster: roster, Notifiers: &out, Connections: c, Logger: slog.New(slog.DiscardHandler), Accounts: agents.Accounts{
		account("telegram", "main", "nikki"), account("telegram", "finn", "finn"), account("discord", "main", "nikki"), account("discord", "spare", "nikki")}}
}

func sending(d Deps) *Sender { return newSender(newWorker(d), d) }

// TestVoices proves who is heard to say what, and on which account.
func TestVoices(t *testing.T) {
	tests := []struct {
		name          string
		on            core.Account
		agent         core.AgentName
		event         core.EventType
		text          string
		refuses, down string
		unknown       string // an account that does not admit the recipient
		want          string
	}{
		{name: "the account's own agent", agent: "nikki", want: "main/c: hello [k m]"},
		{name: "another agent", agent: "sasha", want: "main/c: Sasha: hello [k m]"},
		{name: "another agent that has an account", agent: "finn", want: "main/c: Finn: hello [k m]"},
		{name: "a question", agent: "sasha", event: core.EventQuestion, want: "main/c: Sasha: hello [k m]"},
		{name: "code", agent: "sasha", text: "```\ncode\n```", want: "main/c: Sasha:\n\n```\ncode\n``` [k m]"},
		{name: "a list", agent: "sasha", text: "- one", want: "main/c: Sasha:\n\n- one [k m]"},
		{name: "errand itself", agent: "sasha", event: core.EventNotice, want: "main/c: hello [k m]"},
		{name: "nobody", want: "main/c: hello [k m]"},
		{name: "an agent's own account", on: core.Account{Channel: "telegram", Name: "finn"}, agent: "finn", want: "finn/c: hello [k m]"},
		{name: "the primary on another's account", on: core.Account{Channel: "telegram", Name: "finn"}, agent: "nikki", want: "finn/c: Nikki: hello [k m]"},
		{name: "two accounts of one agent", on: core.Account{Channel: "discord", Name: "spare"}, agent: "nikki", event: core.EventLate, want: "spare/c: hello [k m]"},
		{name: "no account of errand.yaml", on: core.Account{Channel: "test", Name: "main"}, agent: "sasha", want: "main/c: hello [k m]"},
		{name: "late", agent: "sasha", event: core.EventLate, want: "main/c: hello [k m]"},
		{name: "late, with an account", agent: "finn", event: core.EventLate, want: "finn/c: hello [k ]"},
		{name: "late, with an account elsewhere", on: core.Account{Channel: "discord", Name: "main"}, agent: "finn", event: core.EventLate, want: "main/c: hello [k m]"},
		{name: "late, and the account may not", agent: "finn", event: core.EventLate, refuses: "finn", want: "main/c: hello [k m]"},
		{name: "late, and the account does not know them", agent: "finn", event: core.EventLate, unknown: "finn", want: "main/c: hello [k m]"},
		{name: "late, and the account is down", agent: "finn", event: core.EventLate, down: "finn", want: "main/c: hello [k m]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &crowd{refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}}
			n := core.Notification{Key: "k", ReplyTo: "m", Agent: test.agent, Event: test.event, Text: test.text,
				Route: core.Route{Channel: test.on.Channel, Account: test.on.Name, Chat: "c"}}
			if n.Event == "" {
				n.Event = core.EventReply
			}
			if n.Text == "" {
				n.Text = "hello"
			}
			if n.Route.Channel == "" {
				n.Route.Channel, n.Route.Account = "telegram", "main"
			}
			n.Session = core.NewSessionKey(n.Route, "ada")
			deps := talkers(t, c)
			deps.Admits = func(_ context.Context, at core.Account, person core.PersonID) (bool, error) {
				return at.Name != test.unknown && person == "ada", nil
			}
			d := &delivery{Sender: sending(deps), row: n, from: sendFrom{moves: true}}
			if _, err := d.chooseAccount(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := d.notifyFirst(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(c.sent, []string{test.want}) {
				t.Errorf("told %q, want %q", c.sent, test.want)
			}
		})
	}
}

// TestArrived proves that what may have arrived is looked for on every account that
// may have told it, and that no chat waits for an account that is not its own.
func TestArrived(t *testing.T) {
	n := core.Notification{Agent: "finn", Event: core.EventLate, State: core.Unknown, Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}}
	for _, test := range []struct {
		name, had, refuses, down string
		want                     string
		doubt, fails             bool
	}{
		{name: "on none"},
		{name: "on its own", had: "finn", want: "finn"},
		{name: "on the session's", had: "main", want: "main"},
		{name: "on the session's, as its own may not", had: "main", refuses: "finn", want: "main"},
		{name: "on the session's, as its own is down", had: "main", down: "finn", want: "main"},
		{name: "nobody knows, as its own is down", down: "finn", doubt: true},
		{name: "to be asked again, as the session's is down", down: "main", fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := sending(talkers(t, &crowd{had: map[string]bool{test.had: true}, refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}}))
			d := &delivery{Sender: a, row: n, candidates: a.voices.candidates(n)}
			if _, err := d.findArrived(t.Context()); err != nil {
				t.Fatal(err)
			}
			repeats := d.candidates[0].Repeated
			if d.by.Name != test.want || repeats != test.doubt || (d.cause != nil) != test.fails {
				t.Errorf("by %q, repeats %v, %v", d.by.Name, repeats, d.cause)
			}
		})
	}
}

// TestRepeatElsewhere proves that what may have been told by an agent's own account
// is marked as a repeat when the session's tells it, however often that is tried: a
// platform shows the same once, but not from two accounts.
func TestRepeatElsewhere(t *testing.T) {
	for _, test := range []struct {
		name, refuses, down, want string
		busy                      int
	}{
		{"its own again", "", "", "finn/c: hello [k ]", 0},
		{"its own again, later", "", "", "finn/c: hello [k ]", 2},
		{"its own may not", "finn", "", "main/c: " + core.Repeating + "\n" + "hello [k ]", 0},
		{"its own may not, and the session's later", "finn", "", "main/c: " + core.Repeating + "\n" + "hello [k ]", 2},
		{"its own is down", "", "finn", "main/c: " + core.Repeating + "\n" + "hello [k ]", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &crowd{busy: test.busy, refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}}
			deps := talkers(t, c)
			deps.Store = opened(t)
			a := sending(deps)
			n := core.Notification{Key: "k", Agent: "finn", Event: core.EventLate, Text: "hello", Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}}
			if _, err := a.store.Answer(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			next, err := a.store.NextOutbox(t.Context(), n.Route)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.store.MarkSending(t.Context(), next.ID, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := a.store.MarkUnsent(t.Context(), next.ID, core.Unknown, "killed", 0); err != nil {
				t.Fatal(err)
			}
			for attempts := test.busy; ; attempts-- {
				if next, err = a.store.NextOutbox(t.Context(), n.Route); err != nil {
					t.Fatal(err)
				}
				if err := a.send(t.Context(), *next, time.Minute, sendFrom{}); err == nil {
					break
				} else if attempts == 0 {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(c.sent, []string{test.want}) {
				t.Errorf("told %q, want %q", c.sent, test.want)
			}
		})
	}
}
