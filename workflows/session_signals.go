package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// listen sets every handler before the session's first blocking call: what
// arrives earlier waits in Temporal.
func (s *session) listen(ctx workflow.Context) error {
	workflow.Go(ctx, s.receive)
	if err := workflow.SetUpdateHandler(ctx, UpdateReset, s.reset); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, UpdateBusy, s.setBusy); err != nil {
		return err
	}
	return workflow.SetQueryHandler(ctx, QueryStatus, func() (Status, error) { return s.status(), nil })
}

// receive handles signals as they arrive, all messages first, as if each kind had a
// coroutine of its own: those cost a worker memory for each session that it keeps, and
// time in each workflow task.
func (s *session) receive(ctx workflow.Context) {
	messages := workflow.GetSignalChannel(ctx, SignalMessage)
	finished := workflow.GetSignalChannel(ctx, SignalTaskFinished)
	answered := workflow.GetSignalChannel(ctx, SignalAnswered)
	stops := workflow.GetSignalChannel(ctx, SignalStop)
	for {
		if err := workflow.Await(ctx, func() bool { return messages.Len()+finished.Len()+answered.Len()+stops.Len() > 0 }); err != nil {
			return
		}
		for s.onMessage(ctx, messages) {
		}
		for s.onTaskFinished(ctx, finished) {
		}
		for s.onAnswered(ctx, answered) {
		}
		for s.onStop(ctx, stops) {
		}
	}
}

// drain handles the signals that have arrived and were not looked at yet.
func (s *session) drain(ctx workflow.Context) {
	for s.onMessage(ctx, workflow.GetSignalChannel(ctx, SignalMessage)) ||
		s.onTaskFinished(ctx, workflow.GetSignalChannel(ctx, SignalTaskFinished)) ||
		s.onAnswered(ctx, workflow.GetSignalChannel(ctx, SignalAnswered)) ||
		s.onStop(ctx, workflow.GetSignalChannel(ctx, SignalStop)) {
	}
}

// onMessage and its like handle one signal, if there is one.
func (s *session) onMessage(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig MessageSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	if s.current != nil && (s.rows[sig.Row] || s.taken[sig.Row]) {
		// The same message once more. It must not end the wait of its own turn; if
		// no turn has taken it, it waits already.
		return true
	}
	s.rows[sig.Row] = sig.Row > 0 // 0: some row, which is for the store to say
	s.messages, s.waiting = true, append(s.waiting, sig.Row)
	s.active = workflow.Now(ctx)
	if s.busy == Interrupt && s.current != nil {
		s.handle(ctx, func(ctx workflow.Context) { s.interrupt(ctx) })
	}
	return true
}

func (s *session) onTaskFinished(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig TaskFinishedSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	s.waits.follows(sig.FollowedBy)
	s.waits.done(waitID(sig.Task))
	s.late = s.late || sig.Late
	if s.current == nil {
		s.results = true
	}
	s.active = workflow.Now(ctx)
	return true
}

func (s *session) onStop(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig StopSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	if !s.meant(sig) {
		return true
	}
	var stopped []errand.TaskID
	switch {
	case sig.All:
		stopped = tasks(s.waits.open)
	case s.current != nil:
		stopped = tasks(s.waits.waiting)
	}
	s.handle(ctx, func(ctx workflow.Context) {
		if s.meant(sig) {
			s.closeTurn(ctx, activities.CloseTurnInput{Reason: activities.Stopped, Tasks: stopped})
		}
	})
	return true
}

// meant reports whether a stop is for what runs now. One that was for a turn
// which is over must not end that of somebody else.
func (s *session) meant(sig StopSignal) bool {
	return sig.Turn == 0 || s.current != nil && s.current.number == sig.Turn && s.id == sig.Session
}

// handle runs f beside the turn; close waits for it.
func (s *session) handle(ctx workflow.Context, f func(workflow.Context)) {
	s.handlers++
	workflow.Go(ctx, func(ctx workflow.Context) {
		defer func() { s.handlers-- }()
		if err := workflow.Await(ctx, func() bool { return s.ready }); err != nil {
			return
		}
		f(ctx)
	})
}

// closeTurn closes the running turn and then cancels what runs for it. The
// store goes first: once it is closed no model call of it begins, and the
// outcome of one in flight is refused.
func (s *session) closeTurn(ctx workflow.Context, in activities.CloseTurnInput) {
	in.Store, in.Key, in.Owner = s.in.Store, s.in.Key, errand.SessionOwner(s.id)
	t, cancel := s.current, s.cancel
	if t != nil {
		in.Turn = t.number
	}
	var out activities.CloseTurnResult
	if err := workflow.ExecuteActivity(forStore(ctx, string(in.Reason)), acts.CloseTurn, in).Get(ctx, &out); err != nil {
		workflow.GetLogger(ctx).Warn("turn not closed", "session", string(s.in.Key), "error", err)
		return
	}
	if out.Closed && t != nil && s.current == t {
		cancel()
	}
}

// interrupt closes the running turn for a message that waits. The turn may have
// taken that message already: then it is the one that answers it.
func (s *session) interrupt(ctx workflow.Context) {
	if s.current != nil {
		s.closeTurn(ctx, activities.CloseTurnInput{Reason: activities.Interrupted, Waiting: true})
	}
}

func (s *session) reset(ctx workflow.Context, update ResetUpdate) (ResetResult, error) {
	s.handlers++
	s.held++
	defer func() { s.handlers--; s.held-- }()
	if err := workflow.Await(ctx, func() bool { return s.ready }); err != nil {
		return ResetResult{}, notReady()
	}
	if s.current != nil {
		s.closeTurn(ctx, activities.CloseTurnInput{Reason: activities.ResetAway})
		if err := workflow.Await(ctx, func() bool { return s.current == nil }); err != nil {
			return ResetResult{}, notReady()
		}
	}
	old := s.id
	in := activities.ResetInput{Store: s.in.Store, Key: s.in.Key, Session: old, Agent: update.Agent, StickFor: update.StickFor}
	var out activities.ResetResult
	if err := workflow.ExecuteActivity(forStore(ctx, "reset"), acts.Reset, in).Get(ctx, &out); err != nil {
		return ResetResult{}, err
	}
	s.waits.open = nil // they report to the session that was
	s.adopt(ctx, out.Session)
	return ResetResult{Old: old, New: s.id}, nil
}

func (s *session) setBusy(ctx workflow.Context, in BusyUpdate) error {
	s.handlers++
	defer func() { s.handlers-- }()
	if err := workflow.Await(ctx, func() bool { return s.ready }); err != nil {
		return notReady()
	}
	set := activities.SetBusyInput{Store: s.in.Store, Key: s.in.Key, Mode: string(in.Mode)}
	if err := workflow.ExecuteActivity(forStore(ctx, "busy mode"), acts.SetBusy, set).Get(ctx, nil); err != nil {
		return err
	}
	s.busy = in.Mode
	return nil
}
