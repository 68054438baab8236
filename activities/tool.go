package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/activity"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/tools"
)

// A ToolInput names one tool call.
type ToolInput struct {
	Store string         `json:"store"`
	Key   errand.CallKey `json:"key"`
}

// maxResult is how much of a tool's result a model is given, in characters.
const maxResult = 50_000

// Tool carries out one tool call and keeps its result under the call's key: the
// first result counts. A tool that must not run twice gets one attempt; if its
// end was not seen, the model is told that the outcome is unknown.
func (a *Activities) Tool(ctx context.Context, in ToolInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	defer beat(ctx)()
	a.Probe.At(probe.BeforeTool)
	call, err := a.Store.Call(ctx, in.Key)
	if err != nil || call.Done {
		return failed(err)
	}
	tool, ok := a.Tools.Tool(call.Call.Name)
	if !ok || tool.Run == nil {
		return failed(a.Store.CommitTool(ctx, in.Key, "error: this tool is no longer there"))
	}
	if tool.Effect == tools.Once && activity.GetInfo(ctx).Attempt > 1 {
		return failed(a.Store.CommitTool(ctx, in.Key, "error: outcome unknown: errand was interrupted while this ran, and it must not run twice. Check before you try again."))
	}
	a.doing(ctx, call, in.Key, tool)
	result, err := tool.Run(ctx, call, json.RawMessage(call.Call.Arguments))
	if err != nil {
		if ctx.Err() == nil && activity.GetInfo(ctx).Attempt < 3 && tool.Effect != tools.Once {
			return failed(fmt.Errorf("tool %s: %w", tool.Name, err))
		}
		result = "error: " + err.Error()
	}
	return failed(a.Store.CommitTool(context.WithoutCancel(ctx), in.Key, errand.Cut(result, maxResult)))
}

func (a *Activities) doing(_ context.Context, call store.Call, key errand.CallKey, tool tools.Tool) {
	input := &store.StepInput{Key: key.StepKey, Session: call.Session, SessionKey: call.Origin.SessionKey, Agent: call.Agent, Task: call.Task}
	a.step(input, tool.Doing)
}
