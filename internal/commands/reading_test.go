package commands_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
)

// TestReading is what people read for the commands that only look things up.
func TestReading(t *testing.T) {
	h := build(t, nil)
	h.reads("member", "/tasks", "No tasks yet.", "Todavía no hay tareas.")
	h.task("member", "compare night trains to Oslo")
	done := h.task("member", "write it down")
	if _, _, err := h.store.FinishTask(t.Context(), done, core.Failed, "the pen is dry"); err != nil {
		t.Fatal(err)
	}
	other := h.task("partner", "something private")
	tests := []struct {
		who          core.PersonID
		text, en, es string
	}{
		{"member", "/tasks",
			"t-7k2m9q2x  failed  you → sasha  write it down  (N s)\n    the pen is dry\nt-7k1m9q2x  submitted  you → sasha  compare night trains to Oslo  (N s)",
			"t-7k2m9q2x  fallida  tú → sasha  write it down  (N s)\n    the pen is dry\nt-7k1m9q2x  pendiente  tú → sasha  compare night trains to Oslo  (N s)"},
		{"member", "/task 7k1", "t-7k1m9q2x, sasha, submitted: compare night trains to Oslo", "t-7k1m9q2x, sasha, pendiente: compare night trains to Oslo"},
		{"member", "/TASK T-7K2", "t-7k2m9q2x, sasha, failed: write it down\n\nthe pen is dry", "t-7k2m9q2x, sasha, fallida: write it down\n\nthe pen is dry"},
		{"member", "/task t-7k", "t-7k matches several tasks. Write more of the id; /tasks lists the latest.", "t-7k coincide con varias tareas. Escribe más letras del id; /tasks muestra las últimas."},
		{"member", "/task t-zz", "There is no task t-zz. /tasks lists the latest.", "No hay ninguna tarea t-zz. /tasks muestra las últimas."},
		{"member", "/task " + string(other), "There is no task " + string(other) + ". Did you mean t-7k2m9q2x? /tasks lists the latest.", ""},
		{"member", "/cancel " + string(other), "There is no task " + string(other) + ". Did you mean t-7k2m9q2x? /tasks lists the latest.", ""},
		{"member", "/cancel t-7k2 because", "t-7k2m9q2x has already ended: failed.", "t-7k2m9q2x ya había terminado: fallida."},
		{"member", "/busy", "While an agent works: collect. What you write meanwhile is answered all at once, when the agent is done.",
			"Mientras un agente trabaja: collect. Lo que escribes mientras tanto se responde todo junto, cuando el agente termina."},
		{"member", "/whoami", "You are MEMBER (member).\nRole: Member\nLanguage: English", "Eres MEMBER (member).\nRol: Miembro\nIdioma: Español"},
	}
	for _, test := range tests {
		h.reads(test.who, test.text, test.en, test.es)
	}
}

