package intake

import (
	"bytes"
	"context"
	"io"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
)

// AcceptMessage accepts a message from a door.
func (i *Intake) AcceptMessage(ctx context.Context, by actor.Actor, route core.Route, m api.SendMessageInput) (api.MessageReceipt, error) {
	in := Inbound{By: by, Route: route, Person: by.Person, Role: by.Role, MessageID: m.Body.MessageID, Text: m.Body.Text, Replaces: m.Body.Replaces, Tools: m.Tools, Outputs: m.Outputs}
	for _, f := range m.Body.Files {
		in.Attachments = append(in.Attachments, Attachment{Name: f.Name, Size: int64(len(f.Data)),
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }})
	}
	out, err := i.Accept(ctx, in)
	return api.MessageReceipt{MessageID: out.MessageID, Duplicate: out.Duplicate, Answer: out.Answer, HasMessage: out.HasMessage}, err
}

var _ service.Intake = (*Intake)(nil)
