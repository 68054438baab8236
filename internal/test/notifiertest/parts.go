package notifiertest

import (
	"context"
	"slices"

	"errand/internal/core"
)

// Parts keeps, longer than a notifier lives, which parts of one notification have
// arrived, as the store does.
type Parts struct {
	By  string // the account that has sent them
	IDs []string
	Of  int
	Err error // why nothing can be noted
}

// NoteParts is the store's.
func (p *Parts) NoteParts(_ context.Context, _, account string, ids []string, of int) error {
	if p.Err != nil {
		return p.Err
	}
	p.By, p.IDs, p.Of = account, slices.Clone(ids), of
	return nil
}

// On is n as the store has it.
func (p *Parts) On(n core.Notification) core.Notification {
	n.PartsBy, n.Receipts, n.Parts = p.By, slices.Clone(p.IDs), p.Of
	return n
}
