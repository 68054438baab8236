package scripted

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
)

// DemoOptions set the speed of the demonstration model.
type DemoOptions struct {
	Work  time.Duration // how long a sub-agent takes over all its steps; default 6 s
	Chunk time.Duration // time between two pieces of an answer to a person; default 15 ms
	// Instant makes the model answer at once, in one piece, and without tool calls of its own as
	// a sub-agent. Benchmarks and tests use it. A time in the task itself ("work 3s") still
	// counts.
	Instant bool
	OnCall  func(llm.Call)
}

// NewDemo returns the offline demonstration model. It understands a few plain English
// requests and says that it is a demonstration. It keeps no state between requests.
func NewDemo(o DemoOptions) Model {
	if o.Work <= 0 {
		o.Work = 6 * time.Second
	}
	if o.Chunk <= 0 {
		o.Chunk = 15 * time.Millisecond
	}
	return &demo{o}
}

type demo struct{ DemoOptions }

// Complete answers, and reports the call to OnCall as an [llm.Client] does.
func (d *demo) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	begin := time.Now()
	out, err := Func(d.answer).Complete(ctx, r, deltas)
	out.Usage.Model, out.Usage.Provider = "demo", "demo"
	call := llm.Call{Model: r.Model, Provider: "demo", Outcome: "answered", Took: time.Since(begin), Usage: out.Usage}
	if err != nil { // the script returns no errors: ctx has ended
		call.Outcome = "canceled"
	}
	if d.OnCall != nil {
		d.OnCall(call)
	}
	return out, err
}

const intro = "I am errand's offline demonstration model: I follow a handful of plain requests and know nothing else. " +
	"Set OPENAI_BASE_URL, OPENAI_API_KEY and ERRAND_MODEL to talk to a real one."

var (
	isSubAgent = regexp.MustCompile(`(?m)\bYou are working on task t-`)
	isSummary  = regexp.MustCompile(`(?i)^\W*summari[sz]e`)
)

// answer has no state and no clock, so the same request gets the same answer.
func (d *demo) answer(_ context.Context, t *Turn) Answer {
	a := d.decide(t)
	if d.Instant || a.Text == "" {
		return a
	}
	a.Deltas = strings.SplitAfter(a.Text, " ")
	if a.Takes == 0 {
		a.Takes = d.Chunk * time.Duration(len(a.Deltas))
	}
	return a
}

func (d *demo) decide(t *Turn) Answer {
	switch {
	case isSummary.MatchString(t.System):
		return Answer{Text: summary(t)}
	case isSubAgent.MatchString(t.System):
		return d.work(t)
	}
	a := talk.Answer(t)
	if len(a.Calls) > 0 {
		return a
	}
	if a.Text == "" {
		a.Text = "There is nothing to answer yet."
	}
	for _, m := range t.Before { // it introduces itself only once
		if m.Speaker == core.FromAgent && strings.Contains(m.Text, "demonstration") {
			return a
		}
	}
	a.Text += "\n\n(" + intro + ")"
	return a
}

func summary(t *Turn) string {
	lines := []string{"Summary by the demonstration model, which only lists what was asked:"}
	for _, m := range slices.Concat(t.Before, t.Since) {
		if m.Speaker == core.FromPerson {
			lines = append(lines, "- "+Cut(m.Text, 120))
		}
	}
	return strings.Join(lines, "\n")
}
