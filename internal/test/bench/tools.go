package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"errand/internal/store"
	"errand/internal/tools"
)

// The tools of this benchmark.
const (
	lookTool = "bench.look" // ends at once
	payTool  = "bench.pay"  // likewise, and must not run twice
	waitTool = "bench.wait" // takes waitTime
	waitTime = 200 * time.Millisecond
)

func addTools(set *tools.Set) error {
	tool := func(name string, effect tools.Effect) tools.Tool {
		return tools.Tool{
			Name: name, Description: "A tool of the benchmark.",
			Parameters: json.RawMessage(`{"type": "object", "properties": {}}`), Effect: effect,
			Run: func(ctx context.Context, _ store.Call, _ json.RawMessage) (string, error) { return runTool(ctx, name) },
		}
	}
	return set.Replace("bench", []tools.Tool{tool(lookTool, tools.ReadOnly), tool(payTool, tools.Once), tool(waitTool, tools.ReadOnly)})
}

// runTool runs a tool, which the bare program knows as models do.
func runTool(ctx context.Context, name string) (string, error) {
	if name == waitTool || name == tools.WireName(waitTool) {
		select {
		case <-time.After(waitTime):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return "noted", nil
}

func use(tool string, n int) string { return fmt.Sprintf("use %d %s", n, tools.WireName(tool)) }

// tools measures what tools cost, and prompts that providers cache.
func (b *bench) tools(ctx context.Context) error {
	if err := b.toolSteps(ctx); err != nil {
		return err
	}
	if err := webPages(ctx, b.Options); err != nil {
		return err
	}
	if err := mcpTools(ctx, b.Options); err != nil {
		return err
	}
	if err := b.programs(ctx); err != nil {
		return err
	}
	return b.prompts(ctx)
}

// toolSteps compares steps with tool calls with those of the bare program: model, tools
// as activities, model.
func (b *bench) toolSteps(ctx context.Context) error {
	floor, end, err := b.overHTTP(ctx)
	if err != nil {
		return err
	}
	defer end()
	shapes := []shape{{"turn with a tool call", use(lookTool, 1)}, {"turn with a call that must not run twice", use(payTool, 1)}}
	if err := b.warmUp(ctx, floor, shapes); err != nil {
		return err
	}
	fmt.Fprintln(b.Out)
	if err := b.alternate(ctx, floor, shapes); err != nil {
		return err
	}
	return b.sideBySide(ctx, floor)
}

// sideBySide compares a step of eight slow tools with a step of one.
func (b *bench) sideBySide(ctx context.Context, floor *bare) error {
	const many = 8
	rounds := min(b.Rounds, 20)
	var ours, theirs [2]cost
	for range rounds {
		for i, n := range []int{1, many} {
			for _, of := range []struct {
				cost *cost
				send func(context.Context, int, string) error
			}{{&ours[i], b.ours}, {&theirs[i], floor.send}} {
				began := time.Now()
				if err := of.send(ctx, 0, use(waitTool, n)); err != nil {
					return err
				}
				of.cost.took = append(of.cost.took, time.Since(began))
			}
		}
	}
	fmt.Fprintf(b.Out, "\n%-42s %10s %10s   (%d rounds; the tool takes %v)\n", "a turn with calls of a slow tool, p50", "errand", "bare", rounds, waitTime)
	median := func(c cost) time.Duration { return quantile(c.took, 0.5) }
	for i, n := range []int{1, many} {
		fmt.Fprintf(b.Out, "%-42s %10s %10s\n", fmt.Sprintf("calls in one step: %d", n), ms(median(ours[i])), ms(median(theirs[i])))
	}
	fmt.Fprintf(b.Out, "%-42s %10s %10s\n", "  more than one call", ms(median(ours[1])-median(ours[0])), ms(median(theirs[1])-median(theirs[0])))
	if median(ours[1]) > 2*waitTime+median(ours[0]) {
		return errors.New("the tools of one step do not run at once")
	}
	return nil
}
