package reconcile

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"errand/internal/temporal/dispatch"
)

type pass struct {
	*Reconciler
	isLeader func() bool // checked before every change
	exact    bool        // do not trust Temporal's list; check each workflow
	errs     []error
	dropped  int
	unlisted int // running workflows that Temporal did not list
}

const (
	// mostUnlisted is the number of running but unlisted workflows after which the list lags too
	// much to be useful. A pass must not check each of ten thousand workflows.
	mostUnlisted = 100
	// mostErrors is how many errors a pass keeps. While Temporal is unreachable every row has one.
	mostErrors = 10
)

// errNotLeader ends a pass, because another worker may have begun one.
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

// A comparison describes how to compare rows of the store with Temporal's list.
type comparison[T any] struct {
	id        func(T) string // of the workflow that has to run
	skip      func(T) bool   // nothing to do for it; nil: skip none
	needsNone func(T) bool   // mend it even if its workflow runs; nil: none
	// missing mends a row without a listed workflow. runs reports that the workflow runs anyway.
	missing func(context.Context, T) (runs bool, err error)
}

// compare makes one call to Temporal for each batch, and one more for each row whose workflow was
// not listed.
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
