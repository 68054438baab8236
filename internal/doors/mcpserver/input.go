package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

const answerField = "answer"

// formOf returns the form for a question. It uses the question's schema, if MCP allows it as a
// form, or a form of one field.
func formOf(q core.Question) *mcp.ElicitParams {
	form := &mcp.ElicitParams{Mode: "form", Message: q.Agent.Display() + " asks (" + string(q.ID) + "): " + q.Text, RequestedSchema: q.Schema}
	if !isForm(q.Schema) {
		var field any = q.Schema // describes a plain value
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

// isForm reports whether MCP allows the schema as a form: an object of plain values.
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

func forms(questions []core.Question) mcp.InputRequestMap {
	list := mcp.InputRequestMap{}
	for _, q := range questions {
		if forClients(q) {
			list[string(q.ID)] = formOf(q)
		}
	}
	return list
}

// answer ignores responses to other or closed questions, because a client may send a response
// twice. It returns the ids of the forms that the person dismissed.
func (d *door) answer(ctx context.Context, t core.Task, responses mcp.InputResponseMap) (dismissed []string, err error) {
	if len(responses) == 0 {
		return nil, nil
	}
	open, err := d.questions(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(responses)) {
		i := slices.IndexFunc(open, func(q core.Question) bool { return string(q.ID) == id && forClients(q) })
		if i < 0 {
			continue
		}
		given, ok := responses[id].(*mcp.ElicitResult)
		if !ok {
			return nil, service.Invalid("input", "refusal.request_unread")
		}
		in := answerTo(id)
		switch given.Action {
		case "accept":
			if in.Body.Text, err = textOf(open[i], given.Content); err != nil {
				return nil, err
			}
		case "decline":
			in.Body.Decline = true
		default:
			dismissed = append(dismissed, id)
			continue
		}
		var known *service.Error
		if _, err := ops.Do(ctx, d.Runner, api.AnswerQuestion, d.by, in); err != nil && (!errors.As(err, &known) || known.Kind != service.KindConflict) {
			return nil, err // on a conflict, another answer came first
		}
	}
	return dismissed, nil
}

func answerTo(question string) api.AnswerQuestionInput {
	return api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: question}, Route: core.Route{Channel: core.ChannelMCP}, Program: true}
}

func textOf(q core.Question, content map[string]any) (string, error) {
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

// asksForms reports whether the client can show the forms in a result.
func asksForms(req *mcp.CallToolRequest) bool {
	can := req.ClientCapabilities()
	return req.ProtocolVersion() >= version2026 && can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

const version2026 = "2026-07-28"
