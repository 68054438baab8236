package service

import (
	"cmp"

	"errand"
	"errand/internal/events"
	"errand/internal/rights"
)

// CancelCall cancels the call of a program that waits under an id, at whichever worker. The
// program came by the same token; ids of other tokens are other calls.
func (s *Service) CancelCall(by Actor, id string) error {
	if err := s.may(by, rights.SelfRead); err != nil {
		return err
	}
	s.Store.Bus().Publish(errand.Event{Type: events.CallCanceled, Task: waitingCall(by, id)})
	return nil
}

// FollowCall calls canceled, in another goroutine, when [Service.CancelCall] is called with an
// id. forget, which may be called more than once, ends that.
func (s *Service) FollowCall(by Actor, id string, canceled func()) (forget func(), err error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return nil, err
	}
	announced, forget := s.Store.Bus().SubscribeTask(waitingCall(by, id))
	go func() {
		for e := range announced {
			if e.Type == events.CallCanceled {
				canceled()
			}
		}
	}()
	return forget, nil
}

// waitingCall is what a waiting call is followed by on the bus. It is no task's id.
func waitingCall(by Actor, id string) errand.TaskID {
	return errand.TaskID("call " + cmp.Or(by.login, string(by.Person)) + " " + id)
}
