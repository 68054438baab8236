package client

import (
	"cmp"
	"context"
	"encoding/json"

	"errand"
	"errand/internal/printable"
)

// About is what the worker says of itself.
type About struct {
	Version string
	Demo    bool
	Paused  bool
	Models  []errand.ModelState

	Programs string // what runs agents' programs there; empty: it does not say
}

// Hindrances are what keeps errand from answering just now, as people read it.
func (a About) Hindrances() []string {
	var list []string
	if a.Paused {
		list = append(list, "errand is paused: messages are kept, and answered after errand resume.")
	}
	for _, m := range a.Models {
		if !m.OK {
			list = append(list, printable.Line(cmp.Or(m.Name, m.Model)+": "+m.Says))
		}
	}
	return list
}

// Hindrances asks the worker what keeps it from answering. Where it does not say,
// nothing does: an answer comes, or says why not.
func (w *Worker) Hindrances(ctx context.Context) []string {
	raw, err := w.Get(ctx, "/api/about")
	var a About
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return nil
	}
	return a.Hindrances()
}
