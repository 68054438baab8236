package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/service"
)

const answerField = "answer"

// formOf is a question as a client shows it to the person at it: a form of one field, or the
// question's own, as far as forms go.
func formOf(q errand.Question) *mcp.ElicitParams {
	form := &mcp.ElicitParams{Mode: "form", Message: q.Agent.Display() + " asks (" + string(q.ID) + "): " + q.Text, RequestedSchema: q.Schema}
	if !isForm(q.Schema) {
		var field any = q.Schema // of a plain value
		if len(q.Schema) == 0 {
			text := map[string]any{"type": "string", "title": "Answer"}
			if len(q.Options) > 0 {
				text["enum"] = q.Options
			}
			field = text
		}
		form.RequestedSchema = map[string]any{"type": "object", "properties": map[string]any{answerField: field}, "required": []string{answerField}}
	}
	return form
}

// isForm holds for a schema that the protocol lets a form have: an object of plain values.
func isForm(schema json.RawMessage) bool {
	var object struct {
		Type       string `json:"type"`
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &object) != nil || object.Type != "object" || len(object.Properties) == 0 {
		return false
	}
	for _, p := range object.Properties {
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, p.Type) {
			return false
		}
	}
	return true
}

func forms(questions []errand.Question) mcp.InputRequestMap {
	list := mcp.InputRequestMap{}
	for _, q := range questions {
		if forClients(q) {
			list[string(q.ID)] = formOf(q)
		}
	}
	return list
}

// answer answers questions of a task by what a client brings. What it brings for others, or
// for what is answered already, is nothing: it may send the same twice. dismissed are those
// that its person closed without a word.
func (d *door) answer(ctx context.Context, t errand.Task, responses mcp.InputResponseMap) (dismissed []string, err error) {
	if len(responses) == 0 {
		return nil, nil
	}
	open, err := d.Backend.TaskQuestions(ctx, d.by, t.ID)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(responses)) {
		i := slices.IndexFunc(open, func(q errand.Question) bool { return string(q.ID) == id && forClients(q) })
		if i < 0 {
			continue
		}
		given, ok := responses[id].(*mcp.ElicitResult)
		if !ok {
			return nil, service.Invalid("input", "refusal.request_unread")
		}
		in := service.Answer{Route: errand.Route{Channel: errand.ChannelMCP}, Program: true}
		switch given.Action {
		case "accept":
			if in.Text, err = textOf(open[i], given.Content); err != nil {
				return nil, err
			}
		case "decline":
			in.Decline = true
		default:
			dismissed = append(dismissed, id)
			continue
		}
		if err := d.checkRate(); err != nil {
			return nil, err
		}
		var known *service.Error
		if _, err := d.Backend.AnswerQuestion(ctx, d.by, id, in); err != nil && (!errors.As(err, &known) || known.Kind != service.KindConflict) {
			return nil, err // somebody was faster: that is as good
		}
	}
	return dismissed, nil
}

// textOf is what the content of a form says: an answer in words, or in JSON.
func textOf(q errand.Question, content map[string]any) (string, error) {
	var said any = content
	if !isForm(q.Schema) {
		said = content[answerField]
	}
	if text, ok := said.(string); ok {
		return text, nil
	}
	raw, err := json.Marshal(said)
	return string(raw), err
}

// asksForms reports whether the client of a call shows forms to its person, in a version of
// the protocol in which a result asks for them.
func asksForms(req *mcp.CallToolRequest) bool {
	can := req.ClientCapabilities()
	return req.ProtocolVersion() >= version2026 && can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

const version2026 = "2026-07-28"
