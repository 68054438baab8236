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

	"errand/internal/core"
	"errand/internal/service"
)

// tasksExtension is SEP-2663. A client that supports it gets a task in place of a result, polls it,
// and hands its model the result as if the call had just returned.
const tasksExtension = "io.modelcontextprotocol/tasks"

const (
	// After shortly a client that supports the extension gets the task.
	shortly   = time.Second
	pollEvery = 2000
	// keptFor is one day, in milliseconds.
	keptFor = 24 * 60 * 60 * 1000
)

// A taskStatus is a task in the extension's JSON.
type taskStatus struct {
	mcp.ResultBase
	ResultType    string              `json:"resultType"`
	ID            core.TaskID         `json:"taskId"`
	Status        string              `json:"status"`
	Message       string              `json:"statusMessage,omitempty"`
	Created       time.Time           `json:"createdAt"`
	Updated       time.Time           `json:"lastUpdatedAt"`
	TTL           int64               `json:"ttlMs"`
	PollInterval  int                 `json:"pollIntervalMs"`
	Result        *completeResult     `json:"result,omitempty"`
	InputRequests mcp.InputRequestMap `json:"inputRequests,omitempty"`
}

// completeResult sets resultType itself, because the SDK sets it only in results of its own.
type completeResult struct {
	ResultType string        `json:"resultType"`
	Content    []mcp.Content `json:"content"`
	Structured taskOut       `json:"structuredContent"`
	IsError    bool          `json:"isError,omitempty"`
}

func statusOf(t core.Task, asks bool) *taskStatus {
	out := &taskStatus{ID: t.ID, Status: "working", Message: headLine(t), Created: t.Created.UTC(), Updated: time.Now().UTC().Truncate(time.Millisecond), TTL: keptFor, PollInterval: pollEvery}
	switch {
	case t.State == core.Canceled:
		out.Status = "cancelled"
	case t.State.Terminal(): // a failed task is a result, too
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

func (d *door) addTasks(s *mcp.Server) {
	s.AddReceivingMiddleware(d.tasks)
	for _, err := range []error{
		mcp.AddReceivingCustomMethod(s, tasksMethods[0], d.getStatus),
		mcp.AddReceivingCustomMethod(s, tasksMethods[1], d.updateTask),
		mcp.AddReceivingCustomMethod(s, tasksMethods[2], d.endTask),
	} {
		if err != nil {
			panic(err) // the protocol itself defines a method of this name
		}
	}
}

func (d *door) getStatus(ctx context.Context, _ *mcp.ServerSession, in *getTaskParams) (*taskStatus, error) {
	t, err := d.taskByID(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var open []core.Question
	if !t.State.Terminal() {
		if open, err = d.questions(ctx, t.ID); err != nil {
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
		out.Result = &completeResult{"complete", []mcp.Content{&mcp.TextContent{Text: text}}, structured, t.State != core.Completed}
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
		_, err = d.end(ctx, in.ID, "")
	}
	if err != nil {
		return nil, d.protocolError(err)
	}
	return &acknowledgement{ResultType: "complete"}, nil
}

// taskByID accepts only whole ids, because programs do not type them.
func (d *door) taskByID(ctx context.Context, id string) (core.Task, error) {
	t, err := d.find(ctx, id)
	if err == nil && string(t.ID) != id {
		err = service.Refuse(service.KindNotFound, "not_found", "refusal.not_found", "thing", "task", "name", core.Cut(id, 80))
	}
	if err != nil {
		return t, d.protocolError(err)
	}
	return t, nil
}

// protocolError returns the JSON-RPC error for methods that are not tool calls.
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

// tasks is the middleware for the extension. It replaces the result of a call whose task is not
// finished by the task.
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
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client did not declare " + tasksExtension, Data: data}
}

// speaksTasks reads the capabilities of the call or, in older protocol versions, of its
// initialization.
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

// isNamed compares the task id in the header, which routers read, with the one in the body. The
// SDK does that only for the protocol's own methods.
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
