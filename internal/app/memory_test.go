package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
	"errand/internal/rights"
	"errand/internal/store"
)

// TestNotifications proves that a result which was told without the primary
// agent is in the index of its memory until it has read it.
func TestNotifications(t *testing.T) {
	t.Parallel()
	work := make(chan struct{})
	plain := script(work)
	var last llm.Request
	model := llmtest.Func(func(ctx context.Context, r llm.Request) llmtest.Reply {
		if strings.Contains(r.System, "You are working on task") {
			return plain.Answer(ctx, r)
		}
		last = r
		m := r.Messages[len(r.Messages)-1]
		if _, key, ok := strings.Cut(m.Text, "read "); ok && m.Speaker == errand.FromPerson {
			return llmtest.Call("c1", "recall", `{"key":"`+key+`"}`)
		}
		if m.Speaker == errand.FromTool && strings.Contains(m.Text, "<report>") {
			return llmtest.Text("I have read it")
		}
		return plain.Answer(ctx, r)
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick })
	key := in.say("main", "ask Sasha in the background about trains")
	in.until(key, replies(1))
	if _, err := in.Service.NewSession(t.Context(), in.owner(), key, "", errand.ShortID(8)); err != nil {
		t.Fatal(err)
	}
	close(work)
	in.until(key, replies(2)) // in Sasha's own voice
	id := string(tasks(in)[0].ID)
	other := in.say("other", "hello")
	in.until(other, replies(1))
	if index := store.NotificationsPrefix + id; !strings.Contains(last.Note, index) {
		t.Errorf("the prompt does not show %s:\n%s", index, last.Note)
	}
	in.say("other", "read notifications/"+id)
	events := in.until(other, replies(2))
	if got := said(events)[1]; got != "I have read it" {
		t.Errorf("the person reads %q", got)
	}
	in.say("other", "hello again")
	in.until(other, replies(3))
	if strings.Contains(last.Note, store.NotificationsPrefix) {
		t.Error("it is shown as unread after it has been read")
	}
	// The next session of that chat has what was told there in its transcript.
	in.say("main", "hello")
	in.until(key, replies(3))
	if !slices.ContainsFunc(last.Messages, func(m errand.Message) bool { return strings.Contains(m.Text, id) }) {
		t.Errorf("what was told of %s is not in front of the agent: %+v", id, last.Messages)
	}
	if strings.Contains(last.Note, store.NotificationsPrefix) {
		t.Errorf("it is shown as unread where it was told:\n%s", last.Note)
	}
}

// TestSharedGroup proves that people of a group have a session each, and one
// together where that is configured.
func TestSharedGroup(t *testing.T) {
	t.Parallel()
	in := install(t, llmtest.HandingOver(), func(o *app.Options) { o.Settings = quick }, specialists(t, nil), func(cfg *config.Config) {
		cfg.Sessions.GroupChats = map[string]config.GroupMode{"telegram/main/shared": config.SharedSessions}
		if err := cfg.Rights.Set(rights.Agent, "sasha", errand.Partner); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", errand.Member); err != nil {
		t.Fatal(err)
	}
	say := func(chat string, person errand.PersonID, text string) errand.SessionKey {
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{
			Route:  errand.Route{Channel: "telegram", Account: "main", Chat: chat},
			Person: person, Role: errand.Member, Group: true, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out.Key
	}
	if one, two := say("own", app.Owner, "hello"), say("own", "bob", "hello"); one == two {
		t.Error("two people of a group have one session")
	}
	one := say("shared", app.Owner, "hello")
	in.until(one, replies(1))
	if two := say("shared", "bob", "and hello from me"); one != two {
		t.Errorf("two people of a shared group have two sessions: %s, %s", one, two)
	}
	events := in.until(one, replies(2))
	if got := said(events); got[0] != "Nikki heard: Owner: hello" || got[1] != "Nikki heard: Bob: and hello from me" {
		t.Errorf("the agent heard %q", got)
	}
	// An agent that not everybody may talk with stays for those who may.
	if _, err := in.Service.SwitchAgent(t.Context(), owner, one, "sasha"); err != nil {
		t.Fatal(err)
	}
	say("shared", app.Owner, "research this")
	if got := said(in.until(one, replies(3)))[2]; !strings.HasPrefix(got, "Sasha heard: ") {
		t.Errorf("who may talk with Sasha reads %q", got)
	}
	say("shared", "bob", "and this")
	if got := said(in.until(one, replies(5)))[3:]; got[0] != "Sasha is not open to you any more. Nikki takes over." || !strings.HasPrefix(got[1], "Nikki heard: ") {
		t.Errorf("who may not reads %q", got)
	}
}
