package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

// TestTeamByMention proves that an agent is meant whose account a message mentions behind
// /team, by whatever the platform calls it, and that of several accounts in a group one
// takes the message.
func TestTeamByMention(t *testing.T) {
	accounts := agents.Accounts{{Account: core.Account{Channel: "test", Name: "main"}, Agent: "nikki"}, {Account: core.Account{Channel: "test", Name: "workshop"}, Agent: "finn"}}
	const finn, nikki = "123", "9"
	of := func(id, text string) intake.Mention { return intake.Mention{ID: id, Text: text} }
	tests := []struct {
		name     string
		account  string // by which it comes; default: main
		group    bool
		text     string
		mentions []intake.Mention
		want     string // Ana reads; empty: nothing, it is for another account
		task     string // of Finn
		away     bool   // the main account is not connected
	}{
		{name: "by an id, shown as a name of two words", text: "/team @Finn Bot implement this", mentions: []intake.Mention{of(finn, "@Finn Bot")}, want: "Finn is on it", task: "implement this"},
		{name: "with a count", text: "/team @Finn Bot:auto implement this", mentions: []intake.Mention{of(finn, "@Finn Bot")}, want: "Finn is on it", task: "implement this"},
		{name: "by a number", text: "/team @491761234567 implement this", mentions: []intake.Mention{of("491761234567", "@491761234567")}, want: "Finn is on it", task: "implement this"},
		{name: "by a username, in any case", text: "We need OAuth. /team @Finn_Bot, implement this", mentions: []intake.Mention{of("Finn_Bot", "@Finn_Bot")}, want: "Finn is on it", task: "implement this"},
		{name: "beside one that is no account of ours", text: "/team @Finn Bot ask @Finn Botham", mentions: []intake.Mention{of("77", "@Finn Botham"), of(finn, "@Finn Bot")}, want: "Finn is on it", task: "ask @Finn Botham"},
		{name: "one that is no account of ours", text: "/team @Zoe implement this", mentions: []intake.Mention{of("77", "@Zoe")}, want: "I don't know @zoe"},
		{name: "in a group, where it comes by the other account", group: true, text: "/team @Finn Bot implement this", mentions: []intake.Mention{of(finn, "@Finn Bot"), of(nikki, "@Nikki Bot")}, want: "Finn", task: "implement this"},
		{name: "in a group, where it is for the other account", group: true, account: "workshop", text: "@Nikki Bot /team @Finn Bot implement this", mentions: []intake.Mention{of(nikki, "@Nikki Bot"), of(finn, "@Finn Bot")}},
		{name: "in a group, where the other account is away", away: true, group: true, account: "workshop", text: "@Nikki Bot /team @Finn Bot implement this", mentions: []intake.Mention{of(nikki, "@Nikki Bot"), of(finn, "@Finn Bot")}, want: "Finn", task: "implement this"},
		{name: "in a group, behind words for the other account", group: true, account: "workshop", text: "@Nikki Bot, you and /team @Finn Bot are good", mentions: []intake.Mention{of(nikki, "@Nikki Bot"), of(finn, "@Finn Bot")}, want: "you said"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := workflowtest.Options{
				House:      func(d *intaketest.Deps) { d.Accounts = accounts },
				Activities: func(d *activities.Deps) { d.Accounts = accounts },
			}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				in.Person("ana", "Ana", core.Member)
				for i, a := range accounts {
					handles := [][]string{{nikki}, {finn, "finn_bot", "491761234567"}}[i]
					if err := in.Store.AddIdentity(in.T.Context(), core.Identity{Channel: "test", Account: a.Name, ExternalID: "u1", Person: "ana"}); err != nil {
						in.T.Fatal(err)
					}
					if lasts, err := in.Store.Lease(in.T.Context(), a.Account, "worker", time.Hour); lasts == 0 || err != nil {
						in.T.Fatal(lasts, err)
					}
					note := store.ConnectionNote{State: core.Connected, Since: time.Now(), Handles: handles}
					if kept, err := in.Store.NoteConnection(in.T.Context(), a.Account, "worker", note); !kept || err != nil {
						in.T.Fatal(kept, err)
					}
					in.Receive(intake.Inbound{Route: core.Route{Channel: "test", Account: a.Name, Chat: "u1"}, Sender: intake.Sender{IDs: []string{"u1"}}, MessageID: "hi " + a.Name, Text: "hi"})
				}
				if tt.away {
					if err := in.Store.ReleaseLease(in.T.Context(), accounts[0].Account, "worker"); err != nil {
						in.T.Fatal(err)
					}
				}
				in.Settle()
				account, chat := "main", "u1"
				if tt.account != "" {
					account = tt.account
				}
				if tt.group {
					chat = "g1"
				}
				before := len(in.Outbox(chat))
				out := in.Receive(intake.Inbound{Route: core.Route{Channel: "test", Account: account, Chat: chat}, Group: tt.group, Sender: intake.Sender{IDs: []string{"u1"}},
					MessageID: "m1", Text: tt.text, Mentions: tt.mentions})
				in.Settle()
				read := in.Outbox(chat)[before:]
				switch {
				case tt.want == "" && (out.Refused != "is for another account" || len(read) > 0):
					t.Errorf("it is %q, and Ana reads %v", out.Refused, read)
				case tt.want != "" && (len(read) == 0 || !strings.Contains(read[0].Text, tt.want)):
					t.Errorf("Ana reads %v (%s), want %q", read, out.Refused, tt.want)
				}
				task := ""
				if list := in.Tasks(); len(list) > 0 {
					task = list[0].Text
				}
				if task != tt.task {
					t.Errorf("Finn is asked %q, want %q", task, tt.task)
				}
			})
		})
	}
}

