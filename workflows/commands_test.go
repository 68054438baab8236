package workflows_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

var volatile = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\pL{3} \d+ \pL{3,4}, \d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`), "SESSION"},
	{regexp.MustCompile(`\bt-[2-9a-z]{8}\b`), "TASK"},
	{regexp.MustCompile(`tokens: \d+`), "tokens: N"},
}

func settled(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.name)
	}
	return text
}

// A member is one person at the installation, in a chat of their own.
type member struct {
	*workflowtest.Installation
	id  core.PersonID
	key core.SessionKey
}

// newMember lets somebody in who speaks a language.
func newMember(in *workflowtest.Installation, id core.PersonID, language string) *member {
	in.T.Helper()
	in.Person(id, string(id), core.Member)
	if _, err := in.Store.ChangePerson(in.T.Context(), id, store.PersonChange{Language: new(language)}); err != nil {
		in.T.Fatal(err)
	}
	return &member{in, id, core.NewSessionKey(core.WebRoute(string(id)), id)}
}

func (m *member) writes(text, id string) string {
	m.T.Helper()
	return m.Accept(intake.Inbound{Route: core.WebRoute(string(m.id)), Person: m.id, Role: core.Member, MessageID: id, Text: text}).Answer
}

func (m *member) lastTask() core.TaskID {
	m.T.Helper()
	list, err := m.Store.Tasks(m.T.Context(), store.TaskFilter{Person: m.id, Session: m.key, Limit: 1})
	if err != nil || len(list) == 0 {
		m.T.Fatalf("the tasks of %s are %v (%v)", m.id, list, err)
	}
	return list[0].ID
}

var owner = actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}

// TestCommands is what people read, in each language, for the commands that
// look at or change what goes on; none of them calls a model.
func TestCommands(t *testing.T) {
	type step struct {
		does, en, es string
		says         string // before
		calls        int    // of models, for what is said
	}
	steps := []step{
		{does: "/history", en: "Messages in this session: you 1, Nikki 1\nThe last ones:\nTIME you: hello\nTIME Nikki: you said hello",
			es:   "Mensajes en esta sesión: tú 1, Nikki 1\nLos últimos:\nTIME tú: hello\nTIME Nikki: you said hello",
			says: "hello", calls: 1},
		{does: "/history NIKKI", en: "Messages in this session: you 1, Nikki 1\nThe last ones:\nTIME Nikki: you said hello"},
		{does: "/status", en: "Agent: Nikki, model demo\nNikki is the primary agent here.\nOpen tasks: 0\nThis session: model calls: 1, tokens: N, cost: nothing\nToday: model calls: 1, tokens: N, cost: nothing\nSession: SESSION",
			es: "Agente: Nikki, modelo demo\nNikki es el agente principal aquí.\nTareas abiertas: 0\nEsta sesión: llamadas al modelo: 1, tokens: N, coste: nada\nHoy: llamadas al modelo: 1, tokens: N, coste: nada\nSesión: SESSION"},
		{does: "/tasks", en: "TASK  working  nikki → sasha  wait 9h  (0 s)", es: "TASK  en curso  nikki → sasha  wait 9h  (0 s)",
			says: do(send("sasha", "wait 9h")), calls: 3}, // nikki's two steps, and sasha's
		{does: "/stop", en: "No turn is running here. Tasks continue; /stop all stops them too.", es: "Aquí no hay ningún turno en curso. Las tareas continúan; /stop all las detiene también."},
		{does: "/cancel TASK no longer needed", en: "TASK is canceled.", es: "TASK está cancelada."},
		{does: "/cancel TASK no longer needed", en: "TASK has already ended: canceled.", es: "TASK ya había terminado: cancelada."},
		{does: "/task TASK", en: "TASK, sasha, canceled: wait 9h\n\nno longer needed", es: "TASK, sasha, cancelada: wait 9h\n\nno longer needed"},
		{does: "/busy Queue", en: "From now on: queue. What you write meanwhile is answered one by one, when the agent is done.",
			es: "A partir de ahora: queue. Lo que escribes mientras tanto se responde mensaje a mensaje, cuando el agente termina."},
		{does: "/busy", en: "While an agent works: queue. What you write meanwhile is answered one by one, when the agent is done.",
			es: "Mientras un agente trabaja: queue. Lo que escribes mientras tanto se responde mensaje a mensaje, cuando el agente termina."},
		{does: "/new sasha", en: "A new session begins, with Sasha. Running tasks continue and will report here.",
			es: "Empieza una sesión nueva con Sasha. Las tareas en curso continúan y te avisarán aquí."},
		{does: "/agent", en: "You are talking with Sasha.", es: "Estás hablando con Sasha."},
		{does: "/history", en: "Nothing has been said in this session yet.", es: "Todavía no se ha dicho nada en esta sesión."},
		{does: "/stop", en: "Stopped.", es: "Detenido.", says: "wait 1h", calls: 1},
		{does: "/stop", en: "There is nothing to stop.", es: "No hay nada que detener."},
		{does: "/stop ALL", en: "There is nothing to stop.", es: "No hay nada que detener."},
		{does: "/stop ALL", en: "Stopped, along with every open task.", es: "Detenido, junto con todas las tareas abiertas.", says: "wait 1h", calls: 1},
		{does: "/reset", en: "A new session begins. Running tasks continue and will report here.", es: "Empieza una sesión nueva. Las tareas en curso continúan y te avisarán aquí."},
		{does: "/agent", en: "You are talking with Nikki.", es: "Estás hablando con Nikki."},
		{does: "/new", en: "A new session begins, with Nikki. Running tasks continue and will report here.",
			es: "Empieza una sesión nueva con Nikki. Las tareas en curso continúan y te avisarán aquí."},
	}
	o := workflowtest.Options{House: func(d *intaketest.Deps) { d.Models = map[string]string{agents.DefaultModel: "demo"} }}
	for _, language := range []string{"en", "es"} {
		t.Run(language, func(t *testing.T) {
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				m := newMember(in, "somebody", language)
				calls := 0
				for _, step := range steps {
					if step.says != "" {
						m.writes(step.says, "")
					}
					calls += step.calls
					does := step.does
					if strings.Contains(does, "TASK") {
						does = strings.ReplaceAll(does, "TASK", string(m.lastTask()))
					}
					want := map[string]string{"en": step.en, "es": step.es}[language]
					if got := settled(m.writes(does, "")); want != "" && got != want {
						t.Errorf("%s is answered\n%s\nwant\n%s", step.does, got, want)
					}
				}
				if n := len(in.Stage.Requests()); n != calls {
					t.Errorf("%d model calls were made, %d of them for what was said", n, calls)
				}
			})
		})
	}
}

// TestCommandsTwice proves that a command which is delivered a second time is
// not carried out a second time.
func TestCommandsTwice(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		m := newMember(in, "somebody", "en")
		m.writes("hello", "")
		before := in.Current(m.key)
		for _, text := range []string{"/reset", "/new", "/new sasha"} {
			id := "id-" + text
			first := m.writes(text, id)
			after := in.Current(m.key)
			if after == before {
				t.Errorf("%s began no session", text)
			}
			if second := m.writes(text, id); second != first || in.Current(m.key) != after {
				t.Errorf("%s, delivered again, is answered %q and the session is %s; want %q and %s", text, second, in.Current(m.key), first, after)
			}
			before = after
		}
		// Delivered again after something else was said.
		m.writes("/busy steer", "id-steer")
		m.writes("/busy queue", "id-queue")
		m.writes("/busy steer", "id-steer")
		if got, want := m.writes("/busy", ""), "While an agent works: queue."; !strings.HasPrefix(got, want) {
			t.Errorf("it is %q, want %q", got, want)
		}
		m.writes("/busy collect", "")
		// A /stop that comes again must not end what was begun after it.
		m.writes("/stop", "id-stop")
		m.writes("wait 1h", "")
		m.writes("/stop", "id-stop")
		in.Pass(2 * time.Hour)
		in.ReadsIn(m.key, "you said hello", "done 1h")
	})
}
