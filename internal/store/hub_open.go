package store

import (
	"slices"
	"strings"
	"time"

	"errand"
)

// An inProgress is what goes on in a conversation, as far as this process knows: it is
// kept for those who begin to listen in the middle.
type inProgress struct {
	steps []errand.Event // the latest step of the turn, and of each task
	first errand.Event   // the first delta of the text so far
	text  strings.Builder
	last  time.Time // when something of it was published last
}

// Of what has been silent for longer than staleOpen, the end was published by
// another process. When more than mostOpen conversations are kept, those go.
const (
	staleOpen = 15 * time.Minute
	mostOpen  = 1024
)

// Join is Subscribe, and what goes on comes first: the open steps, and the text so
// far of the reply that is being written, as one delta behind a reset.
func (h *Hub) Join(key errand.SessionKey) (events <-chan errand.Event, cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sub := h.subscribe(key)
	if o := h.open[key]; o != nil && time.Since(o.last) < staleOpen {
		for _, e := range o.steps {
			sub.offer(e)
		}
		if o.text.Len() > 0 {
			reset, delta := o.first, o.first
			reset.Type, reset.Text, delta.Text = errand.EventReset, "", o.text.String()
			sub.offer(reset)
			sub.offer(delta)
		}
	}
	return sub.events, func() { h.drop(key, sub) }
}

// note keeps what e says of what goes on.
func (h *Hub) note(e errand.Event) {
	o := h.open[e.Key]
	switch e.Type {
	case errand.EventStep, errand.EventDelta, errand.EventReset:
		if o == nil {
			o = &inProgress{}
			h.open[e.Key] = o
			h.forgetOpen()
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
	case e.Type == errand.EventReset:
		o.text.Reset()
	case e.Type == errand.EventStep:
		o.end(e.Task)
		o.steps = append(o.steps, e)
	case e.Task != "" && e.State.Terminal():
		o.end(e.Task)
	case e.Task == "" && e.Turn > 0 && e.Type != errand.EventMessage: // the end of a turn
		o.end("")
		o.text.Reset()
	}
	if len(o.steps) == 0 && o.text.Len() == 0 {
		delete(h.open, e.Key)
	}
}

// end forgets the step of a task, or of the turn.
func (o *inProgress) end(task errand.TaskID) {
	o.steps = slices.DeleteFunc(o.steps, func(e errand.Event) bool { return e.Task == task })
}

func (h *Hub) forgetOpen() {
	if len(h.open) <= mostOpen {
		return
	}
	for key, o := range h.open {
		if !o.last.IsZero() && time.Since(o.last) > staleOpen {
			delete(h.open, key)
		}
	}
}
