package events

import (
	"iter"
	"slices"
	"strings"
	"time"

	"errand"
)

// An inProgress is what goes on in a conversation, as far as this process knows: it is
// kept for those who begin to listen in the middle.
type inProgress struct {
	steps []step       // the latest step of the turn, and of each task
	first errand.Event // the first delta of the text so far
	text  strings.Builder
	from  process   // that wrote the latest of the text
	last  time.Time // when something of it was published last
}

type step struct {
	errand.Event
	from process
}

// A process is one of those that share a store.
type process string

const here process = ""

// The end of what has been silent for longer than staleOpen was missed. When more than
// mostOpen conversations are kept, those go.
const (
	staleOpen = 15 * time.Minute
	mostOpen  = 1024
)

func (l *Local) soFar(key errand.SessionKey) []errand.Event {
	o := l.open[key]
	if o == nil || time.Since(o.last) >= staleOpen {
		return nil
	}
	var list []errand.Event
	for _, s := range o.steps {
		list = append(list, s.Event)
	}
	return append(list, o.textSoFar()...)
}

// Partial is as of a [Bus].
func (l *Local) Partial(key errand.SessionKey) (errand.Event, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[key]
	if o == nil || o.text.Len() == 0 || time.Since(o.last) >= staleOpen {
		return errand.Event{}, false
	}
	e := o.first
	e.Text = o.text.String()
	return e, true
}

func (o *inProgress) textSoFar() []errand.Event {
	if o.text.Len() == 0 {
		return nil
	}
	reset, delta := o.first, o.first
	reset.Type, reset.Text, delta.Text = errand.EventReset, "", o.text.String()
	return []errand.Event{reset, delta}
}

// ownInProgress are the passing events that say what goes on in this process, by
// conversation. A text of more than so many bytes is left out.
func (l *Local) ownInProgress(mostText int) iter.Seq[[]errand.Event] {
	return func(yield func([]errand.Event) bool) {
		for _, o := range l.open {
			if time.Since(o.last) >= staleOpen {
				continue
			}
			var list []errand.Event
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

// beginsText reports whether e is the first piece of a text.
func (l *Local) beginsText(e errand.Event) bool {
	o := l.open[e.Key]
	return e.Type == errand.EventDelta && (o == nil || o.text.Len() == 0 || o.first.Turn != e.Turn)
}

func (l *Local) note(e errand.Event, from process) {
	o := l.open[e.Key]
	switch e.Type {
	case errand.EventStep, errand.EventDelta, errand.EventReset:
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
		// Of a turn that was interrupted, and still on its way.
	case e.Type == errand.EventDelta:
		if o.text.Len() == 0 || o.first.Turn != e.Turn {
			o.text.Reset()
			o.first = e
		}
		o.text.WriteString(e.Text)
		o.from = from
	case e.Type == errand.EventReset:
		o.text.Reset()
	case e.Type == errand.EventStep:
		o.end(e.Task)
		o.steps = append(o.steps, step{e, from})
	case e.Task != "" && e.State.Terminal():
		o.end(e.Task)
	case e.Task == "" && e.Turn > 0 && e.Type != errand.EventMessage: // the end of a turn
		o.end("")
		o.text.Reset()
	}
	l.keep(e.Key, o)
}

// end forgets the step of a task, or of the turn.
func (o *inProgress) end(task errand.TaskID) {
	o.steps = slices.DeleteFunc(o.steps, func(s step) bool { return s.Task == task })
}

func (l *Local) keep(key errand.SessionKey, o *inProgress) {
	if len(o.steps) == 0 && o.text.Len() == 0 {
		delete(l.open, key)
	}
}

// forgetTexts forgets what other processes have written so far: some of it was missed.
func (l *Local) forgetTexts() {
	for key, o := range l.open {
		if o.from != here {
			o.text.Reset()
			l.keep(key, o)
		}
	}
}

// forget forgets what goes on in another process.
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
