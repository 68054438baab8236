package web

import (
	"context"
	"time"

	"errand"
	"errand/internal/service"
)

// FollowLists tells of what changes by itself, and then at each beat that nothing does.
func (m *memory) FollowLists(ctx context.Context, by service.Actor, person errand.PersonID, r service.ListReading) error {
	if person != "" && by.Role == errand.Member {
		return service.Forbidden("refusal.others_read", "role", errand.Partner)
	}
	m.note("FollowLists", string(by.Person)+"|"+string(person))
	for _, lists := range []service.Lists{0, service.ListsTasks | service.ListsDeliveries, service.ListsQuestions} {
		if err := r.OnChange(lists); err != nil {
			return err
		}
	}
	if r.Beat > time.Second {
		return nil // no test waits so long
	}
	beat := time.NewTicker(r.Beat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			if err := r.OnChange(0); err != nil {
				return err
			}
		}
	}
}
