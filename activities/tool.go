package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/tools"
)

// A ToolInput names one tool call.
type ToolInput struct {
	Store string         `json:"store"`
	Key   errand.CallKey `json:"key"`
	// Question is the approval that the call has waited for; empty: none was asked for.
	Question errand.QuestionID `json:"question,omitempty"`
}

// maxResult is how much of a tool's result is kept, in bytes. How much of it a model is
// given is for the store to say.
const maxResult = 10 << 20

// Tool carries out one tool call and keeps its result under the call's key: the
// first result counts. Each start is noted before the tool runs. A tool that must not run
// twice and was begun without a result is "outcome unknown" to the model. Another one is
// started again, unless its workers ended while it ran, maxLost times. Temporal's count of
// attempts is not asked: it can be put back.
//
// [Activities.RunApproved] carries out the calls that waited for an approval.
func (a *Activities) Tool(ctx context.Context, in ToolInput) error {
	return a.carryOut(ctx, in)
}

// RunApproved carries out a call as Tool does, once its approval has been given. In
// Temporal's Web UI its name shows that the call was approved.
func (a *Activities) RunApproved(ctx context.Context, in ToolInput) error {
	if in.Question == "" {
		return failed(errUnasked)
	}
	return a.carryOut(ctx, in)
}

func (a *Activities) carryOut(ctx context.Context, in ToolInput) error {
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
	release, err := a.acquireTool(ctx, tool, call)
	if err != nil {
		return failed(err)
	}
	defer release()
	why, err := a.approved(ctx, in, tool, &call)
	switch {
	case errors.Is(err, store.ErrAnswered), errors.Is(err, errUndecided):
		return nil
	case err != nil:
		return failed(err)
	case ok && why != "":
		return a.refuseTool(ctx, call, tool, why)
	}
	if !ok || tool.By != store.ByActivity {
		return a.commitTool(ctx, in.Key, "error: this tool is no longer there")
	}
	step, err := a.stepOf(ctx, call)
	if err != nil {
		return failed(err)
	}
	if agent, _ := a.Roster.Agent(call.Agent); !a.mayUse(step, agent, tool) {
		return a.refuseTool(ctx, call, tool, fmt.Sprintf("error: %s is not there for this person any more, and was not run", tool.Name))
	}
	call.Role = a.role(step)
	start, err := a.Store.BeginTool(ctx, in.Key, tool.Effect == tools.Once)
	switch {
	case errors.Is(err, store.ErrAnswered):
		return nil // given up while this worker stood still
	case err != nil:
		return failed(err)
	case start.Again && tool.Effect == tools.Once:
		return a.commitTool(ctx, in.Key, unknown(errInterrupted, tools.Once))
	case start.Lost >= maxLost:
		return a.giveUpTool(ctx, step, in.Key, tool.Name)
	}
	call.Again = start.Again
	ctx = tools.WithProgress(ctx, a.doing(step, tool))
	began := time.Now()
	result, err := a.runTool(ctx, tool, call)
	a.observeTool(tool.Name, began, result, err)
	a.Probe.At(probe.AfterTool)
	if errors.Is(err, store.ErrAnswered) {
		return nil // it found the same
	}
	if err != nil {
		return a.toolFailed(ctx, in.Key, tool, start, err)
	}
	return a.finishTool(ctx, in.Key, tool, result)
}

// stepOf is the step that a call belongs to, with the role of now: a tool runs with no
// more rights than its call was planned with, and none that have been taken since.
func (a *Activities) stepOf(ctx context.Context, call store.Call) (*store.StepInput, error) {
	b := &store.StepInput{Key: call.Key.StepKey, Session: call.Session, SessionKey: call.Origin.SessionKey, Route: call.Origin.Route,
		Person: call.Person, Agent: call.Agent, Task: call.Task, Role: call.Origin.Role}
	if call.Person == "" || call.Person == errand.Everyone {
		return b, nil
	}
	person, err := a.Store.Person(ctx, call.Person)
	switch {
	case errors.Is(err, store.ErrNotFound): // removed: no more than a stranger
		b.Role = errand.Lesser(b.Role, errand.Guest)
	case err != nil:
		return nil, err
	default:
		b.Role, b.Language = errand.Lesser(b.Role, person.Role), person.Language
	}
	return b, nil
}

func (a *Activities) doing(b *store.StepInput, tool tools.Tool) func(progress string) {
	if tool.Doing != "" {
		a.publishStep(b, tool.Name, a.text(b.Language, string(tool.Doing)))
	} else {
		a.publishStep(b, tool.Name, a.text(b.Language, "doing.tool", "tool", tool.Name))
	}
	return func(progress string) { a.publishStep(b, tool.Name, a.text(b.Language, progress)) } // words of others are no key
}

// maxLost is the number of starts of a call that may end with their worker, and without a
// word of it: the tool may be what ends the worker.
const maxLost = 3

// giveUpTool ends a call that has ended errand again and again, and tells the model and the
// person why.
func (a *Activities) giveUpTool(ctx context.Context, b *store.StepInput, key errand.CallKey, tool string) error {
	a.Logger.Error("a tool is not started again: errand ended each time that it ran", "tool", tool, "agent", b.Agent, "session", b.Session)
	const says = "error: %s was started %d times, and each time errand itself stopped before the tool was done. The tool will not be started again. Tell the person why."
	if err := a.commitTool(ctx, key, fmt.Sprintf(says, tool, maxLost)); err != nil {
		return err
	}
	a.publishStep(b, tool, a.text(b.Language, "doing.tool_lost", "tool", tool))
	return nil
}

// refuseTool ends a call that may not run. If an earlier attempt began it, the refusal does
// not say what that attempt did.
func (a *Activities) refuseTool(ctx context.Context, call store.Call, tool tools.Tool, why string) error {
	if call.Again {
		why = unknown(errInterrupted, tool.Effect)
	}
	return a.commitTool(ctx, call.Key, why)
}

// finishTool commits the result of a call that has begun. If that fails and the tool may run
// again, it gives the call back: its worker did not die.
func (a *Activities) finishTool(ctx context.Context, key errand.CallKey, tool tools.Tool, result string) error {
	err := a.keepResult(ctx, key, result)
	if err != nil && tool.Effect != tools.Once {
		return a.giveBack(ctx, key, err)
	}
	return failed(err)
}

// commitTool keeps the result of a call. It is kept though the turn is being stopped or
// the worker ends.
func (a *Activities) commitTool(ctx context.Context, key errand.CallKey, result string) error {
	return failed(a.keepResult(ctx, key, result))
}

func (a *Activities) keepResult(ctx context.Context, key errand.CallKey, result string) error {
	return a.keep(ctx, func(ctx context.Context) error { return a.Store.CommitTool(ctx, key, kept(result)) })
}

// kept is what is kept of a tool's result: text that every database takes, and no more
// than maxResult of it.
func kept(result string) string {
	note := ""
	if len(result) > maxResult {
		note = fmt.Sprintf("\n(cut off here: the result had %d bytes, and %d are kept)", len(result), maxResult)
		result = result[:maxResult]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(result, "\uFFFD"), "\x00", "\uFFFD") + note
}
