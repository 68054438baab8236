package commands_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
	"errand/internal/telemetry"
	"errand/internal/test/intaketest"
)

func (h *house) asks(id string, revision int, text string) intake.Outcome {
	h.t.Helper()
	out, err := h.Accept(h.t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: "member", Role: core.Member,
		MessageID: id, Revision: revision, Text: text})
	if err != nil {
		h.t.Fatalf("%q: %v", text, err)
	}
	return out
}

func (h *house) transcript() []string {
	h.t.Helper()
	events, err := h.store.Events(h.t.Context(), core.NewSessionKey(core.WebRoute("main"), "member"), 0, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	var texts []string
	for _, e := range events {
		if e.Type == core.EventMessage {
			texts = append(texts, e.Message+": "+e.Text)
		}
	}
	return texts
}

// TestMoreBehindACommand proves that what stands behind a command that says who
// leads is sent to them, as it was written, once, and not if the command failed.
func TestMoreBehindACommand(t *testing.T) {
	h := build(t, nil)
	tests := []struct {
		text, answer, then string
		agent              core.AgentName // with whom it is afterwards
	}{
		{"/agent finn fix  this\n- and that", "You are now talking with Finn.", "fix  this\n- and that", "finn"},
		{"/agent Finn, fix this.", "You are now talking with Finn.", "fix this.", "finn"},
		{"/supervisor show me taxes", "You are talking with Nikki again.", "show me taxes", "nikki"},
		{"/Supervisor! show me //this", "You are talking with Nikki again.", "show me //this", "nikki"},
		{"/agent finn //status is what?", "You are now talking with Finn.", "/status is what?", "finn"},
		{"/agent bob fix this", "There is no agent bob.", "", "finn"},
		{"/agent finn", "You are now talking with Finn.", "", "finn"},
		{"/supervisor", "You are talking with Nikki (", "", "nikki"},
	}
	for i, test := range tests {
		id := "m" + string(rune('a'+i))
		before := h.transcript()
		for n := range 2 { // delivered twice
			out := h.asks(id, 0, test.text)
			if !strings.HasPrefix(out.Answer, test.answer) || out.HasMessage != (test.then != "") {
				t.Errorf("%q is answered %+v", test.text, out)
			}
			if n == 1 && test.then != "" && !out.Duplicate {
				t.Errorf("%q is carried out twice", test.text)
			}
		}
		want := before
		if test.then != "" {
			want = append(slices.Clone(before), id+": "+test.then)
		}
		if got := h.transcript(); !slices.Equal(got, want) {
			t.Errorf("%q: there is to answer %q, want %q", test.text, got, want)
		}
		now, err := ops.Do(t.Context(), h.Runner, api.GetChatStatus, h.as("member"), api.ConversationKey{Key: core.NewSessionKey(core.WebRoute("main"), "member")})
		if err != nil || now.Agent != test.agent {
			t.Errorf("%q: the session is with %s, %v", test.text, now.Agent, err)
		}
	}
	// An edit of one that was carried out is not carried out again, nor what stands behind it.
	before := h.transcript()
	if out := h.asks("ma", 1, "/agent finn fix that"); !strings.HasPrefix(out.Answer, "I ran /agent as you first wrote it.") || out.HasMessage {
		t.Errorf("an edit is answered %+v", out)
	}
	// One that failed can be mended.
	if out := h.asks("mf", 1, "/agent sasha fix this"); !strings.HasPrefix(out.Answer, "You are now talking with Sasha.") || !out.HasMessage {
		t.Errorf("an edit of what failed is answered %+v", out)
	}
	if got := h.transcript(); len(got) != len(before)+1 {
		t.Errorf("there is to answer %q", got)
	}
}

func (h *house) as(role core.Role) actor.Actor {
	h.t.Helper()
	by, err := h.Logins.ActorOf(h.t.Context(), core.PersonID(role))
	if err != nil {
		h.t.Fatal(err)
	}
	return by
}

// TestCommandsInSentences proves that punctuation behind a command does not make
// it another, and that a word that is none stays what it is.
func TestCommandsInSentences(t *testing.T) {
	h := build(t, nil)
	for text, want := range map[string]string{
		"/tasks.": "No tasks yet.", "/TASKS!": "No tasks yet.", "/tasks?!": "No tasks yet.", "/agent finn!": "You are now talking with Finn.",
		"/taks.": "There is no command /taks.. Did you mean /tasks?", "/.": "There is no command /.", "/tasks.x": "There is no command /tasks.x.",
	} {
		if got := h.send("member", text); !strings.HasPrefix(got, want) {
			t.Errorf("%q is answered %q, want %q", text, got, want)
		}
	}
}

// TestStatusSaysWhoLeads is what people read of who leads, until when, and how to
// come back.
func TestStatusSaysWhoLeads(t *testing.T) {
	h := build(t, nil)
	line := func() string {
		_, rest, _ := strings.Cut(h.send("member", "/status"), "\n")
		first, _, _ := strings.Cut(rest, "\n")
		return first
	}
	if got := line(); got != "Nikki is the primary agent here." {
		t.Errorf("with the primary agent: %q", got)
	}
	h.send("member", "/agent finn")
	until := h.now.Add(time.Hour).Format("Mon 2 Jan, 15:04")
	if got, want := line(), "The conversation stays with Finn until "+until+"; each answer extends that. /supervisor takes you back to Nikki."; got != want {
		t.Errorf("with a specialist: %q, want %q", got, want)
	}
	h.setLanguage("member", "es")
	if got := line(); !strings.HasPrefix(got, "La conversación sigue con Finn hasta ") {
		t.Errorf("in Spanish: %q", got)
	}
	h.setLanguage("member", "")
	h.now = h.now.Add(2 * time.Hour)
	if got := line(); !strings.HasSuffix(got, "Nikki will answer your next message.") {
		t.Errorf("when its time is over: %q", got)
	}
}

// TestCounted proves that commands are counted by name, and hand-overs by from, to
// and cause.
func TestCounted(t *testing.T) {
	counted := telemetry.New("test")
	h := build(t, func(d *intaketest.Deps) { d.Counter, d.HandOvers = counted.Commands, counted.HandOvers })
	for _, text := range []string{"/tasks", "/Tasks.", "/secret of mine", "/agent finn", "/agent finn", "/supervisor show me"} {
		h.send("member", text)
	}
	var scrape strings.Builder
	if _, err := counted.Render(&scrape, "", telemetry.Installation{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(scrape.String()) {
		if strings.HasPrefix(line, "errand_commands") || strings.HasPrefix(line, "errand_handovers") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		`errand_commands_total{command="/agent"} 2`, `errand_commands_total{command="/supervisor"} 1`,
		`errand_commands_total{command="/tasks"} 2`, `errand_commands_total{command="unknown"} 1`,
		`errand_handovers_total{cause="person",from="finn",to="nikki"} 1`, `errand_handovers_total{cause="person",from="nikki",to="finn"} 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("counted\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
