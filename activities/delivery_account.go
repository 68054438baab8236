package activities

import (
	"context"
	"errors"
	"fmt"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/notifiers"
)

// Only the worker that holds the connection of an account sends its deliveries, so that one pace
// applies to all of them. A row that is best sent on another account than its chat's is moved to
// the worker that holds that account. If it cannot be sent there, it is moved back.

type sendFrom struct {
	at    *core.Account // that rows were moved to, held by this worker; nil: the route's account
	named bool          // this row was moved here
	moves bool          // it may be moved to the worker of another account
	turn  bool          // a turn waits for it, but not for an account that is down
}

func (f sendFrom) account(of core.Route) core.Account {
	if f.at != nil {
		return *f.at
	}
	return of.At()
}

// A movedError without an account moves the row back to the account of its route.
type movedError struct {
	to   *core.Account
	home bool // only on the account of its route: the other account failed
}

func (e *movedError) Error() string {
	if e.to == nil {
		return "it is left to the account of the chat"
	}
	return fmt.Sprintf("it is left to the worker that holds %s", e.to)
}

func (e *movedError) next(row int64) *wire.Moved {
	if e.to == nil && !e.home {
		return &wire.Moved{}
	}
	return &wire.Moved{Row: row, To: e.to}
}

func elsewhereError(a core.Account) error { return fmt.Errorf("%s: %w", a, errElsewhere) }

var errAccountDown = errors.New("the account is down, or another worker has it")

// chooseAccount chooses the accounts that this worker sends the row on, the best first. It leaves
// out an account that is not connected, or on which the recipient could not answer; the chat's
// account then sends the row. It returns a [movedError] if another worker holds the best account.
func (d *delivery) chooseAccount(ctx context.Context) (context.Context, error) {
	if err := d.checkHeld(ctx, d.from, d.row.Route); err != nil {
		return ctx, err
	}
	d.candidates = d.voices.candidates(d.row)
	n := len(d.candidates)
	d.first, d.last = n-1, n
	best, from := d.candidates[0], d.from
	at := best.Route.At()
	switch {
	case from.at != nil && (*from.at != at || n == 1):
		// Only a row that was moved here has tried its best account.
		return ctx, &movedError{home: from.named}
	case from.at == nil && from.named || n == 1:
		return ctx, nil // on the account of the chat
	case d.notifiers.Handles(best.Route) && d.connections.Ready(at) && d.recipientAdmitted(ctx, best):
		if d.first = 0; from.at != nil {
			d.last = 1 // only the holder of the chat's account sends on it
		}
	case from.at != nil:
		return ctx, &movedError{home: true}
	case from.moves:
		elsewhere, err := d.connections.ReadyElsewhere(ctx, at)
		if err == nil && elsewhere && d.recipientAdmitted(ctx, best) {
			return ctx, &movedError{to: &at}
		}
	}
	return ctx, nil
}

func (s *Sender) checkHeld(ctx context.Context, from sendFrom, to core.Route) error {
	at := from.account(to)
	configured := s.notifiers.Handles(core.Route{Channel: at.Channel, Account: at.Name})
	switch {
	case from.turn:
		if !configured || !s.connections.Ready(at) {
			return errAccountDown
		}
		return nil
	case configured && s.connections.Holds(at):
		return nil
	case configured:
		return elsewhereError(at) // the next attempt may run there
	}
	held, _, err := s.store.Connection(ctx, at)
	switch {
	case err != nil:
		return err
	case held.Owner != "":
		return elsewhereError(at)
	}
	return notifiers.NotSetUp(at) // the watchdog records that in the rows
}

func (d *delivery) recipientAdmitted(ctx context.Context, n core.Notification) bool {
	_, person, err := n.Session.Parse()
	if d.admits == nil || err != nil || person == core.Everyone {
		return true
	}
	admitted, err := d.admits(ctx, n.Route.At(), person)
	if err != nil {
		d.logger.Warn("cannot read whether the agent's own account may send the delivery; the chat's account sends it", "channel", n.Route.Channel, "account", n.Route.Account, "error", err)
	}
	return admitted && err == nil
}

func (d *delivery) sendable() []core.Notification { return d.candidates[d.first:d.last] }
