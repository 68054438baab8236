// Package demo is the offline demonstration model: it understands a handful of plain
// requests in English and says that it is a demonstration. It is a server of the wire in
// this process, so that what is tried without a key takes the same path that runs with one.
package demo

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
)

// Options say how fast the demonstration model is.
type Options struct {
	Work  time.Duration // how long it plays a sub-agent, over all its steps; default 6 s
	Chunk time.Duration // between two pieces of an answer to a person; default 15 ms
	// Instant answers at once and in one piece, without tool calls of its own
	// while it plays a sub-agent: for benchmarks and tests. A time that the task
	// itself asks for ("work 3s") is taken all the same.
	Instant bool
}

// Model is the demonstration model as a model to configure.
func Model(o Options) llm.Model {
	return llm.Model{Providers: []llm.Provider{{Name: "demo", Model: "demo", Concurrency: -1, Handler: New(o)}}}
}

// New returns the demonstration model as a server of the wire. It keeps nothing: all it
// knows is the request.
func New(o Options) http.Handler {
	if o.Work <= 0 {
		o.Work = 6 * time.Second
	}
	if o.Chunk <= 0 {
		o.Chunk = 15 * time.Millisecond
	}
	d := &demo{o}
	return scripted.Server("demo", scripted.Func(d.answer))
}

type demo struct{ Options }

const intro = "I am errand's offline demonstration model: I follow a handful of plain requests and know nothing else. " +
	"Set OPENAI_BASE_URL, OPENAI_API_KEY and ERRAND_MODEL to talk to a real one."

var (
	isSubAgent = regexp.MustCompile(`(?m)\bYou are working on task t-`)
	isSummary  = regexp.MustCompile(`(?i)^\W*summari[sz]e`)
)

// answer has no state and no clock: the same request gets the same answer.
func (d *demo) answer(_ context.Context, t *scripted.Turn) scripted.Answer {
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

func (d *demo) decide(t *scripted.Turn) scripted.Answer {
	switch {
	case isSummary.MatchString(t.System):
		return scripted.Answer{Text: summary(t)}
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
	for _, m := range t.Before { // it introduces itself once
		if m.Speaker == errand.FromAgent && strings.Contains(m.Text, "demonstration") {
			return a
		}
	}
	a.Text += "\n\n(" + intro + ")"
	return a
}

func summary(t *scripted.Turn) string {
	lines := []string{"Summary by the demonstration model, which only lists what was asked:"}
	for _, m := range slices.Concat(t.Before, t.Since) {
		if m.Speaker == errand.FromPerson {
			lines = append(lines, "- "+scripted.Cut(m.Text, 120))
		}
	}
	return strings.Join(lines, "\n")
}
