package reconcile

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"errand/internal/dispatch"
)

// A pass is one comparison of everything that is open.
type pass struct {
	*Reconciler
	isLeader func() bool // still; asked before whatever changes something
	exact    bool        // Temporal's list is not believed: each workflow is asked for
	errs     []error
	dropped  int // errors beyond mostErrors
	unlisted int // workflows that run, and that Temporal did not list
}

const (
	// mostUnlisted is after how many workflows that run without being listed the list is
	// taken to lag too much to be of use: a pass is not to ask for each of ten thousand.
	mostUnlisted = 100
	// mostErrors are kept of a pass: while Temporal is away every row has one.
	mostErrors = 10
)

// errNotLeader ends a pass: another worker may have begun one.
var errNotLeader = errors.New("this worker does not reconcile any more")

func (p *pass) note(err error) {
	switch {
	case err == nil:
	case len(p.errs) < mostErrors:
		p.errs = append(p.errs, err)
	default:
		p.dropped++
	}
}

func (p *pass) err() error {
	if p.dropped > 0 {
		return errors.Join(append(p.errs, fmt.Errorf("and %d more errors", p.dropped))...)
	}
	return errors.Join(p.errs...)
}

func (p *pass) write(do func() error) error {
	if !p.isLeader() {
		return errNotLeader
	}
	return do()
}

// A comparison says how rows of the store are compared with Temporal's list.
type comparison[T any] struct {
	id        func(T) string // of the workflow that has to run
	skip      func(T) bool   // nothing has to be done about it; nil: about none
	needsNone func(T) bool   // it is to be mended whether or not its workflow runs; nil: none is
	// missing mends what no running workflow was listed for. runs says that there is one
	// all the same: it was asked for.
	missing func(context.Context, T) (runs bool, err error)
}

// compare compares rows, batch by batch, with what Temporal lists as running. It asks
// Temporal once for a batch, and once more for each row whose workflow was not listed.
func compare[T any](ctx context.Context, p *pass, rows iter.Seq2[T, error], c comparison[T]) {
	if ctx.Err() != nil || !p.isLeader() {
		return
	}
	batch := make([]T, 0, dispatch.ListedBatch)
	for row, err := range rows {
		if err != nil {
			p.note(err)
			break
		}
		if c.skip != nil && c.skip(row) {
			continue
		}
		if batch = append(batch, row); len(batch) < dispatch.ListedBatch {
			continue
		}
		if !compareBatch(ctx, p, batch, c) {
			return
		}
		batch = batch[:0]
	}
	compareBatch(ctx, p, batch, c)
}

// compareBatch is false where going on makes no sense.
func compareBatch[T any](ctx context.Context, p *pass, batch []T, c comparison[T]) bool {
	ids := make([]string, 0, len(batch))
	asks := func(row T) bool { return c.needsNone == nil || !c.needsNone(row) }
	for _, row := range batch {
		if asks(row) {
			ids = append(ids, c.id(row))
		}
	}
	var listed map[string]bool
	if !p.exact {
		var err error
		if listed, err = p.Dispatch.Listed(ctx, ids); err != nil {
			p.note(err)
			return false
		}
	}
	for _, row := range batch {
		if asks(row) && listed[c.id(row)] {
			continue
		}
		if !p.exact && p.unlisted >= mostUnlisted {
			p.note(fmt.Errorf("%d workflows run that Temporal does not list as running: its list lags, and the rest is compared with it later", p.unlisted))
			return false
		}
		runs, err := c.missing(ctx, row)
		p.note(err)
		if runs {
			p.unlisted++
		}
		if errors.Is(err, errNotLeader) || ctx.Err() != nil {
			return false
		}
	}
	return true
}
