package commands_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/client"

	"errand/api"
	"errand/internal/agents"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/intaketest"
	"errand/internal/test/storetest"
	"errand/internal/when"
)

// noTemporal is the client of a house whose Temporal is away. Whatever a
// command that only reads does not need panics.
type noTemporal struct{ client.Client }

func (noTemporal) SignalWithStartWorkflow(context.Context, string, string, any, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	return nil, errors.New("Temporal is away")
}

func (noTemporal) CancelWorkflow(context.Context, string, string) error {
	return errors.New("Temporal is away")
}

// A house is a whole way in on a store of its own, with one person of each role.
type house struct {
	intaketest.House
	t     *testing.T
	store *store.Store
	now   time.Time
	cost  float64 // of a turn, in USD
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func build(t *testing.T, change func(*intaketest.Deps)) *house {
	t.Helper()
	h := &house{t: t, now: noon}
	clock := func() time.Time { h.now = h.now.Add(time.Second); return h.now }
	drawn := 0
	s, err := store.Open(t.Context(), store.Options{
		SQLite:    storetest.File(t),
		Now:       clock,
		NewTaskID: func() core.TaskID { drawn++; return core.TaskID(fmt.Sprintf("t-7k%dm9q2x", drawn)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	storetest.AddEveryRole(t, s)
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	deps := intaketest.Deps{Deps: service.Deps{Dispatch: dispatchtest.New(t, noTemporal{}, s), Env: &service.Env{Store: s, Logger: slog.New(slog.DiscardHandler), Now: clock, Rights: api.Rights()}, Roster: roster,
		Sticky: true, StickyFor: time.Hour}}
	if change != nil {
		change(&deps)
	}
	g := intaketest.New(t, deps)
	h.House, h.store = g, s
	return h
}

func (h *house) send(who core.PersonID, text string) string {
	h.t.Helper()
	out, err := h.Accept(h.t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: who, Role: core.Role(who), Text: text})
	if err != nil {
		h.t.Fatalf("%.60q: %v", text, err)
	}
	return out.Answer
}

func (h *house) setLanguage(who core.PersonID, language string) {
	h.t.Helper()
	if _, err := h.store.ChangePerson(h.t.Context(), who, store.PersonChange{Language: new(language)}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) task(who core.PersonID, text string) core.TaskID {
	h.t.Helper()
	route := core.WebRoute("main")
	task, err := h.store.CreateTask(h.t.Context(), core.Origin{Route: route, Person: who, SessionKey: core.NewSessionKey(route, who)},
		store.NewTask{Agents: []core.AgentName{"sasha"}, Text: text}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return task.ID
}

// TestHelpListsWhatARoleMayUse walks the whole table of commands with every
// role: what it may use is listed, in every language, and the rest is refused
// with the role that it takes.
func TestHelpListsWhatARoleMayUse(t *testing.T) {
	h := build(t, nil)
	table := api.Rights()
	for _, language := range []string{"en", "es"} {
		refused := map[string]string{"en": "%s needs the role %s or higher; yours is %s.", "es": "%s requiere el rol %s o superior; el tuyo es %s."}[language]
		called := map[string]map[core.Role]string{
			"en": {core.Guest: "Guest", core.Member: "Member", core.Partner: "Partner", core.MasterAdmin: "Admin"},
			"es": {core.Guest: "Invitado", core.Member: "Miembro", core.Partner: "Socio", core.MasterAdmin: "Admin"},
		}[language]
		for _, role := range core.Roles() {
			who := core.PersonID(role)
			h.setLanguage(who, language)
			help := h.send(who, "/help")
			for _, name := range commands.Names() {
				may := table.May(role, rights.Command, name)
				if listed := listed(help, name); listed != may {
					t.Errorf("%s: %s may use %s: %v; /help lists it: %v", language, role, name, may, listed)
				}
				want := fmt.Sprintf(refused, name, called[table.Least(rights.Command, name)], called[role])
				if may {
					continue
				}
				for _, words := range []string{"", " x", " x y z a b c"} {
					if got := h.send(who, name+words); got != want {
						t.Errorf("%s: %s is answered %q to %s, want %q", language, role, got, name+words, want)
					}
				}
			}
		}
	}
}

func listed(help, name string) bool {
	for line := range strings.Lines(help) {
		if strings.HasPrefix(line, name+":") || strings.HasPrefix(line, name+" ") {
			return true
		}
	}
	return false
}

// TestCommandsAreInTheTable proves that the table of rights and the commands are
// the same list.
func TestCommandsAreInTheTable(t *testing.T) {
	table, names := api.Rights(), map[string]bool{}
	for _, name := range commands.Names() {
		names[name] = true
		if !table.Has(rights.Command, name) {
			t.Errorf("%s is not in rights/table.go", name)
		}
	}
	for _, rule := range table.Rules() {
		if rule.Kind == rights.Command && !names[rule.Name] {
			t.Errorf("%s has a rule and does not exist", rule.Name)
		}
	}
}

// TestCommandsDoc proves that docs/commands.md lists every command as /help does.
func TestCommandsDoc(t *testing.T) {
	doc, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(doc)) {
		rows[strings.TrimSpace(strings.ReplaceAll(line, "`", ""))] = true
	}
	lines := strings.Split(build(t, nil).send("master_admin", "/help"), "\n")
	for _, line := range lines[:len(commands.Names())] {
		usage, about, _ := strings.Cut(line, ": ")
		if want := "| " + usage + " | " + about + " |"; !rows[want] {
			t.Errorf("docs/commands.md has no row %q", want)
		}
	}
}

// TestMisused proves that every command with missing or surplus words is
// answered with how it is used.
func TestMisused(t *testing.T) {
	tests := []struct{ text, en, es string }{
		{"/help me", "Too many words. Usage: /help (what you can write here). For example: /help",
			"Sobran palabras. Uso: /help (lo que puedes escribir aquí). Por ejemplo: /help"},
		{"/task", "Something is missing. Usage: /task ID [TEXT] (show a task and its result; with text, add to it or continue it). For example: /task t-7k3 only trains that leave after eight",
			"Falta algo. Uso: /task ID [TEXTO] (muestra una tarea y su resultado; con texto, añade algo o la continúa). Por ejemplo: /task t-7k3 solo trenes que salgan después de las ocho"},
		{"/cancel", "Something is missing. Usage: /cancel ID [REASON] (cancel a task and what it delegated). For example: /cancel t-7k3 no longer needed",
			"Falta algo. Uso: /cancel ID [MOTIVO] (cancelar una tarea y lo que haya delegado). Por ejemplo: /cancel t-7k3 ya no hace falta"},
		{"/stop it", "Too many words. Usage: /stop [all] (stop the running turn and the tasks it waits for; all: every open task). For example: /stop all",
			"Sobran palabras. Uso: /stop [all] (detener el turno en curso y las tareas que espera; all: todas las tareas abiertas). Por ejemplo: /stop all"},
		{"/team implement this", "Name the agents directly after /team: /team @NAME[:NUMBER]… TASK. For example: /team @finn:10 implement this. You can ask @finn, @nikki, @priest, @sasha.",
			"Di a quién preguntar, justo después de /team: /team @NOMBRE[:NÚMERO]… TAREA. Por ejemplo: /team @finn:10 implementa esto. Puedes preguntar a @finn, @nikki, @priest, @sasha."},
		{"/busy bee", "There is no mode bee. There are: collect, steer, queue, interrupt.", "No hay ningún modo bee. Los modos son: collect, steer, queue, interrupt."},
	}
	h := build(t, nil)
	for _, test := range tests {
		h.reads("master_admin", test.text, test.en, test.es)
	}
	for _, name := range commands.Names() {
		switch name {
		case "/cancel", "/approve", "/task", "/answer", "/decline": // a reason, a role, what is added and an answer have as many words as they like
			continue
		case "/team": // so has a task
			continue
		case "/agent", "/supervisor", "/reset", "/new": // what stands behind them is a message
			continue
		}
		if got := h.send("master_admin", name+strings.Repeat(" x", 20)); !strings.HasPrefix(got, "Sobran palabras.") {
			t.Errorf("%s with twenty words is answered %q", name, got)
		}
	}
}

var ages = regexp.MustCompile(`\(\d+ s\)`)

// reads checks what somebody reads in English and in Spanish; "" is not looked
// at.
func (h *house) reads(who core.PersonID, text, en, es string) {
	h.t.Helper()
	for _, in := range []struct{ language, want string }{{"en", en}, {"es", es}} {
		h.setLanguage(who, in.language)
		if got := ages.ReplaceAllString(h.send(who, text), "(N s)"); in.want != "" && got != in.want {
			h.t.Errorf("%s: %.60q is answered\n%s\nwant\n%s", in.language, text, got, in.want)
		}
	}
	h.setLanguage(who, "es")
}

// TestUnknownCommands proves what is taken for a command, and that the nearest
// one is suggested only to those who may use it.
func TestUnknownCommands(t *testing.T) {
	h := build(t, nil)
	tests := []struct {
		who          core.PersonID
		text, en, es string
	}{
		{"member", "/taks", "There is no command /taks. Did you mean /tasks? /help lists what you can use.",
			"No hay ningún comando /taks. ¿Querías decir /tasks? /help muestra los que puedes usar."},
		{"guest", "/taks", "There is no command /taks. /help lists what you can use.",
			"No hay ningún comando /taks. /help muestra los que puedes usar."},
		{"guest", "/HELPP now", "There is no command /HELPP. Did you mean /help? /help lists what you can use.", ""},
		{"member", "/", "There is no command /. /help lists what you can use.", ""},
		{"member", "/{nearest}", "There is no command /{nearest}. /help lists what you can use.", ""},
		{"member", "/" + strings.Repeat("x", 60_000), "There is no command /" + strings.Repeat("x", 38) + "…. /help lists what you can use.", ""},
	}
	for _, test := range tests {
		h.reads(test.who, test.text, test.en, test.es)
	}
}

// TestMessagesWithASlash proves what reaches the agent of a message that begins
// with a slash and is no command.
func TestMessagesWithASlash(t *testing.T) {
	h := build(t, nil)
	for text, want := range map[string]string{
		"//tasks are what?": "/tasks are what?", "/usr/bin/x is what?": "/usr/bin/x is what?", "//": "/", "///x": "//x", "what is //?": "what is //?",
	} {
		if answer := h.send("member", text); answer != "" {
			t.Errorf("%q is answered %q, as a command", text, answer)
		}
		last, err := h.store.LastEvents(t.Context(), core.NewSessionKey(core.WebRoute("main"), "member"), math.MaxInt64, 1)
		if err != nil || len(last) != 1 || last[0].Text != want {
			t.Errorf("%q is %+v (%v), want %q", text, last, err, want)
		}
	}
}

// TestReminders is what people read of their own reminders, at the times of the
// installation.
func TestReminders(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	h := build(t, func(d *intaketest.Deps) { d.Zone = oslo })
	h.reads("member", "/reminders", "No reminders.", "No hay recordatorios.")
	set := func(who core.PersonID, text string, at time.Time) string {
		r, err := h.store.CreateReminder(t.Context(), store.Reminder{
			Reminder: core.Reminder{Person: who, Text: text, Next: at},
			Key:      core.NewSessionKey(core.WebRoute("main"), who), Role: core.Member, Spec: when.Spec{At: at},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.ID)
	}
	later := set("member", "water the\nplants", noon.AddDate(0, 7, 0))
	sooner := set("member", "call Ana", noon.AddDate(0, 0, 1))
	set("partner", "something private", noon.AddDate(0, 0, 1))
	h.reads("member", "/reminders", sooner+"  Sun 22 Nov, 13:00  call Ana\n"+later+"  Mon 21 Jun 2027, 14:00  water the plants",
		sooner+"  dom 22 nov, 13:00  call Ana\n"+later+"  lun 21 jun 2027, 14:00  water the plants")
	for range 30 {
		set("member", strings.Repeat("x", 4000), noon.AddDate(1, 0, 0))
	}
	got := h.send("member", "/reminders")
	if n := strings.Count(got, "\n"); n != 20 || !strings.HasSuffix(got, "\n…") {
		t.Errorf("of 32 reminders %d are shown, in %d bytes", n, len(got))
	}
}

// TestAgents is what people read who choose with whom they talk.
func TestAgents(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) {
		if err := d.Rights.Set(rights.Agent, "finn", core.Partner); err != nil {
			t.Fatal(err)
		}
	})
	tests := []struct{ text, en, es string }{
		{"/agent", "You are talking with Nikki.", "Estás hablando con Nikki."},
		{"/agents", "Nikki (active, primary): talks with people, does what is quick, and sends the others on errands\n" +
			"Priest: ethics: hard decisions, conflicts, and who may be hurt by a plan\n" +
			"Sasha: research: finds out, compares, summarises, and says how sure each finding is\n/agent NAME switches to one of them.", ""},
		{"/agent SASHA", "You are now talking with Sasha. /supervisor takes you back.",
			"Ahora hablas con Sasha. Con /supervisor vuelves atrás."},
		{"/agent", "You are talking with Sasha.", "Estás hablando con Sasha."},
		{"/agents", "", "Nikki (principal): talks with people, does what is quick, and sends the others on errands\n" +
			"Priest: ethics: hard decisions, conflicts, and who may be hurt by a plan\n" +
			"Sasha (activo, el último que usaste): research: finds out, compares, summarises, and says how sure each finding is\nCon /agent NOMBRE pasas a hablar con uno de ellos."},
		{"/agent bob", "There is no agent bob. You can talk with: nikki, priest, sasha.", "No hay ningún agente bob. Puedes hablar con: nikki, priest, sasha."},
		{"/new bob", "There is no agent bob. You can talk with: nikki, priest, sasha.", ""},
		{"/history bob", "There is no agent bob. You can talk with: nikki, priest, sasha.", ""},
		{"/agent finn", "There is no agent finn. You can talk with: nikki, priest, sasha.", "No hay ningún agente finn. Puedes hablar con: nikki, priest, sasha."},
		{"/new finn", "There is no agent finn. You can talk with: nikki, priest, sasha.", ""},
		{"/history finn", "There is no agent finn. You can talk with: nikki, priest, sasha.", ""},
		{"/team @finn do it", "I don't know @finn, so I have sent nothing. You can ask @nikki, @priest, @sasha.", ""},
		{"/agent nikki", "You are talking with Nikki again.", "Vuelves a hablar con Nikki."},
		{"/supervisor", "You are talking with Nikki (talks with people, does what is quick, and sends the others on errands).\nThe others here:\n" +
			"- Priest: ethics: hard decisions, conflicts, and who may be hurt by a plan\n" +
			"- Sasha: research: finds out, compares, summarises, and says how sure each finding is\nWhat can I do for you?", ""},
		{"/history", "Nothing has been said in this session yet.", "Todavía no se ha dicho nada en esta sesión."},
		{"/history Sasha", "Sasha has not said anything in this session yet.", "Sasha todavía no ha dicho nada en esta sesión."},
	}
	for _, test := range tests {
		h.reads("member", test.text, test.en, test.es)
	}
}

// TestTeamBeyondTheLimit proves that a person reads which agents were asked before there was no
// room for more tasks.
func TestTeamBeyondTheLimit(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) {
		s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t), Limits: store.Limits{OpenTasks: 1},
			NewTaskID: func() core.TaskID { return "t-7k1m9q2x" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		storetest.AddEveryRole(t, s)
		d.Store, d.Dispatch = s, dispatchtest.New(t, noTemporal{}, s)
	})
	got := h.send("member", "/team @sasha @priest find trains")
	want := "Sasha is on it (t-7k1m9q2x), without messages from here, and answers here.\nToo many tasks are running."
	if got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
}

// TestNoAgentButThePrimary is what people read where conversations stay with the
// primary agent.
func TestNoAgentButThePrimary(t *testing.T) {
	h := build(t, func(d *intaketest.Deps) { d.Sticky = false })
	for _, text := range []string{"/agent sasha", "/new sasha"} {
		h.reads("member", text, "You can't talk to Sasha directly here. Tell Nikki what you want.",
			"Aquí no puedes hablar directamente con Sasha. Dile a Nikki lo que quieres.")
	}
}

// TestHostileCommands proves that whatever is typed after a command, the answer
// is short, printable, and no error.
func TestHostileCommands(t *testing.T) {
	h := build(t, nil)
	for what, word := range map[string]string{
		"control characters": "\x00\x1b[31m\u009b\x07", "direction": "\u202eexe.txt\u2066", "64 kB": strings.Repeat("a", 65_000),
		"64 kB of words": strings.Repeat("a ", 32_000), "combining": "a" + strings.Repeat("\u0301", 20_000), "wide": "\u3000\u2028\u00a0x",
		"emoji": "👩‍👩‍👧‍👦", "not in any alphabet": "\U0010ffff\ufffd", "placeholder": "{command} {0} %s %n", "SQL": "' OR 1=1 --",
		"a path": "../../etc/passwd", "Turkish": "İıŞ", "empty quotes": `""`, "zero width": "\u200b",
	} {
		for _, name := range commands.Names() {
			switch name {
			case "/reset": // whatever stands behind it is a message, and it is carried out
				continue
			case "/stop", "/supervisor", "/new":
				if strings.Trim(word, " \u200b") == "" { // nothing of it is left, and they are carried out
					continue
				}
			}
			text := name + " " + word
			out, err := h.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: "master_admin", Role: core.MasterAdmin, Text: text})
			if err != nil {
				t.Errorf("%s %s: %v", name, what, err)
				continue
			}
			if len(out.Answer) > 4000 || !utf8.ValidString(out.Answer) || out.Answer == "" {
				t.Errorf("%s %s is answered with %d bytes", name, what, len(out.Answer))
			}
			for _, r := range out.Answer {
				if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
					t.Errorf("%s %s: %U is in the answer", name, what, r)
				}
			}
		}
	}
}
