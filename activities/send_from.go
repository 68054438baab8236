package activities

import (
	"context"
	"fmt"

	"errand"
	"errand/internal/store"
)

// Of all workers only the one that holds the connection of an account sends its
// deliveries, so that they have one pace. A row that is best told on another account
// than that of its chat is moved to the worker that holds that one, and back if it cannot
// be told there.

// A sendFrom says for which account this worker is asked to send a row.
type sendFrom struct {
	at    *errand.Account // held by this worker, to which rows were moved; nil: the account of the row's route is
	named bool            // it is the row that was moved
	moves bool            // it may be moved to where another account is held
}

// home reports whether the row is sent on the account of its route, and on no other.
func (f sendFrom) home() bool {
	return f.at == nil && f.named
}

// A movedError says that a row is to be sent where another account is held; nil: where
// that of its route is.
type movedError struct {
	to   *errand.Account
	home bool // on the account of its route, and on no other: it was in vain on the other
}

func (e *movedError) Error() string {
	if e.to == nil {
		return "it is left to the account of the chat"
	}
	return fmt.Sprintf("it is left to the worker that holds %s", e.to)
}

func (e *movedError) next(row int64) *Moved {
	if e.to == nil && !e.home {
		return &Moved{}
	}
	return &Moved{Row: row, To: e.to}
}

func elsewhereError(a errand.Account) error { return fmt.Errorf("%s: %w", a, errElsewhere) }

// handles reports whether this worker can send on an account, and if not, whether
// another can: one that holds its connection.
func (a *Activities) handles(ctx context.Context, at errand.Account) (here, elsewhere bool, err error) {
	configured := a.Notifiers.Handles(errand.Route{Channel: at.Channel, Account: at.Name})
	if configured {
		here = a.Connections.Holds(at)
		return here, !here, nil
	}
	var held store.Connection
	held, _, err = a.Store.Connection(ctx, at)
	return false, held.Owner != "", err
}

// reachable are the candidates that this worker sends a row by, the best first: without
// one whose account is not connected, or would not take an answer; it is told all the
// same. It fails with a [movedError] where another worker has the best of them. What is
// written into one list is in the other too.
func (a *Activities) reachable(ctx context.Context, candidates []errand.Notification, from sendFrom) ([]errand.Notification, error) {
	best, last := candidates[0], candidates[len(candidates)-1:]
	at := best.Route.At()
	switch {
	case from.at != nil && (*from.at != at || len(candidates) == 1):
		// Unless the row was moved here, nobody has tried yet what is best for it.
		return nil, &movedError{home: from.named}
	case from.home() || len(candidates) == 1:
		return last, nil
	case a.Notifiers.Handles(best.Route) && a.Connections.Ready(at) && a.admits(ctx, best):
		if from.at != nil { // only its own holder sends on the other
			return candidates[:1], nil
		}
		return candidates, nil
	case from.at != nil:
		return nil, &movedError{home: true}
	case from.moves:
		elsewhere, err := a.Connections.ReadyElsewhere(ctx, at)
		if err == nil && elsewhere && a.admits(ctx, best) {
			return nil, &movedError{to: &at}
		}
	}
	return last, nil
}
