package activities

import (
	"strconv"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/texts"
)

func (w *worker) event(b *store.StepInput, typ core.EventType, text string) core.Event {
	ev := core.Event{Type: typ, Key: b.SessionKey, Session: b.Session, Agent: b.Agent, Text: text, Created: time.Now()}
	if b.Task != nil {
		ev.Task, ev.State = b.Task.ID, core.Working
	} else {
		ev.Turn = b.Key.Turn
	}
	return ev
}

func (w *worker) publish(b *store.StepInput, typ core.EventType, text string) {
	w.publishPassing(w.event(b, typ, text))
}

func (w *worker) publishPassing(ev core.Event) {
	if ev.Key != "" {
		w.store.Bus().Publish(ev)
	}
}

func (w *worker) publishStep(b *store.StepInput, tool, doing string) {
	w.publishPassingStep(b, b.Key.Step, tool, doing)
}

func (w *worker) publishPassingStep(b *store.StepInput, number int, tool, doing string) {
	if number > 1 {
		doing = w.text(b.Language, "step", "number", strconv.Itoa(number), "doing", doing)
	}
	ev := w.event(b, core.EventStep, doing)
	ev.Tool = tool
	w.publishPassing(ev)
}

func (w *worker) step(b *store.StepInput, doing texts.Key) {
	w.publishStep(b, "", w.text(b.Language, string(doing)))
}

func (w *worker) questionText(b *store.StepInput, q store.NewQuestion) string {
	how := "question.how"
	if len(q.Options) > 0 {
		how = "question.how_options"
	}
	return q.Text + "\n\n" + w.text(b.Language, "question.about", "agent", b.Agent.Display(), "task", string(b.Task.ID), "title", b.Task.Title) +
		"\n" + w.text(b.Language, how, "question", string(q.ID))
}
