package intake

import (
	"context"

	"errand"
	"errand/internal/service"
)

// Take accepts what somebody says by a door, see [service.Conversations].
func (i *Intake) Take(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (service.Accepted, error) {
	out, err := i.Accept(ctx, Inbound{Route: route, Person: by.Person, Role: by.Role, MessageID: m.ID, Text: m.Text})
	return service.Accepted{MessageID: out.MessageID, Duplicate: out.Duplicate, Answer: out.Answer, Goes: out.Goes}, err
}

var _ service.Intake = (*Intake)(nil)
