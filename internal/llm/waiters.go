package llm

import (
	"slices"
	"time"
)

// A waiter is a call that waits for a place.
type waiter struct {
	key      string // for whom it is made
	since    time.Time
	admitted chan struct{} // closed when it has a place
}

// waiters are calls that wait, with as many turns as there are keys: after a call
// of one key, one of every other key that waits comes before its next. The zero
// value is empty.
type waiters struct {
	count  int
	shares [][]*waiter // of one key each, none empty, whose turn is next first
}

func (q *waiters) add(w *waiter) {
	q.count++
	for i, share := range q.shares {
		if share[0].key == w.key {
			q.shares[i] = append(share, w)
			return
		}
	}
	q.shares = append(q.shares, []*waiter{w})
}

// next takes out whose turn it is. There has to be one.
func (q *waiters) next() *waiter {
	q.count--
	share := q.shares[0]
	w := share[0]
	share[0] = nil
	q.shares = slices.Delete(q.shares, 0, 1)
	if len(share) > 1 {
		q.shares = append(q.shares, share[1:])
	}
	return w
}

func (q *waiters) remove(w *waiter) bool {
	for i, share := range q.shares {
		j := slices.Index(share, w)
		if j < 0 {
			continue
		}
		q.count--
		if q.shares[i] = slices.Delete(share, j, j+1); len(q.shares[i]) == 0 {
			q.shares = slices.Delete(q.shares, i, i+1)
		}
		return true
	}
	return false
}

// oldest is since when the longest of them waits. There has to be one.
func (q *waiters) oldest() time.Time {
	first := q.shares[0][0].since
	for _, share := range q.shares[1:] {
		if share[0].since.Before(first) {
			first = share[0].since
		}
	}
	return first
}
