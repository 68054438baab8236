package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// listen sets every handler before the session's first blocking call. What arrives earlier waits in
// Temporal.
func (s *session) listen(ctx workflow.Context) error {
	workflow.Go(ctx, s.receive)
	if err := workflow.SetUpdateHandler(ctx, wire.UpdateReset, s.reset); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, wire.UpdateBusy, s.setBusy); err != nil {
		return err
	}
	return workflow.SetQueryHandler(ctx, wire.QueryStatus, func() (wire.Status, error) { return s.status(), nil })
}

// receive handles signals as they arrive, all messages first. One coroutine for each kind of signal
// would cost memory for each cached session, and time in each workflow task.
func (s *session) receive(ctx workflow.Context) {
	messages := workflow.GetSignalChannel(ctx, wire.SignalMessage)
	finished := workflow.GetSignalChannel(ctx, wire.SignalTaskFinished)
	answered := workflow.GetSignalChannel(ctx, wire.SignalAnswered)
	stops := workflow.GetSignalChannel(ctx, wire.SignalStop)
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

func (s *session) drain(ctx workflow.Context) {
	for s.onMessage(ctx, workflow.GetSignalChannel(ctx, wire.SignalMessage)) ||
		s.onTaskFinished(ctx, workflow.GetSignalChannel(ctx, wire.SignalTaskFinished)) ||
		s.onAnswered(ctx, workflow.GetSignalChannel(ctx, wire.SignalAnswered)) ||
		s.onStop(ctx, workflow.GetSignalChannel(ctx, wire.SignalStop)) {
	}
}

// onMessage and similar methods handle one signal, if there is one.
func (s *session) onMessage(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig wire.MessageSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	if s.current != nil && (s.rows[sig.Row] || s.taken[sig.Row]) {
		// A repeated signal. It must not end the wait of its own turn. If no turn has taken the
		// message, it is waiting already.
		return true
	}
	s.rows[sig.Row] = sig.Row > 0 // 0: an unknown row, which the store will find
	s.messages, s.waiting = true, append(s.waiting, sig.Row)
	s.active = workflow.Now(ctx)
	if s.busy == wire.Interrupt && s.current != nil {
		s.handle(ctx, func(ctx workflow.Context) { s.interrupt(ctx) })
	}
	return true
}

func (s *session) onTaskFinished(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig wire.TaskFinishedSignal
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
	var sig wire.StopSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	if !s.meant(sig) {
		return true
	}
	var stopped []core.TaskID
	switch {
	case sig.All:
		stopped = tasks(s.waits.open)
	case s.current != nil:
		stopped = tasks(s.waits.waiting)
	}
	s.handle(ctx, func(ctx workflow.Context) {
		if s.meant(sig) {
			s.closeTurn(ctx, wire.CloseTurnInput{Reason: wire.Stopped, Tasks: stopped})
		}
	})
	return true
}

// meant reports whether a stop is for the current turn. It protects a turn from a stop that was
// meant for an earlier one.
func (s *session) meant(sig wire.StopSignal) bool {
	return sig.Turn == 0 || s.current != nil && s.current.number == sig.Turn && s.id == sig.Session
}

// handle runs f concurrently with the turn; close waits for it.
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

// closeTurn closes the turn in the store first. After that no model call of the turn begins, and
// the store refuses the outcome of a call in progress.
func (s *session) closeTurn(ctx workflow.Context, in wire.CloseTurnInput) {
	in.Store, in.Key, in.Owner = s.in.Store, s.in.Key, core.SessionOwner(s.id)
	t, cancel := s.current, s.cancel
	if t != nil {
		in.Turn = t.number
	}
	var out wire.CloseTurnResult
	if err := workflow.ExecuteActivity(forStore(ctx, string(in.Reason)), acts.CloseTurn, in).Get(ctx, &out); err != nil {
		workflow.GetLogger(ctx).Warn("turn not closed", "session", string(s.in.Key), "error", err)
		return
	}
	if out.Closed && t != nil && s.current == t {
		cancel()
	}
}

// interrupt has no effect on a turn that has already taken the message.
func (s *session) interrupt(ctx workflow.Context) {
	if s.current != nil {
		s.closeTurn(ctx, wire.CloseTurnInput{Reason: wire.Interrupted, Waiting: true})
	}
}

func (s *session) reset(ctx workflow.Context, update wire.ResetUpdate) (wire.ResetResult, error) {
	s.handlers++
	s.held++
	defer func() { s.handlers--; s.held-- }()
	if err := workflow.Await(ctx, func() bool { return s.ready }); err != nil {
		return wire.ResetResult{}, notReady()
	}
	if s.current != nil {
		s.closeTurn(ctx, wire.CloseTurnInput{Reason: wire.ResetAway})
		if err := workflow.Await(ctx, func() bool { return s.current == nil }); err != nil {
			return wire.ResetResult{}, notReady()
		}
	}
	old := s.id
	in := wire.ResetSessionInput{Store: s.in.Store, Key: s.in.Key, Session: old, Agent: update.Agent, StickFor: update.StickFor}
	var out wire.ResetSessionResult
	if err := workflow.ExecuteActivity(forStore(ctx, "reset"), acts.Reset, in).Get(ctx, &out); err != nil {
		return wire.ResetResult{}, err
	}
	s.waits.open = nil // they report to the old session
	s.adopt(ctx, out.Session)
	return wire.ResetResult{Old: old, New: s.id}, nil
}

func (s *session) setBusy(ctx workflow.Context, in wire.BusyUpdate) error {
	s.handlers++
	defer func() { s.handlers-- }()
	if err := workflow.Await(ctx, func() bool { return s.ready }); err != nil {
		return notReady()
	}
	set := wire.SetBusyInput{Store: s.in.Store, Key: s.in.Key, Mode: string(in.Mode)}
	if err := workflow.ExecuteActivity(forStore(ctx, "busy mode"), acts.SetBusy, set).Get(ctx, nil); err != nil {
		return err
	}
	s.busy = in.Mode
	return nil
}
