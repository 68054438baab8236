package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Session is one durable conversation: it runs the turns, one at a time, starts the delegations
// that they request, and has every late result reported.
//
// It runs while there is something to do and for a while after that. Then it completes. The next
// signal starts it again, and it reads its state from the store.
func Session(ctx workflow.Context, in wire.SessionInput) (wire.SessionResult, error) {
	s := &session{in: in, busy: in.Settings.Busy, rows: map[int64]bool{}}
	if err := s.listen(ctx); err != nil {
		return wire.SessionResult{}, err
	}
	if err := s.rehydrate(ctx); err != nil {
		return wire.SessionResult{}, err
	}
	return s.run(ctx)
}

type session struct {
	in    wire.SessionInput
	id    core.SessionID
	agent core.AgentName
	busy  wire.BusyMode
	place wire.Place

	ready    bool           // rehydrated
	messages bool           // the inbox may have rows that no turn has taken
	rows     map[int64]bool // rows that were signalled in this run
	waiting  []int64        // rows since messages was last cleared; 0: an unknown row
	taken    map[int64]bool // rows that the current turn has taken
	results  bool           // the store may have outcomes that were not reported
	late     bool           // some of them are late answers of peers, since the last turn began
	waits    waits

	current  *turn // nil: idle
	cancel   workflow.CancelFunc
	next     int  // number of the next turn
	turns    int  // turns of this run
	handlers int  // updates and stops in progress
	held     int  // resets in progress: no turn begins
	resumed  bool // the next turn continues one whose workflow was lost

	active    time.Time // the last activity
	idleTimer bool
	idle      bool // no activity for suspend_after

	tokens int
	cost   float64
}

func (s *session) rehydrate(ctx workflow.Context) error {
	in := wire.RehydrateInput{Store: s.in.Store, Key: s.in.Key}
	var found wire.Rehydrated
	if err := workflow.ExecuteActivity(forStore(ctx, "rehydrate"), acts.Rehydrate, in).Get(ctx, &found); err != nil {
		return err
	}
	s.adopt(ctx, found)
	s.ready = true
	return nil
}

func (s *session) adopt(ctx workflow.Context, found wire.Rehydrated) {
	s.id, s.agent, s.next = found.Session, found.Agent, found.NextTurn
	s.in.Settings = s.in.Settings.RunWith(found.Settings)
	s.busy = s.in.Settings.Busy
	if mode := wire.BusyMode(found.Busy); mode.Valid() {
		s.busy = mode
	}
	if found.OpenTurn > 0 {
		s.next, s.messages, s.resumed = found.OpenTurn, true, true
	}
	s.messages = s.messages || found.Messages
	s.results = s.results || found.Results
	for _, id := range found.Open {
		s.waits.add(waitID(id))
	}
	s.active = workflow.Now(ctx)
	route, _, err := s.in.Key.Parse()
	if err == nil {
		s.place.Channel = route.Channel
	}
	s.place.Session = s.id
	s.attribute(ctx, append(s.place.Attributes(), wire.AttrAgent.ValueSet(string(s.agent)))...)
	s.describe(ctx)
}

func (s *session) with(ctx workflow.Context, agent core.AgentName) {
	if agent == s.agent {
		return
	}
	s.agent = agent
	s.attribute(ctx, wire.AttrAgent.ValueSet(string(agent)))
}

func (s *session) attribute(ctx workflow.Context, updates ...temporal.SearchAttributeUpdate) {
	if !s.in.Settings.Attributes {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		workflow.GetLogger(ctx).Warn("search attributes not set", "session", string(s.in.Key), "error", err)
	}
}

func (s *session) run(ctx workflow.Context) (wire.SessionResult, error) {
	s.armIdleTimer(ctx)
	for {
		if err := workflow.Await(ctx, func() bool { return s.work() || s.idle || s.wantsNewRun(ctx) }); err != nil {
			return wire.SessionResult{}, err
		}
		if s.work() {
			if err := s.runTurn(ctx); err != nil {
				return wire.SessionResult{}, err
			}
			if s.work() && s.wantsNewRun(ctx) {
				return wire.SessionResult{}, s.renew(ctx)
			}
			continue
		}
		closed, err := s.close(ctx)
		if err != nil {
			return wire.SessionResult{}, err
		}
		if closed {
			return wire.SessionResult{Reason: "suspended"}, nil
		}
	}
}

func (s *session) work() bool { return s.held == 0 && (s.messages || s.results) }

