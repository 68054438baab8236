package intake

import (
	"context"

	"errand"
	"errand/internal/service"
)

// AcceptMessage accepts what somebody says by a door, see [service.Conversations].
func (i *Intake) AcceptMessage(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (service.Accepted, error) {
	out, err := i.Accept(ctx, Inbound{Route: route, Person: by.Person, Role: by.Role, MessageID: m.ID, Text: m.Text})
	return service.Accepted{MessageID: out.MessageID, Duplicate: out.Duplicate, Answer: out.Answer, HasMessage: out.HasMessage}, err
}

var _ service.Intake = (*Intake)(nil)
