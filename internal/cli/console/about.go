package console

import (
	"cmp"
	"context"

	"errand/api"
)

// HindrancesOf returns messages about conditions that keep the worker from answering.
func (w *Worker) HindrancesOf(a api.About) []string {
	var list []string
	if a.Paused {
		list = append(list, "errand is paused. It keeps messages, and answers them after errand resume.")
	}
	for _, m := range a.Models {
		if !m.OK {
			list = append(list, Line(cmp.Or(m.Name, m.Model)+": "+m.Says))
		}
	}
	return list
}

// Hindrances asks the worker for the messages of HindrancesOf. It returns none if the
// worker does not respond: the next request will show why.
func (w *Worker) Hindrances(ctx context.Context) []string {
	about, err := api.Call(ctx, w.API(), api.GetAbout, api.None{})
	if err != nil {
		return nil
	}
	return w.HindrancesOf(about.Value)
}
