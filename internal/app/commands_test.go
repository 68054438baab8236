package app_test

import (
	"regexp"
	"testing"

	"errand"
	"errand/internal/intake"
)

// volatile is what differs from run to run, and what stands for it in a table.
var volatile = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "TIME"},
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

// A speakerIn is one person at the installation, in a chat of their own.
type speakerIn struct {
	*installation
	person errand.PersonID
	chat   string
	key    errand.SessionKey
}

// person lets somebody in who speaks a language.
func (in *installation) person(id errand.PersonID, language string) *speakerIn {
	in.t.Helper()
	if _, err := in.Store.EnsurePerson(in.t.Context(), id, string(id), errand.Member); err != nil {
		in.t.Fatal(err)
	}
	if _, err := in.Store.SetLanguage(in.t.Context(), id, language); err != nil {
		in.t.Fatal(err)
	}
	return &speakerIn{in, id, string(id), errand.NewSessionKey(errand.WebRoute(string(id)), id)}
}

func (p *speakerIn) writes(text, id string) string {
	p.t.Helper()
	out, err := p.Intake.Accept(p.t.Context(), intake.Inbound{Route: errand.WebRoute(p.chat), Person: p.person, Role: errand.Member, MessageID: id, Text: text})
	if err != nil {
		p.t.Fatalf("%q: %v", text, err)
	}
	return out.Answer
}

// TestCommands is what people read, in each language, for the commands that
// look at or change what goes on; none of them calls a model.
func TestCommands(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	type step struct {
		does, en, es string
		before       func(*speakerIn)
	}
	open := func(p *speakerIn) errand.Task {
		list, err := in.Service.Tasks(t.Context(), in.owner(), p.person, p.key, nil, 1)
		if err != nil || len(list) == 0 {
			t.Fatalf("the tasks of %s are %v (%v)", p.person, list, err)
		}
		return list[0]
	}
	spoken := 0
	thinks := func(p *speakerIn) {
		p.writes("wait "+string(p.person), "")
		spoken++
		eventually(t, "sasha to think", func() bool { return len(s.Requests()) == spoken })
	}
	steps := []step{
		{does: "/history", en: "Messages in this session: you 1, Nikki 1\nThe last ones:\nTIME you: hello\nTIME Nikki: you said hello",
			es:     "Mensajes en esta sesión: tú 1, Nikki 1\nLos últimos:\nTIME tú: hello\nTIME Nikki: you said hello",
			before: func(p *speakerIn) { p.writes("hello", ""); spoken++; in.until(p.key, heard("you said hello")) }},
		{does: "/history NIKKI", en: "Messages in this session: you 1, Nikki 1\nThe last ones:\nTIME Nikki: you said hello"},
		{does: "/status", en: "Agent: Nikki, model demo\nNikki is the primary agent here.\nOpen tasks: 0\nThis session: model calls: 1, tokens: N, cost: nothing\nToday: model calls: 1, tokens: N, cost: nothing\nSession: SESSION",
			es: "Agente: Nikki, modelo demo\nNikki es el agente principal aquí.\nTareas abiertas: 0\nEsta sesión: llamadas al modelo: 1, tokens: N, coste: nada\nHoy: llamadas al modelo: 1, tokens: N, coste: nada\nSesión: SESSION"},
		{does: "/tasks", en: "TASK  working  sasha  wait never", es: "TASK  en curso  sasha  wait never",
			before: func(p *speakerIn) {
				p.writes(do(send("sasha", "wait never")), "")
				spoken += 3 // nikki's two steps, and sasha's
				in.until(p.key, replies(2))
				eventually(t, "sasha to work", func() bool { return len(s.Requests()) == spoken && open(p).State == errand.Working })
			}},
		{does: "/stop", en: "No turn is running here. Tasks go on; /stop all ends them too.", es: "Aquí no hay ningún turno en curso. Las tareas siguen; /stop all las termina también."},
		{does: "/cancel TASK no longer needed", en: "TASK is canceled.", es: "TASK está cancelada."},
		{does: "/cancel TASK no longer needed", en: "TASK has ended already: canceled.", es: "TASK ya había terminado: cancelada."},
		{does: "/task TASK", en: "TASK, sasha, canceled: wait never\n\nno longer needed", es: "TASK, sasha, cancelada: wait never\n\nno longer needed"},
		{does: "/busy Queue", en: "From now on: queue. What you write meanwhile is answered one by one, afterwards.",
			es: "A partir de ahora: queue. Lo que escribes mientras tanto se contesta mensaje a mensaje, después."},
		{does: "/busy", en: "While an agent works: queue. What you write meanwhile is answered one by one, afterwards.",
			es: "Mientras un agente trabaja: queue. Lo que escribes mientras tanto se contesta mensaje a mensaje, después."},
		{does: "/new sasha", en: "A new session begins, with Sasha. Tasks at work go on and will report here.",
			es: "Empieza una sesión nueva con Sasha. Las tareas en curso siguen y te avisarán aquí."},
		{does: "/agent", en: "You are talking with Sasha.", es: "Estás hablando con Sasha."},
		{does: "/history", en: "Nothing has been said in this session yet.", es: "Todavía no se ha dicho nada en esta sesión."},
		{does: "/stop", en: "Stopped.", es: "Detenido.", before: thinks},
		{does: "/stop", en: "There is nothing to stop.", es: "No hay nada que detener."},
		{does: "/stop ALL", en: "There is nothing to stop.", es: "No hay nada que detener."},
		{does: "/stop ALL", en: "Stopped, with every open task.", es: "Detenido, junto con todas las tareas abiertas.", before: thinks},
		{does: "/reset", en: "A new session begins. Tasks at work go on and will report here.", es: "Empieza una sesión nueva. Las tareas en curso siguen y te avisarán aquí."},
		{does: "/agent", en: "You are talking with Nikki.", es: "Estás hablando con Nikki."},
		{does: "/new", en: "A new session begins, with Nikki. Tasks at work go on and will report here.",
			es: "Empieza una sesión nueva con Nikki. Las tareas en curso siguen y te avisarán aquí."},
	}
	for _, language := range []string{"en", "es"} {
		p := in.person(errand.PersonID("somebody-"+language), language)
		for _, step := range steps {
			if step.before != nil {
				step.before(p)
			}
			want := map[string]string{"en": step.en, "es": step.es}[language]
			got := settled(p.writes(taskMeant(p, step.does, open), ""))
			if want != "" && got != want {
				t.Errorf("%s: %s is answered\n%s\nwant\n%s", language, step.does, got, want)
			}
		}
	}
	if n := len(s.Requests()); n != spoken {
		t.Errorf("%d model calls were made, %d of them for what was said", n, spoken)
	}
}

