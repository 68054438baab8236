package intake

import (
	"bytes"
	"context"
	"io"

	"errand"
	"errand/internal/service"
)

// AcceptMessage accepts what somebody says by a door, see [service.Conversations].
func (i *Intake) AcceptMessage(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (service.Accepted, error) {
	in := Inbound{By: by, Route: route, Person: by.Person, Role: by.Role, MessageID: m.ID, Text: m.Text, Tools: m.Tools, Outputs: m.Outputs}
	for _, f := range m.Files {
		in.Attachments = append(in.Attachments, Attachment{Name: f.Name, Size: int64(len(f.Data)),
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }})
	}
	out, err := i.Accept(ctx, in)
	return service.Accepted{MessageID: out.MessageID, Duplicate: out.Duplicate, Answer: out.Answer, HasMessage: out.HasMessage}, err
}

var _ service.Intake = (*Intake)(nil)
