package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
	"errand/internal/store"
)

// A SessionResult says why a run of the workflow ended.
type SessionResult struct {
	Reason string `json:"reason"` // "suspended"
}

// Session is one durable conversation: it runs the turns, one at a time, starts
// the delegations they ask for, and sees to it that every late result is told.
//
// It lives as long as there is something to do and a while longer. Idle, it
// completes; the next signal starts it again, and it finds everything in the
// store.
func Session(ctx workflow.Context, in SessionInput) (SessionResult, error) {
	s := &session{in: in, busy: in.Settings.Busy, rows: map[int64]bool{}}
	if err := s.listen(ctx); err != nil {
		return SessionResult{}, err
	}
	if err := s.rehydrate(ctx); err != nil {
		return SessionResult{}, err
	}
	return s.run(ctx)
}

type session struct {
	in    SessionInput
	id    errand.SessionID
	agent errand.AgentName
	busy  BusyMode
	place place

	ready    bool           // rehydrated
	messages bool           // the inbox may have rows that no turn has taken
	rows     map[int64]bool // that were signalled in this run
	waiting  []int64        // those since messages was last cleared; 0: some row
	taken    map[int64]bool // that the running turn has taken
	results  bool           // there may be outcomes that nobody was told
	late     bool           // peers have said some of them late, since the last turn began
	waits    waits

	current  *turn // nil: idle
	cancel   workflow.CancelFunc
	next     int  // number of the next turn
	turns    int  // turns of this run
	handlers int  // updates and stops being handled
	held     int  // resets under way: no turn begins
	resumed  bool // the next turn goes on with one whose workflow was lost

	active    time.Time // when something last happened
	idleTimer bool
	idle      bool // nothing happened for suspend_after

	tokens int
	cost   float64
}

func (s *session) rehydrate(ctx workflow.Context) error {
	in := activities.RehydrateInput{Store: s.in.Store, Key: s.in.Key}
	var found activities.Rehydrated
	if err := workflow.ExecuteActivity(forStore(ctx, "rehydrate"), acts.Rehydrate, in).Get(ctx, &found); err != nil {
		return err
	}
	s.adopt(ctx, found)
	s.ready = true
	return nil
}

func (s *session) adopt(ctx workflow.Context, found activities.Rehydrated) {
	s.id, s.agent, s.next = found.Session, found.Agent, found.NextTurn
	s.in.Settings = s.in.Settings.RunWith(found.Settings)
	s.busy = s.in.Settings.Busy
	if mode := BusyMode(found.Busy); mode.Valid() {
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
	s.attribute(ctx, append(s.place.attributes(), attrAgent.ValueSet(string(s.agent)))...)
	s.describe(ctx)
}

// with notes that the session has been handed over.
func (s *session) with(ctx workflow.Context, agent errand.AgentName) {
	if agent == s.agent {
		return
	}
	s.agent = agent
	s.attribute(ctx, attrAgent.ValueSet(string(agent)))
}

func (s *session) attribute(ctx workflow.Context, updates ...temporal.SearchAttributeUpdate) {
	if !s.in.Settings.Attributes {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		workflow.GetLogger(ctx).Warn("search attributes not set", "session", string(s.in.Key), "error", err)
	}
}

func (s *session) run(ctx workflow.Context) (SessionResult, error) {
	s.armIdleTimer(ctx)
	for {
		if err := workflow.Await(ctx, func() bool { return s.work() || s.idle || s.wantsNewRun(ctx) }); err != nil {
			return SessionResult{}, err
		}
		if s.work() {
			if err := s.runTurn(ctx); err != nil {
				return SessionResult{}, err
			}
			if s.work() && s.wantsNewRun(ctx) {
				return SessionResult{}, s.renew(ctx)
			}
			continue
		}
		closed, err := s.close(ctx)
		if err != nil {
			return SessionResult{}, err
		}
		if closed {
			return SessionResult{Reason: "suspended"}, nil
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

// runTurn runs one turn over everything that waits to be answered or told.
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
	if end != turnSilent && t.owner == errand.SessionOwner(s.id) {
		s.next = t.number + 1
		// In queue mode the turn took one row; only the store knows whether
		// there are more.
		s.messages = s.messages || s.busy == Queue
	}
	s.results = s.results || s.waits.results() || t.left
	switch {
	case end == turnClosed:
		// What came for the turn at its end nobody has taken, and results that
		// it had taken may have been given back.
		s.messages = s.messages || s.busy == Steer
		s.results = true
	case s.resumed || t.claims >= store.MaxClaimed:
		// A turn that was begun before takes nothing new, and one that took as
		// much as it can may have left some.
		s.messages, s.results = true, true
	}
	s.resumed = false
	s.describe(ctx)
	return nil
}

// lateWindow is how long a session waits for what other peers say late, at most.
const lateWindow = 500 * time.Millisecond

// foldWindow waits a moment for the results of other open tasks, so that
// results that arrive together are told together. Of peers that nobody waits for any more it
// does not know which are about to say something: it waits for any.
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
		store: s.in.Store, owner: errand.SessionOwner(s.id), number: number, session: s.in.Key,
		settings: s.in.Settings, priority: PriorityPeople, waited: true,
		patience: s.in.Settings.ModelTimeout, waitsFor: s.in.Settings.Patience,
		results: true, root: ctx, waits: &s.waits, asks: func() {},
		resume:   func() bool { return s.messages },
		onChange: func() { s.describe(ctx) },
		with:     func(agent errand.AgentName) { s.with(ctx, agent) },
		took:     s.took,
	}
	t.rows = func(step int) store.Claim {
		switch {
		case step == 1 && s.busy == Queue:
			return store.ClaimOne
		case step == 1:
			return store.ClaimAll
		case s.busy == Steer:
			// Whatever was signalled so far, this step takes.
			s.takesAll()
			return store.ClaimAll
		default:
			return store.ClaimNone
		}
	}
	return t
}

// takesAll notes that a step begins which takes whatever was signalled so far.
func (s *session) takesAll() { s.messages, s.waiting = false, nil }

// took notes which rows a step has taken: of what was signalled since it began, these
// wait for nobody. Their signal may also come after it, for it is sent when the row
// has been committed.
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

// armIdleTimer keeps one timer for the whole run and arms it again for the
// remainder, so that a turn costs no timer.
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

// close is the one way out. It ends the run only when nothing is under way:
// no turn, no handler, no signal unread. Otherwise the session carries on.
func (s *session) close(ctx workflow.Context) (bool, error) {
	if err := workflow.Await(ctx, func() bool { return s.handlers == 0 || s.work() }); err != nil {
		return false, err
	}
	if s.pending() {
		s.armIdleTimer(ctx)
		return false, nil
	}
	if s.idle {
		in := activities.SuspendInput{Store: s.in.Store, Session: s.id}
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

// renew ends the run between two turns although there is work: the next run finds
// in the store what waits. A chat in which somebody always writes is never idle.
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

func (s *session) status() Status {
	st := Status{Session: s.id, Agent: s.agent, Busy: s.busy, Open: tasks(s.waits.open), Tokens: s.tokens, Cost: s.cost}
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

// notReady refuses an update that came before the session knows who it is.
func notReady() error {
	return temporal.NewNonRetryableApplicationError("the session is ending", "not-ready", nil)
}