// taskMeant puts the id of the person's last task where text says TASK.
func taskMeant(p *speakerIn, text string, last func(*speakerIn) errand.Task) string {
	return regexp.MustCompile(`TASK`).ReplaceAllStringFunc(text, func(string) string { return string(last(p).ID) })
}

// TestCommandsTwice proves that a command which is delivered a second time is
// not carried out a second time.
func TestCommandsTwice(t *testing.T) {
	t.Parallel()
	in, stage := play(t, nil)
	p := in.person("somebody", "en")
	session := func() errand.SessionID {
		now, err := in.Store.Current(t.Context(), p.key)
		if err != nil {
			t.Fatal(err)
		}
		return now.ID
	}
	p.writes("hello", "")
	in.until(p.key, replies(1))
	before := session()
	for _, text := range []string{"/reset", "/new", "/new sasha"} {
		id := "id-" + text
		first := p.writes(text, id)
		after := session()
		if after == before {
			t.Errorf("%s began no session", text)
		}
		if second := p.writes(text, id); second != first || session() != after {
			t.Errorf("%s, delivered again, is answered %q and the session is %s; want %q and %s", text, second, session(), first, after)
		}
		before = after
	}
	// Delivered again after something else was said.
	p.writes("/busy steer", "id-steer")
	p.writes("/busy queue", "id-queue")
	p.writes("/busy steer", "id-steer")
	if got, want := p.writes("/busy", ""), "While an agent works: queue."; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	p.writes("/busy collect", "")
	// A /stop that comes again must not end what was begun after it.
	p.writes("/stop", "id-stop")
	told := len(said(in.until(p.key, replies(1))))
	p.writes("wait later", "")
	stage.begun(t, "sasha", 1)
	p.writes("/stop", "id-stop")
	stage.open("later")
	events := in.until(p.key, replies(told+1))
	if got := said(events)[told]; got == "The turn was stopped." {
		t.Error("a /stop that was delivered again ended a later turn")
	}
}
