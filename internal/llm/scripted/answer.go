package scripted

import (
	"context"
	"fmt"
	"slices"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
)

// A Model takes the place of an [llm.Client].
type Model interface {
	Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error)
}

// A Func is a model implemented by a function.
type Func func(context.Context, *Turn) Answer

// Complete returns the answer of the function.
func (f Func) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	a := f(ctx, NewTurn(r))
	if a.Usage == (core.Usage{}) {
		a.Usage = core.Usage{Model: "scripted", Provider: "scripted", InputTokens: llm.Estimate(r), OutputTokens: max(core.TokensOf(len(a.Text)), len(a.Calls))}
	}
	return a.Give(ctx, deltas)
}

// An Answer is one answer of a scripted model. The zero value is an empty answer, which no
// real client returns.
type Answer struct {
	Text      string
	Deltas    []string // the pieces of Text to stream; nil: one piece
	Calls     []core.ToolCall
	Takes     time.Duration   // spread evenly over the pieces: each comes after its share
	Wait      <-chan struct{} // the answer starts when it is closed; nil: at once
	Usage     core.Usage
	Truncated bool
	Filtered  bool
	Err       error // returned after Deltas, instead of an answer
}

// Give waits, streams and returns the answer. Calls without an id get one.
func (a Answer) Give(ctx context.Context, deltas func(llm.Delta)) (llm.Response, error) {
	if a.Wait != nil {
		select {
		case <-a.Wait:
		case <-ctx.Done():
		}
	}
	pieces := a.Deltas
	if pieces == nil && a.Err == nil {
		pieces = []string{a.Text}
	}
	for _, p := range pieces {
		if err := Pause(ctx, a.Takes/time.Duration(len(pieces))); err != nil {
			return llm.Response{}, err
		}
		if p != "" && deltas != nil {
			deltas(llm.Delta{Text: p})
		}
	}
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if a.Err != nil {
		return llm.Response{}, a.Err
	}
	calls := slices.Clone(a.Calls)
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d", i+1)
		}
	}
	return llm.Response{Text: a.Text, Calls: calls, Usage: a.Usage, Truncated: a.Truncated, Filtered: a.Filtered}, nil
}

// Pause waits for d. If ctx ends first, it returns the cause.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
