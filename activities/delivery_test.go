package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/notifiers"
)

// TestToTheEnd proves that a message which is being sent is not cut off when its
// delivery is to begin anew, but is when the worker ends.
func TestToTheEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		cause error
		cut   bool
	}{
		{"begin anew", temporal.NewCanceledError(), false},
		{"the worker was taken for dead", errExpired, true},
		{"the worker ends", errors.New("worker shutdown"), true},
		{"it takes too long", context.DeadlineExceeded, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				sending, end := toTheEnd(ctx)
				defer end()
				cancel(test.cause)
				synctest.Wait()
				if cut := sending.Err() != nil; cut != test.cut {
					t.Errorf("it is cut off: %v, want %v", cut, test.cut)
				}
			})
		})
	}
}

// A paced notifier notes how far a row is when it waits for its pace, and when it
// is sent.
type paced struct {
	crowd
	store   *store.Store
	noted   []string
	tooLate error
}

type permitted struct{}

func (p *paced) row(ctx context.Context, at string) {
	list, err := p.store.Deliveries(ctx, nil, store.Page{Limit: 1})
	if err != nil {
		at = err.Error()
	}
	p.noted = append(p.noted, fmt.Sprintf("%s: %s, %d", at, list[0].State, list[0].Attempts))
}

func (p *paced) WaitToSend(ctx context.Context, _ core.Route, _ time.Duration) (context.Context, error) {
	p.row(ctx, "waits")
	return context.WithValue(ctx, permitted{}, true), p.tooLate
}

func (p *paced) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	p.row(ctx, "is sent")
	if n.Route.Account == "main" && ctx.Value(permitted{}) == nil {
		p.noted = append(p.noted, "which nobody has permitted")
	}
	return p.crowd.Notify(ctx, n)
}

func enqueued(t *testing.T, s *store.Store, n core.Notification) core.Notification {
	t.Helper()
	if _, err := s.Answer(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	next, err := s.NextOutbox(t.Context(), n.Route)
	if err != nil || next == nil {
		t.Fatal(next, err)
	}
	return *next
}

// TestPaceFirst proves that what only waits for its pace is not noted as one that
// is being sent: a crash there leaves nothing in doubt. What comes too late is left
// as it is, for as long as the pace asks for.
func TestPaceFirst(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  core.OutboxState
		tooLate error
		want    []string
		state   core.OutboxState
	}{
		{"in time", core.Pending, nil, []string{"waits: pending, 0", "is sent: sending, 1"}, core.Sent},
		{"too late", core.Pending, &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: time.Minute, Err: errors.New("too many")},
			[]string{"waits: pending, 0"}, core.Pending},
		{"in doubt, somebody may send it now", core.Unknown, nil, []string{"is sent: sending, 2", "which nobody has permitted"}, core.Sent},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &paced{store: opened(t), tooLate: test.tooLate}
			deps := talkers(t, &p.crowd)
			deps.Store = p.store
			a := sending(deps)
			a.notifiers.Handle("telegram", p)
			n := enqueued(t, a.store, core.Notification{Key: "k", Event: core.EventReply, Text: "hello", Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}})
			if test.before == core.Unknown {
				if _, err := a.store.MarkSending(t.Context(), n.ID, time.Minute); err != nil {
					t.Fatal(err)
				}
				if err := a.store.MarkUnsent(t.Context(), n.ID, core.Unknown, "killed", 0); err != nil {
					t.Fatal(err)
				}
				n.State = core.Unknown
			}
			if err := a.send(t.Context(), n, time.Minute, sendFrom{}); !errors.Is(err, test.tooLate) {
				t.Fatal(err)
			}
			after, err := a.store.Notification(t.Context(), n.ID)
			if err != nil || after.State != test.state || test.tooLate != nil && !after.NotBefore.After(after.Created) {
				t.Errorf("it is %s, not before %s, %v", after.State, after.NotBefore, err)
			}
			if !slices.Equal(p.noted, test.want) {
				t.Errorf("it %q, want %q", p.noted, test.want)
			}
		})
	}
}

