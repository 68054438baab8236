package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/test/servicetest"
)

// doorsAlone measures the doors by which programs come in, on an installation of their own:
// what a delegation costs that is answered with a handle, what clients take that wait, how
// long the first token of an answer is on its way, and the result of a peer that pushes.
func doorsAlone(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	model := &instant{mayReport: make(chan struct{})}
	a, err := start(ctx, dir, o, model)
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	d := &doors{Options: o, app: a, model: model, base: "http://" + a.Address, musts: &musts{}}
	if d.people, err = admit(ctx, a, programs); err != nil {
		return err
	}
	if err := d.handles(ctx); err != nil {
		return err
	}
	for _, kind := range []string{overMCP, overA2A, overSSE} {
		if err := d.wait(ctx, kind); err != nil {
			return err
		}
	}
	if err := firstTokens(ctx, o.Out, "the worker that is asked runs the turn", o.Rounds, d.base, d.people, model, d.musts); err != nil {
		return err
	}
	if err := elsewhere(ctx, o, d.musts); err != nil {
		return err
	}
	return d.musts.err(o.Strict)
}

type doors struct {
	Options
	app    *app.App
	model  *instant
	base   string
	people []program
	musts  *musts
}

// A program acts for a person.
type program struct {
	Person core.PersonID `json:"person"`
	Token  string        `json:"token"`
}

// programs is for how many people: each may have 32 streams of events.
const programs = 40

func admit(ctx context.Context, a *app.App, n int) ([]program, error) {
	owner := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	list := make([]program, n)
	for i := range list {
		id := core.PersonID(fmt.Sprintf("bench-%d", i))
		if _, err := a.Store.EnsurePerson(ctx, id, string(id), core.Member); err != nil {
			return nil, err
		}
		token, _, err := servicetest.CreateToken(ctx, a.Service, owner, id, api.NewToken{Name: "bench"})
		if err != nil {
			return nil, err
		}
		list[i] = program{id, token}
	}
	return list, nil
}

// handles measures delegate_to_bot, called over HTTP and answered with a handle, against the
// bare start of a workflow on the same server, alternating. Both wait between two until what
// was started has ended.
func (d *doors) handles(ctx context.Context) error {
	floor, err := startBare(ctx, d.app.Client, "", 0)
	if err != nil {
		return err
	}
	defer floor.stop(context.WithoutCancel(ctx))
	floor.worker.RegisterWorkflowWithOptions(floor.subAgent, workflow.RegisterOptions{Name: "bareStart"})
	var ours, bare cost
	for i := range d.Rounds + 10 {
		var task string
		err := ours.one(func() (err error) {
			task, err = d.people[0].delegate(ctx, d.base, "hello")
			return err
		})
		if err != nil {
			return err
		}
		if err := d.ended(ctx, task); err != nil {
			return err
		}
		var run client.WorkflowRun
		err = bare.one(func() (err error) {
			run, err = d.app.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: fmt.Sprintf("bare/start/%d", i), TaskQueue: bareQueue}, "bareStart", "hello")
			return err
		})
		if err != nil {
			return err
		}
		if err := run.Get(ctx, nil); err != nil {
			return err
		}
		if err := settle(ctx); err != nil {
			return err
		}
		if i < 10 { // warm up
			ours, bare = cost{}, cost{}
		}
	}
	ratio := func(q float64) float64 { return float64(quantile(ours.took, q)) / float64(quantile(bare.took, q)) }
	fmt.Fprintf(d.Out, "\n%-42s %10s %10s   (%d rounds)\n", "from programs", "p50", "p95", d.Rounds)
	fmt.Fprintf(d.Out, "%-42s %10s %10s\n", "delegate_to_bot, until there is a handle", ms(quantile(ours.took, 0.5)), ms(quantile(ours.took, 0.95)))
	fmt.Fprintf(d.Out, "%-42s %10s %10s\n", "the bare start of a workflow", ms(quantile(bare.took, 0.5)), ms(quantile(bare.took, 0.95)))
	d.musts.hold(ratio(0.5) <= 1.5, "a delegation until there is a handle takes %.2f of the bare start of a workflow, and must 1.5 at most", ratio(0.5))
	_, err = fmt.Fprintf(d.Out, "%-42s %10.2f %10.2f   must: p50 ≤ 1.5\n", "  ratio", ratio(0.5), ratio(0.95))
	return err
}

// ended waits until a task has.
func (d *doors) ended(ctx context.Context, task string) error {
	err := until(ctx, func() (bool, error) {
		t, err := d.app.Store.Task(ctx, core.TaskID(task))
		return err == nil && t.State.Terminal(), err
	})
	if err != nil {
		return err
	}
	return settle(ctx)
}

func (p program) delegate(ctx context.Context, base, task string) (string, error) {
	resp, err := p.call(ctx, base, "delegate_to_bot", map[string]any{"agent": "sasha", "task": task, "wait_seconds": 0})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	got, err := resultOf(resp)
	return got.ID, err
}

// call calls a tool over MCP.
func (p program) call(ctx context.Context, base, tool string, args map[string]any) (*http.Response, error) {
	return p.post(ctx, base+"/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": "p"}}})
}

func (p program) post(ctx context.Context, url string, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return p.ask(ctx, http.MethodPost, url, string(raw))
}

// ask is a request of a program. What is refused is an error.
func (p program) ask(ctx context.Context, method, url, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + p.Token}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		err = fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return resp, err
}

// An mcpResult is what of a task the result of a tool has.
type mcpResult struct {
	ID    string `json:"task_id"`
	State string `json:"state"`
}

func resultOf(resp *http.Response) (mcpResult, error) {
	var got mcpResult
	err := lines(resp, func(line string) (bool, error) {
		var answer struct {
			Result *struct {
				StructuredContent mcpResult
				IsError           bool
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Result == nil && answer.Error == nil {
			return false, err // progress
		}
		if answer.Result == nil || answer.Result.IsError {
			return false, errors.New("a tool failed: " + line)
		}
		got = answer.Result.StructuredContent
		return true, nil
	})
	return got, err
}

// errSilent is of an answer that ends without what was waited for.
var errSilent = errors.New("the answer ended before")

// lines hands on what the data of an answer are, one by one, until that was enough.
func lines(resp *http.Response, enough func(string) (bool, error)) error {
	in := bufio.NewScanner(resp.Body)
	in.Buffer(make([]byte, 0, 4096), 1<<20)
	for in.Scan() {
		line, ok := strings.CutPrefix(in.Text(), "data:")
		if !ok && !strings.HasPrefix(line, "{") || strings.TrimSpace(line) == "" {
			continue
		}
		if done, err := enough(strings.TrimSpace(line)); done || err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return errSilent
}

const quickly = 2 * time.Minute