func (s *session) wantsNewRun(ctx workflow.Context) bool {
	if n := s.in.Settings.TurnsPerRun; n > 0 && s.turns >= n {
		return true
	}
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

func (s *session) runTurn(ctx workflow.Context) error {
	if s.results && !s.messages {
		if err := s.foldWindow(ctx); err != nil || s.held > 0 {
			return err
		}
	}
	s.armIdleTimer(ctx)
	t := s.newTurn(ctx, s.next)
	if !s.messages {
		t.patience = s.in.Settings.FoldTimeout
	}
	s.results, s.late = false, false
	s.takesAll()
	s.taken = map[int64]bool{}
	s.waits.beginTurn()

	turnCtx, cancel := workflow.WithCancel(ctx)
	s.current, s.cancel = t, cancel
	end, err := t.run(turnCtx)
	s.current, s.cancel = nil, nil
	cancel()
	if err != nil {
		return err
	}
	s.turns++
	s.tokens += t.tokens
	s.cost += t.cost
	s.active = workflow.Now(ctx)
	if end != turnSilent && t.owner == core.SessionOwner(s.id) {
		s.next = t.number + 1
		// In queue mode the turn took one row. Only the store knows whether there are more.
		s.messages = s.messages || s.busy == wire.Queue
	}
	s.results = s.results || s.waits.results() || t.left
	switch {
	case end == turnClosed:
		// No turn has taken the messages that came at its end, and the store may have taken back
		// results from it.
		s.messages = s.messages || s.busy == wire.Steer
		s.results = true
	case s.resumed || t.claims >= store.MaxClaimed:
		// A turn that continues an earlier run takes nothing new, and one that took the maximum may
		// have left some.
		s.messages, s.results = true, true
	}
	s.resumed = false
	s.describe(ctx)
	return nil
}

// lateWindow is how long a session waits for late answers of other peers.
const lateWindow = 500 * time.Millisecond

// foldWindow waits a moment, so that results that arrive together are reported together. It cannot
// know which peers are about to send a late answer, so it waits for any of them.
func (s *session) foldWindow(ctx workflow.Context) error {
	if s.late {
		_, err := awaitFor(ctx, min(s.in.Settings.FoldWindow, lateWindow), func() bool { return s.messages })
		return err
	}
	if len(s.waits.open) == 0 {
		return nil
	}
	_, err := awaitFor(ctx, s.in.Settings.FoldWindow, func() bool {
		return s.messages || len(s.waits.open) == 0
	})
	return err
}

func (s *session) newTurn(ctx workflow.Context, number int) *turn {
	t := &turn{
		store: s.in.Store, owner: core.SessionOwner(s.id), number: number, session: s.in.Key,
		settings: s.in.Settings, priority: wire.PriorityPeople, waited: true,
		patience: s.in.Settings.ModelTimeout, waitsFor: s.in.Settings.Patience,
		results: true, root: ctx, waits: &s.waits, asks: func() {},
		resume:   func() bool { return s.messages },
		onChange: func() { s.describe(ctx) },
		with:     func(agent core.AgentName) { s.with(ctx, agent) },
		took:     s.took,
	}
	t.rows = func(step int) store.Claim {
		switch {
		case step == 1 && s.busy == wire.Queue:
			return store.ClaimOne
		case step == 1:
			return store.ClaimAll
		case s.busy == wire.Steer:
			// This step takes every message that was signalled so far.
			s.takesAll()
			return store.ClaimAll
		default:
			return store.ClaimNone
		}
	}
	return t
}

func (s *session) takesAll() { s.messages, s.waiting = false, nil }

// took removes the rows that a step has taken from the waiting rows. A signal may also come after
// the step, because it is sent after the commit of the row.
func (s *session) took(rows []int64) {
	for _, row := range rows {
		s.taken[row] = true
	}
	was := len(s.waiting)
	s.waiting = slices.DeleteFunc(s.waiting, func(row int64) bool { return s.taken[row] })
	if was > 0 && len(s.waiting) == 0 {
		s.messages = false
	}
}

// armIdleTimer sets one timer for the whole run, so that a turn adds no timer.
func (s *session) armIdleTimer(ctx workflow.Context) {
	if s.idleTimer {
		return
	}
	s.idleTimer, s.idle = true, false
	workflow.Go(ctx, func(ctx workflow.Context) {
		defer func() { s.idleTimer = false }()
		for {
			left := s.in.Settings.SuspendAfter - workflow.Now(ctx).Sub(s.active)
			if left <= 0 && s.current == nil {
				s.idle = true
				return
			}
			if left <= 0 {
				left = s.in.Settings.SuspendAfter
			}
			if err := workflow.Sleep(ctx, left); err != nil {
				return
			}
		}
	})
}

func (s *session) close(ctx workflow.Context) (bool, error) {
	if err := workflow.Await(ctx, func() bool { return s.handlers == 0 || s.work() }); err != nil {
		return false, err
	}
	if s.pending() {
		s.armIdleTimer(ctx)
		return false, nil
	}
	if s.idle {
		in := wire.SuspendInput{Store: s.in.Store, Session: s.id}
		if err := workflow.ExecuteActivity(forStore(ctx, "suspend"), acts.Suspend, in).Get(ctx, nil); err != nil {
			return false, err
		}
		if s.drain(ctx); s.pending() {
			s.armIdleTimer(ctx)
			return false, nil
		}
		return true, nil
	}
	if s.drain(ctx); s.pending() {
		return false, nil
	}
	return false, s.anew(ctx)
}

// renew continues as new although there is work, because a busy chat is never idle. The store has
// the rest of the state.
func (s *session) renew(ctx workflow.Context) error {
	for {
		if err := workflow.Await(ctx, func() bool { return s.handlers == 0 }); err != nil {
			return err
		}
		if s.drain(ctx); s.handlers == 0 {
			return s.anew(ctx)
		}
	}
}

func (s *session) anew(ctx workflow.Context) error {
	return workflow.NewContinueAsNewError(ctx, Session, s.in)
}

func (s *session) pending() bool {
	return s.current != nil || s.handlers > 0 || s.work()
}

func (s *session) status() wire.Status {
	st := wire.Status{Session: s.id, Agent: s.agent, Busy: s.busy, Open: tasks(s.waits.open), Tokens: s.tokens, Cost: s.cost}
	if t := s.current; t != nil {
		st.Turn, st.Step = t.number, t.step
		st.Tokens += t.tokens
		st.Cost += t.cost
	}
	return st
}

func (s *session) describe(ctx workflow.Context) {
	st := s.status()
	doing := "idle"
	if st.Turn > 0 {
		doing = fmt.Sprintf("turn %d, step %d", st.Turn, st.Step)
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s**, session `%s`\n\n%s, %s\n\n%s",
		st.Agent.Display(), st.Session, doing, s.waits.line(), spent(st.Tokens, st.Cost)))
}

func notReady() error {
	return temporal.NewNonRetryableApplicationError("the session is ending", "not-ready", nil)
}
