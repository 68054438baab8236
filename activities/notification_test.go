package activities_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/texts"
)

// TestNotificationWords proves that a notification begins with the words of its agent
// where the roster has them in the person's language, and else as agents do; that it
// names the task, tells times in the installation's zone, and reasons of errand's own in
// the person's language.
func TestNotificationWords(t *testing.T) {
	roster, err := agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "x", Delegates: []core.AgentName{"sasha", "finn", "vera"}},
		{Name: "sasha", Instructions: "x", Notification: map[string]string{"": "Back from the library: {title}, {id}."}},
		{Name: "finn", Instructions: "x", Notification: map[string]string{"es": "Desde el taller, {agent}: {id}, {asked}."}},
		{Name: "vera", Instructions: "x"},
	}, agents.Rules{})
	require.NoError(t, err)
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	oslo, err := time.LoadLocation("Europe/Oslo")
	require.NoError(t, err)
	const asked, pidió = "Fri 2 Jan, 13:30", "vie 2 ene, 13:30"
	for _, test := range []struct {
		name           string
		agents         []core.AgentName
		state          core.TaskState
		language, want string
		installation   string
		reason         core.Reason
	}{
		{name: "as agents do", agents: []core.AgentName{"vera"}, want: "Vera here: on " + asked + " you asked for “{id} trains” (t-1). Here is the result:\n\ntwo {agent}"},
		{name: "as agents do, in Spanish", agents: []core.AgentName{"vera"}, language: "es-MX",
			want: "Aquí Vera: el " + pidió + " pediste «{id} trains» (t-1). Aquí está el resultado:\n\ntwo {agent}"},
		{name: "failed", agents: []core.AgentName{"vera"}, state: core.Failed, language: "es",
			want: "Aquí Vera: el " + pidió + " pediste «{id} trains» (t-1). Ha fallado: no trains"},
		{name: "refused", agents: []core.AgentName{"vera"}, state: core.Rejected,
			want: "Vera here: on " + asked + " you asked for “{id} trains” (t-1). It failed: no trains"},
		{name: "canceled", agents: []core.AgentName{"vera"}, state: core.Canceled, language: "es",
			want: "Aquí Vera: el " + pidió + " pediste «{id} trains» (t-1). Se canceló: no trains"},
		{name: "in its own words", agents: []core.AgentName{"sasha"}, want: "Back from the library: {id} trains, t-1. Here is the result:\n\ntwo {agent}"},
		{name: "in its own words, to somebody whose language is not known", agents: []core.AgentName{"sasha"}, language: "tlh", state: core.Canceled,
			want: "Back from the library: {id} trains, t-1. It was canceled: no trains"},
		{name: "its own words are not Spanish", agents: []core.AgentName{"sasha"}, language: "es",
			want: "Aquí Sasha: el " + pidió + " pediste «{id} trains» (t-1). Aquí está el resultado:\n\ntwo {agent}"},
		{name: "its own words are Spanish, as the installation", agents: []core.AgentName{"sasha"}, installation: "es",
			want: "Back from the library: {id} trains, t-1. Aquí está el resultado:\n\ntwo {agent}"},
		{name: "in its own words by language", agents: []core.AgentName{"finn"}, language: "es", state: core.Failed,
			want: "Desde el taller, Finn: t-1, " + pidió + ". Ha fallado: no trains"},
		{name: "in no words of its own in that language", agents: []core.AgentName{"finn"}, language: "en", state: core.Failed,
			want: "Finn here: on " + asked + " you asked for “{id} trains” (t-1). It failed: no trains"},
		{name: "failed for a reason of errand's own", agents: []core.AgentName{"vera"}, state: core.Failed, language: "es", reason: core.ReasonTerminated,
			want: "Aquí Vera: el " + pidió + " pediste «{id} trains» (t-1). Ha fallado: su workflow fue terminado"},
		{name: "the same in English", agents: []core.AgentName{"vera"}, state: core.Failed, language: "en", reason: core.ReasonTerminated,
			want: "Vera here: on " + asked + " you asked for “{id} trains” (t-1). It failed: its workflow was terminated"},
		{name: "canceled for a reason of errand's own", agents: []core.AgentName{"vera"}, state: core.Canceled, language: "es", reason: core.ReasonStopped,
			want: "Aquí Vera: el " + pidió + " pediste «{id} trains» (t-1). Se canceló: detenida por la persona"},
		{name: "several", agents: []core.AgentName{"sasha", "finn", "vera"}, language: "es",
			want: "Aquí Sasha, Finn y Vera: el " + pidió + " pediste «{id} trains» (t-1). Aquí está el resultado:\n\ntwo {agent}"},
		{name: "who is not there any more", agents: []core.AgentName{"gone"},
			want: "Gone here: on " + asked + " you asked for “{id} trains” (t-1). Here is the result:\n\ntwo {agent}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			task := &core.Task{ID: "t-1", State: test.state, Agents: test.agents, Title: "{id} trains", Error: "no trains", Reason: test.reason, Created: time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)}
			if task.State == "" {
				task.State, task.Result, task.Error = core.Completed, "two {agent}", ""
			}
			n := activities.Notifications{Roster: roster, Texts: catalog, Language: test.installation, Zone: oslo}
			require.Equal(t, test.want, n.Text(task, test.language, ""))
			require.Equal(t, strings.ReplaceAll(test.want, " 13:30", " 21:30"), n.Text(task, test.language, "Asia/Tokyo"), "by their own clocks")
		})
	}
}
