package client

import (
	"cmp"
	"context"

	api "errand/client"
	"errand/internal/printable"
)

// HindrancesOf are what keeps a worker from answering just now, as people read it.
func (w *Worker) HindrancesOf(a api.About) []string {
	var list []string
	if a.Paused {
		list = append(list, w.Words.Say("errand is paused: messages are kept, and answered after errand resume."))
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
	about, err := w.API().GetAbout(ctx)
	if err != nil {
		return nil
	}
	return w.HindrancesOf(about.Value)
}
