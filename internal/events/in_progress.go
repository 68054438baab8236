package events

import (
	"iter"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
)

// An inProgress is what this process knows of a current turn, for subscribers that join.
type inProgress struct {
	steps []step     // the latest step of the turn, and of each task
	first core.Event // the first delta of the text so far
	text  strings.Builder
	from  process   // the process that wrote the latest text
	last  time.Time // when an event of it was last published
}

type step struct {
	core.Event
	from process
}

type process string

const here process = ""

// After staleOpen without events, the end of the turn was missed. At most mostOpen conversations
// are kept.
const (
	staleOpen = 15 * time.Minute
	mostOpen  = 1024
)

func (l *Local) soFar(key core.SessionKey) []core.Event {
	o := l.open[key]
	if o == nil || time.Since(o.last) >= staleOpen {
		return nil
	}
	var list []core.Event
	for _, s := range o.steps {
		list = append(list, s.Event)
	}
	return append(list, o.textSoFar()...)
}

// Partial implements [Bus].
func (l *Local) Partial(key core.SessionKey) (core.Event, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[key]
	if o == nil || o.text.Len() == 0 || time.Since(o.last) >= staleOpen {
		return core.Event{}, false
	}
	e := o.first
	e.Text = o.text.String()
	return e, true
}

func (o *inProgress) textSoFar() []core.Event {
	if o.text.Len() == 0 {
		return nil
	}
	reset, delta := o.first, o.first
	reset.Type, reset.Text, delta.Text = core.EventReset, "", o.text.String()
	return []core.Event{reset, delta}
}

// ownInProgress returns the passing events of this process, by conversation. It leaves out texts of
// more than mostText bytes.
func (l *Local) ownInProgress(mostText int) iter.Seq[[]core.Event] {
	return func(yield func([]core.Event) bool) {
		for _, o := range l.open {
			if time.Since(o.last) >= staleOpen {
				continue
			}
			var list []core.Event
			for _, s := range o.steps {
				if s.from == here {
					list = append(list, s.Event)
				}
			}
			if o.from == here && o.text.Len() <= mostText {
				list = append(list, o.textSoFar()...)
			}
			if len(list) > 0 && !yield(list) {
				return
			}
		}
	}
}

func (l *Local) beginsText(e core.Event) bool {
	o := l.open[e.Key]
	return e.Type == core.EventDelta && (o == nil || o.text.Len() == 0 || o.first.Turn != e.Turn)
}

func (l *Local) note(e core.Event, from process) {
	o := l.open[e.Key]
	switch e.Type {
	case core.EventStep, core.EventDelta, core.EventReset:
		if o == nil {
			o = &inProgress{}
			l.open[e.Key] = o
			l.forgetStale()
		}
		o.last = time.Now()
	default:
		if o == nil {
			return
		}
	}
	switch {
	case o.text.Len() > 0 && e.ID == 0 && e.Task == "" && e.Session == o.first.Session && e.Turn < o.first.Turn:
		// A late event of an earlier turn that was interrupted.
	case e.Type == core.EventDelta:
		if o.text.Len() == 0 || o.first.Turn != e.Turn {
			o.text.Reset()
			o.first = e
		}
		o.text.WriteString(e.Text)
		o.from = from
	case e.Type == core.EventReset:
		o.text.Reset()
	case e.Type == core.EventStep:
		o.end(e.Task)
		o.steps = append(o.steps, step{e, from})
	case e.Task != "" && e.State.Terminal():
		o.end(e.Task)
	case e.Task == "" && e.Turn > 0 && e.Type != core.EventMessage: // the end of a turn
		o.end("")
		o.text.Reset()
	}
	l.keep(e.Key, o)
}

func (o *inProgress) end(task core.TaskID) {
	o.steps = slices.DeleteFunc(o.steps, func(s step) bool { return s.Task == task })
}

func (l *Local) keep(key core.SessionKey, o *inProgress) {
	if len(o.steps) == 0 && o.text.Len() == 0 {
		delete(l.open, key)
	}
}

func (l *Local) forgetTexts() {
	for key, o := range l.open {
		if o.from != here {
			o.text.Reset()
			l.keep(key, o)
		}
	}
}

func (l *Local) forget(from process) {
	for key, o := range l.open {
		o.steps = slices.DeleteFunc(o.steps, func(s step) bool { return s.from == from })
		if o.from == from {
			o.text.Reset()
		}
		l.keep(key, o)
	}
}

func (l *Local) forgetStale() {
	if len(l.open) <= mostOpen {
		return
	}
	for key, o := range l.open {
		if !o.last.IsZero() && time.Since(o.last) > staleOpen {
			delete(l.open, key)
		}
	}
}
