package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/service"
)

// tasksExtension is the protocol's extension for results that come later, SEP-2663: the
// client asks for them with methods of its own, and its model sees them as if the call had
// just returned.
const tasksExtension = "io.modelcontextprotocol/tasks"

const (
	// shortly is how long a call waits for its result before a client that speaks the
	// extension gets the task instead.
	shortly   = time.Second
	pollEvery = 2000
	// keptFor is how long a task is there at least, in milliseconds: a day.
	keptFor = 24 * 60 * 60 * 1000
)

// A taskStatus is a task on the extension's wire.
type taskStatus struct {
	mcp.ResultBase
	ResultType    string              `json:"resultType"`
	ID            errand.TaskID       `json:"taskId"`
	Status        string              `json:"status"`
	Message       string              `json:"statusMessage,omitempty"`
	Created       time.Time           `json:"createdAt"`
	Updated       time.Time           `json:"lastUpdatedAt"`
	TTL           int64               `json:"ttlMs"`
	PollInterval  int                 `json:"pollIntervalMs"`
	Result        *completeResult     `json:"result,omitempty"`
	InputRequests mcp.InputRequestMap `json:"inputRequests,omitempty"`
}

// A completeResult is what the call would have answered. The SDK adds the type of a result only
// to answers that it sends itself, so this one has it as a field.
type completeResult struct {
	ResultType string        `json:"resultType"`
	Content    []mcp.Content `json:"content"`
	Structured taskOut       `json:"structuredContent"`
	IsError    bool          `json:"isError,omitempty"`
}

// statusOf is a task as it is, without what it came to or asks for.
func statusOf(t errand.Task, asks bool) *taskStatus {
	out := &taskStatus{ID: t.ID, Status: "working", Message: headLine(t), Created: t.Created.UTC(), Updated: time.Now().UTC().Truncate(time.Millisecond), TTL: keptFor, PollInterval: pollEvery}
	switch {
	case t.State == errand.Canceled:
		out.Status = "cancelled"
	case t.State.Terminal(): // what an agent could not do is a result, too
		out.Status = "completed"
	case asks:
		out.Status = "input_required"
	}
	if t.State.Terminal() {
		out.Updated = t.Finished.UTC()
	}
	return out
}

type acknowledgement struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
}

type getTaskParams struct {
	mcp.ParamsBase
	ID string `json:"taskId"`
}

type updateTaskParams struct {
	mcp.ParamsBase
	ID        string               `json:"taskId"`
	Responses mcp.InputResponseMap `json:"inputResponses"`
}

var tasksMethods = []string{"tasks/get", "tasks/update", "tasks/cancel"}

// addTasks offers the extension's methods.
func (d *door) addTasks(s *mcp.Server) {
	s.AddReceivingMiddleware(d.tasks)
	for _, err := range []error{
		mcp.AddReceivingCustomMethod(s, tasksMethods[0], d.getStatus),
		mcp.AddReceivingCustomMethod(s, tasksMethods[1], d.updateTask),
		mcp.AddReceivingCustomMethod(s, tasksMethods[2], d.endTask),
	} {
		if err != nil {
			panic(err) // one of the protocol's own methods has the name
		}
	}
}

func (d *door) getStatus(ctx context.Context, _ *mcp.ServerSession, in *getTaskParams) (*taskStatus, error) {
	t, err := d.taskByID(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var open []errand.Question
	if !t.State.Terminal() {
		if open, err = d.Backend.TaskQuestions(ctx, d.by, t.ID); err != nil {
			return nil, d.protocolError(err)
		}
	}
	asks := forms(open)
	out := statusOf(t, len(asks) > 0)
	out.ResultType = "complete"
	switch out.Status {
	case "input_required":
		out.InputRequests = asks
	case "completed":
		structured, text, err := d.renderTask(ctx, t)
		if err != nil {
			return nil, d.protocolError(err)
		}
		out.Result = &completeResult{"complete", []mcp.Content{&mcp.TextContent{Text: text}}, structured, t.State != errand.Completed}
	}
	return out, nil
}

func (d *door) updateTask(ctx context.Context, _ *mcp.ServerSession, in *updateTaskParams) (*acknowledgement, error) {
	t, err := d.taskByID(ctx, in.ID)
	if err == nil {
		_, err = d.answer(ctx, t, in.Responses)
	}
	if err != nil {
		return nil, d.protocolError(err)
	}
	return &acknowledgement{ResultType: "complete"}, nil
}

func (d *door) endTask(ctx context.Context, _ *mcp.ServerSession, in *getTaskParams) (*acknowledgement, error) {
	t, err := d.taskByID(ctx, in.ID)
	if err == nil && !t.State.Terminal() {
		_, err = d.Backend.CancelTask(ctx, d.by, t.ID, "")
	}
	if err != nil {
		return nil, d.protocolError(err)
	}
	return &acknowledgement{ResultType: "complete"}, nil
}

// taskByID is the task of an id, which is the whole of it: a program has not typed it.
func (d *door) taskByID(ctx context.Context, id string) (errand.Task, error) {
	t, err := d.Backend.FindTask(ctx, d.by, id, "")
	if err == nil && string(t.ID) != id {
		err = service.Refuse(service.KindNotFound, "not_found", "refusal.not_found", "thing", "task", "name", errand.Cut(id, 80))
	}
	if err != nil {
		return t, d.protocolError(err)
	}
	return t, nil
}

// protocolError is an error of what is no tool: a code of the protocol's, and what the
// service says.
func (d *door) protocolError(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire
	}
	code := int64(jsonrpc.CodeInternalError)
	if known := (*service.Error)(nil); errors.As(err, &known) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: d.refused(err).Error()}
}

// tasks stands before the methods: those of the extension are for clients that speak it, and
// a call of such a client whose task goes on answers with the task.
func (d *door) tasks(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if slices.Contains(tasksMethods, method) && reflect.ValueOf(req.GetParams()).IsNil() {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: method + " needs params"}
		}
		speaks := speaksTasks(req)
		if slices.Contains(tasksMethods, method) && !speaks {
			return nil, needsTasks()
		}
		d.later = speaks
		res, err := next(ctx, method, req)
		if err != nil || d.handed == nil {
			return res, err
		}
		d.handed.ResultType = "task"
		return d.handed, nil
	}
}

func needsTasks() error {
	needs := &mcp.ClientCapabilities{}
	needs.AddExtension(tasksExtension, nil)
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: needs})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client has not declared " + tasksExtension, Data: data}
}

// speaksTasks reports whether the client has declared the extension, in the call or, in
// older versions, when it was initialized.
func speaksTasks(req mcp.Request) bool {
	declared, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	})
	if !ok {
		return false
	}
	can := declared.ClientCapabilities()
	if can == nil {
		return false
	}
	_, ok = can.Extensions[tasksExtension]
	return ok
}

// isNamed reports whether the header that routers read names the task that the body of a
// request of the extension does; id is the request's. The SDK looks at those of the
// protocol's own methods.
func isNamed(h http.Header, body []byte) (id json.RawMessage, ok bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			ID string `json:"taskId"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || !slices.Contains(tasksMethods, m.Method) || h.Get("Mcp-Protocol-Version") < version2026 {
		return nil, true
	}
	return m.ID, h.Get("Mcp-Name") == m.Params.ID
}