// TestReadingPlans proves that people read how far a task is, in short where there are
// several, and whole of one.
func TestReadingPlans(t *testing.T) {
	h := build(t, nil)
	key := core.StepKey{Owner: core.SubAgentOwner(h.task("member", "compare night trains to Oslo"), "sasha"), Turn: 1, Step: 1}
	begun, err := h.store.BeginStep(t.Context(), store.BeginStep{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.store.CommitStep(t.Context(), store.CommitStep{Step: begun, Calls: []core.ToolCall{{ID: "c", Name: "plan"}}, Planned: []store.PlannedCall{{By: store.ByActivity, Tool: "plan"}}})
	if err != nil {
		t.Fatal(err)
	}
	call, err := h.store.Call(t.Context(), core.CallKey{StepKey: key, Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.SavePlan(t.Context(), call, []core.PlanItem{{Text: "search", State: core.PlanDone}, {Text: "read", State: core.PlanDoing}, {Text: "tell", State: core.PlanPending}}); err != nil {
		t.Fatal(err)
	}
	h.reads("member", "/tasks", "t-7k1m9q2x  working  you → sasha  compare night trains to Oslo  (N s)\n    1/3: read", "t-7k1m9q2x  en curso  tú → sasha  compare night trains to Oslo  (N s)\n    1/3: read")
	h.reads("member", "/task 7k1", "t-7k1m9q2x, sasha, working: compare night trains to Oslo\n\n✔ search\n▸ read\n○ tell", "t-7k1m9q2x, sasha, en curso: compare night trains to Oslo\n\n✔ search\n▸ read\n○ tell")
}

// TestReadingTheSessionsPlan proves that people read with /status what the agent of their
// conversation means to do, as long as there is something left of it and in the turn in
// which it was written.
func TestReadingTheSessionsPlan(t *testing.T) {
	h := build(t, nil)
	n := 0
	writes := func(items ...core.PlanItem) {
		t.Helper()
		if n++; items == nil {
			h.turn("member", n)
			return
		}
		h.send("member", "plan my trip")
		key := core.NewSessionKey(core.WebRoute("main"), "member")
		r, err := h.store.Rehydrate(t.Context(), key, "nikki")
		if err != nil {
			t.Fatal(err)
		}
		step := store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(r.Session), Turn: n, Step: 1}, Session: key, Rows: store.ClaimAll}
		b, err := h.store.BeginStep(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.store.CommitStep(t.Context(), store.CommitStep{Step: b, Calls: []core.ToolCall{{ID: "c", Name: "plan"}}, Planned: []store.PlannedCall{{By: store.ByActivity, Tool: "plan"}}})
		if err != nil {
			t.Fatal(err)
		}
		call, err := h.store.Call(t.Context(), core.CallKey{StepKey: step.Key, Index: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.store.SavePlan(t.Context(), call, items); err != nil {
			t.Fatal(err)
		}
		if err := h.store.CommitTool(t.Context(), call.Key, "kept"); err != nil {
			t.Fatal(err)
		}
		step.Key.Step = 2
		if b, err = h.store.BeginStep(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.CommitStep(t.Context(), store.CommitStep{Step: b, Text: "there"}); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(en, es string) {
		t.Helper()
		for language, want := range map[string]string{"en": en, "es": es} {
			h.setLanguage("member", language)
			status := h.send("member", "/status")
			if want == "" && strings.Contains(status, "pack") || !strings.Contains(status, want) {
				t.Errorf("after %d turns it reads %q, want %q", n, status, want)
			}
		}
	}
	writes()
	shows("", "")
	writes(core.PlanItem{Text: "pack", State: core.PlanDone}, core.PlanItem{Text: "leave", State: core.PlanDoing})
	shows("\nNikki's plan, 1 of 2 done:\n✔ pack\n▸ leave\nOpen tasks: 0\n", "\nEl plan de Nikki, 1 de 2 hechos:\n✔ pack\n▸ leave\nTareas abiertas: 0\n")
	writes()
	shows("1 of 2 done", "1 de 2 hechos")
	writes(core.PlanItem{Text: "pack", State: core.PlanDone})
	shows("1 of 1 done", "1 de 1 hechos")
	writes()
	shows("", "")
}

// turn is a whole turn of somebody's: what they say, and the answer.
func (h *house) turn(who core.PersonID, n int) {
	h.t.Helper()
	key := core.NewSessionKey(core.WebRoute("main"), who)
	h.send(who, "hello")
	r, err := h.store.Rehydrate(h.t.Context(), key, "nikki")
	if err != nil {
		h.t.Fatal(err)
	}
	begun, err := h.store.BeginStep(h.t.Context(), store.BeginStep{
		Key: core.StepKey{Owner: core.SessionOwner(r.Session), Turn: n, Step: 1}, Session: key, Window: 40, Rows: store.ClaimAll})
	if err != nil {
		h.t.Fatal(err)
	}
	answer := store.CommitStep{Step: begun, Text: "hello yourself", Usage: []core.Usage{{Model: "m", InputTokens: 90, OutputTokens: 10, Cost: h.cost}}}
	if _, err := h.store.CommitStep(h.t.Context(), answer); err != nil {
		h.t.Fatal(err)
	}
}

// TestUsage is what people read who ask what they have used: their own only.
func TestUsage(t *testing.T) {
	h := build(t, nil)
	h.cost = 0.5
	for n, before := range []int{40, 29, 7, 6, 1, 0} {
		h.now = noon.AddDate(0, 0, -before)
		h.turn("member", n+1)
	}
	h.cost = 0.002
	h.turn("partner", 1)
	h.reads("partner", "/usage",
		"Today: model calls: 1, tokens: 100, cost: less than 1 cent\nThe last 7 days: model calls: 1, tokens: 100, cost: less than 1 cent\nThe last 30 days: model calls: 1, tokens: 100, cost: less than 1 cent",
		"Hoy: llamadas al modelo: 1, tokens: 100, coste: menos de 1 céntimo\nLos últimos 7 días: llamadas al modelo: 1, tokens: 100, coste: menos de 1 céntimo\nLos últimos 30 días: llamadas al modelo: 1, tokens: 100, coste: menos de 1 céntimo")
	h.reads("member", "/usage",
		"Today: model calls: 1, tokens: 100, cost: 0.50 USD\nThe last 7 days: model calls: 3, tokens: 300, cost: 1.50 USD\nThe last 30 days: model calls: 5, tokens: 500, cost: 2.50 USD",
		"Hoy: llamadas al modelo: 1, tokens: 100, coste: 0,50 USD\nLos últimos 7 días: llamadas al modelo: 3, tokens: 300, coste: 1,50 USD\nLos últimos 30 días: llamadas al modelo: 5, tokens: 500, coste: 2,50 USD")
}
