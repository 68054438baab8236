package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
)

// A teams is an installation with one agent more than the default ones: it takes five to
// have a majority of three.
type teams struct {
	Options
	app *app.App
	by  actor.Actor
}

const slowTeam = 300 * time.Millisecond

// teamsAlone measures several agents at once, and questions that wait for people.
func teamsAlone(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := inTeams(ctx, o, dir); err != nil || len(o.Worker) == 0 {
		return err
	}
	l, err := restartWorker(ctx, o, dir)
	if err == nil {
		l.print(o.Out)
	}
	return err
}

func inTeams(ctx context.Context, o Options, dir string) error {
	o.PortOffset += 300 // beside an installation that is still up
	cfg, err := configured(dir, o)
	if err != nil {
		return err
	}
	cfg.Delegation.PairPerHour = 0
	cfg.Team = config.Team{AtOnce: 1000, PerMinute: 1000, PairPerMinute: 1000, Messages: 5}
	primary, list := agents.Default()
	fifth := list[len(list)-1]
	fifth.Name, fifth.Instructions = "vera", "You are Vera."
	list[0].Delegates = append(list[0].Delegates, fifth.Name)
	if cfg.Roster, err = agents.New(primary, append(list, fifth), agents.Rules{}); err != nil {
		return err
	}
	app.LimitCachedWorkflows(cfg)
	a, err := app.Start(ctx, app.Options{Config: cfg, Model: &instant{}})
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	t := &teams{o, a, actor.Actor{Person: app.Owner, Role: core.MasterAdmin, Counted: true}}
	for _, part := range []func(context.Context) error{t.atOnce, t.consensus, t.overTeam, t.measureWaiting} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// alternate measures several things in turn, so that all meet the same machine.
func (t *teams) alternate(ctx context.Context, rounds int, do ...func() error) ([][]time.Duration, error) {
	took := make([][]time.Duration, len(do))
	for round := range rounds + 1 {
		for i, f := range do {
			if err := settle(ctx); err != nil {
				return nil, err
			}
			d, err := timed(f)
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms up
				took[i] = append(took[i], d)
			}
		}
	}
	return took, nil
}

func (t *teams) line(name string, took []time.Duration) {
	fmt.Fprintf(t.Out, "%-66s %10s %10s\n", name, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)))
}

// atOnce compares a turn that asks three agents with one that asks one of them.
func (t *teams) atOnce(ctx context.Context) error {
	turn := func(text string) func() error {
		return func() error { return send(ctx, t.app, "at-once", text+take+slowTeam.String()) }
	}
	rounds := min(t.Rounds, 40)
	took, err := t.alternate(ctx, rounds, turn("ask "), turn("team "))
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "\n%-66s %10s %10s\n", fmt.Sprintf("several agents, the model of each takes %v (%d rounds)", slowTeam, rounds), "p50", "p95")
	t.line("a turn that asks one agent (call_agent)", took[0])
	t.line("a turn that asks three at once (ask_team)", took[1])
	fmt.Fprintf(t.Out, "%-66s %10.2f\n", "  ratio (must: 1.2)", float64(quantile(took[1], 0.5))/float64(quantile(took[0], 0.5)))
	return nil
}