// TestOneAccountTakesTeam proves that a /team in a group which several accounts of ours hear is
// carried out by exactly one of them, whichever is first and however often each hears it; that
// the same words written again are carried out again; and that what one account alone hears is.
func TestOneAccountTakesTeam(t *testing.T) {
	accounts := agents.Accounts{{Account: core.Account{Channel: "test", Name: "main"}, Agent: "nikki"}, {Account: core.Account{Channel: "test", Name: "workshop"}, Agent: "finn"},
		{Account: core.Account{Channel: "test", Name: "library"}, Agent: "sasha"}}
	type written struct {
		by, id string
		at     time.Duration // when it was written
		text   string        // default: "/team @finn implement this"
	}
	tests := []struct {
		name  string
		heard []written
		tasks int
		by    string // the account that has answered
	}{
		{name: "a command that names no account", heard: []written{{by: "main", id: "1"}, {by: "workshop", id: "1"}, {by: "library", id: "1"}}, tasks: 1, by: "main"},
		{name: "as messages of other ids", heard: []written{{by: "workshop", id: "71"}, {by: "main", id: "12"}}, tasks: 1, by: "workshop"},
		{name: "heard twice by each", heard: []written{{by: "workshop", id: "1"}, {by: "main", id: "2"}, {by: "workshop", id: "1"}, {by: "main", id: "2"}}, tasks: 1, by: "workshop"},
		{name: "of one that is away, by both that it mentions", heard: []written{{by: "workshop", id: "1", text: "@nikki_bot /team @finn implement this"}, {by: "library", id: "2", text: "@nikki_bot /team @finn implement this"}}, tasks: 1, by: "workshop"},
		{name: "written again", heard: []written{{by: "main", id: "1"}, {by: "workshop", id: "1"}, {by: "workshop", id: "2", at: 20 * time.Second}, {by: "main", id: "2", at: 20 * time.Second}}, tasks: 2, by: "main"},
		{name: "two in one second", heard: []written{{by: "main", id: "1"}, {by: "main", id: "2", text: "/team @finn test this"}, {by: "workshop", id: "2", text: "/team @finn test this"}}, tasks: 2, by: "main"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := workflowtest.Options{House: func(d *intaketest.Deps) { d.Accounts = accounts }, Activities: func(d *activities.Deps) { d.Accounts = accounts }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				in.Person("ana", "Ana", core.Member)
				for _, a := range accounts {
					if err := in.Store.AddIdentity(in.T.Context(), core.Identity{Channel: "test", Account: a.Name, ExternalID: "u1", Person: "ana"}); err != nil {
						in.T.Fatal(err)
					}
					in.Receive(intake.Inbound{Route: core.Route{Channel: "test", Account: a.Name, Chat: "u1"}, Sender: intake.Sender{IDs: []string{"u1"}}, MessageID: "hi " + a.Name, Text: "hi"})
				}
				// Nikki's account is known, and not connected any more.
				if lasts, err := in.Store.Lease(in.T.Context(), accounts[0].Account, "worker", time.Hour); lasts == 0 || err != nil {
					in.T.Fatal(lasts, err)
				}
				note := store.ConnectionNote{State: core.Connected, Since: time.Now(), Handles: []string{"nikki_bot"}}
				if kept, err := in.Store.NoteConnection(in.T.Context(), accounts[0].Account, "worker", note); !kept || err != nil {
					in.T.Fatal(kept, err)
				}
				if err := in.Store.ReleaseLease(in.T.Context(), accounts[0].Account, "worker"); err != nil {
					in.T.Fatal(err)
				}
				began := time.Now()
				for _, h := range tt.heard {
					time.Sleep(max(0, h.at-time.Since(began))) // of the test's own clock
					m := intake.Inbound{Route: core.Route{Channel: "test", Account: h.by, Chat: "g1"}, Group: true, Sender: intake.Sender{IDs: []string{"u1"}},
						MessageID: h.id, Sent: began.Add(h.at), Text: h.text, Mentions: []intake.Mention{{ID: "nikki_bot", Text: "@nikki_bot"}}}
					if m.Text == "" {
						m.Text = "/team @finn implement this"
					}
					in.Receive(m)
				}
				in.Settle()
				if n := len(in.Tasks()); n != tt.tasks {
					t.Errorf("%d tasks, want %d", n, tt.tasks)
				}
				if read := in.Outbox("g1"); len(read) == 0 || read[0].Route.Account != tt.by {
					t.Errorf("Ana reads %v, want it of %s", read, tt.by)
				}
			})
		})
	}
}
