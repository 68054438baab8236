package activities

import (
	"context"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/limit"
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

func (c *crowd) Notify(_ context.Context, n errand.Notification) (notifiers.Receipt, error) {
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

func (c *crowd) Delivered(_ context.Context, n errand.Notification) (notifiers.Receipt, bool, error) {
	if c.refuses[n.Route.Account] {
		return notifiers.Receipt{}, false, &notifiers.SendError{Outcome: notifiers.Refused, Err: context.Canceled}
	}
	if c.down[n.Route.Account] {
		return notifiers.Receipt{}, false, &notifiers.SendError{Outcome: notifiers.NotSent, Err: context.DeadlineExceeded}
	}
	return notifiers.Receipt{}, c.had[n.Route.Account], nil
}

func (c *crowd) Connect(context.Context, errand.Account) error { return nil }

func (c *crowd) Holds(a errand.Account) bool { return !c.elsewhere[a.Name] }

func (c *crowd) Ready(a errand.Account) bool { return !c.down[a.Name] && !c.elsewhere[a.Name] }

func (c *crowd) ReadyElsewhere(_ context.Context, a errand.Account) (bool, error) {
	return c.elsewhere[a.Name], nil
}

func talkers(t *testing.T, c *crowd) *Activities {
	t.Helper()
	list := []agents.Agent{{Name: "nikki", Instructions: "x", Delegates: []errand.AgentName{"sasha", "finn"}},
		{Name: "sasha", Instructions: "x"}, {Name: "finn", Instructions: "x"}}
	roster, err := agents.New("nikki", list, agents.Rules{Models: []string{agents.DefaultModel}})
	if err != nil {
		t.Fatal(err)
	}
	account := func(channel, name string, agent errand.AgentName) agents.Account {
		return agents.Account{Account: errand.Account{Channel: channel, Name: name}, Agent: agent}
	}
	var out notifiers.Router
	for _, channel := range []string{"telegram", "discord", "test"} {
		out.Handle(channel, c)
	}
	return &Activities{turns: limit.NewFairSemaphore(64), Deps: Deps{Roster: roster, Notifiers: &out, Connections: c, Logger: slog.New(slog.DiscardHandler), Accounts: agents.Accounts{
		account("telegram", "main", "nikki"), account("telegram", "finn", "finn"), account("discord", "main", "nikki"), account("discord", "spare", "nikki")}}}
}

// TestVoices proves who is heard to say what, and on which account.
func TestVoices(t *testing.T) {
	tests := []struct {
		name          string
		on            errand.Account
		agent         errand.AgentName
		event         errand.EventType
		text          string
		refuses, down string
		unknown       string // an account that does not admit whoever it is told
		want          string
	}{
		{name: "the account's own agent", agent: "nikki", want: "main/c: hello [k m]"},
		{name: "another agent", agent: "sasha", want: "main/c: Sasha: hello [k m]"},
		{name: "another agent that has an account", agent: "finn", want: "main/c: Finn: hello [k m]"},
		{name: "a question", agent: "sasha", event: errand.EventQuestion, want: "main/c: Sasha: hello [k m]"},
		{name: "code", agent: "sasha", text: "```\ncode\n```", want: "main/c: Sasha:\n\n```\ncode\n``` [k m]"},
		{name: "a list", agent: "sasha", text: "- one", want: "main/c: Sasha:\n\n- one [k m]"},
		{name: "errand itself", agent: "sasha", event: errand.EventNotice, want: "main/c: hello [k m]"},
		{name: "nobody", want: "main/c: hello [k m]"},
		{name: "an agent's own account", on: errand.Account{Channel: "telegram", Name: "finn"}, agent: "finn", want: "finn/c: hello [k m]"},
		{name: "the primary on another's account", on: errand.Account{Channel: "telegram", Name: "finn"}, agent: "nikki", want: "finn/c: Nikki: hello [k m]"},
		{name: "two accounts of one agent", on: errand.Account{Channel: "discord", Name: "spare"}, agent: "nikki", event: errand.EventLate, want: "spare/c: hello [k m]"},
		{name: "no account of errand.yaml", on: errand.Account{Channel: "test", Name: "main"}, agent: "sasha", want: "main/c: hello [k m]"},
		{name: "late", agent: "sasha", event: errand.EventLate, want: "main/c: hello [k m]"},
		{name: "late, with an account", agent: "finn", event: errand.EventLate, want: "finn/c: hello [k ]"},
		{name: "late, with an account elsewhere", on: errand.Account{Channel: "discord", Name: "main"}, agent: "finn", event: errand.EventLate, want: "main/c: hello [k m]"},
		{name: "late, and the account may not", agent: "finn", event: errand.EventLate, refuses: "finn", want: "main/c: hello [k m]"},
		{name: "late, and the account does not know them", agent: "finn", event: errand.EventLate, unknown: "finn", want: "main/c: hello [k m]"},
		{name: "late, and the account is down", agent: "finn", event: errand.EventLate, down: "finn", want: "main/c: hello [k m]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &crowd{refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}}
			n := errand.Notification{Key: "k", ReplyTo: "m", Agent: test.agent, Event: test.event, Text: test.text,
				Route: errand.Route{Channel: test.on.Channel, Account: test.on.Name, Chat: "c"}}
			if n.Event == "" {
				n.Event = errand.EventReply
			}
			if n.Text == "" {
				n.Text = "hello"
			}
			if n.Route.Channel == "" {
				n.Route.Channel, n.Route.Account = "telegram", "main"
			}
			n.Session = errand.NewSessionKey(n.Route, "ada")
			a := talkers(t, c)
			a.Admits = func(_ context.Context, at errand.Account, person errand.PersonID) (bool, error) {
				return at.Name != test.unknown && person == "ada", nil
			}
			reachable, err := a.reachable(t.Context(), a.candidates(n), sendFrom{moves: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := a.sendFirst(t.Context(), reachable); err != nil {
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
	n := errand.Notification{Agent: "finn", Event: errand.EventLate, Route: errand.Route{Channel: "telegram", Account: "main", Chat: "c"}}
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
			a := talkers(t, &crowd{had: map[string]bool{test.had: true}, refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}})
			by, _, doubt, err := a.arrived(t.Context(), a.candidates(n))
			if by.Name != test.want || doubt != test.doubt || (err != nil) != test.fails {
				t.Errorf("by %q, doubt %v, %v", by.Name, doubt, err)
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
		{"its own may not", "finn", "", "main/c: " + errand.Repeating + "\n" + "hello [k ]", 0},
		{"its own may not, and the session's later", "finn", "", "main/c: " + errand.Repeating + "\n" + "hello [k ]", 2},
		{"its own is down", "", "finn", "main/c: " + errand.Repeating + "\n" + "hello [k ]", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &crowd{busy: test.busy, refuses: map[string]bool{test.refuses: true}, down: map[string]bool{test.down: true}}
			a := talkers(t, c)
			a.Store = opened(t)
			n := errand.Notification{Key: "k", Agent: "finn", Event: errand.EventLate, Text: "hello", Route: errand.Route{Channel: "telegram", Account: "main", Chat: "c"}}
			if _, err := a.Store.Answer(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			next, err := a.Store.NextOutbox(t.Context(), n.Route)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Store.MarkSending(t.Context(), next.ID, time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := a.Store.MarkUnknown(t.Context(), next.ID, "killed", 0); err != nil {
				t.Fatal(err)
			}
			for attempts := test.busy; ; attempts-- {
				if next, err = a.Store.NextOutbox(t.Context(), n.Route); err != nil {
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