// consensus compares a majority of five, two of them slow, with three that are not.
func (t *teams) consensus(ctx context.Context) error {
	const slow = 5 * time.Second
	decide := func(policy string, agents ...core.AgentName) func() error {
		var text strings.Builder
		text.WriteString(judge)
		for i, a := range agents {
			d := slowTeam
			if i >= 3 {
				d = slow
			}
			fmt.Fprintf(&text, "%s=%v ", a, d)
		}
		return func() error {
			begun, err := ops.Do(ctx, t.app.Service.Runner, api.CreateTask, t.by, api.CreateTaskInput{
				Body: api.NewTask{Agents: agents, Text: text.String(), Expect: api.ExpectDecision, Policy: policy}})
			if err != nil {
				return err
			}
			task, err := t.ended(ctx, begun.ID)
			if err == nil && task.Decision != core.AnswerYes {
				err = fmt.Errorf("%s of %d agents decided %q", policy, len(agents), task.Decision)
			}
			return err
		}
	}
	rounds := min(t.Rounds, 20)
	took, err := t.alternate(ctx, rounds, decide("all", "sasha", "finn", "priest"), decide("majority", "sasha", "finn", "priest", "nikki", "vera"))
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "\n%-66s %10s %10s\n", fmt.Sprintf("decisions, the model of each takes %v (%d rounds)", slowTeam, rounds), "p50", "p95")
	t.line("all of three agents", took[0])
	t.line(fmt.Sprintf("a majority of five, the model of two takes %v", slow), took[1])
	fmt.Fprintf(t.Out, "%-66s %10.2f\n", "  ratio", float64(quantile(took[1], 0.5))/float64(quantile(took[0], 0.5)))
	return nil
}

// ended waits until a task has ended.
func (t *teams) ended(ctx context.Context, id core.TaskID) (core.Task, error) {
	task, err := ops.Do(ctx, t.app.Service.Runner, api.GetTask, t.by, api.GetTaskInput{TaskID: api.TaskID{ID: string(id)}, AtMost: time.Minute})
	if err == nil && !task.State.Terminal() {
		err = errors.New("a task does not end")
	}
	return task.Task, err
}

var taskID = regexp.MustCompile(`t-[a-z0-9]{8}`)

// overTeam compares what /team asks for with tasks that the service is given, until they
// have ended.
func (t *teams) overTeam(ctx context.Context) error {
	const chat = "beside"
	for range 5 { // what goes with a request
		if err := send(ctx, t.app, chat, "hello"); err != nil {
			return err
		}
	}
	followed := func(ids []string) error {
		for _, id := range ids {
			if _, err := t.ended(ctx, core.TaskID(id)); err != nil {
				return err
			}
		}
		return nil
	}
	byTeam := func(mentions string, want int) func() error {
		return func() error {
			out, err := t.app.Intake.Accept(ctx, intake.Inbound{Route: core.WebRoute(chat), Person: app.Owner, Role: core.MasterAdmin, Text: "/team " + mentions + " look at it"})
			if err != nil {
				return err
			}
			ids := taskID.FindAllString(out.Answer, -1)
			if len(ids) != want {
				return fmt.Errorf("/team answers %q", out.Answer)
			}
			return followed(ids)
		}
	}
	byService := func(agents ...core.AgentName) func() error {
		return func() error {
			var ids []string
			for _, a := range agents {
				task, err := ops.Do(ctx, t.app.Service.Runner, api.CreateTask, t.by, api.CreateTaskInput{
					Route: core.WebRoute(chat), Body: api.NewTask{Agents: []core.AgentName{a}, Text: "look at it"}})
				if err != nil {
					return err
				}
				ids = append(ids, string(task.ID))
			}
			return followed(ids)
		}
	}
	rounds := min(t.Rounds, 40)
	took, err := t.alternate(ctx, rounds, byService("finn"), byTeam("@finn", 1), byService("finn", "sasha", "priest"), byTeam("@finn @sasha @priest", 3))
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "\n%-66s %10s %10s\n", fmt.Sprintf("/team beside the same tasks, model without latency (%d rounds)", rounds), "p50", "p95")
	t.line("one task, by the service, until it has ended", took[0])
	t.line("by /team, with five messages of the chat", took[1])
	t.line("three tasks, by the service", took[2])
	t.line("by /team, likewise", took[3])
	for i, name := range []string{"one", "three"} {
		fmt.Fprintf(t.Out, "%-66s %10s\n", "  beyond the tasks, "+name+" (must: 20 ms)", ms(quantile(took[2*i+1], 0.5)-quantile(took[2*i], 0.5)))
	}
	return nil
}
