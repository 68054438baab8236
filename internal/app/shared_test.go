package app_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
	"errand/internal/store"
	"errand/workflows"
)

// TestSharedGroupsKeepApart proves that what an agent notes, sets and is shown in
// a group whose people share a session is that group's: neither another group's,
// nor what it knows of whoever asks.
func TestSharedGroupsKeepApart(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var prompt string
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		mu.Lock()
		defer mu.Unlock()
		prompt = r.System + r.Note
		if _, call, ok := strings.Cut(last.Text, "use "); ok && last.Speaker == errand.FromPerson {
			name, args, _ := strings.Cut(call, " ")
			return llmtest.Call("c", name, args)
		}
		return llmtest.Text(last.Text)
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick }, func(cfg *config.Config) { cfg.Sessions.Groups = config.SharedSessions })
	if err := in.Store.Remember(t.Context(), app.Owner, "nikki", store.Note{Key: "my-secret", Value: "x"}); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	use := func(chat, call string) string {
		t.Helper()
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{
			Route:  errand.Route{Channel: "telegram", Account: "main", Chat: chat},
			Person: app.Owner, Role: errand.Member, Group: true, Text: "use " + call})
		if err != nil {
			t.Fatal(err)
		}
		n[chat]++
		return said(in.until(out.Key, replies(n[chat])))[n[chat]-1]
	}
	use("one", `remember {"key": "pier-at-nine", "value": "of the first group"}`)
	set := use("one", `remind_me {"when": "tomorrow at nine", "text": "the first group's"}`)
	id := strings.Fields(set)[1]
	for call, want := range map[string]string{
		`recall {"key": "pier-at-nine"}`: "Nothing is noted", `list_working_memory {}`: "Nothing is noted", `recall {"key": "my-secret"}`: "Nothing is noted",
		`list_reminders {}`: "No reminders", `cancel_reminder {"id": "` + id + `"}`: "not found",
	} {
		if got := use("two", call); !strings.Contains(got, want) {
			t.Errorf("the second group's %s is answered %q", call, got)
		}
	}
	if strings.Contains(prompt, "pier-at-nine") || strings.Contains(prompt, "my-secret") {
		t.Errorf("the second group's prompt shows what is not its own:\n%s", prompt)
	}
	for call, want := range map[string]string{
		`recall {"key": "pier-at-nine"}`: "of the first group", `list_reminders {}`: id,
	} {
		if got := use("one", call); !strings.Contains(got, want) {
			t.Errorf("the first group's %s is answered %q", call, got)
		}
	}
	if !strings.Contains(prompt, `"pier-at-nine"`) || !strings.Contains(prompt, "People of a group chat share this conversation") {
		t.Errorf("the first group's prompt is\n%s", prompt)
	}
}

// TestStopOfOneTurn proves that a guest of a group that shares a session ends the
// turn that works for them though its model never answers, and that a stop which
// comes after its turn ends no other.
func TestStopOfOneTurn(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		if strings.HasSuffix(last.Text, "wait") {
			return llmtest.Reply{Text: last.Text, Wait: make(chan struct{})}
		}
		return llmtest.Reply{Text: last.Text, Wait: answer}
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick }, func(cfg *config.Config) { cfg.Sessions.Groups = config.SharedSessions })
	if _, err := in.Store.EnsurePerson(t.Context(), "cleo", "Cleo", errand.Guest); err != nil {
		t.Fatal(err)
	}
	say := func(person errand.PersonID, text string) intake.Outcome {
		t.Helper()
		out, err := in.Intake.Accept(t.Context(), intake.Inbound{
			Route: errand.Route{Channel: "telegram", Account: "main", Chat: "one"}, Person: person, Group: true, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	calls := func(n int) {
		t.Helper()
		eventually(t, "the model is called", func() bool { return len(model.Requests()) >= n })
	}
	key := say("cleo", "wait").Key
	calls(1)
	if out := say("cleo", "/stop"); out.Answer != "Stopped what you had asked for." {
		t.Errorf("a guest's /stop is answered %q", out.Answer)
	}
	say(app.Owner, "hello")
	calls(2)
	now, err := in.Store.Current(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	late := workflows.StopSignal{Session: now.ID, Turn: 1}
	if err := in.Client.SignalWorkflow(t.Context(), string(key), "", workflows.SignalStop, late); err != nil {
		t.Fatal(err)
	}
	if err := in.Service.SetBusy(t.Context(), in.owner(), key, errand.ShortID(8), workflows.Collect); err != nil { // the session has seen the signal
		t.Fatal(err)
	}
	close(answer)
	if got := said(in.until(key, replies(2))); got[0] != "The turn was stopped." || got[1] != "Owner: hello" {
		t.Errorf("the group reads %q", got)
	}
}
