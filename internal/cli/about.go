package cli

import (
	"context"
	"encoding/json"

	"errand"
)

// about is what the worker says of itself.
type about struct {
	Version string
	Demo    bool
	Paused  bool
	Models  []errand.ModelState
}

// hindrances are what keeps errand from answering just now, as people read it.
func (a about) hindrances() []string {
	var list []string
	if a.Paused {
		list = append(list, "errand is paused: messages are kept, and answered after errand resume.")
	}
	for _, m := range a.Models {
		if !m.OK {
			list = append(list, line(first(m.Name, m.Model)+": "+m.Says))
		}
	}
	return list
}

// hindrances asks the worker what keeps it from answering. Where it does not say,
// nothing does: an answer comes, or says why not.
func (w *worker) hindrances(ctx context.Context) []string {
	raw, err := w.get(ctx, "/api/about")
	var a about
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return nil
	}
	return a.hindrances()
}
