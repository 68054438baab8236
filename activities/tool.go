package activities

import (
	"context"
	"errors"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/probe"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/wire"
	"errand/internal/tools"
)

type ToolRunner struct {
	*worker
	*authority
	approver *approver
	tools    *tools.Set
	places   *limit.FairSemaphore // shared by people's turns
	timing   *telemetry.Timing
}

// maxResult is how much of a tool's result is stored, in bytes. The store decides how much of it a
// model reads.
const maxResult = 10 << 20

// Tool carries out one tool call and stores its result under the call's key. The first result
// counts. Each start is recorded before the tool runs. If a tool that must not run twice was
// started and has no result, the model reads "outcome unknown". Other tools are started again,
// unless their worker has died during the call maxLost times. Temporal's count of attempts is not
// used, because a reset sets it back.
//
// [ToolRunner.RunApproved] carries out the calls that waited for an approval.
func (r *ToolRunner) Tool(ctx context.Context, in wire.ToolInput) error {
	return r.carryOut(ctx, in)
}

// RunApproved carries out a call like Tool, after its approval. Its name shows in Temporal's Web UI
// that the call was approved.
func (r *ToolRunner) RunApproved(ctx context.Context, in wire.ToolInput) error {
	if in.Question == "" {
		return failed(errUnasked)
	}
	return r.carryOut(ctx, in)
}

func (r *ToolRunner) carryOut(ctx context.Context, in wire.ToolInput) error {
	if err := r.at(in.Store); err != nil {
		return err
	}
	r.probe.At(probe.BeforeTool)
	call, err := r.store.Call(ctx, in.Key)
	if err != nil || call.Done {
		return failed(err)
	}
	tool, ok := r.tools.Tool(call.Call.Name)
	release, err := r.acquireTool(ctx, tool, call)
	if err != nil {
		return failed(err)
	}
	defer release()
	why, err := r.approver.approved(ctx, in, tool, &call)
	switch {
	case errors.Is(err, store.ErrAnswered), errors.Is(err, errUndecided):
		return nil
	case err != nil:
		return failed(err)
	case ok && why != "":
		return r.refuseTool(ctx, call, tool, why)
	}
	if !ok || tool.By != store.ByActivity {
		return r.commitTool(ctx, in.Key, prompt.ToolGone)
	}
	step, err := r.stepOf(ctx, call)
	if err != nil {
		return failed(err)
	}
	if agent, _ := r.roster.Agent(call.Agent); !r.mayUse(step, agent, tool) {
		return r.refuseTool(ctx, call, tool, prompt.ToolNotAllowed(tool.Name))
	}
	call.Role = r.role(step)
	start, err := r.store.BeginTool(ctx, in.Key, tool.Effect == tools.Once)
	switch {
	case errors.Is(err, store.ErrAnswered):
		return nil // the call was given up while this worker was suspended
	case err != nil:
		return failed(err)
	case start.Again && tool.Effect == tools.Once:
		return r.commitTool(ctx, in.Key, prompt.OutcomeUnknown(errInterrupted, true))
	case start.Lost >= maxLost:
		return r.giveUpTool(ctx, step, in.Key, tool.Name)
	}
	call.Again = start.Again
	ctx = tools.WithProgress(ctx, r.doing(step, tool))
	began := time.Now()
	result, err := r.runTool(ctx, tool, call)
	r.observeTool(tool.Name, began, result, err)
	r.probe.At(probe.AfterTool)
	if errors.Is(err, store.ErrAnswered) {
		return nil // it has the same result
	}
	if err != nil {
		return r.toolFailed(ctx, in.Key, tool, start, err)
	}
	return r.finishTool(ctx, in.Key, tool, result)
}

func (r *ToolRunner) doing(b *store.StepInput, tool tools.Tool) func(progress string) {
	if tool.Doing != "" {
		r.publishStep(b, tool.Name, r.text(b.Language, string(tool.Doing)))
	} else {
		r.publishStep(b, tool.Name, r.text(b.Language, "doing.tool", "tool", tool.Name))
	}
	return func(progress string) { r.publishStep(b, tool.Name, r.text(b.Language, progress)) } // words from outside are not keys
}

// maxLost is how many times a worker may die during a call without an error from the tool. The tool
// may be the cause.
const maxLost = 3

func (r *ToolRunner) giveUpTool(ctx context.Context, b *store.StepInput, key core.CallKey, tool string) error {
	r.logger.Error("tool not started again, because errand stopped each time that it ran", "tool", tool, "agent", b.Agent, "session", b.Session)
	if err := r.commitTool(ctx, key, prompt.ToolGivenUp(tool, maxLost)); err != nil {
		return err
	}
	r.publishStep(b, tool, r.text(b.Language, "doing.tool_lost", "tool", tool))
	return nil
}

// If an earlier attempt began the call, its effect is unknown.
func (r *ToolRunner) refuseTool(ctx context.Context, call store.Call, tool tools.Tool, why string) error {
	if call.Again {
		why = prompt.OutcomeUnknown(errInterrupted, tool.Effect == tools.Once)
	}
	return r.commitTool(ctx, call.Key, why)
}

// finishTool commits the result of a call that has begun. If that fails and the tool may run again,
// it gives the call back, so that this start does not count as a dead worker.
func (r *ToolRunner) finishTool(ctx context.Context, key core.CallKey, tool tools.Tool, result string) error {
	err := r.keepResult(ctx, key, result)
	if err != nil && tool.Effect != tools.Once {
		return r.giveBack(ctx, key, err)
	}
	return failed(err)
}

// commitTool also works while the turn is being stopped or the worker is ending.
func (r *ToolRunner) commitTool(ctx context.Context, key core.CallKey, result string) error {
	return failed(r.keepResult(ctx, key, result))
}

func (r *ToolRunner) keepResult(ctx context.Context, key core.CallKey, result string) error {
	return r.keep(ctx, func(ctx context.Context) error { return r.store.CommitTool(ctx, key, kept(result)) })
}

func kept(result string) string {
	note := ""
	if len(result) > maxResult {
		note = prompt.ResultCut(len(result), maxResult)
		result = result[:maxResult]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(result, "\uFFFD"), "\x00", "\uFFFD") + note
}