// TestEndsInTime proves that no attempt is begun that its run would cut off: a
// delivery ends and says that there is more, a turn leaves it to the delivery. A
// long text is given more time than others.
func TestEndsInTime(t *testing.T) {
	for _, test := range []struct {
		name   string
		has    time.Duration // the run
		inline bool
		sent   int
		woken  bool
	}{
		{"all the time there is", 10 * time.Minute, false, 3, false},
		{"none for a long text", time.Minute, false, 1, true},
		{"none", 40 * time.Second, false, 0, true},
		{"a turn", 10 * time.Second, true, 1, true},
		{"a turn that is over", 5 * time.Second, true, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, w := &crowd{}, new(waker)
			deps := talkers(t, c)
			deps.Store, deps.Sessions = opened(t), w
			a := sending(deps)
			n := core.Notification{Event: core.EventNotice, Route: core.Route{Channel: "telegram", Account: "main", Chat: "c"}}
			first := core.Notification{}
			for i, text := range []string{"hello", strings.Repeat("long ", 6000), "goodbye"} {
				n.Key, n.Text = fmt.Sprint("k", i), text
				if next := enqueued(t, a.store, n); i == 0 {
					first = next
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), test.has)
			defer cancel()
			var err error
			if test.inline { // the second is not the turn's
				err = a.Notify(ctx, wire.NotifyInput{Store: a.store.ID(), Rows: []int64{first.ID, first.ID + 2}})
			} else {
				_, err = a.Deliver(ctx, wire.DeliverInput{Store: a.store.ID(), Route: n.Route})
			}
			if err != nil || len(c.sent) != test.sent || (len(w.woken) > 0) != test.woken {
				t.Errorf("it tells %d, wakes %q, %v; want %d, %v", len(c.sent), w.woken, err, test.sent, test.woken)
			}
		})
	}
}

// TestLimits proves that a long text has more time, and that the longest attempt
// fits into the ten minutes that a delivery has.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		bytes int
		want  time.Duration
	}{{0, 30 * time.Second}, {999, 30 * time.Second}, {40_000, 110 * time.Second}, {10_000_000, 5 * time.Minute}} {
		if got := deliverLimit(core.Notification{Text: strings.Repeat("x", test.bytes)}); got != test.want {
			t.Errorf("%d bytes have %s, want %s", test.bytes, got, test.want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	ends, _ := ctx.Deadline()
	if _, err := (&delivery{Sender: sending(Deps{Store: opened(t)}), limit: maxDeliverTime, runEnds: ends}).checkTime(ctx); err != nil {
		t.Errorf("the longest is never begun: %v", err)
	}
}

// TestRecordBefore proves that what came of an attempt is noted for as long as the
// row belongs to its sender, through a store that is away, and no longer.
func TestRecordBefore(t *testing.T) {
	for _, test := range []struct {
		name string
		away time.Duration
		want error
	}{
		{"it is there", 0, nil},
		{"a fail-over of two seconds", 2 * time.Second, nil},
		{"longer than the lease", time.Minute, errAway},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				end := began.Add(leaseSlack)
				err := recordBefore(t.Context(), end, func(context.Context) error {
					if time.Since(began) < test.away {
						return errAway
					}
					return nil
				})
				if !errors.Is(err, test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
				if time.Now().After(end) {
					t.Errorf("noted %v after the lease ended", time.Since(end))
				}
			})
		})
	}
	for _, final := range []error{store.ErrNotFound, store.ErrClosed} {
		attempts := 0
		_ = recordBefore(t.Context(), time.Now().Add(time.Hour), func(context.Context) error { attempts++; return final })
		if attempts != 1 {
			t.Errorf("%v: tried %d times", final, attempts)
		}
	}
}

var errAway = errors.New("the store is away")
