package app_test

import (
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/telegram"
)

// TestRecordTeamInItsOwnChat is TestRecord for what a person asks an agent by /team that
// has an account of its own: it answers in its own chat with them, and the chat in which
// they have asked is told.
func TestRecordTeamInItsOwnChat(t *testing.T) {
	if !*record {
		t.Parallel()
	}
	w := newTelegram(t)
	nikki, finn := w.AddBot("errand_bot"), w.AddBot("finn_bot")
	workshop := w.account("workshop", finn)
	workshop.Agent, workshop.Line = "finn", 2
	in, _ := play(t, nil, withAccounts(w.account("main", nikki), workshop))
	here, there := w.Start(w.ana, nikki), w.Start(w.ana, finn)
	w.Post(here, w.ana, platform.Post{Text: "hello"})
	w.sees(here, "you said hello")
	w.Post(there, w.ana, platform.Post{Text: "hi Finn"})
	w.sees(there, "you said hi Finn")
	w.Post(here, w.ana, platform.Post{Text: "We need OAuth. /team @finn trains"})
	w.sees(here, "you said hello", "Finn is on it", "Finn has answered in its own chat with you")
	w.sees(there, "you said hi Finn", "Finn on “trains”")
	task := in.taskFor(t, "trains")
	if task.Origin.Source == "" || task.Origin.Source == task.Origin.SessionKey {
		t.Fatalf("it is told in %q, and was asked for in %q", task.Origin.SessionKey, task.Origin.Source)
	}
	for name, id := range map[string]string{
		"session-that-asked-for-another-chat":     string(task.Origin.Source),
		"session-that-told-what-was-asked-beside": string(task.Origin.SessionKey),
		"delegation-told-in-its-own-chat":         string(task.ID),
		"subagent-told-in-its-own-chat":           string(core.SubAgentOwner(task.ID, "finn")),
	} {
		in.atRest(id)
		for _, history := range in.histories(id) {
			in.replays(name, history)
		}
	}
}
